// Navigation, load states, frames and the end of pages, in detail.

import { failure, next, until, url } from "../node_check_runner.mjs";

const path = (address) => (address.startsWith("http") ? new URL(address).pathname : address);

export const lifecycle = {
  async events_of_a_navigation_are_in_order({ page }) {
    const seen = [];
    for (const kind of ["domcontentloaded", "load"]) page.on(kind, () => seen.push(kind));
    page.on("framenavigated", () => seen.push("framenavigated"));
    page.on("response", (r) => path(r.url()) === "/blank.html" && seen.push("response"));
    await page.goto(url("/blank.html"));
    return seen;
  },

  async navigation_by_a_link_and_by_script({ page }) {
    await page.goto(url("/form.html"));
    await Promise.all([page.waitForNavigation(), page.click("#link")]);
    const first = page.url();
    const [answer] = await Promise.all([page.waitForNavigation(), page.evaluate(() => { location.href = "/other.html"; })]);
    return [first, answer.status(), page.url()];
  },

  async navigation_to_an_anchor({ page }) {
    await page.goto(url("/blank.html"));
    const [answer] = await Promise.all([page.waitForNavigation(), page.evaluate(() => { location.hash = "x"; })]);
    return [answer, page.url()];
  },

  async history_state_changes_are_navigations({ page }) {
    await page.goto(url("/blank.html"));
    const told = [];
    page.on("framenavigated", (frame) => told.push(path(frame.url())));
    await page.evaluate(() => { history.pushState({}, "", "/one"); history.replaceState({}, "", "/two"); });
    await page.evaluate(() => { history.back(); });
    await until(() => told.length >= 3, "three");
    return told;
  },

  async back_and_forward_over_anchors({ page }) {
    await page.goto(url("/blank.html"));
    await page.goto(url("/blank.html#a"));
    await page.goto(url("/other.html"));
    const told = [];
    for (const step of ["goBack", "goBack", "goForward", "goForward", "goForward"]) {
      const answer = await page[step]();
      told.push([answer && answer.status(), page.url()]);
    }
    return told;
  },

  async back_across_sites({ page }) {
    await page.goto(url("/blank.html"));
    await page.goto(url("/other.html", "localhost"));
    await page.goto(url("/form.html", "a.localhost"));
    await page.goBack();
    await page.goBack();
    const back = page.url();
    await page.goForward();
    return [back, page.url(), await page.title()];
  },

  async reload_keeps_going({ page }) {
    await page.goto(url("/blank.html"));
    const told = [];
    for (let i = 0; i < 3; i++) told.push((await page.reload()).status());
    await page.evaluate(() => setTimeout(() => location.reload(), 0));
    await page.waitForNavigation();
    return told;
  },

  async goto_superseded_by_another({ page }) {
    await page.route("**/slow.html", () => {});
    const first = failure(page.goto(url("/slow.html")));
    await page.goto(url("/blank.html"));
    return [await first, await page.title()];
  },

  async goto_that_never_answers_is_stopped_by_close({ context }) {
    const page = await context.newPage();
    await page.route("**/slow.html", () => {});
    const first = failure(page.goto(url("/slow.html")));
    await until(() => true);
    await page.close();
    return first;
  },

  async goto_bad_addresses({ page }) {
    const told = [];
    for (const address of ["asdf", "http://127.0.0.1:1", "javascript:1", "http://[bad"]) told.push(await failure(page.goto(address)));
    return told;
  },

  async goto_a_file({ page }) {
    return failure(page.goto("file:///nowhere/at/all"));
  },

  async goto_empty_answers({ page }) {
    await page.route("**/204", (route) => route.fulfill({ status: 204 }));
    return failure(page.goto(url("/204")));
  },

  async goto_with_referer_and_headers({ page }) {
    const asked = page.waitForRequest("**/echo");
    await page.goto(url("/echo"), { referer: "http://from.example/" });
    return (await asked).headers().referer;
  },

  async goto_with_a_redirect_to_another_site({ page }) {
    await page.route("**/start", (route) => route.fulfill({ status: 302, headers: { location: url("/blank.html", "localhost") } }));
    const answer = await page.goto(url("/start"));
    return [answer.url(), page.url()];
  },

  async goto_the_same_page_twice({ page }) {
    const one = await page.goto(url("/blank.html"));
    const two = await page.goto(url("/blank.html"));
    return [one.status(), two.status()];
  },

  async wait_for_load_state_in_all_kinds({ page }) {
    await page.goto(url("/scripted.html"), { waitUntil: "commit" });
    for (const state of ["domcontentloaded", "load", "networkidle"]) await page.waitForLoadState(state);
    return page.evaluate(() => document.readyState);
  },

  async wait_for_load_state_of_a_frame({ page }) {
    await page.goto(url("/oopif.html"), { waitUntil: "commit" });
    await until(() => page.frames().length === 3, "three frames");
    const told = [];
    for (const frame of page.frames()) {
      await frame.waitForLoadState();
      told.push(await frame.evaluate(() => document.readyState));
    }
    return told;
  },

  async wait_for_url_of_many_kinds({ page }) {
    await page.goto(url("/blank.html"));
    await page.waitForURL("**/blank.html");
    page.evaluate(() => { setTimeout(() => { location.href = "/other.html?x=1"; }, 10); }).catch(() => {});
    await page.waitForURL(/x=1/, { waitUntil: "domcontentloaded" });
    await page.waitForURL((u) => u.pathname === "/other.html");
    return failure(page.waitForURL("**/never", { timeout: 100 })).then((w) => w.slice(0, 50));
  },

  async frame_goto_and_its_response({ page }) {
    await page.goto(url("/frames.html"));
    const kid = page.frame("kid");
    const answer = await kid.goto(url("/other.html"));
    return [answer.status(), answer.frame() === kid, await kid.title(), kid.name()];
  },

  async frame_fails_to_go({ page }) {
    await page.goto(url("/frames.html"));
    return [await failure(page.frame("kid").goto("http://127.0.0.1:1/")), page.frames().length];
  },

  async frame_is_detached_under_an_evaluate({ page }) {
    await page.goto(url("/frames.html"));
    const kid = page.frame("kid");
    const waiting = failure(kid.evaluate(() => new Promise(() => {})));
    await page.evaluate(() => document.querySelector("iframe").remove());
    return [await waiting, kid.isDetached(), await failure(kid.evaluate(() => 1))];
  },

  async foreign_frame_is_detached_under_an_evaluate({ page }) {
    await page.goto(url("/oopif.html"));
    await until(() => page.frames().length === 3, "three frames");
    const leaf = page.frames().find((f) => f.url().includes("leaf"));
    const waiting = failure(leaf.evaluate(() => new Promise(() => {})));
    await page.evaluate(() => document.querySelector("iframe").remove());
    return [await waiting, leaf.isDetached()];
  },

  async foreign_frame_events_are_in_order({ page }) {
    const seen = [];
    await page.goto(url("/blank.html"));
    for (const kind of ["frameattached", "framenavigated", "framedetached"]) page.on(kind, (f) => seen.push(`${kind} ${path(f.url())}`));
    await page.evaluate((where) => new Promise((done) => {
      const frame = document.createElement("iframe");
      frame.src = where;
      frame.onload = done;
      document.body.append(frame);
    }), url("/child.html", "localhost"));
    await page.evaluate(() => document.querySelector("iframe").remove());
    await until(() => seen.length >= 3, "three");
    return seen;
  },

  async frame_goes_to_and_fro_between_sites({ page }) {
    await page.goto(url("/frames.html"));
    const kid = page.frame("kid");
    const told = [];
    for (const host of ["localhost", "a.localhost", "127.0.0.1", "localhost"]) {
      await page.evaluate((where) => { document.querySelector("iframe").src = where; }, url("/child.html?" + host, host));
      await kid.waitForURL("**?" + host);
      told.push([await kid.evaluate(() => location.hostname), page.frames().length]);
    }
    return told;
  },

  async foreign_frame_reloads({ page }) {
    await page.goto(url("/dialogs-oopif.html"));
    const frame = await until(() => page.frames().find((f) => f.url().includes("/dialogs.html")), "the frame");
    await frame.waitForLoadState();
    await frame.evaluate(() => { window.mark = 1; });
    await Promise.all([frame.waitForNavigation(), frame.evaluate(() => { location.reload(); })]);
    return [await frame.evaluate(() => window.mark ?? null), page.frames().length];
  },

  async main_page_leaves_with_foreign_frames({ page }) {
    await page.goto(url("/oopif.html"));
    await until(() => page.frames().length === 3, "three frames");
    await page.goto(url("/blank.html"));
    await page.goBack();
    await until(() => page.frames().length === 3, "three frames");
    return page.frames().map((f) => path(f.url())).sort();
  },

  async many_foreign_frames_at_once({ page }) {
    await page.goto(url("/blank.html"));
    await page.evaluate((addresses) => {
      for (const src of addresses) document.body.append(Object.assign(document.createElement("iframe"), { src }));
    }, Array.from({ length: 8 }, (_, i) => url(`/child.html?${i}`, i % 2 ? "localhost" : "a.localhost")));
    await until(() => page.frames().filter((f) => f.url().includes("child")).length === 8, "eight frames");
    return (await Promise.all(page.frames().slice(1).map((f) => f.evaluate(() => location.search)))).sort();
  },

  async new_document_by_open_and_write({ page }) {
    await page.goto(url("/blank.html"));
    await page.evaluate(() => { document.open(); document.write("<title>written</title><p>x"); document.close(); });
    return [await page.title(), await page.textContent("p")];
  },

  async set_content_waits_for_its_parts({ page }) {
    await page.goto(url("/blank.html"));
    await page.setContent("<link rel=stylesheet href='/style.css'><div class=used>x</div>");
    const slow = failure(page.setContent("<img src='/slow.png'>", { timeout: 1 }).then(() => { throw new Error("done"); }));
    return [await page.evaluate(() => document.styleSheets.length), typeof (await slow)];
  },

  async page_that_closes_itself({ context }) {
    const page = await context.newPage();
    await page.goto(url("/blank.html"));
    const gone = page.waitForEvent("close");
    await page.evaluate(() => { window.open("", "_self"); setTimeout(() => window.close(), 0); }).catch(() => {});
    await Promise.race([gone, page.close()]);
    return page.isClosed();
  },

  async page_closed_under_actions({ context }) {
    const page = await context.newPage();
    await page.goto(url("/form.html"));
    const waits = [page.waitForSelector("#never"), page.waitForEvent("popup"), page.waitForRequest("**/x"), page.waitForFunction(() => window.never)].map(failure);
    await page.close();
    return (await Promise.all(waits)).map((w) => w.slice(0, 90));
  },

  async page_closed_while_loading({ context }) {
    const page = await context.newPage();
    await page.route("**/*", () => {});
    const gone = failure(page.goto(url("/blank.html")));
    await page.close();
    return [(await gone).slice(0, 60), page.isClosed()];
  },

  async close_is_told_once_and_before_it_returns({ context }) {
    const page = await context.newPage();
    const seen = [];
    page.on("close", () => seen.push("close"));
    await page.close();
    seen.push("returned");
    await page.close();
    return seen;
  },

  async close_with_before_unload_dismissed_keeps_it({ context }) {
    const page = await context.newPage();
    await page.goto(url("/dialogs.html"));
    await page.click("#unload");
    const asked = page.waitForEvent("dialog");
    await page.close({ runBeforeUnload: true });
    await (await asked).dismiss();
    return [await page.title(), page.isClosed()];
  },

  async crash_ends_what_waits({ context, page }) {
    await page.goto(url("/blank.html"));
    const waiting = failure(page.waitForEvent("popup"));
    const evaluating = failure(page.evaluate(() => new Promise(() => {})));
    const session = await context.newCDPSession(page);
    session.send("Page.crash").catch(() => {});
    return [await waiting, (await evaluating).slice(0, 60)];
  },

  async crashed_page_is_closed({ context }) {
    const page = await context.newPage();
    await page.goto(url("/blank.html"));
    const crashed = next(page, "crash");
    const session = await context.newCDPSession(page);
    session.send("Page.crash").catch(() => {});
    await crashed;
    await page.close();
    return page.isClosed();
  },

  async add_init_script_is_disposed_with_its_page({ context }) {
    const one = await context.newPage();
    await one.addInitScript("window.mine = 1");
    await one.goto(url("/blank.html"));
    const two = await context.newPage();
    await two.goto(url("/blank.html"));
    return [await one.evaluate(() => window.mine), await two.evaluate(() => window.mine ?? null)];
  },

  async init_scripts_hold_over_sites_and_frames({ page }) {
    await page.addInitScript((given) => { window.given = given; }, { a: [1, null, "x"] });
    await page.goto(url("/oopif.html"));
    await until(() => page.frames().length === 3, "three frames");
    await page.reload();
    await until(() => page.frames().length === 3, "three frames");
    return Promise.all(page.frames().map((f) => f.evaluate(() => window.given)));
  },

  async bring_to_front_of_many({ context }) {
    const made = [await context.newPage(), await context.newPage(), await context.newPage()];
    const told = [];
    for (const page of made) {
      await page.bringToFront();
      told.push(await page.evaluate(() => [document.hasFocus(), document.visibilityState]));
    }
    for (const page of made) await page.close();
    return told;
  },

  async viewport_is_kept_over_navigation({ page }) {
    await page.setViewportSize({ width: 345, height: 456 });
    const told = [];
    for (const host of ["127.0.0.1", "localhost"]) {
      await page.goto(url("/blank.html", host));
      told.push(await page.evaluate(() => [innerWidth, innerHeight]));
    }
    return [told, page.viewportSize()];
  },

  async prerendered_page_is_taken({ page }) {
    await page.goto(url("/prerender.html"));
    await Promise.all([page.waitForURL("**/other.html"), page.click("#go")]);
    return [await page.title(), page.frames().length, await page.evaluate(() => 1 + 1)];
  },

  async gc_and_object_counts({ page }) {
    await page.goto(url("/blank.html"));
    await page.evaluate(() => { globalThis.ref = new WeakRef({}); });
    await page.requestGC();
    return typeof (await page.evaluate(() => ref.deref()));
  },

  async console_and_errors_are_kept({ page }) {
    await page.goto(url("/blank.html"));
    await page.evaluate(() => { console.log("a", 1, { b: 2 }); console.error("c"); setTimeout(() => { throw new Error("d"); }); });
    await until(async () => (await page.pageErrors?.())?.length ?? 1, "the error");
    return [(await page.consoleMessages?.())?.map((m) => m.text()).filter((t) => !t.includes("favicon") && !t.includes("404")), (await page.pageErrors?.())?.map((e) => e.message)];
  },
};
