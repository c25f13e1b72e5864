// Names from content: the text inside an element.
// Knows: the flat tree, generated content, where a space belongs. Must not know: attributes.

import { formFirst, formNext, isForm, rootOf } from "./refs_and_hit_tests.js";
import { alternative, byIds, hiding, ownerOf, styleOf } from "./names.js";
import { NOT_RENDERED, ownRole, setOf } from "./roles.js";
import { isBlank } from "./text_normalization.js";
import {
  inUse, meetRoot, USED_FLOAT, USED_LETTERS, USED_MADE, USED_MOVE, USED_SIGHT,
} from "./used_css_properties.js";

// The values of CSS counters, once computed.
/** @typedef {Map<string, { value: number, level: number }>} Counters */
/** @typedef {{ "::before"?: Map<string, number>, "::after"?: Map<string, number> }} CountersOfElement */
/** @type {Map<Element, CountersOfElement> | null} */
let knownCounters = null;

export function forgetCounters() {
  knownCounters = null;
}

/** @param {Element} el */
function contentNodes(el) {
  if (el.localName === "details" && !el.open) {
    const summary = el.querySelector(":scope > summary");
    return summary ? [summary] : [];
  }
  const root = rootOf(el);
  if (root) meetRoot(root);
  /** @type {Iterable<Node>} */
  let nodes = root ? root.childNodes : el.childNodes;
  if (el.localName === "slot" && /** @type {HTMLSlotElement} */ (el).assignedNodes) {
    const given = /** @type {HTMLSlotElement} */ (el).assignedNodes();
    if (given.length) nodes = given;
  }
  const owns = el.getAttribute("aria-owns");
  return owns ? [...nodes, ...byIds(el, owns).filter((node) => ownerOf(node) === el)] : nodes;
}

const QUOTED = /"(?:[^"\\]|\\.)*"|open-quote|close-quote|counters?\((?:[^()"]|"[^"]*")*\)/g;
/** @type {WordTable} */
const QUOTES = { "open-quote": "“", "close-quote": "”" };

/**
 * {text, apart} of ::before or ::after; null if there is none.
 * @param {Element} el @param {"::before" | "::after"} which
 */
function pseudoText(el, which) {
  if (!(inUse & USED_MADE)) return null;
  const style = getComputedStyle(el, which);
  const content = style.content;
  if (content === "none" || content === "normal" || content === "") return null;
  if (style.display === "none" || style.visibility !== "visible") return null;
  const slash = content.indexOf(" / ");
  const parts = (slash < 0 ? content : content.slice(slash)).match(QUOTED);
  if (!parts) return null;
  /** @param {string} part */
  const plain = (part) => {
    // Chrome uses counters in alternative text, but not in the visible text of `content`.
    if (part.startsWith("counter")) return slash < 0 ? "" : countersAt(el, which).get(/** @type {RegExpExecArray} */ (/\(([^,)]+)/.exec(part))[1].trim()) ?? 0;
    return QUOTES[part] || part.slice(1, -1).replace(/\\(.)/g, "$1");
  };
  const text = parts.map(plain).join("");
  return { text, apart: slash >= 0 || !isInline(style) };
}

// The CSS counters at a pseudo-element: name -> value. All are computed at once.
const MOST_COUNTED = 20_000;
/** @param {Element} el @param {"::before" | "::after"} which */
function countersAt(el, which) {
  if (!knownCounters) {
    knownCounters = new Map();
    countIn(document.documentElement, new Map(), 0, { left: MOST_COUNTED });
  }
  return knownCounters.get(el)?.[which] || new Map();
}

/**
 * An element's counters apply to its content and to its following siblings (`outer`), unless an ancestor has
 * a counter of the same name.
 * @param {Element} el @param {Counters} outer @param {number} level @param {{ left: number }} counted
 */
function countIn(el, outer, level, counted) {
  if (--counted.left < 0 || styleOf(el).display === "none") return;
  const here = new Map(outer);
  applyCounters(styleOf(el), here, level);
  for (const [name, counter] of here)
    if (counter.level === level && (outer.get(name)?.level ?? level) === level) outer.set(name, counter);
  countPseudo(el, "::before", here, level + 1);
  for (let child = formFirst(el); child; child = formNext(child))
    if (child.nodeType === 1 || isForm(child)) countIn(/** @type {Element} */ (child), here, level + 1, counted);
  countPseudo(el, "::after", here, level + 1);
}

/** @param {Element} el @param {"::before" | "::after"} which @param {Counters} here @param {number} level */
function countPseudo(el, which, here, level) {
  const style = getComputedStyle(el, which);
  if (/^(?:none|normal)?$/.test(style.content)) return;
  applyCounters(style, here, level);
  if (!style.content.includes("counter")) return;
  const now = new Map([...here].map(([name, counter]) => [name, counter.value]));
  knownCounters?.set(el, { ...knownCounters.get(el), [which]: now });
}

/** @param {CSSStyleDeclaration} style @param {Counters} here @param {number} level */
function applyCounters(style, here, level) {
  for (const [name, value] of pairs(style.counterReset)) here.set(name, { value, level });
  for (const [name, by] of pairs(style.counterIncrement, 1)) {
    if (!here.has(name)) here.set(name, { value: 0, level });
    /** @type {{ value: number }} */ (here.get(name)).value += by;
  }
  for (const [name, value] of pairs(style.counterSet)) {
    const counter = here.get(name);
    if (counter) counter.value = value;
    else here.set(name, { value, level });
  }
}

