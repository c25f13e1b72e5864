// The calls of agents, newest first, with what each changed.

import { make } from "./elements.js";
import { isOfTab } from "./state.js";
import { clock } from "./tab_panel.js";

/** @typedef {import("./types.js").Call} Call */
/** @typedef {import("./types.js").Tab} Tab */

const SHOWN = 60;

/** Make the list of calls: all, or those of one tab.
 * @param {Call[]} calls
 * @param {Tab | undefined} tab
 * @returns {HTMLElement} */
export function timeline(calls, tab) {
  const found = calls.filter((call) => !tab || isOfTab(call, tab)).slice(-SHOWN);
  if (!found.length) {
    return make("p", { class: "soft" }, "No calls since you opened this page.");
  }
  return make("ol", { class: "timeline" }, ...found.reverse().map(showCall));
}

/** @param {Call} call */
function showCall(call) {
  const isRunning = call.ms === undefined;
  const took = isRunning ? "running" : `${Math.round(call.ms ?? 0)} ms`;
  return make(
    "li",
    { class: call.error ? "failed" : "" },
    make(
      "p",
      { class: "call" },
      make("strong", {}, call.name),
      call.on && make("span", { class: "words" }, ` ${call.on}`),
      make("span", { class: "soft small" }, ` ${took}`),
    ),
    make("p", { class: "soft small" }, `${clock(call.at)} · ${call.owner} · ${call.tab}`),
    call.error && make("p", { class: "problem words" }, call.error),
    ...(call.summary ?? []).map((line) => make("p", { class: "small words" }, line)),
  );
}
