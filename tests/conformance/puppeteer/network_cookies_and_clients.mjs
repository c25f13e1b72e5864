// Requests, cookies, CDP sessions, several clients, the end.

import { failure, next, until, url } from "../node_check_runner.mjs";

export const wiring = {
  async requests_and_bodies({ page }) {
    const seen = [];
    page.on("request", (r) => seen.push(`asked ${r.method()} ${r.resourceType()} ${new URL(r.url()).pathname}`));
    page.on("requestfinished", (r) => seen.push(`finished ${new URL(r.url()).pathname}`));
    await page.goto(url("/scripted.html"), { waitUntil: "networkidle0" });
    const [answer] = await Promise.all([page.waitForResponse((r) => r.url().endsWith("/data.json")),
      page.evaluate(() => fetch("/data.json").then((r) => r.text()))]);
    return [seen.filter((l) => !l.includes("favicon") && !l.includes("data.json")).sort(), await answer.json()];
  },

  async interception({ page }) {
    await page.setRequestInterception(true);
    page.on("request", (r) => {
      const path = new URL(r.url()).pathname;
      if (path === "/data.json") return r.abort();
      if (path === "/made.html") return r.respond({ status: 200, contentType: "text/html", body: "<title>made</title>" });
      if (path === "/echo") return r.continue({ method: "POST", postData: "changed", headers: { ...r.headers(), "x-added": "yes" } });
      return r.continue();
    });
    await page.goto(url("/made.html"));
    const failed = await page.evaluate(() => fetch("/data.json").then(() => "came", () => "failed"));
    const echoed = await page.evaluate(async () => (await fetch("/echo")).json());
    return [await page.title(), failed, echoed.method, echoed.body, echoed.headers["x-added"]];
  },

  async interception_in_foreign_frames({ page }) {
    await page.setRequestInterception(true);
    page.on("request", (r) => r.url().includes("/leaf.html")
      ? r.respond({ contentType: "text/html", body: "<p>routed leaf</p>" }) : r.continue());
    await page.goto(url("/oopif.html"));
    const leaf = await until(() => page.frames().find((f) => f.url().includes("/leaf.html")), "the leaf");
    return (await leaf.waitForSelector("p")).evaluate((p) => p.textContent);
  },

  async headers_and_credentials({ page }) {
    await page.setExtraHTTPHeaders({ "x-one": "1" });
    await page.goto(url("/echo"));
    const told = JSON.parse(await page.$eval("body", (b) => b.textContent)).headers["x-one"];
    await page.authenticate({ username: "me", password: "pass" });
    const answer = await page.goto(url("/secret.html"));
    return [told, answer.status()];
  },

  async offline_and_cache({ page }) {
    await page.goto(url("/blank.html"));
    await page.setOfflineMode(true);
    const off = await page.evaluate(() => fetch("/echo").then(() => "came", () => "failed"));
    await page.setOfflineMode(false);
    await page.setCacheEnabled(false);
    return [off, await page.evaluate(async () => (await fetch("/echo")).status)];
  },

  async cookies_of_the_context({ context, page }) {
    await page.goto(url("/blank.html"));
    await context.setCookie({ name: "conf_p", value: "1", domain: "127.0.0.1", path: "/" });
    const mine = (await context.cookies()).filter((c) => c.name === "conf_p");
    const seen = await page.evaluate(() => document.cookie.includes("conf_p=1"));
    await context.deleteCookie(...mine);
    const left = (await context.cookies()).filter((c) => c.name === "conf_p");
    return [mine.map((c) => [c.name, c.value, c.domain]), seen, left.length];
  },

  async cookies_of_the_page({ page }) {
    await page.goto(url("/blank.html"));
    await page.setCookie({ name: "conf_q", value: "2" });
    const mine = (await page.cookies()).filter((c) => c.name === "conf_q");
    await page.deleteCookie({ name: "conf_q" });
    return [mine.map((c) => [c.name, c.value]), (await page.cookies()).filter((c) => c.name === "conf_q").length];
  },

  async cdp_session_of_a_page({ page }) {
    const session = await page.createCDPSession();
    await session.send("Network.enable");
    const heard = next(session, "Network.requestWillBeSent");
    await page.goto(url("/blank.html"));
    const { result } = await session.send("Runtime.evaluate", { expression: "document.title" });
    const unknown = await failure(session.send("Nonsense.really"));
    await session.detach();
    return [(await heard).request.url, result, unknown, await failure(session.send("Runtime.enable"))];
  },

  async cdp_session_of_the_browser({ browser }) {
    const session = await browser.target().createCDPSession();
    const { targetInfos } = await session.send("Target.getTargets");
    const told = [targetInfos.some((t) => t.type === "page"), await failure(session.send("Nonsense.really"))];
    await session.detach();
    return told;
  },

  async screencast_frames({ page }) {
    await page.goto(url("/shapes.html"));
    const session = await page.createCDPSession();
    const came = next(session, "Page.screencastFrame");
    await session.send("Page.startScreencast", { format: "jpeg", quality: 20 });
    await page.evaluate(() => { document.body.style.background = "#321"; });
    const { data } = await came;
    await session.send("Page.stopScreencast");
    return data.slice(0, 4);
  },

  async service_workers_are_targets({ context, page }) {
    const came = context.waitForTarget((t) => t.type() === "service_worker");
    await page.goto(url("/sw.html"));
    const target = await came;
    await page.waitForFunction(() => document.title === "served");
    const worker = await target.worker();
    const told = [target.url(), await worker.evaluate(() => self.location.pathname)];
    await page.evaluate(async () => (await navigator.serviceWorker.getRegistration()).unregister());
    return told;
  },

  async two_clients_keep_apart({ another, page }) {
    const browser = await another();
    const other = await browser.newPage();
    await Promise.all([page.goto(url("/form.html")), other.goto(url("/form.html"))]);
    await Promise.all([page.type("#name", "one"), other.type("#name", "two")]);
    const told = await Promise.all([page, other].map((p) => p.$eval("#name", (e) => e.value)));
    await other.close();
    return told;
  },

  async disconnect_and_come_back({ another }) {
    const browser = await another();
    const gone = next(browser, "disconnected");
    await browser.disconnect();
    await gone;
    const again = await another();
    return [browser.connected, again.connected];
  },

  async close_ends_what_was_waiting({ context }) {
    const page = await context.newPage();
    const waiting = failure(page.evaluate(() => new Promise(() => {})));
    await page.close();
    return waiting;
  },

  async window_bounds_by_session({ browser, page }) {
    const session = await browser.target().createCDPSession();
    const target = page.target();
    const own = await page.createCDPSession();
    const { targetInfo } = await own.send("Target.getTargetInfo");
    const { bounds } = await session.send("Browser.getWindowForTarget", { targetId: targetInfo.targetId });
    return [bounds.windowState, bounds.width > 0, target.type()];
  },
};
