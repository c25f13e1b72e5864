// Popups from their first moment: who is told what, in which order, and what already holds.

import { failure, next, until, url } from "../node_check_runner.mjs";

/** Run a script in a page that opens something, and give the popup. */
async function opened(page, act, argument) {
  const [popup] = await Promise.all([page.waitForEvent("popup"), page.evaluate(act, argument)]);
  return popup;
}

const path = (address) => (address.startsWith("http") ? new URL(address).pathname : address);

export const popups = {
  async popup_of_a_blank_window({ page }) {
    await page.goto(url("/blank.html"));
    const popup = await opened(page, () => { window.w = window.open(); });
    return [popup.url(), (await popup.opener()) === page, await popup.evaluate(() => !!opener), await page.evaluate(() => w.closed)];
  },

  async popup_of_a_blank_window_without_opener({ page }) {
    await page.goto(url("/blank.html"));
    const popup = await opened(page, () => { window.open("about:blank", null, "noopener"); });
    return [popup.url(), (await popup.opener()) === page, await popup.evaluate(() => !!opener)];
  },

  async popup_without_opener_shows_its_page({ page }) {
    await page.goto(url("/blank.html"));
    const popup = await opened(page, () => { window.open("/popped.html", null, "noopener"); });
    await popup.waitForLoadState();
    return [path(popup.url()), (await popup.opener()) === page, await popup.evaluate(() => !!opener)];
  },

  async popup_url_is_known_at_once({ page }) {
    await page.goto(url("/blank.html"));
    const first = [];
    for (const address of ["/popped.html", "about:blank", "/there"]) {
      const popup = await opened(page, (where) => { window.open(where); }, address);
      first.push(["about:blank", "/popped.html", "/blank.html"].includes(path(popup.url())));
      await popup.waitForLoadState();
      first.push(path(popup.url()));
      await popup.close();
    }
    return first;
  },

  async popup_that_closes_at_once({ page }) {
    await page.goto(url("/blank.html"));
    const popup = await opened(page, () => { const w = window.open("about:blank"); w.close(); });
    await until(() => popup.isClosed(), "its end");
    return [popup.url(), popup.isClosed()];
  },

  async popup_that_loads_and_closes_at_once({ page, context }) {
    await page.goto(url("/blank.html"));
    const told = [];
    context.on("page", () => told.push("page"));
    page.on("popup", () => told.push("popup"));
    const popup = await opened(page, () => { const w = window.open("/popped.html"); w.close(); });
    await until(() => popup.isClosed(), "its end");
    return told;
  },

  async ten_popups_that_close_at_once({ page, context }) {
    await page.goto(url("/blank.html"));
    const before = context.pages().length;
    let told = 0;
    page.on("popup", () => told++);
    for (let i = 0; i < 10; i++) await page.evaluate(() => window.open("about:blank").close());
    const last = await opened(page, () => { window.open("/popped.html"); });
    await last.waitForLoadState();
    await until(() => context.pages().length === before + 1, "their end");
    return [told > 0, await last.title()];
  },

  async popups_come_in_order({ page }) {
    await page.goto(url("/blank.html"));
    const seen = [];
    page.on("popup", (popup) => seen.push(popup));
    for (let i = 0; i < 4; i++) await page.evaluate((n) => { window.open(`/popped.html?${n}`); }, i);
    await until(() => seen.length === 4, "four popups");
    await Promise.all(seen.map((popup) => popup.waitForLoadState()));
    return seen.map((popup) => new URL(popup.url()).search).sort();
  },

  async popup_of_a_popup({ page }) {
    await page.goto(url("/blank.html"));
    const first = await opened(page, () => { window.open("/popped.html"); });
    await first.waitForLoadState();
    const second = await opened(first, () => { window.open("/other.html"); });
    await second.waitForLoadState();
    return [await second.title(), (await second.opener()) === first, (await first.opener()) === page];
  },

  async opener_that_is_closed_is_none({ page }) {
    await page.goto(url("/blank.html"));
    const first = await opened(page, () => { window.open("/popped.html"); });
    const second = await opened(first, () => { window.open("/other.html"); });
    await first.close();
    await second.waitForLoadState();
    return [await second.opener(), await second.title(), await second.evaluate(() => !!window.opener)];
  },

  async popup_of_a_foreign_frame({ page }) {
    await page.goto(url("/oopif.html"));
    await until(() => page.frames().length === 3, "three frames");
    const leaf = page.frames().find((f) => f.url().includes("/leaf.html"));
    const [popup] = await Promise.all([page.waitForEvent("popup"), leaf.evaluate(() => { window.open("/popped.html"); })]);
    await popup.waitForLoadState();
    return [new URL(popup.url()).hostname, await popup.title(), (await popup.opener()) === page];
  },

  async popup_of_a_frame_of_the_same_site({ page }) {
    await page.goto(url("/frames.html"));
    const [popup] = await Promise.all([page.waitForEvent("popup"), page.frame("kid").evaluate(() => { window.open("/popped.html"); })]);
    await popup.waitForLoadState();
    return [(await popup.opener()) === page, await popup.evaluate(() => opener.location.pathname)];
  },

  async popup_to_another_site({ page }) {
    await page.goto(url("/blank.html"));
    const popup = await opened(page, (where) => { window.w = window.open(where); }, url("/popped.html", "localhost"));
    await popup.waitForLoadState();
    await page.evaluate(() => w.postMessage("x", "*"));
    return [new URL(popup.url()).hostname, await popup.evaluate(() => !!opener), (await popup.opener()) === page];
  },

  async popup_with_features_has_its_size({ page }) {
    await page.goto(url("/blank.html"));
    const popup = await opened(page, () => { window.open("/popped.html", "named", "width=300,height=200"); });
    await popup.waitForLoadState();
    return [await popup.evaluate(() => window.name), popup.viewportSize()];
  },

  async popup_of_a_name_is_used_again({ page, context }) {
    await page.goto(url("/blank.html"));
    const popup = await opened(page, () => { window.open("/popped.html", "same"); });
    await popup.waitForLoadState();
    const before = context.pages().length;
    const moved = popup.waitForURL("**/other.html");
    await page.evaluate(() => { window.open("/other.html", "same"); });
    await moved;
    return [path(popup.url()), context.pages().length - before];
  },

  async popup_by_middle_click_and_modifier({ page, context }) {
    await page.goto(url("/form.html"));
    const told = [];
    for (const options of [{ button: "middle" }, { modifiers: ["Control"] }, { modifiers: ["Shift"] }]) {
      const [popup] = await Promise.all([context.waitForEvent("page"), page.click("#link", options)]);
      await popup.waitForURL("**/blank.html");
      told.push([path(popup.url()), (await popup.opener()) === null]);
      await popup.close();
    }
    return told;
  },

  async popup_by_a_form({ page }) {
    await page.goto(url("/blank.html"));
    await page.setContent("<form action=/echo method=post target=_blank><input name=a value=1><button>go</button></form>");
    const [popup] = await Promise.all([page.waitForEvent("popup"), page.click("button")]);
    await popup.waitForURL("**/echo");
    return popup.evaluate(() => document.body.textContent.includes('"method": "POST"'));
  },

  async init_scripts_and_bindings_hold_in_popups({ context, page }) {
    await context.exposeFunction("twice", (x) => x * 2);
    await context.addInitScript(() => { window.early = "early"; });
    await page.goto(url("/blank.html"));
    const told = [];
    for (const address of ["/popped.html", "about:blank"]) {
      const popup = await opened(page, (where) => { window.open(where); }, address);
      await popup.waitForLoadState();
      told.push(await popup.evaluate(async () => [window.early, window.made ?? null, await window.twice(4)]));
      await popup.close();
    }
    return told;
  },

  async init_script_reaches_a_blank_popup_before_its_opener({ context, page }) {
    await context.addInitScript(() => { window.injected = 123; });
    await page.goto(url("/blank.html"));
    const [seen] = await Promise.all([page.evaluate(() => window.open("about:blank").injected ?? "not there"), page.waitForEvent("popup")]);
    return seen;
  },

  async opener_sees_what_an_init_script_made({ context, page }) {
    await context.addInitScript(() => { window.injected = 123; });
    await page.goto(url("/blank.html"));
    const made = [];
    for (let i = 0; i < 3; i++) {
      const [, seen] = await Promise.all([page.waitForEvent("popup"), page.evaluate(() => {
        const w = window.open("about:blank");
        const was = w.injected;
        w.close();
        return was ?? "not there";
      })]);
      made.push(seen);
    }
    return made;
  },

  async popup_inherits_headers_and_emulation({ context, page }) {
    await context.setExtraHTTPHeaders({ "x-one": "kept" });
    await page.goto(url("/blank.html"));
    const popup = await opened(page, () => { window.open("/echo"); });
    await popup.waitForURL("**/echo");
    const told = JSON.parse(await popup.textContent("body")).headers["x-one"];
    await context.setExtraHTTPHeaders({});
    return told ?? "none";
  },

  async popup_inherits_offline({ context, page }) {
    await page.goto(url("/blank.html"));
    await context.setOffline(true);
    const popup = await opened(page, () => { window.open("about:blank"); });
    const online = await popup.evaluate(() => navigator.onLine);
    await context.setOffline(false);
    return online;
  },

  async popup_inherits_the_viewport({ room }) {
    const context = await room({ viewport: { width: 411, height: 311 }, userAgent: "mine", locale: "de-DE" });
    const page = await context.newPage();
    await page.goto(url("/blank.html"));
    const [sizes, popup] = await Promise.all([
      page.evaluate(() => { const w = window.open("about:blank"); return [w.innerWidth, w.innerHeight, w.navigator.userAgent, w.navigator.language]; }),
      page.waitForEvent("popup"),
    ]);
    return [sizes, await popup.evaluate(() => [innerWidth, innerHeight, navigator.userAgent])];
  },

  async popup_requests_are_told_to_the_context({ context, page }) {
    const asked = [];
    context.on("request", (r) => asked.push(path(r.url())));
    context.on("response", (r) => asked.push(`answered ${path(r.url())}`));
    await page.goto(url("/blank.html"));
    const popup = await opened(page, () => { window.open("/popped.html"); });
    await popup.waitForLoadState();
    await until(() => asked.includes("answered /popped.html"), "the answer");
    return asked.filter((a) => a.includes("popped"));
  },

  async popup_is_routed_and_aborted({ context, page }) {
    const asked = [];
    await context.route("**/popped.html", (route) => { asked.push(route.request().isNavigationRequest()); return route.abort(); });
    await page.goto(url("/blank.html"));
    const popup = await opened(page, () => { window.open("/popped.html"); });
    await until(() => asked.length === 1, "the request");
    await popup.waitForLoadState();
    await context.unrouteAll();
    return [asked, popup.url()];
  },

  async console_of_a_popup_is_heard_from_the_start({ context, page }) {
    await page.goto(url("/blank.html"));
    const heard = [];
    context.on("console", (m) => heard.push(m.text()));
    const popup = await opened(page, () => { const w = window.open("about:blank"); w.console.log("first"); });
    await popup.evaluate(() => console.log("second"));
    await until(() => heard.includes("second"), "the second");
    return heard;
  },

  async page_and_popup_events_are_of_one_page({ context, page }) {
    await page.goto(url("/blank.html"));
    const [told, popup] = await Promise.all([context.waitForEvent("page"), opened(page, () => { window.open("/popped.html"); })]);
    return told === popup;
  },

  async popup_event_is_told_before_the_next_evaluate({ page }) {
    await page.goto(url("/blank.html"));
    let told = 0;
    page.on("popup", () => told++);
    for (let i = 0; i < 3; i++) {
      await Promise.all([next(page, "popup"), page.evaluate(() => { window.open("about:blank"); })]);
    }
    return told;
  },

  async closing_the_opener_keeps_the_popup({ context }) {
    const page = await context.newPage();
    await page.goto(url("/blank.html"));
    const popup = await opened(page, () => { window.open("/popped.html"); });
    await popup.waitForLoadState();
    await page.close();
    return [await popup.title(), popup.isClosed(), await popup.opener()];
  },

  async popup_with_an_error_address({ page }) {
    await page.goto(url("/blank.html"));
    const popup = await opened(page, () => { window.open("http://127.0.0.1:1/"); });
    await until(() => popup.url().startsWith("chrome-error"), "an error page");
    // goto() fails before its error page is there. A page that is closed in between never ends, also
    // on a plain Chromium.
    const [told] = await Promise.all([failure(popup.goto("http://127.0.0.1:1/")), next(popup, "load")]);
    return [popup.url().startsWith("chrome-error") || popup.url(), told];
  },
};
