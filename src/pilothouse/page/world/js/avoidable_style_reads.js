// Boxes in normal flow: their styles need not be read one by one.
// Knows: which elements no rule of the page positions (used_css_properties.js), and the browser's default layout.
// Must not know: what the walker makes of them.

import { SAID_UNSEEN } from "./refs_and_hit_tests.js";
import { HTML, setOf } from "./roles.js";
import {
  inUse, placed, pointed, USED_CONTENT_VISIBILITY, USED_FADE, USED_POINTER, USED_SIGHT,
} from "./used_css_properties.js";

// Elements that the browser lays out inline or as blocks, with boxes for all their content.
export const IN_LINE = setOf("span a b i em strong small code label button input select textarea");
export const FLOWS = setOf(
  "span a b i em strong small code label button input select textarea div p section article main nav " +
  "header footer aside h1 h2 h3 h4 h5 h6 ul ol li form table tbody thead tfoot tr td th");
// The layout of their children depends on the children only, unlike in a flex box or a grid.
export const AS_USUAL = setOf(
  "block inline inline-block list-item flow-root table table-row-group table-header-group " +
  "table-footer-group table-row table-cell");

/** @param {Element} element @param {string} tag @param {number} said */
export const isUnplaced = (element, tag, said) =>
  placed !== null && FLOWS.has(tag) && !placed.has(element) && !(said & SAID_UNSEEN) &&
  element.namespaceURI === HTML;

const PLAINLY = { opacityProperty: true, visibilityProperty: true };
/**
 * One call instead of two style reads; an element that fails it is examined more closely.
 * @param {Element} element
 */
export const seenPlainly = (element) =>
  inUse & (USED_SIGHT | USED_FADE) ? element.checkVisibility(PLAINLY) : element.checkVisibility();

// Whether only listed elements need the check: the page's styles contain nothing that hides boxes.
export const asksLate = () => placed !== null && !(inUse & (USED_SIGHT | USED_FADE | USED_CONTENT_VISIBILITY));

/**
 * Whether an element that was not checked yet is not rendered.
 * @param {Element} element @param {string} tag
 */
export const isMissing = (element, tag) =>
  asksLate() && isUnplaced(element, tag, 0) && !element.checkVisibility();

// The cursor is inherited, except by these, which have one of their own.
const OWN_CURSOR = setOf("label button input select textarea");

/** @param {Element} element @param {string} tag @param {string} parentCursor */
export function cursorOf(element, tag, parentCursor) {
  if (!(inUse & USED_POINTER)) return "";
  // A button with only text is interactive whatever its cursor is.
  if (/** @type {Set<Element>} */ (pointed).has(element) && !(tag === "button" && !element.firstElementChild))
    return getComputedStyle(element).cursor;
  if (OWN_CURSOR.has(tag)) return "default";
  return tag === "a" && element.hasAttribute("href") ? "pointer" : parentCursor;
}
