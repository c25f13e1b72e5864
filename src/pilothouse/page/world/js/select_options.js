// Selecting options: of native <select> elements and of lists that pages build from other elements.

import { announce, descendants, fieldKind, focusOn, heldElement, saidRole } from "./form_fields.js";
import { named } from "./click_point.js";
import { describe, everywhere } from "./query.js";
import {
  beginNames, clip, isDisabled, isShown, labelText, tidy, upcomingNumber,
} from "./imports_from_snapshot_bundle.js";

const OPTIONS = '[role="option"],[role="menuitemradio"],[role="menuitemcheckbox"],[role="menuitem"],[role="treeitem"]';
let shownBefore = new WeakSet();

/** @param {Element} element */
const isList = (element) => /^(listbox|menu|tree|radiogroup|grid)$/.test(saidRole(element));

/**
 * The lists that a control names as its own (aria-controls, aria-owns).
 * @param {Element} element
 */
function listsOf(element) {
  const lists = isList(element) ? [element] : [];
  const inner = element.localName === "input" ? null : element.querySelector("[aria-controls],[aria-owns]");
  for (const one of inner ? [element, inner] : [element]) {
    const ids = `${one.getAttribute("aria-controls") || ""} ${one.getAttribute("aria-owns") || ""}`;
    for (const id of ids.split(" ").filter(Boolean)) {
      const root = one.getRootNode();
      const list = /** @type {Document} */ (root).getElementById?.(id) || document.getElementById(id);
      if (list) lists.push(list);
    }
  }
  return lists;
}

/** @param {Element} list */
function optionsIn(list) {
  const all = descendants(list);
  const options = all.filter((one) => one.matches(OPTIONS));
  return (options.length ? options : all.filter((one) => one.localName === "li")).filter(isShown);
}

const everyOption = () => everywhere(OPTIONS).filter(isShown);

/** @param {Element} element */
const isOn = (element) => {
  const said = element.getAttribute("aria-selected") ?? element.getAttribute("aria-checked");
  return said === null ? null : said === "true";
};

/** @param {Element} element @param {number} index */
const pageOption = (element, index) => {
  const said = describe(element);
  return {
    index,
    number: said.number,
    role: said.role,
    label: clip(tidy(said.name || labelText(element)), 200),
    value: element.getAttribute("data-value") || element.getAttribute("value") || "",
    disabled: isDisabled(element),
    selected: isOn(element) === true,
  };
};

/** @param {Element} parent */
const isDisabledGroup = (parent) => parent.localName === "optgroup" && parent.disabled;

/** @param {HTMLOptionElement} option @param {number} index */
const ownOption = (option, index) => ({
  index,
  label: clip(tidy(option.label), 200),
  value: option.value,
  disabled: option.disabled || isDisabledGroup(/** @type {Element} */ (option.parentNode)),
  selected: option.selected,
});

/** @param {Element} element */
const showsNow = (element) => {
  const input = element.localName === "input" ? /** @type {HTMLInputElement} */ (element) : element.querySelector("input");
  const value = input ? input.value : "";
  return clip(tidy(value || labelText(element)), 200);
};

/**
 * The options that can be selected now. `mark` records what was visible before the list was opened.
 * @param {Target} target @param {boolean} mark
 */
export function listChoices(target, mark) {
  beginNames();
  const element = heldElement(target);
  if (!element || !element.isConnected) return { state: "gone" };
  if (element.localName === "select") {
    const options = [.../** @type {HTMLSelectElement} */ (element).options].map(ownOption);
    return { state: "ok", native: true, multiple: element.multiple, options };
  }
  const lists = listsOf(element);
  let options = lists.flatMap(optionsIn);
  const expanded = element.getAttribute("aria-expanded") === "true" || isList(element);
  if (mark) {
    shownBefore = new WeakSet(expanded ? [] : everyOption());
  } else if (!options.length) options = everyOption().filter((one) => !shownBefore.has(one));
  return {
    state: "ok",
    native: false,
    multiple: [element, ...lists].some((one) => one.getAttribute("aria-multiselectable") === "true"),
    open: expanded || options.length > 0,
    editable: fieldKind(element.localName === "input" ? element : element.querySelector("input") || element) === "text",
    shows: showsNow(element),
    options: options.map(pageOption),
    next: upcomingNumber(),
  };
}

/**
 * Select options of a native list, by index.
 * @param {Target} target @param {number[]} places
 */
export function chooseOptions(target, places) {
  beginNames();
  const found = named(target);
  if (found.state) return found;
  const element = /** @type {HTMLSelectElement} */ (found.element);
  const wanted = new Set(places);
  const differs = [...element.options].some((option, index) => option.selected !== wanted.has(index));
  focusOn(element);
  if (!differs) return { state: "ok", changed: false };
  if (element.multiple) [...element.options].forEach((option, index) => (option.selected = wanted.has(index)));
  else element.selectedIndex = places[0];
  announce(element);
  return { state: "ok", changed: true };
}

/**
 * Whether the page accepted a selection: the state of the option, and what the control shows.
 * @param {Target} target @param {number} option
 */
export function chosenOptions(target, option) {
  const element = heldElement(target);
  const one = heldElement({ number: option });
  return {
    shows: element?.isConnected ? showsNow(element) : null,
    selected: one?.isConnected ? isOn(one) : null,
  };
}
