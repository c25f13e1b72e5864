// Contexts of all kinds: what they hold apart, what they are made with, how they end.

import fs from "node:fs";
import { failure, next, until, url, wish } from "../node_check_runner.mjs";

const echo = (page) => page.evaluate(async () => (await fetch("/echo")).json());

export const rooms = {
  async contexts_are_listed_and_unlisted({ browser, room }) {
    const before = browser.contexts().length;
    const more = await room();
    const during = browser.contexts().length - before;
    await more.close();
    return [during, browser.contexts().length - before, more.browser() === browser];
  },

  async closing_a_context_twice_is_fine({ room }) {
    const more = await room();
    await more.newPage();
    await more.close();
    await more.close();
    return failure(more.newPage());
  },

  async context_close_event_and_reason({ room }) {
    const more = await room();
    const page = await more.newPage();
    let told = 0;
    more.on("close", () => told++);
    const waiting = failure(page.waitForEvent("download"));
    await more.close({ reason: "the reason" });
    return [told, await waiting];
  },

  async closing_a_context_ends_what_waits({ room }) {
    const more = await room();
    const page = await more.newPage();
    await page.goto(url("/blank.html"));
    const waiting = failure(page.evaluate(() => new Promise(() => {})));
    const locating = failure(page.locator("#never").click());
    await more.close();
    return [await waiting, (await locating).slice(0, 80)];
  },

  async context_closes_with_before_unload_pages({ room }) {
    const more = await room();
    const page = await more.newPage();
    await page.goto(url("/dialogs.html"));
    await page.click("#unload");
    await more.close();
    return page.isClosed();
  },

  async context_closes_with_an_open_dialog({ room }) {
    const more = await room();
    const page = await more.newPage();
    await page.goto(url("/dialogs.html"));
    const asked = next(page, "dialog");
    page.click("#alert").catch(() => {});
    await asked;
    await more.close();
    return page.isClosed();
  },

  async new_page_of_a_context_without_pages({ room }) {
    const more = await room();
    const one = await more.newPage();
    await one.close();
    const two = await more.newPage();
    return [more.pages().length, two.url(), one.isClosed()];
  },

  async page_of_the_browser_owns_its_context({ browser }) {
    const page = await browser.newPage({ viewport: { width: 321, height: 234 } });
    const more = page.context();
    const told = [await page.evaluate(() => [innerWidth, innerHeight]), await failure(more.newPage())];
    await page.close();
    return [...told, browser.contexts().includes(more)];
  },

  async storage_is_apart_and_shared_within({ room }) {
    const [one, two] = [await room(), await room()];
    const [a, b, c] = [await one.newPage(), await one.newPage(), await two.newPage()];
    for (const page of [a, b, c]) await page.goto(url("/blank.html"));
    await a.evaluate(() => localStorage.setItem("k", "v"));
    const read = () => localStorage.getItem("k");
    return [await b.evaluate(read), await c.evaluate(read)];
  },

  async broadcasts_stay_within_a_context({ room }) {
    const [one, two] = [await room(), await room()];
    const [a, b, c] = [await one.newPage(), await one.newPage(), await two.newPage()];
    for (const page of [a, b, c]) {
      await page.goto(url("/blank.html"));
      await page.evaluate(() => { window.heard = []; new BroadcastChannel("x").onmessage = (e) => window.heard.push(e.data); });
    }
    await a.evaluate(() => { new BroadcastChannel("x").postMessage("hi"); });
    await b.waitForFunction(() => window.heard.length);
    return [await b.evaluate(() => heard), await c.evaluate(() => heard)];
  },

  async base_url({ room }) {
    const more = await room({ baseURL: url("/") });
    const page = await more.newPage();
    await page.goto("/blank.html");
    await page.goto("./other.html");
    return page.title();
  },

  async offline_context({ room }) {
    const more = await room({ offline: true });
    const page = await more.newPage();
    const off = await failure(page.goto(url("/blank.html")));
    await more.setOffline(false);
    return [off, (await page.goto(url("/blank.html"))).status()];
  },

  async https_errors_are_ignored_when_told({ room }) {
    const more = await room({ ignoreHTTPSErrors: true });
    const page = await more.newPage();
    return (await failure(page.goto("https://127.0.0.1:1/"))).slice(0, 60);
  },

  async user_agent_reaches_requests_and_workers({ room }) {
    const more = await room({ userAgent: "mine" });
    const page = await more.newPage();
    await page.goto(url("/blank.html"));
    const popup = await Promise.all([page.waitForEvent("popup"), page.evaluate(() => { window.open("/blank.html"); })]);
    const worker = page.waitForEvent("worker");
    await page.evaluate(() => { window.kept = new Worker("/worker.js"); });
    return [await page.evaluate(() => navigator.userAgent), await popup[0].evaluate(() => navigator.userAgent),
      await (await worker).evaluate(() => navigator.userAgent)];
  },

  async locale_time_zone_and_numbers({ room }) {
    const more = await room({ locale: "fr-FR", timezoneId: "America/Jamaica" });
    const page = await more.newPage();
    await page.goto(url("/blank.html"));
    return [await page.evaluate(() => [navigator.language, navigator.languages, (1234.5).toLocaleString().replace(/\s/g, " "), new Date(1479579154987).toString()]),
      (await echo(page)).headers["accept-language"]];
  },

  async bad_time_zone_is_refused({ room }) {
    const more = await room({ timezoneId: "Foo/Bar" });
    return failure(more.newPage());
  },

  async device_scale_and_screen({ room }) {
    const more = await room({ viewport: { width: 320, height: 240 }, screen: { width: 750, height: 850 }, deviceScaleFactor: 3 });
    const page = await more.newPage();
    return page.evaluate(() => [innerWidth, screen.width, screen.height, devicePixelRatio, matchMedia("(min-resolution: 3dppx)").matches]);
  },

  async mobile_with_touch({ room }) {
    const more = await room({ viewport: { width: 375, height: 667 }, isMobile: true, hasTouch: true });
    const page = await more.newPage();
    await page.goto(url("/form.html"));
    await page.tap("#b");
    return page.evaluate(() => ["ontouchstart" in window, matchMedia("(pointer: coarse)").matches, document.getElementById("n").textContent, navigator.maxTouchPoints > 0]);
  },

  async media_options({ room }) {
    const more = await room({ colorScheme: "dark", reducedMotion: "reduce", forcedColors: "active", contrast: "more" });
    const page = await more.newPage();
    return page.evaluate(() => ["(prefers-color-scheme: dark)", "(prefers-reduced-motion: reduce)", "(forced-colors: active)", "(prefers-contrast: more)"].map((m) => matchMedia(m).matches));
  },

  async permissions_of_a_context({ room }) {
    const more = await room({ permissions: ["geolocation", "notifications"], geolocation: { latitude: 10, longitude: 20 } });
    const page = await more.newPage();
    await page.goto(url("/blank.html"));
    const state = (name) => page.evaluate(async (n) => (await navigator.permissions.query({ name: n })).state, name);
    const first = [await state("geolocation"), await state("notifications")];
    const where = await page.evaluate(() => new Promise((done, no) => navigator.geolocation.getCurrentPosition((p) => done([p.coords.latitude, p.coords.longitude]), (e) => no(e.message))));
    await more.clearPermissions();
    return [first, where, await state("geolocation")];
  },

  async permissions_by_origin_and_apart({ room }) {
    const [one, two] = [await room(), await room()];
    const [a, b] = [await one.newPage(), await two.newPage()];
    await a.goto(url("/blank.html"));
    await b.goto(url("/blank.html"));
    await one.grantPermissions(["geolocation"], { origin: url("") });
    await two.grantPermissions(["geolocation"], { origin: "http://localhost:1" });
    const state = (page) => page.evaluate(async () => (await navigator.permissions.query({ name: "geolocation" })).state);
    return [await state(a), await state(b), await failure(one.grantPermissions(["foo"]))];
  },

  async clipboard_with_permission({ room }) {
    const more = await room({ permissions: ["clipboard-read", "clipboard-write"] });
    const page = await more.newPage();
    await page.goto(url("/blank.html", "localhost"));
    return page.evaluate(async () => { await navigator.clipboard.writeText("copied"); return navigator.clipboard.readText(); });
  },

  async geolocation_changes({ room }) {
    const more = await room({ permissions: ["geolocation"], geolocation: { latitude: 1, longitude: 2 } });
    const page = await more.newPage();
    await page.goto(url("/blank.html"));
    const where = () => page.evaluate(() => new Promise((done) => navigator.geolocation.getCurrentPosition((p) => done(p.coords.latitude))));
    const first = await where();
    await more.setGeolocation({ latitude: 5, longitude: 2 });
    return [first, await where()];
  },

  async cookies_of_all_kinds({ room }) {
    const more = await room();
    await more.addCookies([
      { name: "a", value: "1", url: url("/") },
      { name: "b", value: "2", domain: "127.0.0.1", path: "/", httpOnly: true, sameSite: "Strict" },
      { name: "c", value: "3", url: url("/", "localhost"), expires: 4102444800, sameSite: "Lax" },
    ]);
    const page = await more.newPage();
    await page.goto(url("/blank.html"));
    const seen = await page.evaluate(() => document.cookie);
    const all = (await more.cookies()).map((c) => [c.name, c.value, c.httpOnly, c.sameSite, c.expires > 0]).sort();
    const one = (await more.cookies(url("/", "localhost"))).map((c) => c.name);
    await more.clearCookies({ domain: "localhost" });
    const rest = (await more.cookies()).map((c) => c.name).sort();
    await more.clearCookies();
    return [seen, all, one, rest, await more.cookies(), await failure(more.addCookies([{ name: "x", value: "y" }]))];
  },

  async storage_state_is_set_and_saved({ room }) {
    const one = await room({ storageState: { cookies: [{ name: "k", value: "v", domain: "127.0.0.1", path: "/", expires: -1, httpOnly: false, secure: false, sameSite: "Lax" }], origins: [{ origin: url(""), localStorage: [{ name: "n", value: "w" }] }] } });
    const page = await one.newPage();
    await page.goto(url("/blank.html"));
    const path = `${wish.scratch}/state.json`;
    const state = await one.storageState({ path });
    return [await page.evaluate(() => [document.cookie, localStorage.n]), state.cookies.length, state.origins, fs.existsSync(path)];
  },

  async proxy_of_a_context({ room }) {
    const port = new URL(wish.site).port;
    const more = await room({ proxy: { server: `127.0.0.1:${port}` } });
    const page = await more.newPage();
    const answer = await page.goto("http://nowhere.example/blank.html");
    return [answer.status(), page.url()];
  },

  async proxy_with_bypass({ room }) {
    const more = await room({ proxy: { server: "127.0.0.1:1", bypass: "localhost" } });
    const page = await more.newPage();
    const failed = await failure(page.goto("http://nowhere.example/"));
    return failed;
  },

  async http_credentials_wrong_and_right({ room }) {
    const told = [];
    for (const httpCredentials of [undefined, { username: "me", password: "no" }, { username: "me", password: "pass" }]) {
      const more = await room({ httpCredentials });
      const page = await more.newPage();
      told.push((await page.goto(url("/secret.html")).catch(() => null))?.status() ?? "failed");
    }
    return told;
  },

  async service_workers_are_blocked_when_told({ room }) {
    const more = await room({ serviceWorkers: "block" });
    const page = await more.newPage();
    const warned = page.waitForEvent("console");
    await page.goto(url("/blank.html"));
    await page.evaluate(() => { navigator.serviceWorker.register("/sw.js"); });
    return [(await warned).text().slice(0, 40), more.serviceWorkers().length];
  },

  async service_workers_of_a_context({ room }) {
    const more = await room();
    const page = await more.newPage();
    const came = more.waitForEvent("serviceworker");
    await page.goto(url("/sw.html"));
    const worker = await came;
    const gone = next(worker, "close");
    const told = [new URL(worker.url()).pathname, await worker.evaluate(() => typeof self.registration), more.serviceWorkers().length];
    await more.close();
    await gone;
    return told;
  },

  async tracing_of_a_context({ room }) {
    const more = await room();
    await more.tracing.start({ screenshots: true, snapshots: true, sources: false });
    const page = await more.newPage();
    await page.goto(url("/form.html"));
    await page.click("#b");
    await more.tracing.startChunk();
    await page.fill("#name", "x");
    await more.tracing.stopChunk({ path: `${wish.scratch}/chunk.zip` });
    await more.tracing.stop();
    return fs.statSync(`${wish.scratch}/chunk.zip`).size > 1000;
  },

  async har_with_bodies({ room }) {
    const path = `${wish.scratch}/bodies.har`;
    const more = await room({ recordHar: { path, content: "embed", urlFilter: /scripted|script\.js|style/ } });
    const page = await more.newPage();
    await page.goto(url("/scripted.html"), { waitUntil: "networkidle" });
    await more.close();
    const { entries, pages, browser } = JSON.parse(fs.readFileSync(path, "utf8")).log;
    return [pages.length, browser.name, entries.map((e) => [new URL(e.request.url).pathname, e.response.status, e.response.content.size, e.response.content.mimeType.split(";")[0]]).sort()];
  },

  async accept_downloads_off({ room }) {
    const more = await room({ acceptDownloads: false });
    const page = await more.newPage();
    await page.goto(url("/downloads.html"));
    const [download] = await Promise.all([page.waitForEvent("download"), page.click("#a")]);
    return [download.suggestedFilename(), await failure(download.path()), (await download.failure())?.slice(0, 60)];
  },

  async downloads_are_deleted_with_their_context({ room }) {
    const more = await room();
    const page = await more.newPage();
    await page.goto(url("/downloads.html"));
    const [download] = await Promise.all([page.waitForEvent("download"), page.click("#a")]);
    const path = await download.path();
    const was = fs.existsSync(path);
    await more.close();
    await until(() => !fs.existsSync(path), "its end");
    return was;
  },

  async two_downloads_at_once({ room }) {
    const more = await room();
    const page = await more.newPage();
    await page.goto(url("/downloads.html"));
    const names = [];
    page.on("download", async (d) => { const path = await d.path(); names.push([d.suggestedFilename(), fs.statSync(path).size]); });
    await page.evaluate(() => { document.getElementById("a").click(); });
    await page.evaluate(() => { document.getElementById("b").click(); });
    await until(() => names.length === 2, "two downloads");
    return names.sort();
  },

  async download_delete_and_url({ room }) {
    const more = await room();
    const page = await more.newPage();
    await page.goto(url("/downloads.html"));
    const [download] = await Promise.all([page.waitForEvent("download"), page.click("#a")]);
    const path = await download.path();
    const failed = await download.failure();
    await download.delete();
    return [download.url(), download.page() === page, failed, fs.existsSync(path)];
  },

  async background_pages_and_web_errors({ room }) {
    const more = await room();
    const page = await more.newPage();
    const wrong = more.waitForEvent("weberror");
    await page.evaluate(() => { setTimeout(() => { throw new Error("later"); }); });
    const error = await wrong;
    return [error.error().message, error.page() === page, more.backgroundPages().length];
  },

  async strict_selectors({ room }) {
    const more = await room({ strictSelectors: true });
    const page = await more.newPage();
    await page.setContent("<i></i><i></i>");
    return (await failure(page.textContent("i"))).slice(0, 60);
  },

  async context_requests_of_all_pages({ room }) {
    const more = await room();
    const asked = [];
    more.on("request", (r) => asked.push(new URL(r.url()).pathname));
    more.on("requestfinished", (r) => asked.push(`finished ${new URL(r.url()).pathname}`));
    const [a, b] = [await more.newPage(), await more.newPage()];
    await a.goto(url("/blank.html"));
    await b.goto(url("/other.html"));
    await until(() => asked.filter((x) => x.startsWith("finished")).length >= 2, "both");
    return asked.filter((x) => !x.includes("favicon")).sort();
  },

  async set_storage_state_anew({ room }) {
    const more = await room();
    const page = await more.newPage();
    await page.goto(url("/blank.html"));
    await page.evaluate(() => { localStorage.old = 1; document.cookie = "old=1"; });
    const state = await more.storageState();
    return [state.cookies.map((c) => c.name), state.origins.length];
  },
};
