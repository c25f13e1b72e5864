// Fast path for simple names: most names, found in a fraction of the time.
// Knows: which elements only their own text can name. Must not know: anything harder; null leaves it to the
// full rules (names.js).

import { rootOf, SAID_MORE, saidBy } from "./refs_and_hit_tests.js";
import { labelsOf } from "./names.js";
import { HTML, setOf } from "./roles.js";
import { collapse, isBlank, squeeze } from "./text_normalization.js";
import { inUse, USED_LETTERS, USED_MADE, USED_SIGHT } from "./used_css_properties.js";

export const SIMPLY_NAMED = setOf("button a h1 h2 h3 h4 h5 h6");

/**
 * The common case: the only text of an element without naming attributes.
 * @param {Element} el
 */
export function simpleName(el) {
  const tag = el.localName;
  if (!SIMPLY_NAMED.has(tag)) return null;
  const text = onlyText(el);
  if (text === null || saidBy(el) & SAID_MORE || el.namespaceURI !== HTML) return null;
  if (tag === "a" && !el.hasAttribute("href")) return null;
  if (tag === "button" && labelsOf(el).length) return null;
  const name = collapse(text);
  return name && name[0] !== " " && name[name.length - 1] !== " " ? name : null;
}

/**
 * Null if there is more than one text, or if styles may change it.
 * @param {Element} el
 */
function onlyText(el) {
  const child = el.firstChild;
  if (!child || child.nodeType !== 3 || child.nextSibling || rootOf(el)) return null;
  return inUse & (USED_MADE | USED_LETTERS | USED_SIGHT) ? null : /** @type {Text} */ (child).data;
}

/**
 * A label with only text and its own control; null for any other.
 * @param {HTMLLabelElement} label @param {Element} control
 */
export function simpleLabel(label, control) {
  if (inUse & (USED_MADE | USED_LETTERS | USED_SIGHT)) return null;
  if (saidBy(label) & SAID_MORE || label.childNodes.length > 3) return null;
  let text = "";
  let texts = 0;
  for (let child = label.firstChild; child; child = child.nextSibling) {
    if (child.nodeType === 3) {
      text += /** @type {Text} */ (child).data;
      texts += isBlank(/** @type {Text} */ (child).data) ? 0 : 1;
    } else if (child !== control) return null;
  }
  return texts === 1 ? squeeze(text) : null;
}
