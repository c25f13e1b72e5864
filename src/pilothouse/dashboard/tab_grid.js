// The grid of tabs, by owner, with pictures that are fetched while somebody looks at them.

import { make, setText } from "./elements.js";
import { request } from "./session.js";
import { shortUrl, tabsByOwner } from "./state.js";

/** @typedef {import("./types.js").Tab} Tab */
/** @typedef {import("./state.js").Model} Model */

const ROUND_MS = 1500;
// A tab in which nothing was noticed gets a new picture after this time.
const OLD_MS = 12_000;

/** @typedef {{ root: HTMLElement, button: HTMLButtonElement, image: HTMLImageElement, title: HTMLElement,
 *   url: HTMLElement, state: HTMLElement, empty: HTMLElement, takenAt: number }} Card */

/** The grid and the cards in it. */
export class TabGrid {
  /** @param {HTMLElement} root
   * @param {(id: string) => void} onSelect */
  constructor(root, onSelect) {
    this.root = root;
    this.onSelect = onSelect;
    /** @type {Map<string, Card>} */
    this.cards = new Map();
    /** @type {Map<string, { section: HTMLElement, grid: HTMLElement }>} */
    this.owners = new Map();
    /** @type {Set<string>} */
    this.visible = new Set();
    this.observer = new IntersectionObserver((entries) => {
      for (const entry of entries) {
        const id = /** @type {HTMLElement} */ (entry.target).dataset["tab"] ?? "";
        if (entry.isIntersecting) this.visible.add(id);
        else this.visible.delete(id);
      }
    });
  }

  /** Show the tabs of a model.
   * @param {Model} model
   * @param {string} selected */
  update(model, selected) {
    const owners = tabsByOwner(model);
    for (const [id, card] of this.cards) if (!model.tabs.has(id)) this.#remove(id, card);
    for (const [name, parts] of this.owners) {
      if (!owners.some(([owner]) => owner === name)) {
        parts.section.remove();
        this.owners.delete(name);
      }
    }
    for (const [at, [owner, tabs]] of owners.entries()) {
      const { section, grid } = this.#owner(owner);
      place(this.root, section, at);
      for (const [n, tab] of tabs.entries()) {
        const card = this.#card(tab);
        place(grid, card.root, n);
        this.#show(card, tab, model, tab.id === selected);
      }
    }
  }

  /** @param {string} owner */
  #owner(owner) {
    let parts = this.owners.get(owner);
    if (!parts) {
      const grid = make("ul", { class: "grid" });
      const section = make("section", { class: "owner" }, make("h2", {}, owner), grid);
      parts = { section, grid };
      this.owners.set(owner, parts);
    }
    return parts;
  }

  /** @param {Tab} tab
   * @returns {Card} */
  #card(tab) {
    let card = this.cards.get(tab.id);
    if (card) return card;
    const image = make("img", { alt: "", hidden: true });
    const empty = make("span", { class: "empty soft small" }, "no picture");
    const title = make("strong", { class: "tab-title" });
    const url = make("span", { class: "tab-url soft small" });
    const state = make("span", { class: "badge" });
    const button = make(
      "button",
      { type: "button", class: "tab", onclick: () => this.onSelect(tab.id) },
      make("span", { class: "picture" }, image, empty, state),
      make("span", { class: "tab-words" }, title, url),
    );
    const root = make("li", { "data-tab": tab.id }, button);
    card = { root, button, image, title, url, state, empty, takenAt: -Infinity };
    this.cards.set(tab.id, card);
    this.observer.observe(root);
    return card;
  }

  /** @param {Card} card
   * @param {Tab} tab
   * @param {Model} model
   * @param {boolean} selected */
  #show(card, tab, model, selected) {
    const waits = [...model.interrupts.values()].some((one) => one.tab === tab.id);
    const state = tab.state === "open" ? (waits ? "waits for you" : tab.busy) : tab.state;
    setText(card.title, tab.title || shortUrl(tab.url) || "empty page");
    setText(card.url, `${tab.name} · ${shortUrl(tab.url)}`);
    setText(card.state, state);
    card.state.className = `badge ${waits || tab.state !== "open" ? "alarm" : ""}`;
    card.state.hidden = !state;
    card.button.setAttribute("aria-pressed", String(selected));
  }

  /** @param {string} id
   * @param {Card} card */
  #remove(id, card) {
    this.observer.unobserve(card.root);
    this.visible.delete(id);
    URL.revokeObjectURL(card.image.src);
    card.root.remove();
    this.cards.delete(id);
  }

  /** Fetch pictures of the cards in view, one after the other, for as long as the page is open.
   * @param {() => Model | undefined} modelNow */
  async fetchPictures(modelNow) {
    for (;;) {
      await new Promise((done) => {
        setTimeout(done, ROUND_MS);
      });
      const model = modelNow();
      if (!model || document.hidden) continue;
      for (const id of [...this.visible]) {
        const card = this.cards.get(id);
        if (!card) continue;
        const now = performance.now();
        const isNew = (model.touched.get(id) ?? -Infinity) >= card.takenAt;
        if (isNew || now - card.takenAt > OLD_MS) await this.#fetchPicture(id, card, now);
      }
    }
  }

  /** @param {string} id
   * @param {Card} card
   * @param {number} now */
  async #fetchPicture(id, card, now) {
    card.takenAt = now;
    try {
      const reply = await request(`/api/tabs/${encodeURIComponent(id)}/thumbnail`);
      if (reply.status === 204) {
        card.image.classList.add("old");
        return;
      }
      const before = card.image.src;
      card.image.src = URL.createObjectURL(await reply.blob());
      card.image.classList.remove("old");
      card.image.hidden = false;
      card.empty.hidden = true;
      if (before) URL.revokeObjectURL(before);
    } catch (error) {
      console.info(`no picture of ${id}: ${error}`);
    }
  }
}

/** Put a child at a place among its siblings, and leave it alone if it is there: moving it would take the
 * focus from it.
 * @param {HTMLElement} parent
 * @param {HTMLElement} child
 * @param {number} at */
function place(parent, child, at) {
  if (parent.children[at] !== child) parent.insertBefore(child, parent.children[at] ?? null);
}
