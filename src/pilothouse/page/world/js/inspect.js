// Facts about one element: text, value, attributes, state.

import { allMatching, boxOf, checkedOf, named } from "./click_point.js";
import { describe, picked } from "./query.js";
import { beginNames, isDisabled, isShown } from "./imports_from_snapshot_bundle.js";

export function inspectElement(target, what, detail) {
  beginNames();
  if (what === "count") {
    const matched = allMatching(target);
    if (matched.state) return matched;
    return { state: "ok", value: picked(matched.all, target.nth).length };
  }
  const found = named(target);
  if (found.state) return found;
  const { element } = found;
  return { state: "ok", value: fact(element, what, detail), ...describe(element) };
}

function fact(element, what, detail) {
  switch (what) {
    case "text":
      return element.innerText ?? element.textContent;
    case "html":
      return element.outerHTML;
    case "value":
      return "value" in element ? String(element.value) : (element.innerText ?? null);
    case "attr":
      return element.getAttribute(detail);
    case "box":
      return boxOf(element);
    case "visible":
      return isShown(element);
    case "enabled":
      return !isDisabled(element);
    case "checked":
      return checkedOf(element);
    case "styles":
      return styles(element, detail);
  }
  return null;
}

function styles(element, names) {
  const computed = getComputedStyle(element);
  return Object.fromEntries(names.map((name) => [name, computed.getPropertyValue(name)]));
}
