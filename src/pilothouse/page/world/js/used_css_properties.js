// Which CSS properties the page's styles set at all. A property that no style sheet, style attribute or
// animation sets has its default everywhere, and need not be read element by element: getComputedStyle
// dominates the cost of a walk.
// Knows: style sheets as text. Must not know: what a property is read for. In doubt: all are in use.

import { above, masked, rootOf } from "./refs_and_hit_tests.js";
import { setNothingShut } from "./certain_names_and_roles.js";

export const USED_CLIP = 1;
export const USED_FILTER = 2;
export const USED_MOVE = 4;
export const USED_OVERFLOW = 8;
export const USED_INDENT = 16;
export const USED_CONTENT_VISIBILITY = 32;
export const USED_SMALL = 64;
export const USED_COLOUR = 128;
export const USED_GROUND = 256;
export const USED_MADE = 512;
export const USED_LETTERS = 1024;
export const USED_POINTER = 2048;
export const USED_TURN = 4096;
export const USED_SIGHT = 8192;
export const USED_FADE = 16384;
export const USED_TOUCH = 32768;
export const USED_FLOAT = 65536;
export const USED_MASK = 131072;
export const USED_SPACING = 262144;
export const USED_BLEND = 524288;
export const USED_ALL = 1048575;
export const USED_IN_TEXT =
  USED_CONTENT_VISIBILITY | USED_SMALL | USED_INDENT | USED_COLOUR | USED_GROUND | USED_SPACING | USED_BLEND;
/** @type {[number, string][]} */
const SPOKEN_OF = [
  [USED_CLIP, "clip"], [USED_FILTER, "filter"], [USED_MOVE, "position"], [USED_OVERFLOW, "overflow"],
  [USED_OVERFLOW, "contain"], [USED_INDENT, "text-indent"], [USED_GROUND, "background"],
  [USED_CONTENT_VISIBILITY, "content-visibility"], [USED_LETTERS, "text-transform"], [USED_LETTERS, "text-security"],
  [USED_POINTER, "cursor"], [USED_TURN, "transform"], [USED_TURN, "translate"], [USED_TURN, "scale"],
  [USED_TURN, "rotate"], [USED_TURN, "offset"], [USED_SIGHT, "visibility"], [USED_FADE, "opacity"],
  [USED_TOUCH, "pointer-events"], [USED_FLOAT, "float"], [USED_COLOUR, " color:"],
  [USED_COLOUR, "\ncolor:"], [USED_COLOUR, "text-fill-color"], [USED_MASK, "mask"],
  [USED_SPACING, "letter-spacing"], [USED_BLEND, "mix-blend-mode"], [USED_MADE, " content:"], [USED_MADE, "\ncontent:"],
];
// Sizes below 2 in any unit, and computed ones.
const SMALL = /font(?:-size)?:[^;}]*(?:[^\d.](?:[01](?:\.\d+)?|\.\d+)(?:[a-z%]|[ ;/}])|\()/;
const EVERYTHING = /[ \n](?:all|zoom):/;
// Presentational attributes, and elements that the browser itself styles this way.
const STYLED_BY_NAME =
  "[bgcolor],[background],[color],[text],[link],[clip-path],[filter],[transform],[font-size]," +
  "[opacity],[visibility],[pointer-events],[align]," +
  "[hidden='until-found'],marquee,font";
const SHUT_BY_NAME = "[inert],[popover],[aria-hidden]";
// One search for all of it: most elements match nothing, and each search visits them all.
const TOLD_BY_NAME = `[style],${STYLED_BY_NAME},${SHUT_BY_NAME}`;
// A document with more rules, or more text in style attributes, counts as using everything.
const MOST_RULES = 300;
const MOST_STYLE_TEXT = 100_000;

// Which CSS properties are in use, and in which roots that is known.
export let inUse = USED_ALL;
/** @type {Set<Document | ShadowRoot>} */
export let metRoots = new Set();
// Whether form fields may shadow properties of their form.
export let goneAstray = false;
// Elements that a rule of the page positions, and elements whose cursor it sets; null: any may be.
/** @type {Set<Element> | null} */
export let placed = null;
/** @type {Set<Element> | null} */
export let pointed = null;

export function forgetStylesInUse() {
  inUse = USED_ALL;
  metRoots = new Set();
  goneAstray = false;
  placed = pointed = null;
}

let rulesLeft = 0;
// Selectors of rules that position or clip, and of rules that set a cursor; null if one cannot be parsed.
/** @type {string[] | null} */
let placing = null;
/** @type {string[] | null} */
let pointing = null;
const PLACES =
  /display|float|position|overflow|clip|mask|opacity|filter|contain|content|transform|translate|scale|rotate|offset/;
const POINTS = /cursor/;

/** @param {CSSRuleList} rules */
function rulesText(rules) {
  let text = "";
  for (const rule of rules) {
    if (--rulesLeft < 0) return null;
    if (rule.styleSheet !== undefined) {
      const inner = rule.styleSheet && sheetText(rule.styleSheet);
      if (inner === null) return null;
      text += inner;
    } else {
      const said = rule.cssText;
      text += said + "\n";
      if (placing && PLACES.test(said)) placing = noted(placing, PLACES, rule);
      if (pointing && POINTS.test(said)) pointing = noted(pointing, POINTS, rule);
    }
    if (text.length > MOST_STYLE_TEXT) return null;
  }
  return text;
}

