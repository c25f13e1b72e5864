// Cookies, storage, downloads, permissions.

import fs from "node:fs";
import { until, url, wish } from "../node_check_runner.mjs";

const brief = (cookies) => cookies.map((c) => [c.name, c.value, c.domain, c.path, c.httpOnly, c.sameSite]).sort();

export const storage = {
  async cookies_are_set_and_read({ context, page }) {
    await context.addCookies([
      { name: "conf_a", value: "1", url: url("/") },
      { name: "conf_b", value: "2", domain: "localhost", path: "/", httpOnly: true, sameSite: "Lax" },
    ]);
    const all = (await context.cookies()).filter((c) => c.name.startsWith("conf_"));
    const some = (await context.cookies(url("/"))).filter((c) => c.name.startsWith("conf_"));
    await page.goto(url("/blank.html"));
    const seen = await page.evaluate(() => document.cookie.includes("conf_a=1"));
    await context.clearCookies({ name: /conf_/ });
    const left = (await context.cookies()).filter((c) => c.name.startsWith("conf_"));
    return [brief(all), brief(some), seen, left];
  },

  async cookies_of_the_server({ context, page }) {
    await page.goto(url("/cookie.html"));
    const told = (await context.cookies(url("/"))).filter((c) => c.name === "served");
    await context.clearCookies({ name: "served" });
    return brief(told);
  },

  async clear_all_cookies({ room }) {
    const context = await room();
    await context.addCookies([{ name: "x", value: "1", url: url("/") }]);
    await context.clearCookies();
    return context.cookies();
  },

  async storage_state_round_trip({ room }) {
    const one = await room();
    const page = await one.newPage();
    await page.goto(url("/blank.html"));
    await page.evaluate(() => { localStorage.setItem("kept", "yes"); document.cookie = "kept=too"; });
    const state = await one.storageState();
    const two = await room({ storageState: state });
    const other = await two.newPage();
    await other.goto(url("/blank.html"));
    return [state.cookies.length, state.origins.length,
      await other.evaluate(() => [localStorage.getItem("kept"), document.cookie])];
  },

  async local_and_session_storage({ context, page }) {
    await page.goto(url("/blank.html"));
    await page.evaluate(() => { localStorage.setItem("conf", "1"); sessionStorage.setItem("conf", "2"); });
    const other = await context.newPage();
    await other.goto(url("/other.html"));
    const seen = await other.evaluate(() => [localStorage.getItem("conf"), sessionStorage.getItem("conf")]);
    await other.evaluate(() => localStorage.clear());
    return seen;
  },

  async download_is_saved({ page }) {
    await page.goto(url("/downloads.html"));
    const [download] = await Promise.all([page.waitForEvent("download"), page.click("#a")]);
    const target = `${wish.scratch}/saved.bin`;
    await download.saveAs(target);
    return [download.suggestedFilename(), download.url(), fs.statSync(target).size, await download.failure(),
      download.page() === page];
  },

  async download_path_and_stream({ page }) {
    await page.goto(url("/downloads.html"));
    const [download] = await Promise.all([page.waitForEvent("download"), page.click("#a")]);
    const stream = await download.createReadStream();
    let size = 0;
    for await (const piece of stream) size += piece.length;
    await download.delete();
    return size;
  },

  async download_of_a_data_url({ page }) {
    await page.goto(url("/downloads.html"));
    const [download] = await Promise.all([page.waitForEvent("download"), page.click("#b")]);
    const target = `${wish.scratch}/data.txt`;
    await download.saveAs(target);
    return [download.suggestedFilename(), fs.readFileSync(target, "utf8")];
  },

  async download_cancelled({ page }) {
    await page.goto(url("/downloads.html"));
    await page.route("**/never.bin", () => {});
    const [download] = await Promise.all([page.waitForEvent("download"), page.click("#a")]);
    await download.cancel();
    return ["canceled", null].includes(await download.failure());
  },

  async navigation_that_becomes_a_download({ page }) {
    const came = page.waitForEvent("download");
    const error = await page.goto(url("/file.bin")).catch((e) => e);
    const download = await came;
    return [error.message.includes("Download is starting"), download.suggestedFilename()];
  },

  async permissions_are_granted_and_cleared({ context, page }) {
    await page.goto(url("/blank.html"));
    const ask = () => page.evaluate(async () => (await navigator.permissions.query({ name: "geolocation" })).state);
    const before = await ask();
    await context.grantPermissions(["geolocation"], { origin: url("") });
    const granted = await ask();
    await context.clearPermissions();
    return [before, granted, await ask()];
  },

  async geolocation({ context, page }) {
    await page.goto(url("/blank.html"));
    await context.grantPermissions(["geolocation"]);
    await context.setGeolocation({ latitude: 10, longitude: 20 });
    const where = await page.evaluate(() => new Promise((done, fail) => navigator.geolocation.getCurrentPosition(
      (p) => done([p.coords.latitude, p.coords.longitude]), (e) => fail(new Error(e.message)))));
    await context.clearPermissions();
    return where;
  },

  async indexed_db_is_in_the_state({ room }) {
    const context = await room();
    const page = await context.newPage();
    await page.goto(url("/blank.html"));
    await page.evaluate(() => new Promise((done) => {
      const open = indexedDB.open("db", 1);
      open.onupgradeneeded = () => open.result.createObjectStore("s").put("v", "k");
      open.onsuccess = () => { open.result.close(); done(); };
    }));
    const state = await context.storageState({ indexedDB: true });
    return until(() => state.origins[0]?.indexedDB?.[0]?.name, "the database");
  },
};
