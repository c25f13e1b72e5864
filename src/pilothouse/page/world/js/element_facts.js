// Facts about one element: text, value, attributes, state.

import { allMatching, boxOf, checkedOf, named } from "./click_point.js";
import { describe, picked } from "./query.js";
import { beginNames, isDisabled, isShown } from "./imports_from_snapshot_bundle.js";

/** @param {Target} target @param {string} what @param {unknown} detail */
export function inspectElement(target, what, detail) {
  beginNames();
  if (what === "count") {
    const step = /** @type {QueryStep} */ (target);
    const matched = allMatching(step);
    if (matched.state) return matched;
    return { state: "ok", value: picked(matched.all, step.nth).length };
  }
  const found = named(target);
  if (found.state) return found;
  const { element } = found;
  return { state: "ok", value: fact(element, what, detail), ...describe(element) };
}

/** @param {Element} element @param {string} what @param {unknown} detail */
function fact(element, what, detail) {
  switch (what) {
    case "text":
      return element.innerText ?? element.textContent;
    case "html":
      return element.outerHTML;
    case "value":
      return "value" in element ? String(element.value) : (element.innerText ?? null);
    case "attr":
      return element.getAttribute(/** @type {string} */ (detail));
    case "box":
      return boxOf(element);
    case "visible":
      return isShown(element);
    case "enabled":
      return !isDisabled(element);
    case "checked":
      return checkedOf(element);
    case "styles":
      return styles(element, /** @type {string[]} */ (detail));
  }
  return null;
}

/** @param {Element} element @param {string[]} names */
function styles(element, names) {
  const computed = getComputedStyle(element);
  return Object.fromEntries(names.map((name) => [name, computed.getPropertyValue(name)]));
}
