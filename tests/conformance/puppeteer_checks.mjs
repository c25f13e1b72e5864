// Puppeteer's API, broadly: each check of the tables below gives a plain value.
//
// Knows: how Puppeteer comes to a browser by CDP and how a check's room is cleared.
// Must not know: what stands at the endpoint.

import { createRequire } from "node:module";
import { patience, runAll, url, wish } from "./node_check_runner.mjs";
import { acting } from "./puppeteer/elements_scripts_and_screenshots.mjs";
import { browsing } from "./puppeteer/pages_frames_and_dialogs.mjs";
import { targetEvents } from "./puppeteer/target_events.mjs";
import { targets } from "./puppeteer/targets_contexts_and_sessions.mjs";
import { wiring } from "./puppeteer/network_cookies_and_clients.mjs";

const puppeteer = createRequire(`${wish.packages}/`)("puppeteer-core");

let kept = null;

/** A connection of its own. */
async function connect(options = {}) {
  const where = wish.endpoint.startsWith("ws") ? "browserWSEndpoint" : "browserURL";
  const browser = await puppeteer.connect({ [where]: wish.endpoint, protocolTimeout: 60_000, ...options });
  return browser;
}

/** "own": a fresh context on one connection. "shared": the default context of a new connection. */
async function open() {
  const own = wish.rooms === "own";
  const browser = own ? (kept ??= await connect()) : await connect();
  const context = own ? await browser.createBrowserContext() : browser.defaultBrowserContext();
  const before = new Set(await context.pages());
  const page = await context.newPage();
  page.setDefaultTimeout(patience);
  const stage = { browser, context, page, before, url, wish, own, extra: [] };
  stage.another = stage.connected = async (options = {}) => {
    const more = await connect(options);
    stage.extra.push(() => more.disconnect());
    return more;
  };
  stage.room = async (options = {}) => {
    const more = await browser.createBrowserContext(options);
    stage.extra.push(() => (more.closed ? null : more.close()));
    return more;
  };
  return stage;
}

async function close(stage) {
  for (const more of stage.extra) await more();
  if (stage.own) return stage.context.close();
  for (const page of await stage.context.pages()) {
    if (!stage.before.has(page)) await page.close();
  }
  await stage.browser.disconnect();
}

await runAll([browsing, acting, wiring, targets, targetEvents], { open, close });
if (kept) await kept.disconnect();
process.exit(0);
