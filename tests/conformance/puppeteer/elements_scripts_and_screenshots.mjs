// Elements, keyboard, mouse, evaluate, handles, exposed functions, pictures, emulation.

import fs from "node:fs";
import { failure, next, until, url, wish } from "../node_check_runner.mjs";

const size = (png) => { const b = Buffer.from(png); return [b.readUInt32BE(16), b.readUInt32BE(20)]; };
const log = (page) => page.$eval("#log", (e) => e.textContent);

export const acting = {
  async clicks_and_hover({ page }) {
    await page.goto(url("/form.html"));
    await page.click("#b");
    await page.click("#b", { count: 2 });
    await page.hover("#h");
    await page.click("#b", { button: "right" });
    return [await page.$eval("#n", (e) => e.textContent), await page.$eval("#h", (e) => e.textContent), await page.$eval("#d", (e) => e.textContent)];
  },

  async typing_and_keys({ page }) {
    await page.goto(url("/form.html"));
    await page.type("#name", "Hi ü");
    await page.keyboard.press("Backspace");
    await page.keyboard.down("Shift");
    await page.keyboard.press("KeyA");
    await page.keyboard.up("Shift");
    await page.keyboard.sendCharacter("嗨");
    return [await page.$eval("#name", (e) => e.value), (await log(page)).split(";").length];
  },

  async selects_and_focus({ page }) {
    await page.goto(url("/form.html"));
    const one = await page.select("#s", "b");
    const many = await page.select("#m", "x", "z");
    await page.focus("#name");
    return [one, many, await page.evaluate(() => document.activeElement.id)];
  },

  async mouse_and_wheel({ page }) {
    await page.goto(url("/form.html"));
    const box = await (await page.$("#h")).boundingBox();
    await page.mouse.move(box.x + 4, box.y + 4, { steps: 3 });
    await page.mouse.down();
    await page.mouse.up();
    await page.mouse.wheel({ deltaY: 10 });
    await page.waitForFunction(() => document.getElementById("log").textContent.includes("wheel"));
    return log(page);
  },

  async drag_and_drop({ page }) {
    await page.goto(url("/form.html"));
    await (await page.$("#src")).drop(await page.$("#dst")).catch(() => 0);
    await (await page.$("#dst")).drop(await page.$("#src"));
    return page.$eval("#dst", (e) => e.textContent);
  },

  async touch({ page }) {
    await page.goto(url("/form.html"));
    await page.tap("#b");
    return log(page);
  },

  async locators({ page }) {
    await page.goto(url("/form.html"));
    await page.locator("#name").fill("by locator");
    await page.locator("#b").click();
    await page.locator("::-p-text(In the shadow)").wait();
    await page.locator("aria/Press me").click();
    return [await page.$eval("#name", (e) => e.value), await page.$eval("#n", (e) => e.textContent), (await page.$$("li")).length];
  },

  async waiting_for_elements({ page }) {
    await page.goto(url("/form.html"));
    await page.evaluate(() => setTimeout(() => { later.style.display = ""; }, 50));
    const shown = await page.waitForSelector("#later", { visible: true });
    return [!!shown, (await failure(page.waitForSelector("#never", { timeout: 200 }))).includes("exceeded")];
  },

  async files_by_path_and_chooser({ page }) {
    const path = `${wish.scratch}/up.txt`;
    fs.writeFileSync(path, "12345");
    await page.goto(url("/form.html"));
    await (await page.$("#f")).uploadFile(path);
    await page.waitForFunction(() => document.getElementById("log").textContent.includes("up.txt=5"));
    const [chooser] = await Promise.all([page.waitForFileChooser(), page.click("#f")]);
    await chooser.accept([path]);
    return [chooser.isMultiple(), await page.evaluate(() => f.files.length)];
  },

  async evaluate_and_handles({ page }) {
    const handle = await page.evaluateHandle(() => ({ a: 1, list: [1, 2] }));
    const told = [await page.evaluate((o) => o.list.length, handle), await handle.jsonValue(), await page.evaluate("1 + 1"),
      await failure(page.evaluate(() => { throw new TypeError("no"); }))];
    await handle.dispose();
    return told;
  },

  async large_results({ page }) {
    return (await page.evaluate(() => "y".repeat(5_000_000))).length;
  },

  async exposed_functions({ page }) {
    await page.exposeFunction("add", (a, b) => a + b);
    await page.goto(url("/oopif.html"));
    await until(() => page.frames().length === 3, "three frames");
    const sums = [];
    for (const frame of page.frames()) {
      await frame.waitForFunction(() => typeof window.add === "function");
      sums.push(await frame.evaluate(() => window.add(1, 2)));
    }
    return sums;
  },

  async scripts_on_new_documents({ page }) {
    const { identifier } = await page.evaluateOnNewDocument(() => { window.early = "early"; });
    await page.goto(url("/popped.html"));
    const first = await page.evaluate(() => made);
    await page.removeScriptToEvaluateOnNewDocument(identifier);
    await page.reload();
    return [first, await page.evaluate(() => made)];
  },

  async console_and_errors({ page }) {
    const heard = [];
    page.on("console", (m) => heard.push([m.type(), m.text()]));
    const failed = next(page, "pageerror");
    await page.evaluate(() => { console.log("log", 1); console.warn("warn"); setTimeout(() => { throw new Error("late"); }, 0); });
    await until(() => heard.length === 2, "two messages");
    return [heard, (await failed).message];
  },

  async workers({ page }) {
    const came = next(page, "workercreated");
    await page.goto(url("/workers.html"));
    const worker = await came;
    const told = [worker.url(), await worker.evaluate(() => 6 * 7), page.workers().length];
    const gone = next(page, "workerdestroyed");
    await page.evaluate(() => w.terminate());
    await gone;
    return [told, page.workers().length];
  },

  async screenshots({ page }) {
    await page.setViewport({ width: 400, height: 300 });
    await page.goto(url("/shapes.html"));
    return [size(await page.screenshot()), size(await page.screenshot({ fullPage: true })),
      size(await (await page.$("#red")).screenshot()), size(await page.screenshot({ clip: { x: 1, y: 1, width: 20, height: 10 } }))];
  },

  async screenshot_of_seven_megabytes({ page }) {
    await page.goto(url("/noise.html#1600x1480"));
    const png = await page.screenshot({ fullPage: true });
    return [size(png), Math.round(png.length / 1e6)];
  },

  async pdf({ page }) {
    await page.goto(url("/shapes.html"));
    return Buffer.from(await page.pdf({ format: "A4" })).subarray(0, 5).toString();
  },

  async emulation({ page }) {
    await page.setViewport({ width: 390, height: 700, isMobile: true, hasTouch: true, deviceScaleFactor: 2 });
    await page.setUserAgent({ userAgent: "mine" });
    await page.emulateTimezone("Asia/Tokyo");
    await page.emulateMediaType("print");
    await page.emulateMediaFeatures([{ name: "prefers-color-scheme", value: "dark" }]);
    await page.goto(url("/blank.html"));
    return page.evaluate(() => [devicePixelRatio, navigator.userAgent, new Date(0).getHours(), matchMedia("print").matches,
      matchMedia("(prefers-color-scheme: dark)").matches, navigator.maxTouchPoints > 0]);
  },

  async permissions_and_geolocation({ context, page }) {
    await context.overridePermissions(url(""), ["geolocation"]);
    await page.goto(url("/blank.html"));
    await page.setGeolocation({ latitude: 10, longitude: 20 });
    const where = await page.evaluate(() => new Promise((done) => navigator.geolocation.getCurrentPosition(
      (p) => done([p.coords.latitude, p.coords.longitude]), (e) => done(e.message))));
    await context.clearPermissionOverrides();
    return where;
  },

  async coverage_and_metrics({ page }) {
    await Promise.all([page.coverage.startJSCoverage(), page.coverage.startCSSCoverage()]);
    await page.goto(url("/scripted.html"));
    const [js, css] = await Promise.all([page.coverage.stopJSCoverage(), page.coverage.stopCSSCoverage()]);
    return [js.map((e) => [e.url, e.ranges.length]), css.map((e) => [e.url, e.ranges]), (await page.metrics()).Nodes > 0];
  },

  async accessibility_snapshot({ page }) {
    await page.goto(url("/aria.html"));
    const tree = await page.accessibility.snapshot();
    return [tree.role, tree.name, tree.children.map((c) => [c.role, c.name])];
  },

  async tracing({ page }) {
    await page.tracing.start({ categories: ["devtools.timeline"] });
    await page.goto(url("/blank.html"));
    const told = JSON.parse(Buffer.from(await page.tracing.stop()).toString());
    return told.traceEvents.length > 10;
  },
};
