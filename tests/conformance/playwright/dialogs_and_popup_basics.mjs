// Dialogs and popups.

import { until, url } from "../node_check_runner.mjs";

export const dialogs = {
  async dialogs_answered_by_a_listener({ page }) {
    const asked = [];
    page.on("dialog", async (dialog) => {
      asked.push([dialog.type(), dialog.message(), dialog.defaultValue()]);
      await (dialog.type() === "prompt" ? dialog.accept("me") : dialog.accept());
    });
    await page.goto(url("/dialogs.html"));
    const told = [];
    for (const kind of ["alert", "confirm", "prompt"]) {
      await page.click(`#${kind}`);
      told.push(await page.textContent("#o"));
    }
    return [asked, told];
  },

  async dialogs_dismissed_by_a_listener({ page }) {
    page.on("dialog", (dialog) => dialog.dismiss());
    await page.goto(url("/dialogs.html"));
    await page.click("#confirm");
    const no = await page.textContent("#o");
    await page.click("#prompt");
    return [no, await page.textContent("#o")];
  },

  async dialogs_nobody_listens_to_do_not_hang({ page }) {
    await page.goto(url("/dialogs.html"));
    await page.click("#confirm");
    const no = await page.textContent("#o");
    await page.click("#alert");
    return [no, await page.textContent("#o"), await page.evaluate(() => prompt("again?"))];
  },

  async dialog_waits_for_its_answer({ page }) {
    await page.goto(url("/dialogs.html"));
    const asked = page.waitForEvent("dialog");
    const clicked = page.click("#confirm");
    const dialog = await asked;
    const own = dialog.page() === page;
    await dialog.accept();
    await clicked;
    return [own, await page.textContent("#o")];
  },

  async dialog_of_the_context({ context, page }) {
    await page.goto(url("/dialogs.html"));
    const asked = context.waitForEvent("dialog");
    const clicked = page.click("#prompt");
    await (await asked).accept("from the context");
    await clicked;
    return page.textContent("#o");
  },

  async dialog_in_a_foreign_frame({ page }) {
    const asked = [];
    page.on("dialog", (dialog) => {
      asked.push([dialog.type(), dialog.message()]);
      return dialog.accept("far");
    });
    await page.goto(url("/dialogs-oopif.html"));
    const frame = page.frameLocator("[name=f]");
    await frame.locator("#prompt").click();
    await until(async () => (await frame.locator("#o").textContent()) !== "", "an answer");
    return [asked, await frame.locator("#o").textContent()];
  },

  async unheard_dialog_in_a_foreign_frame({ page }) {
    await page.goto(url("/dialogs-oopif.html"));
    const frame = page.frameLocator("[name=f]");
    await frame.locator("#confirm").click();
    await until(async () => (await frame.locator("#o").textContent()) !== "", "an answer");
    return frame.locator("#o").textContent();
  },

  async before_unload_is_asked({ page }) {
    await page.goto(url("/dialogs.html"));
    await page.click("#unload");
    const types = [];
    page.on("dialog", (dialog) => {
      types.push(dialog.type());
      return dialog.accept();
    });
    await page.goto(url("/blank.html"));
    return [types, await page.title()];
  },

  async alert_at_load({ page }) {
    const asked = page.waitForEvent("dialog");
    const loaded = page.goto(url("/alert.html"));
    const dialog = await asked;
    await dialog.accept();
    await loaded;
    return [dialog.message(), await page.title()];
  },

  async popup_event_and_opener({ context, page }) {
    await page.goto(url("/popups.html"));
    const before = context.pages().length;
    const [popup] = await Promise.all([page.waitForEvent("popup"), page.click("#open")]);
    await popup.waitForLoadState();
    return [popup.url(), await popup.title(), (await popup.opener()) === page, context.pages().length - before,
      await popup.evaluate(() => !!window.opener)];
  },

  async init_script_is_first_in_a_popup({ context, page }) {
    await context.addInitScript(() => { window.early = "early"; });
    await page.goto(url("/popups.html"));
    const made = [];
    for (let i = 0; i < 5; i++) {
      const [popup] = await Promise.all([page.waitForEvent("popup"), page.click("#open")]);
      await popup.waitForLoadState();
      made.push(await popup.evaluate(() => window.made));
      await popup.close();
    }
    return made;
  },

  async popups_of_other_kinds({ page }) {
    await page.goto(url("/popups.html"));
    const told = [];
    for (const id of ["blank", "target", "noopener", "foreign"]) {
      const [popup] = await Promise.all([page.waitForEvent("popup"), page.click(`#${id}`)]);
      await popup.waitForLoadState();
      told.push([id, popup.url(), (await popup.opener()) === page]);
      await popup.close();
    }
    return told;
  },

  async popup_is_routed_from_its_first_request({ context, page }) {
    await context.route("**/popped.html", (route) => route.fulfill({ body: "<title>routed</title>", contentType: "text/html" }));
    await page.goto(url("/popups.html"));
    const [popup] = await Promise.all([page.waitForEvent("popup"), page.click("#open")]);
    await popup.waitForLoadState();
    const title = await popup.title();
    await context.unroute("**/popped.html");
    return title;
  },

  async popup_that_closes_itself({ page }) {
    await page.goto(url("/popups.html"));
    const [popup] = await Promise.all([page.waitForEvent("popup"), page.click("#open")]);
    const gone = popup.waitForEvent("close");
    await page.evaluate(() => w.close());
    await gone;
    return popup.isClosed();
  },

  async dialog_in_a_popup({ page }) {
    await page.goto(url("/popups.html"));
    const [popup] = await Promise.all([page.waitForEvent("popup"), page.click("#blank")]);
    const asked = popup.waitForEvent("dialog");
    const answered = popup.evaluate(() => prompt("in the popup"));
    await (await asked).accept("yes");
    return answered;
  },
};