/**
 * Parse "a 2 b 3" into pairs; "none" has none.
 * @param {string} said @param {number} [usual] @returns {[name: string, value: number][]}
 */
export function pairs(said, usual = 0) {
  if (!said || said === "none") return [];
  return [...said.matchAll(/([^\s\d-][^\s]*)(?:\s+(-?\d+))?/g)].map(([, name, value]) => [name, value === undefined ? usual : Number(value)]);
}

const INLINE = setOf("inline ruby ruby-text");
/** @param {CSSStyleDeclaration} style */
const isInline = (style) =>
  INLINE.has(style.display) &&
  (!(inUse & USED_FLOAT) || style.float === "none") &&
  (!(inUse & USED_MOVE) || !/absolute|fixed/.test(style.position));

// Chrome reads this many children of one element, and no more.
const MOST_CHILDREN = 100;

// Pieces of text, with a space where two of them are not on one line. `head` and `tail` say whether the
// first and the last piece are separated from their neighbours.
const ENDS_OPEN = /[^ \t\n\r\f]$/;
const STARTS_OPEN = /^[^ \t\n\r\f]/;

class Pieces {
  constructor() {
    this.text = "";
    this.head = false;
    this.tail = false;
    this.empty = true;
  }

  /** @param {string} text @param {boolean} head @param {boolean} [tail] */
  add(text, head, tail = head) {
    if (text) {
      const apart = head || this.tail;
      if (apart && ENDS_OPEN.test(this.text) && STARTS_OPEN.test(text)) this.text += " ";
      this.text += text;
      if (this.empty) this.head = head;
      this.empty = false;
    }
    this.tail = tail;
  }

  get from() {
    return "content";
  }
}

/** @param {Element} el @param {NameState} state */
export function contentText(el, state) {
  state.visited.add(el);
  const nodes = contentNodes(el);
  const pieces = new Pieces();
  const before = pseudoText(el, "::before");
  if (before) pieces.add(before.text, before.apart);
  let left = MOST_CHILDREN;
  for (const node of nodes) {
    if (left-- === 0) break;
    if (node.nodeType === 3) {
      const heard =
        state.hidden || !(inUse & USED_SIGHT) || styleOf(el).visibility === "visible";
      if (heard) pieces.add(shownText(/** @type {Text} */ (node), el), false);
    } else if (node.nodeType === 1) addElement(/** @type {Element} */ (node), el, state, pieces);
  }
  const after = pseudoText(el, "::after");
  if (after) pieces.add(after.text, after.apart);
  return pieces;
}

/** @param {Element} node @param {Element} parent @param {NameState} state @param {Pieces} pieces */
function addElement(node, parent, state, pieces) {
  if (node.localName === "br") return pieces.add("\n", false);
  if (NOT_RENDERED.has(node.localName)) return;
  if (state.visited.has(node)) return pieces.add("", !isInline(styleOf(node)));
  const owner = ownerOf(node);
  if (owner && owner !== parent) return;
  const how = hiding(node);
  if (how && !state.hidden) {
    // An invisible element may contain visible ones.
    if (how === "hidden" && !state.referenced && styleOf(node).visibility !== "visible") {
      pieces.add(contentText(node, state).text, false);
    }
    return;
  }
  if (state.actions?.includes(node)) return;
  const depth = (state.depth || 0) + 1;
  const said = alternative(node, { ...state, within: true, depth });
  if (!said.text && joins(node)) {
    if (node.textContent && isBlank(node.textContent)) pieces.add(" ", false);
    return;
  }
  const apart = said.from !== "content" || state.hidden === "unpainted" ||
    owner !== undefined || !isInline(styleOf(node));
  pieces.add(said.text, apart || !!said.head, apart || !!said.tail);
}

// Empty inline elements do not separate the words around them, except replaced elements and controls.
const PARTS_WORDS = setOf(
  "input select textarea button object embed iframe progress meter math video audio wbr hr");
/** @param {Element} node */
function joins(node) {
  const tag = node.localName;
  if (PARTS_WORDS.has(tag) || (tag === "img" && !node.hasAttribute("alt") && ownRole(node) !== "none")) return false;
  if (tag === "svg" && node.firstElementChild) return false;
  const style = styleOf(node);
  if (inUse & USED_FLOAT && style.float !== "none") return false;
  if (inUse & USED_MOVE && /absolute|fixed/.test(style.position)) return false;
  return style.display.startsWith("inline") || style.display === "ruby";
}

/** @param {Text} node @param {Element} el */
function shownText(node, el) {
  if (!(inUse & USED_LETTERS)) return node.data;
  const how = styleOf(el).textTransform;
  if (how === "none") return node.data;
  if (how === "uppercase") return node.data.toUpperCase();
  if (how === "lowercase") return node.data.toLowerCase();
  if (how === "capitalize") return node.data.replace(/(^|\s)\p{L}/gu, (all) => all.toUpperCase());
  return node.data;
}