/** @param {CSSRule} rule */
const isPlainGroup = (rule) =>
  rule instanceof CSSMediaRule || rule instanceof CSSSupportsRule || rule instanceof CSSLayerBlockRule ||
  rule instanceof CSSContainerRule;

/**
 * Matching more elements than the rule applies to is harmless; matching fewer is not.
 * @param {string[] | null} selectors @param {RegExp} what @param {CSSRule} rule @returns {string[] | null}
 */
function noted(selectors, what, rule) {
  if (rule.selectorText !== undefined && !rule.cssRules?.length) selectors?.push(rule.selectorText);
  else if (isPlainGroup(rule)) {
    for (const inner of rule.cssRules)
      if (selectors && what.test(inner.cssText)) selectors = noted(selectors, what, inner);
  } else return null;
  return selectors;
}

/**
 * The elements that such rules match; null: any may be.
 * @param {Document | ShadowRoot} root @param {string[] | null} selectors
 */
function spokenOf(root, selectors) {
  if (!selectors) return null;
  try {
    return new Set(selectors.length ? root.querySelectorAll(selectors.join(",")) : []);
  } catch {
    return null;
  }
}

/**
 * Null for a style sheet that we may not read (cross-origin): it may contain anything.
 * @param {CSSStyleSheet} sheet
 */
function sheetText(sheet) {
  if (sheet.disabled) return "";
  try {
    return rulesText(sheet.cssRules);
  } catch {
    return null;
  }
}

/** @param {Document | ShadowRoot} root @param {Element[]} written */
function stylesText(root, written) {
  rulesLeft = MOST_RULES;
  let text = "\n";
  for (const sheets of [root.styleSheets, root.adoptedStyleSheets]) {
    for (const sheet of sheets || []) {
      const inner = sheetText(sheet);
      if (inner === null) return null;
      text += inner;
    }
  }
  if (written.length > MOST_RULES) return null;
  for (const element of written) {
    const { style } = /** @type {HTMLElement} */ (element);
    const said = style && style.cssText;
    if (typeof said !== "string") return null;
    text += said + "\n";
    if (placing && PLACES.test(said)) placing.push("[style]");
    if (pointing && POINTS.test(said)) pointing.push("[style]");
  }
  return text;
}

/**
 * Animations made by scripts; those of style sheets are in the text of the sheet.
 * @param {Animation} animation
 */
const ofScripts = (animation) =>
  !(animation instanceof CSSAnimation || animation instanceof CSSTransition);

/**
 * Chrome caches these per document, until it changes.
 * @param {Document | ShadowRoot} root @param {string} tag
 */
const allOf = (root, tag) =>
  root === document ? document.getElementsByTagName(tag) : root.querySelectorAll(tag);
const mayBeModal = () => document.fullscreenElement !== null || allOf(document, "dialog").length > 0;

/** @param {Document | ShadowRoot} root */
function usedBy(root) {
  placing = pointing = null;
  const told = [...root.querySelectorAll(TOLD_BY_NAME)];
  if (told.some((element) => element.matches(STYLED_BY_NAME)) || root.getAnimations().some(ofScripts))
    return USED_ALL;
  if (root === document && !told.some((element) => element.matches(SHUT_BY_NAME)) && !mayBeModal()) setNothingShut();
  placing = [];
  pointing = [];
  const text = stylesText(root, told.filter((element) => element.hasAttribute("style")));
  if (text === null || EVERYTHING.test(text)) return USED_ALL;
  let used = allOf(root, "q").length ? USED_MADE : 0;
  for (const [bit, spoken] of SPOKEN_OF) if (text.includes(spoken)) used |= bit;
  return text.includes("font") && SMALL.test(text) ? used | USED_SMALL : used;
}

/**
 * Once per pass: a shadow root may style its host and its slotted content.
 * @param {Document | ShadowRoot} root
 */
export function meetRoot(root) {
  if (metRoots.has(root)) return;
  metRoots.add(root);
  if (inUse !== USED_ALL) {
    inUse |= usedBy(root);
    // A shadow root may position slotted content: then every style is read.
    const told = root === document && inUse !== USED_ALL;
    pointed = told ? spokenOf(root, pointing) : null;
    placed = told && pointed ? spokenOf(root, placing) : null;
  }
  goneAstray ||= [.../** @type {Iterable<HTMLFormElement>} */ (allOf(root, "form"))].some(masked);
  if (goneAstray) placed = null;
}

// For the action bundle: it gets functions of this bundle, not its variables.
export const usedNow = () => inUse;

// Start to collect what is in use: of the document now, of shadow roots when the walk meets them.
export function meetDocument() {
  inUse = 0;
  meetRoot(document);
}

/** @param {Element | null} element */
export function meetRootsAround(element) {
  for (let at = element; at; at = above(at)) {
    const root = rootOf(at);
    if (root) meetRoot(root);
  }
}
