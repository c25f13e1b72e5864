// Evaluate, handles, exposed functions, init scripts, console, errors, workers, the clock.

import { failure, next, until, url, words } from "../node_check_runner.mjs";

export const scripts = {
  async evaluate_values_of_all_kinds({ page }) {
    const told = await page.evaluate((given) => [given, NaN, -0, Infinity, undefined, null, 1n, [1, { a: [2] }],
      new Date(0), /x/g, new Error("e"), new URL("http://a/")], { in: [1, "two", new Date(1)] });
    return told.map((value) => {
      if (typeof value === "bigint" || typeof value === "number") return `${Object.is(value, -0) ? "-0" : value}`;
      return value instanceof Error ? value.message : value instanceof RegExp ? String(value) : value;
    });
  },

  async evaluate_awaits_and_throws({ page }) {
    return [await page.evaluate(async () => { await null; return 5; }), await page.evaluate("1 + 1"),
      await failure(page.evaluate(() => { throw new TypeError("no"); }))];
  },

  async large_arguments_and_results({ page }) {
    const big = "x".repeat(3_000_000);
    return [await page.evaluate((s) => s.length, big), (await page.evaluate(() => "y".repeat(5_000_000))).length];
  },

  async handles_hold_objects({ page }) {
    const handle = await page.evaluateHandle(() => ({ a: 1, list: [1, 2] }));
    const a = await handle.getProperty("a");
    const all = await handle.getProperties();
    const value = [await a.jsonValue(), [...all.keys()], await page.evaluate((o) => o.list.length, handle)];
    await handle.dispose();
    return [value, await failure(handle.jsonValue())];
  },

  async context_is_lost_on_navigation({ page }) {
    await page.goto(url("/blank.html"));
    const waiting = failure(page.evaluate(() => new Promise(() => {})));
    await page.goto(url("/other.html"));
    return (await waiting).replace(/\.$/, ""); // Playwright says it with and without a full stop
  },

  async exposed_function_survives_navigation({ page }) {
    await page.exposeFunction("add", (a, b) => a + b);
    const before = await page.evaluate(() => window.add(1, 2));
    await page.goto(url("/blank.html"));
    return [before, await page.evaluate(() => window.add(3, 4))];
  },

  async context_binding_reaches_popups({ context, page }) {
    await context.exposeBinding("who", (source) => source.page === page);
    await page.goto(url("/popups.html"));
    const [popup] = await Promise.all([page.waitForEvent("popup"), page.click("#open")]);
    await popup.waitForLoadState();
    return [await page.evaluate(() => window.who()), await popup.evaluate(() => window.who())];
  },

  async init_scripts_run_first_and_in_order({ context, page }) {
    await context.addInitScript(() => { window.order = ["context"]; });
    await page.addInitScript((arg) => { window.order = [...(window.order ?? []), arg]; }, "page");
    await page.goto(url("/blank.html"));
    return page.evaluate(() => window.order);
  },

  async init_script_of_the_context_reaches_new_pages({ context }) {
    await context.addInitScript(() => { window.early = "early"; });
    const page = await context.newPage();
    const blank = await page.evaluate(() => window.early ?? null);
    await page.goto(url("/popped.html"));
    return [blank, await page.evaluate(() => made)];
  },

  async add_script_and_style_tags({ page }) {
    await page.goto(url("/blank.html"));
    await page.addScriptTag({ content: "window.added = 1" });
    await page.addScriptTag({ url: url("/script.js") });
    await page.addStyleTag({ content: "p { color: rgb(1, 2, 3) }" });
    return page.evaluate(() => [added, typeof used, getComputedStyle(document.querySelector("p")).color]);
  },

  async console_messages({ page }) {
    const heard = [];
    page.on("console", (message) => heard.push([message.type(), message.text(), message.args().length]));
    await page.evaluate(() => {
      console.log("log", 1, { a: 2 });
      console.warn("warn");
      console.error("error");
      console.table([1]);
      console.assert(false, "assert");
    });
    await until(() => heard.length === 5, "five messages");
    return heard;
  },

  async page_errors({ context, page }) {
    const failed = page.waitForEvent("pageerror");
    const web = context.waitForEvent("weberror");
    await page.evaluate(() => setTimeout(() => { throw new RangeError("late"); }, 0));
    const error = await failed;
    return [error.name, error.message, words((await web).error())];
  },

  async workers_come_and_go({ page }) {
    const [worker] = await Promise.all([page.waitForEvent("worker"), page.goto(url("/workers.html"))]);
    const sum = await worker.evaluate((n) => n + self.location.pathname.length, 1);
    const listed = page.workers().length;
    const gone = next(worker, "close");
    await page.evaluate(() => w.terminate());
    await gone;
    return [worker.url(), sum, listed, page.workers().length];
  },

  async console_of_a_worker({ page }) {
    await page.goto(url("/workers.html"));
    await until(() => page.workers().length === 1, "a worker");
    const heard = page.waitForEvent("console");
    await page.workers()[0].evaluate(() => console.log("from the worker"));
    return (await heard).text();
  },

  async service_worker_is_seen({ context, page }) {
    const came = context.waitForEvent("serviceworker", { timeout: 15_000 });
    await page.goto(url("/sw.html"));
    const worker = await came;
    await page.waitForFunction(() => document.title === "served");
    const told = [worker.url(), await worker.evaluate(() => self.registration.scope)];
    await page.evaluate(async () => (await navigator.serviceWorker.getRegistration()).unregister());
    return told;
  },

  async clock_is_installed_and_run({ page }) {
    await page.clock.install({ time: new Date("2024-01-01T00:00:00Z") });
    await page.goto(url("/blank.html"));
    await page.evaluate(() => { window.rang = 0; setTimeout(() => rang++, 60_000); });
    await page.clock.runFor(61_000);
    return page.evaluate(() => [rang, new Date().getFullYear()]);
  },

  async wait_for_function_polls({ page }) {
    await page.goto(url("/blank.html"));
    await page.evaluate(() => setTimeout(() => { window.ready = { value: 7 }; }, 50));
    const handle = await page.waitForFunction(() => window.ready, null, { polling: 20 });
    return handle.jsonValue();
  },

  async concurrent_evaluates_keep_apart({ page }) {
    return Promise.all(Array.from({ length: 50 }, (_, i) => page.evaluate((n) => n * 2, i)));
  },
};
