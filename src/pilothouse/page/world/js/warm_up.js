// Warm-up: in a new world nothing is compiled or optimised yet, so the first walk takes several times as long as
// later ones. When the page has loaded and is idle, this walks a few lines and throws them away.
// Knows: when a page is idle. Must not know: the result of such a walk.

import { alone } from "./certain_names_and_roles.js";
import { lookedAt } from "./walk_cache.js";

const WARM_LINES = 40;
const WARM_TIMES = 8;
// A snapshot that is taken right after the page has loaded goes first.
const WARM_AFTER_MS = 50;
const WARMING = {
  all: false, boxes: false, viewport: false, lists: false, root: 0, most: WARM_LINES, keep: " ", dry: true,
};

/** @param {number} times */
function warmUp(times) {
  if (lookedAt) return; // a real walk has warmed it up
  try {
    alone("walk", [WARMING]);
  } catch {
    return; // a real walk reports the error; it must not appear as an error of the page
  }
  if (times > 1) requestIdleCallback(() => warmUp(times - 1));
}

const whenIdle = () => requestIdleCallback(() => warmUp(WARM_TIMES));

if (document.readyState !== "complete")
  addEventListener("load", () => setTimeout(whenIdle, WARM_AFTER_MS), { once: true });
