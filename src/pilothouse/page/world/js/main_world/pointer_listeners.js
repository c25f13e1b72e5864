// Runs in the page's main world with the command line API's `getEventListeners`: which plain elements have
// pointer listeners. The list is the same as that of `mark` in pointer_listener_candidates.js, element by element.

import { isPlain } from "../plain_element_rule.js";

// Not a Set: a page may have replaced its methods.
const POINTER_TYPES = {
  __proto__: null, click: true, mousedown: true, mouseup: true, pointerdown: true, pointerup: true,
  touchstart: true, touchend: true, dblclick: true,
};

/**
 * Return the indexes of the listening ones among the first `most` plain elements, each followed by a comma.
 * @param {number} most
 */
export default function listeningElements(most) {
  const listen = getEventListeners;
  let found = "";
  let index = 0;
  /** @param {Document | ShadowRoot} root */
  const visit = (root) => {
    for (const element of root.querySelectorAll("*")) {
      if (!isPlain(element)) continue;
      if (index >= most) break;
      const heard = listen(element);
      for (const type in heard) {
        if (type in POINTER_TYPES) {
          found += index + ",";
          break;
        }
      }
      index++;
      if (element.shadowRoot) visit(element.shadowRoot);
    }
  };
  visit(document);
  return found;
}
