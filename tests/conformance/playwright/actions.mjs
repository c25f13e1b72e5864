// Locators and what they do.

import fs from "node:fs";
import { failure, url, wish } from "../node_check_runner.mjs";

const log = (page) => page.textContent("#log");

export const actions = {
  async clicks_of_all_kinds({ page }) {
    await page.goto(url("/form.html"));
    await page.click("#b");
    await page.locator("#b").click({ clickCount: 1, modifiers: ["Shift"] });
    await page.locator("#b").dblclick();
    const double = await page.textContent("#d");
    await page.locator("#b").click({ button: "right" });
    return [await page.textContent("#n"), double, await page.textContent("#d")];
  },

  async fill_type_press_and_clear({ page }) {
    await page.goto(url("/form.html"));
    const box = page.getByLabel("Name");
    await box.fill("filled");
    await box.press("End");
    await box.pressSequentially("Xy");
    await box.press("Shift+ArrowLeft");
    await page.keyboard.press("Backspace");
    const typed = await box.inputValue();
    await page.keyboard.insertText("ü");
    const inserted = await box.inputValue();
    await box.clear();
    await page.locator("#t").fill("two\nlines");
    await page.locator("#e").fill("edited");
    return [typed, inserted, await box.inputValue(), await page.inputValue("#t"),
      await page.textContent("#e"), (await log(page)).includes("keydown:X+s")];
  },

  async checks_and_selects({ page }) {
    await page.goto(url("/form.html"));
    await page.getByLabel("Agree").check();
    const on = await page.isChecked("#c");
    await page.setChecked("#c", false);
    await page.check("#r2");
    const one = await page.selectOption("#s", { label: "B" });
    const many = await page.locator("#m").selectOption(["x", "z"]);
    return [on, await page.isChecked("#c"), await page.isChecked("#r2"), one, many];
  },

  async hover_wheel_and_mouse({ page }) {
    await page.goto(url("/form.html"));
    await page.hover("#h");
    const hovered = await page.textContent("#h");
    const box = await page.locator("#h").boundingBox();
    await page.mouse.move(box.x + 5, box.y + 5, { steps: 3 });
    await page.mouse.down();
    await page.mouse.up();
    await page.mouse.wheel(0, 10);
    await page.waitForFunction(() => document.getElementById("log").textContent.includes("wheel"));
    return [hovered, await log(page), box.width > 70];
  },

  async drag_and_drop({ page }) {
    await page.goto(url("/form.html"));
    await page.locator("#src").dragTo(page.locator("#dst"));
    return page.textContent("#dst");
  },

  async touch({ page, room, own }) {
    const context = own ? await room({ hasTouch: true }) : null;
    const touched = context ? await context.newPage() : page;
    await touched.goto(url("/form.html"));
    if (!context) {
      const session = await page.context().newCDPSession(page);
      await session.send("Emulation.setTouchEmulationEnabled", { enabled: true });
      const { x, y } = await page.locator("#b").boundingBox();
      const points = [{ x: x + 4, y: y + 4 }];
      await session.send("Input.dispatchTouchEvent", { type: "touchStart", touchPoints: points });
      await session.send("Input.dispatchTouchEvent", { type: "touchEnd", touchPoints: [] });
    } else await touched.tap("#b");
    return log(touched);
  },

  async locators_of_all_kinds({ page }) {
    await page.goto(url("/form.html"));
    return [
      await page.getByRole("button", { name: "Press me" }).count(),
      await page.getByText("bold").innerText(),
      await page.getByTestId("para").innerHTML(),
      await page.getByPlaceholder("your name").getAttribute("id"),
      await page.getByAltText("a picture").count(),
      await page.locator("li").allTextContents(),
      await page.locator("li").nth(1).textContent(),
      await page.locator("ul", { has: page.getByText("two") }).locator("li").last().textContent(),
      await page.locator("li").filter({ hasText: "three" }).count(),
      await page.getByText("In the shadow").evaluate((e) => e.tagName),
      await page.locator("xpath=//li[1]").textContent(),
      await page.locator("text=to blank").getAttribute("href"),
    ];
  },

  async states_of_elements({ page }) {
    await page.goto(url("/form.html"));
    return [
      await page.isVisible("#later"), await page.isDisabled("#off"), await page.isEditable("#name"),
      await page.locator("#nowhere").count(), await page.isEnabled("#b"), await page.isHidden("#later"),
    ];
  },

  async actions_wait_for_their_element({ page }) {
    await page.goto(url("/form.html"));
    await page.evaluate(() => setTimeout(() => { later.style.display = ""; }, 60));
    await page.click("#later");
    const gone = page.waitForSelector("#h", { state: "detached" });
    await page.evaluate(() => h.remove());
    await gone;
    return [await page.isVisible("#later"), await page.$("#h")];
  },

  async action_timeouts_say_why({ page }) {
    await page.goto(url("/form.html"));
    return [await failure(page.click("#off", { timeout: 300 })),
      await failure(page.locator("li").click())];
  },

  async focus_blur_and_dispatch({ page }) {
    await page.goto(url("/form.html"));
    await page.focus("#name");
    const focused = await page.evaluate(() => document.activeElement.id);
    await page.locator("#name").blur();
    await page.dispatchEvent("#b", "click");
    return [focused, await page.evaluate(() => document.activeElement.id), await page.textContent("#n")];
  },

  async click_that_navigates({ page }) {
    await page.goto(url("/form.html"));
    await Promise.all([page.waitForURL("**/blank.html"), page.click("#link")]);
    return page.title();
  },

  async files_by_path_buffer_and_chooser({ page }) {
    const path = `${wish.scratch}/up.txt`;
    fs.writeFileSync(path, "12345");
    await page.goto(url("/form.html"));
    const told = (text) => page.waitForFunction(
      (wanted) => document.getElementById("log").textContent.includes(wanted), text);
    await page.setInputFiles("#f", path);
    await told("up.txt=5");
    await page.setInputFiles("#f", [{ name: "b.txt", mimeType: "text/plain", buffer: Buffer.from("123") }]);
    await told("b.txt=3");
    const [chooser] = await Promise.all([page.waitForEvent("filechooser"), page.click("#f")]);
    await chooser.setFiles([path]);
    const multiple = chooser.isMultiple();
    await page.setInputFiles("#f", []);
    return [multiple, await page.evaluate(() => f.files.length)];
  },

  async handles_and_boxes({ page }) {
    await page.goto(url("/shapes.html"));
    const handle = await page.$("#red");
    const box = await handle.boundingBox();
    await handle.scrollIntoViewIfNeeded();
    const owner = await handle.ownerFrame();
    return [box, owner === page.mainFrame(), await handle.getAttribute("id"), await page.$$eval("div", (d) => d.length)];
  },

  async date_and_range_inputs({ page }) {
    await page.goto(url("/form.html"));
    await page.fill("#date", "2024-05-06");
    await page.fill("#range", "7");
    return [await page.inputValue("#date"), await page.inputValue("#range")];
  },

  async drop_and_pick_by_mouse({ page }) {
    await page.goto(url("/form.html"));
    const [from, to] = [await page.locator("#src").boundingBox(), await page.locator("#dst").boundingBox()];
    await page.mouse.move(from.x + 5, from.y + 5);
    await page.mouse.down();
    await page.mouse.move(to.x + 10, to.y + 10, { steps: 4 });
    await page.mouse.up();
    return page.textContent("#dst");
  },
};
