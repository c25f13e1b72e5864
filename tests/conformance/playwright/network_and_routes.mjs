// Routes, requests, responses, WebSockets.

import fs from "node:fs";
import { failure, until, url, wish } from "../node_check_runner.mjs";

const echo = (page, options = {}) =>
  page.evaluate(async (given) => (await fetch("/echo", given)).json(), options);

export const network = {
  async request_and_response_events({ page }) {
    const seen = [];
    page.on("request", (r) => seen.push(`asked ${r.method()} ${r.resourceType()} ${new URL(r.url()).pathname}`));
    page.on("response", (r) => seen.push(`answered ${r.status()} ${new URL(r.url()).pathname}`));
    page.on("requestfinished", (r) => seen.push(`finished ${new URL(r.url()).pathname}`));
    await page.goto(url("/scripted.html"), { waitUntil: "networkidle" });
    return seen.filter((line) => !line.includes("favicon")).sort();
  },

  async bodies_headers_and_timing({ page }) {
    await page.goto(url("/blank.html"));
    const [answer] = await Promise.all([page.waitForResponse("**/data.json"), page.evaluate(() => fetch("/data.json").then((r) => r.text()))]);
    const sizes = await answer.request().sizes();
    return [await answer.json(), (await answer.body()).length, await answer.headerValue("content-type"),
      answer.request().resourceType(), sizes.responseBodySize, (await answer.serverAddr()).ipAddress,
      answer.request().isNavigationRequest(), answer.frame() === page.mainFrame()];
  },

  async posted_data_is_told({ page }) {
    await page.goto(url("/blank.html"));
    const asked = page.waitForRequest("**/echo");
    const told = await echo(page, { method: "POST", body: JSON.stringify({ a: 1 }), headers: { "Content-Type": "application/json" } });
    const request = await asked;
    return [request.method(), request.postData(), request.postDataJSON(), told];
  },

  async failed_requests_are_told({ page }) {
    await page.goto(url("/blank.html"));
    const failed = page.waitForEvent("requestfailed");
    await page.evaluate(() => fetch("http://127.0.0.1:1/").catch(() => 0));
    return (await failed).failure();
  },

  async route_abort({ page }) {
    await page.route("**/style.css", (route) => route.abort());
    await page.route("**/data.json", (route) => route.abort("accessdenied"));
    const failed = [];
    page.on("requestfailed", (r) => failed.push([new URL(r.url()).pathname, r.failure().errorText]));
    await page.goto(url("/scripted.html"));
    await page.evaluate(() => fetch("/data.json").catch(() => 0));
    await until(() => failed.length === 2, "two failures");
    return failed.sort();
  },

  async route_fulfil({ page }) {
    const path = `${wish.scratch}/answer.json`;
    fs.writeFileSync(path, '{"from": "a file"}');
    await page.route("**/made.html", (route) => route.fulfill({ status: 201, contentType: "text/html", body: "<title>made</title>", headers: { "x-made": "1" } }));
    await page.route("**/data.json", (route) => route.fulfill({ path }));
    await page.route("**/json", (route) => route.fulfill({ json: { made: true } }));
    const answer = await page.goto(url("/made.html"));
    return [answer.status(), await page.title(), answer.headers()["x-made"],
      await page.evaluate(async () => [await (await fetch("/data.json")).json(), await (await fetch("/json")).json()])];
  },

  async route_continue_with_changes({ page }) {
    await page.goto(url("/blank.html"));
    await page.route("**/echo", (route) => route.continue({ method: "POST", postData: "changed", headers: { ...route.request().headers(), "x-added": "yes" } }));
    const changed = await echo(page);
    await page.unroute("**/echo");
    await page.route("**/elsewhere", (route) => route.continue({ url: url("/data.json") }));
    return [changed, await page.evaluate(async () => (await fetch("/elsewhere")).json()), await echo(page)];
  },

  async route_fallback_and_order({ page }) {
    const order = [];
    await page.route("**/*", (route) => { order.push("last"); return route.continue(); });
    await page.route("**/data.json", (route) => { order.push("middle"); return route.fallback(); });
    await page.route(/data/, (route) => { order.push("first"); return route.fallback({ headers: { "x-one": "1" } }); }, { times: 1 });
    await page.goto(url("/blank.html"));
    order.length = 0;
    await page.evaluate(async () => { await fetch("/data.json"); await fetch("/data.json"); });
    return order;
  },

  async route_fetches_and_patches({ page }) {
    await page.route("**/data.json", async (route) => {
      const answer = await route.fetch();
      await route.fulfill({ response: answer, json: { ...(await answer.json()), patched: true } });
    });
    await page.goto(url("/blank.html"));
    return page.evaluate(async () => (await fetch("/data.json")).json());
  },

  async context_routes_hold_for_new_pages({ context }) {
    await context.route("**/other.html", (route) => route.fulfill({ body: "<title>routed</title>", contentType: "text/html" }));
    const page = await context.newPage();
    await page.goto(url("/other.html"));
    const title = await page.title();
    await context.unrouteAll();
    await page.goto(url("/other.html"));
    return [title, await page.title()];
  },

  async routes_reach_foreign_frames({ page }) {
    await page.route("**/leaf.html", (route) => route.fulfill({ body: "<p>routed leaf</p>", contentType: "text/html" }));
    await page.goto(url("/oopif.html"));
    return page.frameLocator("[name=f]").frameLocator("[name=f]").locator("p").textContent();
  },

  async redirects_of_routes({ page }) {
    await page.route("**/start.html", (route) => route.fulfill({ status: 302, headers: { location: "/blank.html" } }));
    await page.goto(url("/start.html"));
    return [page.url(), await page.title()];
  },

  async extra_headers_of_page_and_context({ context, page }) {
    await context.setExtraHTTPHeaders({ "x-one": "context" });
    await page.setExtraHTTPHeaders({ "x-added": "page" });
    await page.goto(url("/blank.html"));
    const told = (await echo(page)).headers;
    await context.setExtraHTTPHeaders({});
    return [told["x-one"], told["x-added"]];
  },

  async http_credentials({ room }) {
    const context = await room({ httpCredentials: { username: "me", password: "pass" } });
    const page = await context.newPage();
    const answer = await page.goto(url("/secret.html"));
    return [answer.status(), await page.title()];
  },

  async offline({ context, page }) {
    await page.goto(url("/blank.html"));
    await context.setOffline(true);
    const off = await page.evaluate(async () => [navigator.onLine, await fetch("/echo").then(() => "came", () => "failed")]);
    await context.setOffline(false);
    return [off, await page.evaluate(async () => [navigator.onLine, (await fetch("/echo")).status])];
  },

  async har_of_a_context({ room }) {
    const path = `${wish.scratch}/one.har`;
    const context = await room({ recordHar: { path } });
    const page = await context.newPage();
    await page.goto(url("/data.json"));
    await context.close();
    const har = JSON.parse(fs.readFileSync(path, "utf8"));
    const entry = har.log.entries.find((e) => e.request.url.endsWith("/data.json"));
    return [entry.response.status, entry.response.content.text];
  },

  async route_from_har({ page, room }) {
    const path = `${wish.scratch}/two.har`;
    const context = await room({ recordHar: { path } });
    const recorded = await context.newPage();
    await recorded.goto(url("/data.json"));
    await context.close();
    await page.routeFromHAR(path, { notFound: "abort" });
    await page.goto(url("/data.json"));
    return [await page.textContent("body"), (await failure(page.goto(url("/other.html")))).slice(0, 40)];
  },

  async web_socket_events({ page }) {
    await page.goto(url("/blank.html"));
    const came = page.waitForEvent("websocket");
    const frames = [];
    const closed = page.evaluate((address) => new Promise((done) => {
      const socket = new WebSocket(address);
      let heard = 0;
      socket.onopen = () => socket.send("hey");
      socket.onmessage = () => { if (++heard === 2) socket.close(); };
      socket.onclose = () => done(heard);
    }), wish.sockets);
    const socket = await came;
    socket.on("framesent", (f) => frames.push(`sent ${f.payload}`));
    socket.on("framereceived", (f) => frames.push(`received ${f.payload}`));
    await closed;
    await until(() => socket.isClosed(), "the end of the socket");
    return [await closed, frames.sort()];
  },

  async web_socket_routes({ page }) {
    await page.routeWebSocket(/ws/, (socket) => socket.onMessage((said) => socket.send(`mocked ${said}`)));
    await page.goto(url("/blank.html"));
    return page.evaluate(() => new Promise((done) => {
      const socket = new WebSocket(`ws://${location.host}/ws`);
      socket.onopen = () => socket.send("hey");
      socket.onmessage = (event) => done(event.data);
    }));
  },

  async api_request_shares_cookies({ context, page }) {
    await page.goto(url("/cookie.html"));
    const answer = await context.request.get(url("/echo"));
    const told = await answer.json();
    await context.clearCookies({ name: "served" });
    return [answer.status(), told.headers.cookie];
  },
};
