// The list of plain elements that may have pointer listeners: the part that runs in our world.

import { isPlain } from "./plain_element_rule.js";

// Listeners are only visible in the page's main world. Both worlds list the same elements in the same order
// (main_world/pointer_listeners.js is the other side), so an index identifies an element.
/** @type {Element[]} */
let marked = [];
/** @type {MutationObserver | null} */
let moved = null;
/** @type {WeakSet<Element>} */
export let heard = new WeakSet();

/**
 * Remember which of the marked elements have listeners.
 * @param {number[]} indexes
 */
export function hearElements(indexes) {
  heard = new WeakSet();
  for (const index of indexes) if (marked[index]) heard.add(marked[index]);
}

export function forgetMarked() {
  marked = [];
}

/** @param {Document | ShadowRoot} root @param {Element[]} found @param {number} most */
function plainElements(root, found, most) {
  for (const element of root.querySelectorAll("*")) {
    if (!isPlain(element)) continue;
    if (found.length >= most) break;
    found.push(element);
    if (element.shadowRoot) plainElements(element.shadowRoot, found, most);
  }
  return found;
}

/** @param {number} most */
export function markPlain(most) {
  moved = new MutationObserver(() => {});
  moved.observe(document, { childList: true, subtree: true });
  marked = plainElements(document, [], most);
}

// Whether the list is unchanged: called right after the main world has used its own.
export function isMarkUnchanged() {
  const same = moved?.takeRecords().length === 0;
  moved?.disconnect();
  if (!same) marked = [];
  return same;
}
