// One tab in detail: its frames, console lines and requests.

import { byId, make, setText } from "./elements.js";
import { request } from "./session.js";
import { shortUrl } from "./state.js";

/** @typedef {import("./types.js").Tab} Tab */
/** @typedef {import("./types.js").Frame} Frame */

/** @typedef {"frames" | "console" | "network"} View */

const REFRESH_MS = 3000;

/** The panel beside the grid. */
export class TabPanel {
  constructor() {
    this.root = byId("panel");
    /** @type {Tab | undefined} */
    this.tab = undefined;
    /** @type {View} */
    this.view = "frames";
    this.shown = "";
    for (const button of this.#buttons()) {
      button.addEventListener("click", () => this.#choose(/** @type {View} */ (button.dataset["view"])));
      button.addEventListener("keydown", (event) => this.#onKey(event));
    }
    byId("har").addEventListener("click", () => this.#saveHar());
    setInterval(() => {
      if (!document.hidden && this.tab) this.#fetch();
    }, REFRESH_MS);
  }

  /** Show a tab, or nothing.
   * @param {Tab | undefined} tab */
  update(tab) {
    const isOther = tab?.id !== this.tab?.id;
    this.tab = tab;
    this.root.hidden = !tab;
    if (!tab) return;
    setText(byId("panel-title"), tab.title || shortUrl(tab.url) || "empty page");
    setText(byId("panel-url"), tab.url);
    setText(byId("panel-browser"), `${tab.browser}${tab.last_action ? ` · ${tab.last_action}` : ""}`);
    if (isOther) {
      this.shown = "";
      byId("view").replaceChildren();
      this.#fetch();
    }
  }

  #buttons() {
    return /** @type {HTMLElement[]} */ ([...this.root.querySelectorAll("[data-view]")]);
  }

  /** @param {View} view */
  #choose(view) {
    this.view = view;
    this.shown = "";
    for (const button of this.#buttons()) {
      const chosen = button.dataset["view"] === view;
      button.setAttribute("aria-selected", String(chosen));
      button.tabIndex = chosen ? 0 : -1;
      if (chosen) byId("view").setAttribute("aria-labelledby", button.id);
    }
    this.#fetch();
  }

  /** @param {KeyboardEvent} event */
  #onKey(event) {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (!step) return;
    const buttons = this.#buttons();
    const at = buttons.findIndex((one) => one.dataset["view"] === this.view);
    const next = buttons[(at + step + buttons.length) % buttons.length];
    if (!next) return;
    this.#choose(/** @type {View} */ (next.dataset["view"]));
    next.focus();
  }

  async #fetch() {
    const { tab, view } = this;
    if (!tab) return;
    /** @type {HTMLElement} */
    let made;
    let text = "";
    try {
      const reply = await request(`/api/tabs/${encodeURIComponent(tab.id)}/${view}`);
      text = await reply.text();
      if (text === this.shown) return;
      made = VIEWS[view](JSON.parse(text));
    } catch (error) {
      made = make("p", { class: "soft" }, error instanceof Error ? error.message : String(error));
    }
    if (this.tab?.id !== tab.id || this.view !== view) return;
    this.shown = text;
    byId("view").replaceChildren(made);
  }

  async #saveHar() {
    if (!this.tab) return;
    const reply = await request(`/api/tabs/${encodeURIComponent(this.tab.id)}/har`);
    const url = URL.createObjectURL(await reply.blob());
    make("a", { href: url, download: `${this.tab.name}.har` }).click();
    URL.revokeObjectURL(url);
  }
}

/** @type {Record<View, (found: any) => HTMLElement>} */
const VIEWS = { frames: showFrames, console: showConsole, network: showNetwork };

/** @param {{ top: Frame | null, children: Frame[], total: number, truncated: boolean }} tree */
function showFrames(tree) {
  if (!tree.top) return make("p", { class: "soft" }, "The page has no frames yet.");
  /** @param {Frame} frame
   * @returns {HTMLElement} */
  const show = (frame) => {
    const below = tree.children.filter((one) => one.parent_frame_id === frame.frame_id);
    return make(
      "li",
      {},
      make("span", { class: "words" }, frame.url || "about:blank"),
      frame.name && make("span", { class: "soft small" }, ` ${frame.name}`),
      frame.is_oopif && make("span", { class: "badge" }, "own process"),
      below.length > 0 && make("ul", {}, ...below.map(show)),
    );
  };
  const rest = tree.truncated && make("li", { class: "soft" }, `${tree.total} frames in all`);
  return make("ul", { class: "tree" }, show(tree.top), rest);
}

/** @param {{ entries: { at: number, level: string, text: string }[] }} found */
function showConsole(found) {
  if (!found.entries.length) return make("p", { class: "soft" }, "No console lines.");
  const lines = found.entries.map((line) =>
    make(
      "li",
      { class: `line ${line.level}` },
      make("span", { class: "soft small" }, `${clock(line.at)} ${line.level}`),
      make("span", { class: "words" }, line.text),
    ),
  );
  return make("ul", { class: "lines" }, ...lines.reverse());
}

/** @param {{ requests: { method: string, url: string, status?: number | null, type?: string,
 *   error?: string, duration_ms?: number | null }[], total: number }} found */
function showNetwork(found) {
  if (!found.requests.length) return make("p", { class: "soft" }, "No requests.");
  const head = make("tr", {}, ...["Status", "Method", "Address", "Type"].map((name) => make("th", { scope: "col" }, name)));
  const rows = [...found.requests].reverse().map((one) =>
    make(
      "tr",
      { class: one.error || (one.status ?? 0) >= 400 ? "failed" : "" },
      make("td", {}, one.error ? "failed" : String(one.status ?? "…")),
      make("td", {}, one.method),
      make("td", { class: "words", title: one.url }, shortUrl(one.url)),
      make("td", { class: "soft" }, one.type ?? ""),
    ),
  );
  return make("table", {}, make("thead", {}, head), make("tbody", {}, ...rows));
}

/** The time of day of a second since 1970.
 * @param {number} at */
export function clock(at) {
  return new Date(at * 1000).toLocaleTimeString();
}
