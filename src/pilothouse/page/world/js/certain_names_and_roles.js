// Roles and names that are certain without Chrome. Chrome's are cheap only if it has built its accessibility
// tree, and building it dominates the time of a first snapshot.
// Knows: where our rules and Chrome's cannot differ (docs/names.md). Must not know: what the answers are used
// for; null leaves the question to Chrome.

import { rootOf, SAID_MORE, SAID_OTHER, saidBy, SURE_INPUTS } from "./refs_and_hit_tests.js";
import { isUnplaced } from "./avoidable_style_reads.js";
import { isBegun, untilBegun } from "./first_content_wait.js";
import { attribute, FIELD_TAGS, labelsOf, PLAIN_TAGS, styleOf } from "./names.js";
import { simpleLabel, SIMPLY_NAMED } from "./names_single_text.js";
import { HTML, setOf, SVG } from "./roles.js";
import { squeeze } from "./text_normalization.js";
import {
  inUse, meetDocument, meetRootsAround, metRoots, USED_CONTENT_VISIBILITY, USED_LETTERS, USED_MADE,
  USED_SIGHT,
} from "./used_css_properties.js";

// Set while Chrome's tree is not available: each question would build it again.
let unasked = false;
export const WANTS_NAMES = {};
const NAMES_WANTED = "\0names";

export function willAsk() {
  if (unasked) throw WANTS_NAMES;
}

/**
 * Call `ph[name](...given)` if it needs no accessibility tree; else return NAMES_WANTED. Only for functions
 * that resolve their element before they mutate anything.
 * @param {string} name @param {unknown[]} given
 */
export const callAlone = (name, given) =>
  name === "walk" && !isBegun() ? untilBegun().then(() => alone(name, given)) : alone(name, given);

/** @param {string} name @param {unknown[]} given */
export function alone(name, given) {
  unasked = true;
  try {
    return /** @type {Record<string, Function>} */ (/** @type {object} */ (globalThis.ph))[name](...given);
  } catch (error) {
    if (error !== WANTS_NAMES) throw error;
    return NAMES_WANTED;
  } finally {
    unasked = false;
  }
}

// For these Chrome knows more than the document says: layout tables, elements with listeners.
const TABLE_TAGS = setOf("table caption colgroup col thead tbody tfoot tr td th");
const UNTOLD_TAGS = setOf("audio video object embed canvas math");

/** @param {Element} el */
export function isSureRole(el) {
  const tag = el.localName;
  if (el.namespaceURI !== HTML) return el.namespaceURI === SVG;
  if (UNTOLD_TAGS.has(tag) || tag.includes("-")) return false;
  if (TABLE_TAGS.has(tag)) return isSureTable(el, tag);
  if (el.hasAttribute("contenteditable")) return false;
  const written = el.getAttribute("role");
  if (written !== null) return SAYS_BY_CONTENT.has(written) || NAMED_ROLES.has(written);
  return tag !== "a" || el.hasAttribute("href");
}

// Roles that count wherever they are written. The first group is named by its content.
const SAYS_BY_CONTENT = setOf(
  "button link checkbox switch radio tab menuitem menuitemcheckbox menuitemradio heading");
const NAMED_ROLES = setOf(
  "search navigation main banner contentinfo complementary dialog alertdialog toolbar tablist tabpanel " +
  "menu menubar group radiogroup list article log status alert");

/**
 * A table whose parts (caption, thead) mark it as a data table.
 * @param {Element} el @param {string} tag
 */
function isSureTable(el, tag) {
  const table = tag === "table" ? /** @type {HTMLTableElement} */ (el) : el.closest("table");
  if (!table || el.hasAttribute("role") || table.hasAttribute("role")) return false;
  return table.caption !== null || (table.tHead !== null && table.tHead.rows.length > 0);
}

// CSS properties that change the text of the document.
const NEVER_SURE = USED_MADE | USED_LETTERS | USED_SIGHT | USED_CONTENT_VISIBILITY;
const ONE_LINE = /^[^\s\xad\u200b]+(?: [^\s\xad\u200b]+)*$/;
const SHUTS = "[inert],dialog:modal,:popover-open,:fullscreen";
export const SHUT_EVERYTHING = 2;
const SHUT_SOMETHING = 1;
// Whether parts of the document are inert or hidden from names; undefined: not known yet.
/** @type {number | undefined} */
export let shutNow = undefined;

export function forgetShut() {
  shutNow = undefined;
}

export function setNothingShut() {
  shutNow = 0;
}

