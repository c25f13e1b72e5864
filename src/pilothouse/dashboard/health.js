// How the daemon is, and who can see what is in it.

import { draw, make } from "./elements.js";

/** @typedef {import("./types.js").Health} Health */
/** @typedef {import("./types.js").Latency} Latency */
/** @typedef {import("./types.js").Client} Client */

const WIDTH = 240;
const HEIGHT = 56;

/** @param {Health} health
 * @returns {HTMLElement} */
export function showHealth(health) {
  const browsers = health.browsers.map((one) =>
    make(
      "li",
      {},
      `${one.product ?? one.browser} `,
      one.error
        ? make("span", { class: "problem" }, one.error)
        : make("span", { class: "soft" }, `answers in ${one.ms ?? "?"} ms`),
    ),
  );
  return make(
    "div",
    {},
    make(
      "dl",
      { class: "facts" },
      ...fact("Up", duration(health.uptime_s)),
      ...fact("Calls", String(health.calls)),
      ...fact("Memory", `${Math.round(health.memory.daemon_mb)} MB`),
      ...fact("Browsers", `${Math.round(health.memory.browsers_mb)} MB`),
    ),
    make("ul", { class: "plain" }, ...browsers),
    plot(health.latency),
  );
}

/** @param {string} name
 * @param {string} value */
function fact(name, value) {
  return [make("dt", { class: "soft small" }, name), make("dd", {}, value)];
}

/** @param {Latency} latency
 * @returns {Element} */
function plot(latency) {
  if (!latency.count) return make("p", { class: "soft small" }, "No calls to measure yet.");
  const shares = [latency.p50, latency.p95, latency.p99].map((ms) => tick(Math.round(ms ?? 0)));
  const words = `${latency.count} calls: p50 ${shares[0]}, p95 ${shares[1]}, p99 ${shares[2]}`;
  const most = Math.max(...latency.counts);
  const step = WIDTH / latency.counts.length;
  const bars = latency.counts.map((count, at) => {
    const height = count ? Math.max(2, (count / most) * HEIGHT) : 0;
    const from = at ? latency.steps[at - 1] : 0;
    const to = latency.steps[at] === undefined ? "more" : `${latency.steps[at]} ms`;
    const about = draw("title", {}, `${count} calls, ${from} to ${to}`);
    return draw("rect", { x: at * step + 1, y: HEIGHT - height, width: step - 2, height, rx: 1.5 }, about);
  });
  const axis = [0, 3, 6, 9].map((at) =>
    draw("text", { x: (at + 1) * step, y: HEIGHT + 12, "text-anchor": "middle" }, tick(latency.steps[at] ?? 0)),
  );
  return make(
    "figure",
    {},
    draw("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT + 16}`, role: "img", "aria-label": words }, ...bars, ...axis),
    make("figcaption", { class: "soft small" }, words),
  );
}

/** @param {number} ms */
function tick(ms) {
  return ms < 1000 ? `${ms} ms` : `${Number((ms / 1000).toFixed(1))} s`;
}

/** @param {number} seconds */
function duration(seconds) {
  if (seconds < 90) return `${Math.round(seconds)} s`;
  if (seconds < 5400) return `${Math.round(seconds / 60)} min`;
  return `${(seconds / 3600).toFixed(1)} h`;
}

/** List who can see what is in the daemon.
 * @param {Client[]} clients
 * @param {number} viewers
 * @returns {HTMLElement} */
export function showClients(clients, viewers) {
  const people = viewers === 1 ? "1 dashboard: this one" : `${viewers} dashboards`;
  const others = clients.map((one) =>
    make(
      "li",
      {},
      make("span", {}, one.name || one.owner),
      make("span", { class: "soft small" }, ` ${one.kind}${one.name ? `, owner ${one.owner}` : ""}`),
    ),
  );
  return make("ul", { class: "plain" }, make("li", {}, people), ...others);
}
