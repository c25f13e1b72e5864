// Requests in detail: what is told of each, what may be changed, what is kept.

import { failure, until, url, wish } from "../node_check_runner.mjs";

const path = (address) => new URL(address).pathname;
const fetched = (page, where, options = {}) =>
  page.evaluate(async ([a, o]) => { const r = await fetch(a, o); return [r.status, await r.text()]; }, [where, options]);

export const requests = {
  async body_after_navigation_is_kept_or_refused({ page }) {
    const answer = await page.goto(url("/data.json"));
    const before = await answer.text();
    await page.goto(url("/blank.html"));
    return [before, await answer.text().catch((e) => e.message.split("\n")[0])];
  },

  async body_of_a_redirect_is_refused({ page }) {
    const asked = page.waitForResponse("**/there");
    await page.goto(url("/there"));
    return failure((await asked).body());
  },

  async body_of_a_fetched_blob({ page }) {
    await page.goto(url("/blank.html"));
    const [answer] = await Promise.all([page.waitForResponse("**/file.bin"), fetched(page, "/file.bin")]);
    return [(await answer.body()).length, await answer.finished(), (await answer.allHeaders())["content-length"]];
  },

  async headers_are_told_in_full({ page }) {
    const answer = await page.goto(url("/cookie.html"));
    const all = await answer.allHeaders();
    return [all["set-cookie"], await answer.headerValues("set-cookie"), (await answer.headersArray()).some((h) => h.name.toLowerCase() === "set-cookie"), (await answer.request().headersArray()).some((h) => h.name.toLowerCase() === "host")];
  },

  async cookie_header_of_a_request_is_told({ context, page }) {
    await context.addCookies([{ name: "told", value: "1", url: url("/") }]);
    const answer = await page.goto(url("/echo"));
    const sent = (await answer.request().allHeaders()).cookie;
    await context.clearCookies({ name: "told" });
    return sent.includes("told=1");
  },

  async resource_types({ page }) {
    const seen = new Map();
    page.on("request", (r) => seen.set(path(r.url()), r.resourceType()));
    await page.goto(url("/scripted.html"));
    await page.evaluate(() => { document.body.append(Object.assign(new Image(), { src: "/x.png" })); const x = new XMLHttpRequest(); x.open("GET", "/data.json"); x.send(); return fetch("/echo"); });
    await until(() => seen.has("/data.json") && seen.has("/x.png"), "all");
    return [...seen].filter(([p]) => !p.includes("favicon")).sort();
  },

  async timing_and_sizes({ page }) {
    const answer = await page.goto(url("/blank.html"));
    await answer.finished();
    const timing = answer.request().timing();
    const sizes = await answer.request().sizes();
    return [timing.startTime > 0, timing.responseEnd >= timing.responseStart, sizes.requestBodySize, sizes.responseBodySize, sizes.requestHeadersSize > 0];
  },

  async event_order_of_one_request({ page }) {
    await page.goto(url("/blank.html"));
    const seen = [];
    for (const kind of ["request", "response", "requestfinished", "requestfailed"]) page.on(kind, (r) => path(r.url()) === "/data.json" && seen.push(kind));
    await fetched(page, "/data.json");
    await until(() => seen.includes("requestfinished"), "its end");
    return seen;
  },

  async request_of_a_frame_is_of_that_frame({ page }) {
    const seen = [];
    page.on("request", (r) => path(r.url()) !== "/favicon.ico" && seen.push([path(r.url()), path(r.frame().url() === "" ? "http://x/" : r.frame().url()), r.isNavigationRequest()]));
    await page.goto(url("/frames.html"));
    return seen.map(([p, , n]) => [p, n]);
  },

  async failed_navigation_is_told({ page }) {
    const failed = page.waitForEvent("requestfailed");
    await page.route("**/blank.html", (route) => route.abort("connectionreset"));
    await failure(page.goto(url("/blank.html")));
    return [(await failed).failure(), (await failed).isNavigationRequest()];
  },

  async abort_reasons({ page }) {
    const told = [];
    await page.goto(url("/blank.html"));
    for (const reason of ["aborted", "addressunreachable", "blockedbyclient", "connectionrefused", "internetdisconnected", "timedout", "namenotresolved"]) {
      await page.route("**/data.json", (route) => route.abort(reason), { times: 1 });
      const failed = page.waitForEvent("requestfailed");
      await page.evaluate(() => fetch("/data.json").catch(() => 0));
      told.push((await failed).failure().errorText);
    }
    return told;
  },

  async fulfil_with_binary_and_headers({ page }) {
    await page.goto(url("/blank.html"));
    await page.route("**/made", (route) => route.fulfill({ status: 418, headers: { "x-made": "1", "content-type": "text/plain; charset=utf-8", "set-cookie": "made=1" }, body: Buffer.from("ü€") }));
    return page.evaluate(async () => { const r = await fetch("/made"); return [r.status, r.statusText, r.headers.get("x-made"), await r.text(), document.cookie.includes("made=1")]; });
  },

  async fulfil_across_origins({ page }) {
    await page.goto(url("/blank.html"));
    await page.route("**/cors", (route) => route.fulfill({ headers: { "access-control-allow-origin": "*" }, body: "ok" }));
    return [await page.evaluate(async (a) => (await fetch(a)).text(), url("/cors", "localhost")),
      await page.evaluate(async (a) => (await fetch(a, { method: "POST", headers: { "x-one": "1" } })).text().catch(() => "no"), url("/cors", "localhost")).catch((e) => e.message.split("\n")[0])];
  },

  async continue_changes_navigation({ page }) {
    await page.route("**/blank.html", (route) => route.continue({ url: url("/other.html") }));
    await page.goto(url("/blank.html"));
    return [page.url(), await page.title()];
  },

  async continue_with_a_binary_body({ page }) {
    await page.goto(url("/blank.html"));
    await page.route("**/echo", (route) => route.continue({ postData: Buffer.from("bytes ü") }));
    return JSON.parse((await fetched(page, "/echo", { method: "POST", body: "x" }))[1]).body;
  },

  async post_bodies_of_all_kinds({ page }) {
    await page.goto(url("/blank.html"));
    const told = [];
    page.on("request", (r) => path(r.url()) === "/echo" && told.push(r.postData()?.replace(/----\w+/g, "BOUNDARY") ?? null));
    await page.evaluate(async () => {
      await fetch("/echo", { method: "POST", body: new URLSearchParams({ a: 1, b: "x y" }) });
      await fetch("/echo", { method: "POST", body: "x".repeat(100000) });
      const form = new FormData();
      form.append("k", "v");
      await fetch("/echo", { method: "POST", body: form });
      await fetch("/echo", { method: "PUT", body: new Uint8Array([1, 2, 3]) });
    });
    return told.map((t) => (t && t.length > 1000 ? t.length : t));
  },

  async large_post_is_routed({ page }) {
    await page.goto(url("/blank.html"));
    const size = [];
    await page.route("**/echo", (route) => { size.push(route.request().postDataBuffer()?.length ?? null); return route.continue(); });
    const got = await page.evaluate(async () => (await (await fetch("/echo", { method: "POST", body: "y".repeat(300000) })).json()).body.length);
    return [size, got];
  },

  async route_is_asked_for_redirects_once({ page }) {
    const asked = [];
    await page.route("**/*", (route) => { asked.push(path(route.request().url())); return route.continue(); });
    await page.goto(url("/there"));
    return asked.filter((p) => !p.includes("favicon"));
  },

  async route_removed_while_asked({ page }) {
    await page.goto(url("/blank.html"));
    let route;
    await page.route("**/data.json", (r) => { route = r; });
    const got = fetched(page, "/data.json");
    await until(() => route, "the route");
    const late = page.unroute("**/data.json");
    await route.continue().catch(() => 0);
    await late;
    return got;
  },

  async route_of_regular_expression_and_function({ page }) {
    await page.goto(url("/blank.html"));
    await page.route(/data\.json\?a/, (route) => route.fulfill({ body: "regexp" }));
    await page.route((u) => u.searchParams.has("b"), (route) => route.fulfill({ body: "function" }));
    return [await fetched(page, "/data.json?a"), await fetched(page, "/data.json?b=1"), (await fetched(page, "/data.json?c"))[0]];
  },

  async routes_of_page_and_context_together({ context, page }) {
    const order = [];
    await context.route("**/data.json", (route) => { order.push("context"); return route.fulfill({ body: "c" }); });
    await page.route("**/data.json", (route) => { order.push("page"); return route.fallback(); });
    await page.goto(url("/blank.html"));
    const got = await fetched(page, "/data.json");
    await context.unrouteAll();
    return [order, got];
  },

  async route_with_a_password_page({ page }) {
    await page.route("**/*", (route) => route.continue());
    const answer = await page.goto(url("/secret.html")).catch((e) => e);
    return answer.status?.() ?? answer.message.split("\n")[0];
  },

  async unhandled_routes_end_with_their_page({ context }) {
    const page = await context.newPage();
    await page.goto(url("/blank.html"));
    await page.route("**/data.json", () => {});
    const got = failure(fetched(page, "/data.json"));
    await page.close();
    return (await got).slice(0, 80);
  },

  async cache_is_used_without_routes({ page }) {
    await page.goto(url("/scripted.html"));
    const from = page.waitForResponse("**/style.css");
    await page.reload();
    return [(await from).status(), (await from).fromServiceWorker()];
  },

  async preflight_is_not_told({ page }) {
    await page.goto(url("/blank.html"));
    const seen = [];
    page.on("request", (r) => seen.push(r.method()));
    await page.evaluate((a) => fetch(a, { method: "POST", headers: { "x-one": "1" } }).catch(() => 0), url("/echo", "localhost"));
    return seen;
  },

  async event_source_is_told({ page }) {
    await page.goto(url("/blank.html"));
    await page.route("**/events", (route) => route.fulfill({ contentType: "text/event-stream", body: "data: one\n\ndata: two\n\n" }));
    const asked = page.waitForRequest("**/events");
    const heard = await page.evaluate(() => new Promise((done) => { const got = []; const s = new EventSource("/events"); s.onmessage = (e) => { got.push(e.data); if (got.length === 2) { s.close(); done(got); } }; }));
    return [heard, (await asked).resourceType()];
  },

  async web_socket_that_fails({ page }) {
    await page.goto(url("/blank.html"));
    const came = page.waitForEvent("websocket");
    await page.evaluate(() => { window.s = new WebSocket("ws://127.0.0.1:1/"); });
    const socket = await came;
    await until(() => socket.isClosed(), "its end");
    return socket.url();
  },

  async web_socket_in_a_foreign_frame_and_worker({ page }) {
    await page.goto(url("/dialogs-oopif.html"));
    const frame = await until(() => page.frames().find((f) => f.url().includes("/dialogs.html")), "the frame");
    const came = page.waitForEvent("websocket");
    await frame.evaluate((a) => { window.s = new WebSocket(a); }, wish.sockets);
    const socket = await came;
    await frame.evaluate(() => { if (s.readyState) s.close(); else s.onopen = () => s.close(); });
    await until(() => socket.isClosed(), "its end");
    return socket.url().startsWith("ws://");
  },

  async binary_frames_of_a_web_socket({ page }) {
    await page.goto(url("/blank.html"));
    const came = page.waitForEvent("websocket");
    const done = page.evaluate((a) => new Promise((ok) => { const s = new WebSocket(a); s.binaryType = "arraybuffer"; s.onopen = () => s.send(new Uint8Array([1, 2, 3])); s.onmessage = (e) => { s.close(); ok(new Uint8Array(e.data).length); }; }), wish.sockets);
    const socket = await came;
    const frame = await socket.waitForEvent("framereceived");
    return [await done, Buffer.isBuffer(frame.payload) && frame.payload.length];
  },

  async web_socket_route_to_the_server({ page }) {
    await page.routeWebSocket(/./, (ws) => {
      const server = ws.connectToServer();
      ws.onMessage((m) => server.send(`${m}!`));
      server.onMessage((m) => ws.send(`${m}?`));
    });
    await page.goto(url("/blank.html"));
    return page.evaluate((a) => new Promise((done) => { const s = new WebSocket(a); s.onopen = () => s.send("hey"); s.onmessage = (e) => { s.close(); done(e.data); }; }), wish.sockets);
  },

  async requests_of_workers_are_told_and_routed({ page }) {
    await page.goto(url("/blank.html"));
    await page.route("**/data.json", (route) => route.fulfill({ body: "routed" }));
    const asked = page.waitForRequest("**/data.json");
    const worker = page.waitForEvent("worker");
    await page.evaluate(() => { window.kept = new Worker(URL.createObjectURL(new Blob(["onmessage=async e=>postMessage(await (await fetch(e.data)).text())"]))); });
    await worker;
    const got = page.evaluate((a) => new Promise((done) => { kept.onmessage = (e) => done(e.data); kept.postMessage(a); }), url("/data.json"));
    return [await got, (await asked).resourceType()];
  },

  async api_requests_of_all_kinds({ page }) {
    const { request } = page.context();
    const told = [];
    for (const [method, options] of [["get", { params: { a: 1 } }], ["post", { data: { a: 1 } }], ["put", { data: "x" }], ["delete", {}], ["patch", { form: { k: "v" } }], ["post", { multipart: { f: { name: "n.txt", mimeType: "text/plain", buffer: Buffer.from("x") } } }]]) {
      const answer = await request[method](url("/echo"), options);
      const { method: m, body } = await answer.json().catch(() => ({ method: answer.status() }));
      told.push([m, (body ?? "").length > 60 ? "long" : body]);
    }
    return [told, (await request.head(url("/blank.html"))).status(), (await request.get(url("/missing.html"))).ok()];
  },

  async route_fetch_with_changes({ page }) {
    await page.route("**/echo", async (route) => {
      const answer = await route.fetch({ method: "POST", postData: "changed", headers: { "x-added": "1" } });
      await route.fulfill({ response: answer });
    });
    await page.goto(url("/blank.html"));
    const { method, headers, body } = JSON.parse((await fetched(page, "/echo"))[1]);
    return [method, headers["x-added"], body];
  },

  async extra_headers_on_navigations_and_frames({ page }) {
    await page.setExtraHTTPHeaders({ "x-one": "everywhere" });
    const seen = [];
    page.on("request", (r) => path(r.url()) !== "/favicon.ico" && seen.push(r.allHeaders().then((h) => [path(r.url()), h["x-one"] ?? null])));
    await page.goto(url("/oopif.html"));
    await until(() => page.frames().length === 3, "three frames");
    await page.frames()[2].waitForLoadState();
    return (await Promise.all(seen)).filter(([p]) => p.endsWith(".html"));
  },

  async service_worker_answers_are_marked({ page }) {
    await page.goto(url("/sw.html"));
    await page.waitForFunction(() => document.title === "served");
    const answer = await page.reload();
    return [answer.fromServiceWorker(), answer.status()];
  },

  async data_and_blob_requests({ page }) {
    await page.goto(url("/blank.html"));
    const seen = [];
    page.on("request", (r) => seen.push(r.url().slice(0, 5)));
    const got = await page.evaluate(async () => [await (await fetch("data:text/plain,hey")).text(), await (await fetch(URL.createObjectURL(new Blob(["blob"])))).text()]);
    return [got, seen];
  },
};