/** @param {Element} el @param {string} tag */
export function sureName(el, tag) {
  if (!metRoots.size) {
    meetDocument();
    meetRootsAround(el);
  }
  if (inUse & NEVER_SURE || metRoots.size !== 1) return null;
  shutNow ??= document.querySelector(SHUTS) ? SHUT_EVERYTHING :
    document.querySelector("[aria-hidden]") ? SHUT_SOMETHING : 0;
  if (shutNow && (shutNow === SHUT_EVERYTHING || el.closest("[aria-hidden]"))) return null;
  const name = plainName(el, tag, saidBy(el));
  return name === null || name === "" || ONE_LINE.test(name) ? name : null;
}

/**
 * "" where nothing names it.
 * @param {Element} el @param {string} tag @param {number} said
 */
function plainName(el, tag, said) {
  if (el.namespaceURI !== HTML) return null;
  const role = said & SAID_MORE ? el.getAttribute("role") : null;
  const byContent = SAYS_BY_CONTENT.has(role);
  if (role !== null && !byContent && !NAMED_ROLES.has(role)) return null;
  const label = said & SAID_OTHER ? labelAlone(el) : "";
  if (label === null) return null;
  if (PLAIN_TAGS.has(tag)) {
    if (role === null) return !label && isUnplaced(el, tag, said) ? "" : null;
    return label || (byContent ? wordsIn(el) || null : "");
  }
  if (NAMED_BY_AUTHOR.has(tag)) return byContent ? null : label;
  if (role !== null) return null;
  if (FIELD_TAGS.has(tag)) return fieldName(el, tag, label);
  if (SIMPLY_NAMED.has(tag)) return label || contentName(el, tag);
  return tag === "img" ? label || /** @type {HTMLImageElement} */ (el).alt : null;
}

// Elements that are never named by their content.
const NAMED_BY_AUTHOR = setOf(
  "p ul ol li menu b i em strong small code section article main nav header footer aside form search " +
  "dl dd tbody thead body dialog details");

// The aria-label where nothing else could name the element; null where something might.
const MAY_NAME = /^(?:aria-labell?edby|aria-owns|aria-actions|title|contenteditable|list|popover|command)/;
/** @param {Element} el */
function labelAlone(el) {
  for (const name of el.getAttributeNames()) if (MAY_NAME.test(name)) return null;
  return attribute(el, "aria-label");
}

/** @param {Element} el @param {string} tag */
function contentName(el, tag) {
  if (tag === "a" && !el.hasAttribute("href")) return null;
  if (tag === "button" && labelsOf(el).length) return null;
  return wordsIn(el) || null;
}

/**
 * The text of an element in boxes of one line; null if there is more than that.
 * @param {Element} el
 */
function wordsIn(el) {
  const text = lineOf(el, MOST_LEVELS_OF_LINE);
  if (text === null || ONE_LINE.test(text)) return text;
  return /^(?:normal|nowrap)$/.test(styleOf(el).whiteSpace) ? squeeze(text) : null;
}

const MOST_LEVELS_OF_LINE = 4;
const MOST_IN_LINE = 20;
const LINE_TAGS = setOf("span b i em strong small code");
/** @param {Element} el @param {number} levels @returns {string | null} */
function lineOf(el, levels) {
  if (rootOf(el) || !levels || el.childNodes.length > MOST_IN_LINE) return null;
  let text = "";
  for (let child = el.firstChild; child; child = child.nextSibling) {
    if (child.nodeType === 3) text += /** @type {Text} */ (child).data;
    else {
      const inner = isInLine(child) ? lineOf(child, levels - 1) : null;
      if (inner === null) return null;
      text += inner;
    }
  }
  return text;
}

/** @param {Node} node @returns {node is Element} */
const isElementNode = (node) => node.nodeType === 1;

/** @param {Node} node @returns {node is Element} */
function isInLine(node) {
  if (!isElementNode(node) || !LINE_TAGS.has(node.localName)) return false;
  const said = saidBy(node);
  return !(said & SAID_MORE) && isUnplaced(node, node.localName, said);
}

/**
 * The text of a field's only label, if it is plain and nothing else names the field.
 * @param {Element} el @param {string} tag @param {string} label
 */
function fieldName(el, tag, label) {
  if (tag === "input" && !SURE_INPUTS.has(el.type)) return null;
  if (label) return label;
  const labels = labelsOf(el);
  if (labels.length !== 1 || !labels[0].checkVisibility() || labels[0].closest("[aria-hidden]")) return null;
  return simpleLabel(labels[0], el);
}
