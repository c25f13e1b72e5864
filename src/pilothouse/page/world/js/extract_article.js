// Finds the article of this document. Readability (a library, sent on first use) searches a copy of what is
// visible: shadow roots expanded, hidden parts left out. Every element of the copy has a mark; the marks
// that remain tell which elements of the page belong to the article.

import { FRAMES, isElement, shownChildren, tagOf, unaskable } from "./extraction_tag_groups.js";
import {
  above, asked, checkedHosts, covered, customHost, FAINT, frameNumber, isBlank, meetRoot, rootOf, styleOf,
  unreadable, usedNow, veiled,
} from "./imports_from_snapshot_bundle.js";

// In elements. Larger pages are read without looking for an article: it would take seconds.
const MOST_COPIED = 40_000;
const COPY_DEEPEST = 400; // Readability's own steps are recursive
const LEAST_ARTICLE = 140; // characters; what is shorter is a caption or a notice
const FILLS = 0.3; // of the window: a frame of that size may hold the article
const MARK = "data-ph-";
const COPIED = new Set(
  ("class id role rel itemprop itemscope itemtype lang dir alt src srcset width height colspan rowspan " +
    "summary datatable title aria-hidden aria-modal").split(" "),
);
const UNCOPIED = new Set(
  ("script style noscript template head meta link title base svg canvas map datalist param source track " +
    "optgroup option rp select textarea input button object embed").split(" "),
);

const attributesOf = asked(Element, "attributes");

// The visible part of a document as plain data: [tag, attributes, children], a text, or [number] for a
// frame. `key` names the document where several are combined.
export class Copy {
  /** @param {string} key */
  constructor(key) {
    this.before = MARK + (key === "" ? "" : `${key}-`);
    /** The element or text of each mark, by its number. @type {Node[]} */
    this.live = [];
    /** A frame's element, by its number. @type {Map<number, Element>} */
    this.frames = new Map();
    /** They may have closed roots. @type {Element[]} */
    this.suspects = [];
    /** Elements that are not painted yet, but are laid out. @type {Set<Element>} */
    this.faded = new Set();
    /** Texts that people do not see. @type {Set<Node>} */
    this.unseen = new Set();
    this.left = MOST_COPIED;
    this.framed = false;
  }

  /** @param {Node} node @returns {Record<string, string>} */
  bearing(node) {
    return { [this.before + (this.live.push(node) - 1)]: "" };
  }

  /** @param {Element} element @param {number} depth @returns {CopiedElement | [number] | null} */
  element(element, depth) {
    const tag = tagOf(element);
    if (UNCOPIED.has(tag) || this.left-- <= 0 || depth > COPY_DEEPEST) return null;
    const root = rootOf(element);
    if (root) meetRoot(root);
    const style = styleOf(element);
    if (style.display === "none") return null;
    if (!unaskable(element) && veiled(element, style, usedNow())) {
      if (Number(style.opacity) >= FAINT) return null;
      this.faded.add(element);
    }
    if (FRAMES.has(tag)) return this.frame(element);
    if (customHost(element, tag) && !checkedHosts.has(element)) this.suspects.push(element);
    const given = this.bearing(element);
    for (const { name, value } of attributesOf(element)) if (COPIED.has(name)) given[name] = value;
    if (tag === "a" && /^https?:/.test(/** @type {HTMLAnchorElement} */ (element).href)) given.href = /** @type {HTMLAnchorElement} */ (element).href;
    const copied = copiedTag(tag, style);
    return [copied, given, this.children(element, style, depth, copied === "div")];
  }

  /**
   * `loose`: Readability may replace the element by a paragraph of its texts, so the texts get marks.
   * @param {Element} element @param {CSSStyleDeclaration} style @param {number} depth @param {boolean} loose
   * @returns {CopiedNode[]}
   */
  children(element, style, depth, loose) {
    /** @type {CopiedNode[]} */
    const made = [];
    const seen = style.visibility === "visible";
    for (const node of shownChildren(element)) {
      if (isElement(node)) {
        const child = this.element(node, depth + 1);
        if (child) made.push(child);
      } else if (node.nodeType === 3 && seen) {
        const said = this.text(/** @type {Text} */ (node), element, style);
        if (said) made.push(loose && said !== " " ? ["span", this.bearing(node), [said]] : said);
      }
    }
    return made;
  }

  /** @param {Text} node @param {Element} element @param {CSSStyleDeclaration} style */
  text(node, element, style) {
    if (isBlank(node.data)) return " ";
    if (element.localName === "details") return node.data;
    if (!unaskable(element) && !unreadable(element, style, usedNow()) && !covered(node, element)) return node.data;
    this.unseen.add(node);
    return "";
  }

  /** @param {Element} element @returns {[number]} */
  frame(element) {
    const box = element.getBoundingClientRect();
    if (box.width * box.height > innerWidth * innerHeight * FILLS) this.framed = true;
    const number = frameNumber(element);
    this.frames.set(number, element);
    return [number];
  }
}

/**
 * A form's fields shadow its properties.
 * @param {string} tag @param {CSSStyleDeclaration} style
 */
