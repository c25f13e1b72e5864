// CDP sessions, several clients, the end.

import { failure, next, until, url } from "../node_check_runner.mjs";

export const sessions = {
  async page_session_speaks({ context, page }) {
    const session = await context.newCDPSession(page);
    await page.goto(url("/blank.html"));
    const { result } = await session.send("Runtime.evaluate", { expression: "document.title" });
    const unknown = await failure(session.send("Nonsense.really"));
    await session.detach();
    return [result, unknown, await failure(session.send("Runtime.enable"))];
  },

  async page_session_hears_events({ context, page }) {
    const session = await context.newCDPSession(page);
    const heard = next(session, "Network.requestWillBeSent");
    await session.send("Network.enable");
    await page.goto(url("/blank.html"));
    return (await heard).request.url;
  },

  async two_sessions_of_one_page({ context, page }) {
    const [one, two] = [await context.newCDPSession(page), await context.newCDPSession(page)];
    await one.send("Runtime.enable");
    const heard = [];
    one.on("Runtime.consoleAPICalled", () => heard.push("one"));
    two.on("Runtime.consoleAPICalled", () => heard.push("two"));
    await page.evaluate(() => console.log("x"));
    await until(() => heard.length > 0, "a message");
    await two.send("Runtime.evaluate", { expression: "1" });
    return heard;
  },

  async browser_session_speaks({ browser }) {
    const session = await browser.newBrowserCDPSession();
    const { product } = await session.send("Browser.getVersion");
    const { targetInfos } = await session.send("Target.getTargets");
    const unknown = await failure(session.send("Nonsense.really"));
    await session.detach();
    return [/^[A-Za-z]*Chrome\/\d+\.\d+\.\d+\.\d+$/.test(product), targetInfos.some((t) => t.type === "page"), unknown];
  },

  async session_of_a_foreign_frame({ context, page }) {
    await page.goto(url("/oopif.html"));
    await until(() => page.frames().length === 3, "three frames");
    const frame = page.frames().find((f) => f.url().includes("/leaf.html"));
    const session = await context.newCDPSession(frame);
    const { result } = await session.send("Runtime.evaluate", { expression: "location.hostname" });
    return result.value;
  },

  async screencast_frames({ context, page }) {
    await page.goto(url("/shapes.html"));
    const session = await context.newCDPSession(page);
    const came = next(session, "Page.screencastFrame");
    await session.send("Page.startScreencast", { format: "jpeg", quality: 30, everyNthFrame: 1 });
    await page.evaluate(() => { document.body.style.background = "#123"; });
    const frame = await came;
    await session.send("Page.screencastFrameAck", { sessionId: frame.sessionId });
    await session.send("Page.stopScreencast");
    return [frame.data.slice(0, 4), frame.metadata.deviceWidth > 0];
  },

  async dom_and_css_by_session({ context, page }) {
    await page.goto(url("/form.html"));
    const session = await context.newCDPSession(page);
    const { root } = await session.send("DOM.getDocument", { depth: 1 });
    const { nodeId } = await session.send("DOM.querySelector", { nodeId: root.nodeId, selector: "#b" });
    await session.send("DOM.enable");
    await session.send("CSS.enable");
    const { computedStyle } = await session.send("CSS.getComputedStyleForNode", { nodeId });
    const { outerHTML } = await session.send("DOM.getOuterHTML", { nodeId });
    return [computedStyle.find((s) => s.name === "display").value, outerHTML.startsWith("<button id=\"b\"")];
  },

  async targets_by_session({ context, page }) {
    const session = await context.newCDPSession(page);
    const { targetInfo } = await session.send("Target.getTargetInfo");
    const { frameTree } = await session.send("Page.getFrameTree");
    return [targetInfo.type, targetInfo.attached, targetInfo.targetId === frameTree.frame.id, !!targetInfo.browserContextId];
  },

  async metrics_and_layout_by_session({ context, page }) {
    await page.goto(url("/shapes.html"));
    const session = await context.newCDPSession(page);
    await session.send("Performance.enable");
    const { metrics } = await session.send("Performance.getMetrics");
    const { cssContentSize } = await session.send("Page.getLayoutMetrics");
    return [metrics.some((m) => m.name === "Nodes"), cssContentSize.height];
  },

  async fetch_domain_by_session({ context, page }) {
    const session = await context.newCDPSession(page);
    await session.send("Fetch.enable", { patterns: [{ urlPattern: "*other.html*" }] });
    session.on("Fetch.requestPaused", ({ requestId }) => session.send("Fetch.fulfillRequest", {
      requestId, responseCode: 200, responseHeaders: [{ name: "content-type", value: "text/html" }],
      body: Buffer.from("<title>by session</title>").toString("base64"),
    }));
    await page.goto(url("/other.html"));
    return page.title();
  },

  async debugger_pauses_and_resumes({ context, page }) {
    await page.goto(url("/blank.html"));
    const session = await context.newCDPSession(page);
    await session.send("Debugger.enable");
    const paused = next(session, "Debugger.paused");
    const done = page.evaluate(() => { const inner = 5; debugger; return inner; });
    const { callFrames } = await paused;
    const { result } = await session.send("Debugger.evaluateOnCallFrame", { callFrameId: callFrames[0].callFrameId, expression: "inner" });
    await session.send("Debugger.resume");
    return [result.value, await done];
  },

  async two_clients_keep_apart({ another, page }) {
    const browser = await another();
    const context = browser.contexts()[0];
    const other = await context.newPage();
    await Promise.all([page.goto(url("/form.html")), other.goto(url("/form.html"))]);
    await Promise.all([page.fill("#name", "one"), other.fill("#name", "two")]);
    const heard = [];
    page.on("console", (m) => heard.push(m.text()));
    await other.evaluate(() => console.log("of the other"));
    const told = [await page.inputValue("#name"), await other.inputValue("#name"), heard];
    await other.close();
    return told;
  },

  async second_client_leaves_the_first_alone({ another, page }) {
    await page.goto(url("/form.html"));
    const browser = await another();
    await browser.close();
    await page.click("#b");
    return [await page.textContent("#n"), browser.isConnected()];
  },

  async context_dies_with_its_client({ another, browser }) {
    const more = await another();
    const context = await more.newContext();
    const page = await context.newPage();
    await page.goto(url("/blank.html?dying"));
    await more.close();
    const session = await browser.newBrowserCDPSession();
    await until(async () => {
      const { targetInfos } = await session.send("Target.getTargets");
      return !targetInfos.some((t) => t.url.includes("?dying"));
    }, "the end of its page");
    return page.isClosed();
  },

  async disconnect_is_told({ another }) {
    const browser = await another();
    const page = await browser.contexts()[0].newPage();
    let told = 0;
    browser.on("disconnected", () => told++);
    const waiting = failure(page.evaluate(() => new Promise(() => {})));
    await page.close();
    const reason = await waiting;
    await browser.close();
    return [told, browser.isConnected(), reason.replace(/^page\.evaluate: /, "")];
  },
};
