// Contexts, pages, navigation, frames, popups, dialogs.

import { failure, next, until, url } from "../node_check_runner.mjs";

export const browsing = {
  async version_and_state({ browser }) {
    return [/^[A-Za-z]*Chrome\/\d+\.\d+\.\d+\.\d+$/.test(await browser.version()), browser.connected,
      (await browser.userAgent()).includes("Chrome/")];
  },

  async new_page_is_listed({ browser, context, page, before }) {
    const pages = await context.pages();
    return [pages.length - before.size, pages.includes(page), (await browser.pages()).includes(page), page.url()];
  },

  async targets_are_typed({ context, page }) {
    const target = page.target();
    return [target.type(), target.url(), context.targets().includes(target), (await target.page()) === page, target.opener() ?? null];
  },

  async target_events({ browser, context }) {
    const seen = [];
    for (const kind of ["targetcreated", "targetchanged", "targetdestroyed"]) {
      context.on(kind, (target) => { if (target.type() === "page") seen.push(kind); });
    }
    const page = await context.newPage();
    await page.goto(url("/blank.html"));
    await page.close();
    await until(() => seen.includes("targetdestroyed"), "its end");
    return [[...new Set(seen)].sort(), browser.connected];
  },

  async wait_for_target({ context, page }) {
    await page.goto(url("/popups.html"));
    const [target] = await Promise.all([context.waitForTarget((t) => t.url().includes("popped")), page.click("#open")]);
    return [target.type(), target.opener() === page.target()];
  },

  async contexts_are_apart({ browser, room }) {
    const [one, two] = [await room(), await room()];
    const [a, b] = [await one.newPage(), await two.newPage()];
    await a.goto(url("/blank.html"));
    await b.goto(url("/blank.html"));
    await a.evaluate(() => { document.cookie = "who=a"; localStorage.setItem("who", "a"); });
    const read = () => [document.cookie, localStorage.getItem("who")];
    const told = [await a.evaluate(read), await b.evaluate(read), browser.browserContexts().includes(one)];
    await one.close();
    return [told, browser.browserContexts().includes(one), a.isClosed()];
  },

  async goto_and_response({ page }) {
    const answer = await page.goto(url("/blank.html"));
    return [answer.status(), answer.ok(), answer.url(), await page.title(), (await answer.text()).length];
  },

  async goto_waits_as_told({ page }) {
    const seen = [];
    for (const waitUntil of ["domcontentloaded", "load", "networkidle0", "networkidle2"]) {
      await page.goto(url(`/scripted.html?${waitUntil}`), { waitUntil });
      seen.push(page.url());
    }
    return seen;
  },

  async redirects_are_a_chain({ page }) {
    const answer = await page.goto(url("/there"));
    return answer.request().redirectChain().map((r) => r.url());
  },

  async back_forward_reload({ page }) {
    await page.goto(url("/blank.html"));
    await page.goto(url("/other.html"));
    await page.goBack();
    const back = await page.title();
    await page.goForward();
    const forward = await page.title();
    const again = await page.reload();
    return [back, forward, again.status()];
  },

  async navigation_errors({ page }) {
    return [await failure(page.goto("http://127.0.0.1:1/")), await failure(page.goto("nonsense"))];
  },

  async cross_process_navigation({ page }) {
    const hosts = [];
    for (const host of ["127.0.0.1", "localhost", "a.localhost"]) {
      await page.goto(url("/blank.html", host));
      hosts.push(await page.evaluate(() => location.hostname));
    }
    return hosts;
  },

  async wait_for_navigation({ page }) {
    await page.goto(url("/form.html"));
    const [answer] = await Promise.all([page.waitForNavigation(), page.click("#link")]);
    return [answer.status(), page.url()];
  },

  async set_content({ page }) {
    await page.setContent("<p id=x>set</p>");
    return [await page.$eval("#x", (e) => e.textContent), await page.content()];
  },

  async frames_of_all_sites({ page }) {
    await page.goto(url("/oopif.html"));
    await until(() => page.frames().length === 3, "three frames");
    const leaf = page.frames().find((f) => f.url().includes("/leaf.html"));
    await (await leaf.waitForSelector("button")).click();
    const input = await leaf.$("input");
    await input.type("far");
    return [page.frames().map((f) => f.url()).sort(), await leaf.$eval("button", (b) => b.textContent),
      await leaf.$eval("input", (i) => i.value), leaf.parentFrame().url()];
  },

  async frame_events_and_removal({ page }) {
    await page.goto(url("/frames.html"));
    const gone = next(page, "framedetached");
    await page.evaluate(() => document.querySelector("[name=kid]").remove());
    return [(await gone).url(), page.frames().length];
  },

  async popup_and_opener({ page }) {
    await page.goto(url("/popups.html"));
    const [popup] = await Promise.all([next(page, "popup"), page.click("#open")]);
    await popup.waitForSelector("#p");
    const told = [popup.url(), popup.target().opener() === page.target()];
    await popup.close();
    return [told, popup.isClosed()];
  },

  async dialogs_of_all_kinds({ page }) {
    const asked = [];
    page.on("dialog", (dialog) => {
      asked.push([dialog.type(), dialog.message(), dialog.defaultValue()]);
      return dialog.accept(dialog.type() === "prompt" ? "me" : undefined);
    });
    await page.goto(url("/dialogs.html"));
    const told = [];
    for (const kind of ["alert", "confirm", "prompt"]) {
      await page.click(`#${kind}`);
      told.push(await page.$eval("#o", (e) => e.textContent));
    }
    return [asked, told];
  },

  async dialog_dismissed({ page }) {
    page.on("dialog", (dialog) => dialog.dismiss());
    await page.goto(url("/dialogs.html"));
    await page.click("#prompt");
    return page.evaluate(() => [o.textContent, confirm("x")]);
  },

  async dialog_in_a_foreign_frame({ page }) {
    page.on("dialog", (dialog) => dialog.accept("far"));
    await page.goto(url("/dialogs-oopif.html"));
    const frame = await until(() => page.frames().find((f) => f.url().includes("/dialogs.html")), "the frame");
    await (await frame.waitForSelector("#prompt")).click();
    await frame.waitForFunction(() => o.textContent !== "");
    return frame.$eval("#o", (e) => e.textContent);
  },

  async close_event_and_before_unload({ context }) {
    const page = await context.newPage();
    await page.goto(url("/dialogs.html"));
    await page.click("#unload");
    const asked = next(page, "dialog");
    const gone = next(page, "close");
    await page.close({ runBeforeUnload: true });
    const dialog = await asked;
    const type = dialog.type();
    await dialog.accept();
    await gone;
    return type;
  },

  async bring_to_front({ context, page }) {
    const second = await context.newPage();
    await page.bringToFront();
    return [await page.evaluate(() => document.visibilityState), second.isClosed()];
  },
};
