// Playwright's API, broadly: each check of the tables below gives a plain value.
//
// Knows: how Playwright comes to a browser by CDP and how a check's room is cleared.
// Must not know: what stands at the endpoint.

import { createRequire } from "node:module";
import { actions } from "./playwright/actions.mjs";
import { dialogs } from "./playwright/dialogs_and_popup_basics.mjs";
import { emulation } from "./playwright/emulation.mjs";
import { frames } from "./playwright/frames.mjs";
import { hands } from "./playwright/input_and_page_details.mjs";
import { network } from "./playwright/network_and_routes.mjs";
import { lifecycle } from "./playwright/navigation_and_close_details.mjs";
import { pages } from "./playwright/pages_and_navigation.mjs";
import { pictures } from "./playwright/screenshots_pdf_and_tracing.mjs";
import { popups } from "./playwright/popups.mjs";
import { requests } from "./playwright/request_and_route_details.mjs";
import { rooms } from "./playwright/browser_contexts.mjs";
import { scripts } from "./playwright/scripts_console_and_workers.mjs";
import { sessions } from "./playwright/cdp_sessions_and_clients.mjs";
import { storage } from "./playwright/storage_downloads_and_permissions.mjs";
import { patience, runAll, url, wish } from "./node_check_runner.mjs";

const { chromium } = createRequire(`${wish.packages}/`)("playwright-core");
const tables = [
  pages, actions, frames, scripts, dialogs, network, storage, emulation, pictures, sessions,
  popups, rooms, lifecycle, requests, hands,
];

let kept = null;

/** A connection of its own. */
async function connect() {
  const browser = await chromium.connectOverCDP(wish.endpoint);
  return browser;
}

/** "own": a fresh context on one connection. "shared": the default context of a new connection. */
async function open() {
  const own = wish.rooms === "own";
  const browser = own ? (kept ??= await connect()) : await connect();
  const context = own ? await browser.newContext() : browser.contexts()[0];
  context.setDefaultTimeout(patience);
  const before = new Set(context.pages());
  const page = await context.newPage();
  const stage = { chromium, browser, context, page, before, url, wish, own, extra: [] };
  stage.another = async () => {
    const more = await connect();
    stage.extra.push(more);
    return more;
  };
  stage.room = async (options = {}) => {
    const more = await browser.newContext(options);
    more.setDefaultTimeout(patience);
    stage.extra.push(more);
    return more;
  };
  return stage;
}

async function close(stage) {
  for (const more of stage.extra) await more.close();
  if (stage.own) return stage.context.close();
  for (const page of stage.context.pages()) {
    if (!stage.before.has(page)) await page.close();
  }
  await stage.browser.close();
}

await runAll(tables, { open, close });
if (kept) await kept.close();
process.exit(0);
