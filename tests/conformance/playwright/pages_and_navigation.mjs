// Contexts, pages and navigation.

import { failure, next, until, url } from "../node_check_runner.mjs";

export const pages = {
  async version_is_the_browsers({ browser }) {
    return [browser.version().split(".").length, browser.isConnected(), browser.browserType().name()];
  },

  async new_page_is_listed({ context, page, before }) {
    return [context.pages().length - before.size, page.url(), await page.title(), page.isClosed()];
  },

  async page_event_and_close({ context }) {
    const [seen, made] = await Promise.all([context.waitForEvent("page"), context.newPage()]);
    let closed = 0;
    made.on("close", () => closed++);
    await made.close();
    return [seen === made, closed, made.isClosed(), context.pages().includes(made)];
  },

  async close_of_the_last_page_keeps_the_context({ context, page }) {
    await page.close();
    const again = await context.newPage();
    await again.goto(url("/blank.html"));
    return again.title();
  },

  async context_close_closes_pages({ room }) {
    const more = await room();
    const page = await more.newPage();
    const gone = next(page, "close");
    await more.close();
    await gone;
    return page.isClosed();
  },

  async ten_pages_at_once({ context }) {
    const made = await Promise.all(Array.from({ length: 10 }, () => context.newPage()));
    await Promise.all(made.map((page, i) => page.goto(url(`/blank.html?${i}`))));
    const titles = await Promise.all(made.map((page) => page.evaluate(() => location.search)));
    await Promise.all(made.map((page) => page.close()));
    return titles;
  },

  async goto_gives_the_response({ page }) {
    const answer = await page.goto(url("/blank.html"));
    return [answer.status(), answer.ok(), answer.url(), page.url(), await page.title()];
  },

  async goto_waits_as_told({ page }) {
    const seen = [];
    for (const waitUntil of ["commit", "domcontentloaded", "load", "networkidle"]) {
      await page.goto(url(`/scripted.html?${waitUntil}`), { waitUntil });
      seen.push(page.url());
    }
    return seen;
  },

  async redirects_are_a_chain({ page }) {
    const answer = await page.goto(url("/there"));
    const chain = [];
    for (let r = answer.request(); r; r = r.redirectedFrom()) chain.push(r.url());
    return chain;
  },

  async back_forward_reload({ page }) {
    await page.goto(url("/blank.html"));
    await page.goto(url("/other.html"));
    await page.goBack();
    const back = await page.title();
    await page.goForward();
    const forward = await page.title();
    await page.evaluate(() => (window.mark = 1));
    const again = await page.reload();
    return [back, forward, again.status(), await page.evaluate(() => window.mark ?? null)];
  },

  async back_with_no_history_is_null({ page }) {
    return page.goBack();
  },

  async hash_and_history_navigation({ page }) {
    await page.goto(url("/blank.html"));
    const hash = await page.goto(url("/blank.html#a"));
    await page.evaluate(() => history.pushState({}, "", "/pushed"));
    await page.waitForURL("**/pushed");
    return [hash, page.url()];
  },

  async navigation_errors_are_named({ page }) {
    const refused = await failure(page.goto("http://127.0.0.1:1/"));
    const invalid = await failure(page.goto("nonsense"));
    return [refused, invalid];
  },

  async missing_page_is_404({ page }) {
    const answer = await page.goto(url("/missing.html"));
    return [answer.status(), answer.statusText(), await page.title()];
  },

  async data_blob_and_blank_urls({ page }) {
    await page.goto("data:text/html,<title>data</title>");
    const data = await page.title();
    const answer = await page.goto("about:blank");
    return [data, answer];
  },

  async cross_process_navigation_keeps_the_page({ page }) {
    const titles = [];
    for (const host of ["127.0.0.1", "localhost", "a.localhost", "127.0.0.1"]) {
      await page.goto(url("/blank.html", host));
      titles.push(await page.evaluate(() => location.hostname));
    }
    return titles;
  },

  async set_content_and_content({ page }) {
    await page.setContent("<p id=x>set</p>", { waitUntil: "load" });
    return [await page.textContent("#x"), await page.content()];
  },

  async timeout_of_a_navigation({ page }) {
    await page.route("**/blank.html", () => {});
    return (await failure(page.goto(url("/blank.html"), { timeout: 300 }))).slice(0, 40);
  },

  async contexts_are_apart({ room }) {
    const [one, two] = [await room(), await room()];
    const [a, b] = [await one.newPage(), await two.newPage()];
    await a.goto(url("/blank.html"));
    await b.goto(url("/blank.html"));
    await a.evaluate(() => { document.cookie = "who=a"; localStorage.setItem("who", "a"); });
    const read = () => [document.cookie, localStorage.getItem("who")];
    return [await a.evaluate(read), await b.evaluate(read), one.pages().length];
  },

  async context_options_hold({ room }) {
    const more = await room({
      viewport: { width: 400, height: 300 }, userAgent: "mine", locale: "de-DE",
      timezoneId: "Asia/Tokyo", colorScheme: "dark", deviceScaleFactor: 2,
      extraHTTPHeaders: { "x-one": "1" }, javaScriptEnabled: true, reducedMotion: "reduce",
    });
    const page = await more.newPage();
    await page.goto(url("/echo"));
    const told = JSON.parse(await page.textContent("body"));
    return page.evaluate((headers) => [
      innerWidth, devicePixelRatio, navigator.userAgent, navigator.language, headers,
      Intl.DateTimeFormat().resolvedOptions().timeZone, matchMedia("(prefers-color-scheme: dark)").matches,
    ], told.headers);
  },

  async java_script_off({ room }) {
    const more = await room({ javaScriptEnabled: false });
    const page = await more.newPage();
    await page.goto("data:text/html,<title>before</title><script>document.title='after'</script>");
    return page.title();
  },

  async crash_is_told({ page }) {
    await page.goto(url("/blank.html"));
    const crashed = next(page, "crash");
    page.goto("chrome://crash").catch(() => {});
    await crashed;
    return (await failure(page.evaluate(() => 1))).slice(0, 60);
  },

  async bring_to_front_and_opener({ context, page }) {
    await page.goto(url("/blank.html"));
    const second = await context.newPage();
    await page.bringToFront();
    return [await page.opener(), await page.evaluate(() => document.visibilityState), second.url()];
  },

  async page_close_runs_before_unload_when_asked({ context }) {
    const page = await context.newPage();
    await page.goto(url("/dialogs.html"));
    await page.click("#unload");
    const asked = page.waitForEvent("dialog");
    await page.close({ runBeforeUnload: true });
    const dialog = await asked;
    const type = dialog.type();
    await dialog.accept();
    await until(() => page.isClosed(), "the page's end");
    return type;
  },
};
