// Targets, contexts, sessions and what else is asked of the browser as a whole.

import { failure, next, until, url } from "../node_check_runner.mjs";

const path = (address) => (address.startsWith("http") ? new URL(address).pathname : address);

export const targets = {
  async target_of_a_page({ page, context, browser }) {
    const target = page.target();
    return [target.type(), target.url(), (await target.page()) === page, target.browserContext() === context, target.browser() === browser, target.opener() ?? null, await target.worker()];
  },

  async browser_target_is_listed({ browser }) {
    const target = browser.target();
    return [target.type(), browser.targets().includes(target), browser.targets().some((t) => t.type() === "page")];
  },

  async target_events_of_a_page_in_order({ browser, context }) {
    const seen = [];
    const kinds = { targetcreated: "created", targetchanged: "changed", targetdestroyed: "destroyed" };
    for (const [kind, word] of Object.entries(kinds)) {
      browser.on(kind, (t) => t.type() === "page" && t.browserContext() === context && seen.push(`${word} ${path(t.url())}`));
    }
    const page = await context.newPage();
    await page.goto(url("/blank.html"));
    await until(() => seen.some((s) => s === "changed /blank.html"), "the change");
    await page.goto(url("/other.html"));
    await until(() => seen.some((s) => s === "changed /other.html"), "the change");
    await page.close();
    await until(() => seen.some((s) => s.startsWith("destroyed")), "the end");
    return seen.filter((s, i) => s !== seen[i - 1]);
  },

  async context_hears_its_own_targets({ context }) {
    const seen = [];
    for (const kind of ["targetcreated", "targetchanged", "targetdestroyed"]) context.on(kind, (t) => seen.push(`${kind} ${path(t.url())}`));
    const page = await context.newPage();
    await page.goto(url("/blank.html"));
    await until(() => seen.includes("targetchanged /blank.html"), "the change");
    await page.close();
    await until(() => seen.some((s) => s.startsWith("targetdestroyed")), "the end");
    return [...new Set(seen)];
  },

  async wait_for_a_target_and_time_out({ context, page }) {
    await page.goto(url("/blank.html"));
    const found = context.waitForTarget((t) => t.url().endsWith("/popped.html"));
    await page.evaluate(() => { window.open("/popped.html"); });
    const target = await found;
    const popup = await target.page();
    const told = [target.type(), target.opener() === page.target()];
    await popup.close();
    return [told, await failure(context.waitForTarget(() => false, { timeout: 50 }))];
  },

  async popup_of_many_kinds({ page }) {
    await page.goto(url("/blank.html"));
    const told = [];
    for (const [address, features] of [["about:blank", ""], ["/popped.html", ""], ["/popped.html", "noopener"], ["about:blank", "noopener"]]) {
      const [popup] = await Promise.all([next(page, "popup"), page.evaluate((a, f) => { window.open(a, "_blank", f); }, address, features)]);
      await until(() => popup.url().endsWith(address), "its address");
      told.push([path(popup.url()), await popup.evaluate(() => !!window.opener), popup.target().opener() === page.target()]);
      await popup.close();
    }
    return told;
  },

  async popup_that_closes_itself({ page, browser }) {
    await page.goto(url("/blank.html"));
    const gone = next(browser, "targetdestroyed");
    await page.evaluate(() => { window.w = window.open("about:blank"); });
    await page.evaluate(() => w.close());
    await gone;
    return true;
  },

  async workers_are_targets_of_their_page({ page }) {
    await page.goto(url("/blank.html"));
    const came = next(page, "workercreated");
    await page.evaluate(() => { window.kept = new Worker("/worker.js"); });
    const worker = await came;
    const listed = page.workers().length;
    const gone = next(page, "workerdestroyed");
    const told = [path(worker.url()), await worker.evaluate(() => 6 * 7), await worker.evaluateHandle(() => self).then((h) => h.jsonValue().then(() => "value", () => "none"))];
    await page.evaluate(() => kept.terminate());
    await gone;
    return [told, listed, page.workers().length];
  },

  async worker_console_and_errors({ page }) {
    await page.goto(url("/blank.html"));
    const heard = [];
    page.on("console", (m) => heard.push(m.text()));
    const wrong = next(page, "pageerror");
    await page.evaluate(() => { window.kept = new Worker(URL.createObjectURL(new Blob(["console.log('from', 1); setTimeout(() => { throw new Error('in worker') })"]))); });
    const error = await wrong;
    await until(() => heard.length, "a message");
    return [heard, error.message.includes("in worker")];
  },

  async shared_worker_is_a_target({ browser, page }) {
    await page.goto(url("/blank.html"));
    const came = browser.waitForTarget((t) => t.type() === "shared_worker");
    await page.evaluate(() => { window.kept = new SharedWorker("/worker.js", "named"); });
    const target = await came;
    return [path(target.url()), await (await target.worker()).evaluate(() => typeof self)];
  },

  async contexts_come_and_go({ browser, room }) {
    const before = browser.browserContexts().length;
    const more = await room();
    const page = await more.newPage();
    const during = [browser.browserContexts().length - before, (await more.pages()).length, page.browserContext() === more, !!more.id];
    await more.close();
    return [during, browser.browserContexts().length - before, page.isClosed(), await failure(browser.defaultBrowserContext().close())];
  },

  async pages_of_the_browser_are_of_all_contexts({ browser, room, page }) {
    const more = await room();
    const other = await more.newPage();
    const all = await browser.pages();
    return [all.includes(page), all.includes(other), (await more.pages()).includes(page)];
  },

  async new_page_in_a_window({ context }) {
    const page = await context.newPage({ type: "window", windowBounds: { width: 640, height: 480 } });
    await page.goto(url("/blank.html"));
    const told = [await page.title(), await page.evaluate(() => [outerWidth, outerHeight])];
    await page.close();
    return told;
  },

  async new_page_in_the_background({ context }) {
    const page = await context.newPage({ background: true });
    await page.goto(url("/blank.html"));
    const told = await page.title();
    await page.close();
    return told;
  },

  async window_of_a_page({ page, browser }) {
    const id = await page.windowId();
    const bounds = await browser.getWindowBounds(id);
    await browser.setWindowBounds(id, { width: 700, height: 500 });
    const after = await browser.getWindowBounds(id);
    return [typeof id, bounds.windowState, [after.width, after.height]];
  },

  async page_is_resized({ page }) {
    await page.setViewport(null);
    await page.resize({ contentWidth: 500, contentHeight: 400 });
    await page.waitForFunction(() => innerWidth === 500);
    return page.evaluate(() => [innerWidth, innerHeight]);
  },

  async screens_are_listed({ browser }) {
    const screens = await browser.screens();
    return [screens.length, screens[0].isPrimary, screens[0].colorDepth];
  },

  async screens_are_added_and_removed({ browser }) {
    const screen = await browser.addScreen({ left: 800, top: 0, width: 640, height: 480 });
    const with_it = (await browser.screens()).length;
    await browser.removeScreen(screen.id);
    return [screen.width, with_it, (await browser.screens()).length];
  },

  async insecure_certificates_are_accepted({ connected }) {
    const more = await connected({ acceptInsecureCerts: true });
    const page = await more.newPage();
    await page.goto(url("/blank.html"));
    const told = await page.title();
    await page.close();
    return told;
  },

  async connection_with_a_filter({ connected }) {
    const more = await connected({ targetFilter: (t) => t.type() !== "other", defaultViewport: { width: 333, height: 222 } });
    const page = await more.newPage();
    const told = [page.viewport(), await page.evaluate(() => [innerWidth, innerHeight])];
    await page.close();
    return told;
  },

  async connection_without_a_viewport({ connected }) {
    const more = await connected({ defaultViewport: null });
    const page = await more.newPage();
    const told = page.viewport();
    await page.close();
    return told;
  },

  async connection_with_slow_motion_and_page_handlers({ connected }) {
    const more = await connected({ slowMo: 5, handleDevToolsAsPage: true });
    const page = await more.newPage();
    await page.goto(url("/blank.html"));
    const told = [await page.title(), more.connected, (await more.version()).includes("Chrome"), (await more.userAgent()).includes("Mozilla")];
    await page.close();
    return told;
  },

  async connection_blocks_addresses({ connected }) {
    const more = await connected({ networkEnabled: false });
    const page = await more.newPage();
    const answer = await page.goto(url("/blank.html"));
    const told = [answer, await page.title()];
    await page.close();
    return told;
  },

  async disconnected_is_told({ connected }) {
    const more = await connected({});
    let told = 0;
    more.on("disconnected", () => told++);
    const page = await more.newPage();
    await page.close();
    await more.disconnect();
    await until(() => told === 1, "the event");
    return [told, more.connected];
  },

  async session_detaches_and_says_so({ page }) {
    const session = await page.createCDPSession();
    await session.send("Runtime.enable");
    await session.detach();
    return [session.detached ?? true, await failure(session.send("Runtime.evaluate", { expression: "1" })), await page.evaluate(() => 2)];
  },

  async session_ends_with_its_page({ context }) {
    const page = await context.newPage();
    const session = await page.createCDPSession();
    const gone = next(session, "sessiondetached").catch(() => null);
    await page.close();
    return [await Promise.race([gone.then(() => "told"), until(() => session.detached ?? true).then(() => "told")]), (await failure(session.send("Page.enable"))).slice(0, 60)];
  },

  async session_hears_only_its_own_domains({ page }) {
    const [one, two] = [await page.createCDPSession(), await page.createCDPSession()];
    const heard = [];
    one.on("Network.requestWillBeSent", () => heard.push("one"));
    two.on("Network.requestWillBeSent", () => heard.push("two"));
    await one.send("Network.enable");
    await page.goto(url("/blank.html"));
    await one.send("Network.disable");
    await page.goto(url("/other.html"));
    return [heard.includes("one"), heard.includes("two")];
  },

  async session_of_the_browser_speaks_of_targets({ browser, page }) {
    const session = await browser.target().createCDPSession();
    const { targetInfos } = await session.send("Target.getTargets");
    const mine = targetInfos.find((t) => t.targetId === page.target()._targetId);
    const { targetInfo } = await session.send("Target.getTargetInfo", { targetId: mine.targetId });
    const { sessionId } = await session.send("Target.attachToTarget", { targetId: mine.targetId, flatten: true });
    await session.send("Target.detachFromTarget", { sessionId });
    return [mine.type, targetInfo.url, await failure(session.send("Target.getTargetInfo", { targetId: "nobody" })), await failure(session.send("Target.attachToTarget", { targetId: "nobody", flatten: true })), await failure(session.send("Target.closeTarget", { targetId: "nobody" }))];
  },

  async session_with_errors_of_all_kinds({ page }) {
    const session = await page.createCDPSession();
    const told = [];
    for (const [method, params] of [["Nonsense.really"], ["Page.nonsense"], ["Runtime.evaluate", {}], ["Runtime.evaluate", { expression: 5 }], ["Page.navigate", {}], ["DOM.describeNode", { nodeId: 12345 }], ["Network.getResponseBody", { requestId: "x" }], ["Runtime.callFunctionOn", { functionDeclaration: "x", objectId: "bad" }], ["Target.detachFromTarget", { sessionId: "nobody" }]]) {
      told.push(await failure(session.send(method, params)));
    }
    return told;
  },

  async session_turns_on_auto_attach_itself({ page }) {
    const session = await page.createCDPSession();
    const seen = [];
    session.on("Target.attachedToTarget", (e) => seen.push(e.targetInfo.type));
    await session.send("Target.setAutoAttach", { autoAttach: true, waitForDebuggerOnStart: false, flatten: true });
    await page.goto(url("/dialogs-oopif.html"));
    await until(() => seen.length, "a frame");
    return seen;
  },

  async devtools_of_a_page({ page }) {
    return page.hasDevTools?.() ?? false;
  },

  async extensions_are_listed({ browser }) {
    return (await browser.extensions()).size;
  },

  async permissions_one_by_one({ room }) {
    const more = await room();
    const page = await more.newPage();
    await page.goto(url("/blank.html"));
    const state = () => page.evaluate(async () => (await navigator.permissions.query({ name: "geolocation" })).state);
    await more.overridePermissions(url("").replace(/\/$/, ""), ["geolocation"]);
    const granted = await state();
    await more.clearPermissionOverrides();
    const cleared = await state();
    await more.setPermission(url("").replace(/\/$/, ""), { permission: { name: "geolocation" }, state: "denied" });
    return [granted, cleared, await state()];
  },

  async download_goes_where_it_is_told({ browser, wish }) {
    const more = await browser.createBrowserContext({ downloadBehavior: { policy: "allow", downloadPath: wish.scratch } });
    const page = await more.newPage();
    await page.goto(url("/downloads.html"));
    await page.click("#a");
    const fs = await import("node:fs");
    await until(() => fs.existsSync(`${wish.scratch}/file.bin`), "the file");
    await more.close();
    return fs.statSync(`${wish.scratch}/file.bin`).size;
  },

  async proxy_of_a_context({ room, wish }) {
    const more = await room({ proxyServer: `127.0.0.1:${new URL(wish.site).port}` });
    const page = await more.newPage();
    const answer = await page.goto("http://nowhere.example/blank.html");
    return [answer.status(), page.url()];
  },

  async debug_info_is_empty_at_rest({ browser }) {
    return browser.debugInfo.pendingProtocolErrors.length;
  },
};
