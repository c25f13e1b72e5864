// Which elements are interactive, and which may have a closed shadow root.
// Knows: single elements. Must not know: the walk.

import { above, rootOf } from "./refs_and_hit_tests.js";

export const ACTED_ON = new Set(
  ("button link textbox searchbox combobox listbox option checkbox radio switch tab menuitem " +
    "menuitemcheckbox menuitemradio slider spinbutton treeitem scrollbar ColorWell Date DateTime " +
    "InputTime DisclosureTriangle PopUpButton").split(" "),
);

/**
 * `tabIndex` is 0 for some elements that cannot be focused at all.
 * @param {Element} element @param {string} tag
 */
function focusable(element, tag) {
  if (element.disabled) return true;
  if (element.hasAttribute("tabindex")) return true;
  if (tag === "a" || tag === "area") return element.hasAttribute("href");
  if (tag === "video" || tag === "audio") return element.controls;
  return !/^(div|span|body|html|object|embed|frame|dialog)$/.test(tag);
}

/** @param {Element} element */
const editableParent = (element) => {
  const parent = above(element);
  return !!parent && parent.isContentEditable;
};

/**
 * Hosts whose root scripts cannot see: custom elements, and boxes that paint more than they contain.
 * @param {Element} element @param {string} tag
 */
export function customHost(element, tag) {
  return bareHost(element, tag) || holdsUnpainted(element, tag);
}

const HOSTS = new Set(["div", "span", "section", "article"]);

/** @param {Element} element @param {string} tag */
export function bareHost(element, tag) {
  if (HOSTS.has(tag))
    return !element.firstChild && element.offsetHeight > 3 && element.offsetWidth > 3 && !rootOf(element);
  return tag.includes("-") && !rootOf(element);
}

/** @param {Element} element @param {string} tag */
export function holdsUnpainted(element, tag) {
  if (!HOSTS.has(tag) || rootOf(element)) return false;
  const child = element.firstElementChild;
  return child !== null && element.childElementCount < 4 && unpainted(child);
}

/** @param {Element} child */
const unpainted = (child) =>
  child.localName !== "script" &&
  child.localName !== "style" &&
  child.localName !== "template" &&
  !child.checkVisibility() &&
  child.isConnected &&
  child.getClientRects().length === 0 &&
  getComputedStyle(child).display === "";

/**
 * Whether an element is interactive; it may still be unreachable.
 * @param {Element} element @param {string} tag @param {string} role @param {string} cursor
 * @param {string} parentCursor @param {WeakSet<Element>} heard
 */
export function canBeActedOn(element, tag, role, cursor, parentCursor, heard) {
  if (ACTED_ON.has(role)) return true;
  // Most cells of a grid are not interactive; those that are have tabindex or aria-selected.
  if (role === "gridcell" && (element.hasAttribute("tabindex") || element.hasAttribute("aria-selected")))
    return true;
  if (element.tabIndex >= 0 && focusable(element, tag)) return true;
  if (element.isContentEditable && !editableParent(element)) return true;
  if (tag === "label" && element.control) return false;
  if (tag === "body" || tag === "html") return false;
  if (cursor === "pointer" && parentCursor !== "pointer") return true;
  return heard.has(element) || (element.hasAttribute("onclick") && tag !== "body");
}

/**
 * A control that is drawn by its label is clicked there.
 * @param {Element} element
 */
export function labelled(element) {
  const type = element.type;
  if (type !== "checkbox" && type !== "radio" && type !== "file") return "";
  for (const label of element.labels || []) {
    const box = label.getBoundingClientRect();
    if (box.width > 1 && box.height > 1 && label.checkVisibility()) return "yes";
  }
  return "";
}