export function copiedTag(tag, style) {
  if (tag === "body" || tag === "form") return "div";
  if (/^[a-z][a-z0-9]*$/.test(tag)) return tag;
  return style.display.startsWith("inline") ? "span" : "div";
}

/**
 * Plain data as nodes of an inert document that loads nothing. `inner`: "key:number" -> the key and the
 * data of the frame there.
 * @param {Document} into @param {CopiedNode} data @param {string} key @param {CopiedFrames} inner
 * @returns {Node}
 */
function built(into, data, key, inner) {
  if (typeof data === "string") return into.createTextNode(data);
  if (data.length === 1) {
    const frame = inner[`${key}:${data[0]}`];
    return frame && frame.data ? built(into, frame.data, frame.key, inner) : into.createTextNode(" ");
  }
  const [tag, given, children] = data;
  const made = into.createElement(tag);
  for (const name in given) made.setAttribute(name, given[name]);
  for (const child of children) made.append(built(into, child, key, inner));
  return made;
}

/** @param {CopiedNode} data @param {CopiedFrames} inner */
function copyDocument(data, inner) {
  const copy = document.implementation.createHTMLDocument(document.title);
  for (const meta of document.querySelectorAll("head > meta[property], head > meta[name]")) {
    const made = copy.createElement("meta");
    for (const name of ["property", "name", "content"])
      if (meta.hasAttribute(name)) made.setAttribute(name, /** @type {string} */ (meta.getAttribute(name)));
    copy.head.append(made);
  }
  const body = /** @type {Element} */ (built(copy, data, "", inner));
  for (const { name, value } of [...body.attributes]) copy.body.setAttribute(name, value);
  copy.body.append(...body.childNodes);
  return repeatable(copy);
}

/**
 * Readability resets the body as HTML before it tries again; pages with trusted types forbid that.
 * @param {Document} copy
 */
function repeatable(copy) {
  /** @type {Node | undefined} */
  let kept;
  Object.defineProperty(copy.body, "innerHTML", {
    get: () => ((kept = copy.body.cloneNode(true)), "kept"),
    set: () => {
      copy.body.replaceChildren(...(/** @type {Node} */ (kept)).cloneNode(true).childNodes);
    },
  });
  return copy;
}

/**
 * The marks that Readability left: the key of a document ("" is this one) -> their numbers.
 * @param {Element} content
 */
function marksLeft(content) {
  /** @type {Record<string, number[]>} */
  const marks = {};
  for (const element of [content, ...content.querySelectorAll("*")])
    for (const { name } of element.attributes) {
      if (!name.startsWith(MARK)) continue;
      const [number, key = ""] = name.slice(MARK.length).split("-").reverse();
      (marks[key] ??= []).push(Number(number));
    }
  return marks;
}

/**
 * What to read of a copied document: these nodes, the frames with these numbers, and their ancestors. What
 * of them is hidden is known from copying.
 * @param {Copy} copy @param {number[]} marks @param {number[]} frames
 */
export function keptOf(copy, marks, frames) {
  const marked = [...marks.map((mark) => copy.live[mark]), ...frames.map((number) => copy.frames.get(number))];
  const kept = new Set(marked.filter((node) => node !== undefined));
  /** @type {Set<Node>} */
  const way = new Set();
  for (const node of kept) for (let at = above(node); at && !way.has(at); at = above(at)) way.add(at);
  return { kept, way, judged: copy };
}

// Whose marks may be asked for.
/** @type {Copy | null} */
export let lastCopy = null;

/**
 * Copy this document, as data; null if it has no body. `key` names it where several are combined.
 * @param {string} key
 */
export function copyBody(key) {
  const copy = (lastCopy = new Copy(key));
  return document.body ? copy.element(document.body, 0) : null;
}

/**
 * The article of this document and its frames: the marks, and the copy they belong to.
 * @param {CopiedFrames} inner
 */
export function findArticle(inner) {
  const copy = (lastCopy = new Copy(""));
  const data = document.body && copy.element(document.body, 0);
  if (!data || copy.left <= 0) return { copy, large: copy.left <= 0 };
  const options = { keepClasses: true, disableJSONLD: true, serializer: /** @param {Element} content */ (content) => content };
  const Readability = /** @type {ReadabilityConstructor} */ (globalThis.ph.Readability);
  const found = new Readability(copyDocument(data, inner), options).parse();
  return found && found.length >= LEAST_ARTICLE ? { copy, marks: marksLeft(found.content) } : { copy };
}

/**
 * Which frames of this document lead to one of these documents. `inner` as above.
 * @param {CopiedFrames} inner @param {string[]} keys
 */
export function leading(inner, keys) {
  /** @type {Set<number>} */
  const frames = new Set();
  for (const wanted of keys) {
    for (let key = wanted; key !== ""; ) {
      const place = Object.keys(inner).find((each) => inner[each].key === key);
      if (!place) break;
      const [outer, number] = place.split(":");
      if (outer === "") frames.add(Number(number));
      key = outer;
    }
  }
  return [...frames];
}
