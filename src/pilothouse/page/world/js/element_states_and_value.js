// The states of an element, as the snapshot shows them.

import { above, isForm, masked, SAID_ARIA } from "./refs_and_hit_tests.js";
import { FIELDS } from "./tag_and_role_groups.js";
import { clip, tidy } from "./text_normalization.js";

/** @param {string[]} states @param {string} name @param {string | null} value */
function flag(states, name, value) {
  if (value === "true" || value === "") states.push(name);
  else if (value === "mixed") states.push(`${name}=mixed`);
}

const unsaid = () => null;
// Elements without HTML states of their own.
const ONLY_FOCUSED = new Set(["a", "li", "ul", "ol", "nav", "main", "section"]);
// Elements that can be disabled, by themselves or by a fieldset.
const DISABLED = /^(?:button|input|select|textarea|option|optgroup|fieldset)$|-/;

/**
 * `said` is the bit set of its attributes (refs_and_hit_tests.js); `off` whether an ancestor disables it.
 * @param {Element} element @param {string} role @param {Element | null} active @param {number} said
 * @param {number} off
 */
export function statesOf(element, role, active, said, off) {
  const states = [];
  const tag = element.localName;
  if (!(said & SAID_ARIA) && !off && ONLY_FOCUSED.has(tag)) {
    if (element === active) states.push("focused");
    return states;
  }
  const aria = said & SAID_ARIA ? /** @param {string} name */ (name) => element.getAttribute("aria-" + name) : unsaid;
  if (role === "heading") states.push("level=" + levelOf(tag, aria("level")));
  if (off || (DISABLED.test(tag) && element.matches(":disabled"))) states.push("disabled");
  if (tag === "input" && (element.type === "checkbox" || element.type === "radio")) {
    if (element.indeterminate) states.push("checked=mixed");
    else if (element.checked) states.push("checked");
  } else if (aria("checked")) flag(states, "checked", aria("checked"));
  if (tag === "input" && element.type === "file") fileStates(/** @type {HTMLInputElement} */ (element), states);
  if (aria("pressed")) flag(states, "pressed", aria("pressed"));
  if (tag === "option" ? element.selected : aria("selected") === "true") states.push("selected");
  const expanded = expandedOf(element, tag, aria("expanded"));
  if (expanded) states.push(expanded);
  if (element.required || aria("required") === "true") states.push("required");
  if ((element.readOnly && tag !== "select") || aria("readonly") === "true") states.push("readonly");
  if (aria("invalid") && aria("invalid") !== "false") states.push("invalid");
  if (aria("current") && aria("current") !== "false") states.push("current");
  if (aria("busy") === "true") states.push("busy");
  if (element === active && tag !== "body") states.push("focused");
  if (role === "dialog" && (aria("modal") === "true" || (tag === "dialog" && isModal(element))))
    states.push("modal");
  return states;
}

// For Chrome it is a button, but a click on it cannot choose a file. `accept` is shown as one word.
const ACCEPTED = /^[\w.,*+/-]{1,60}$/;

/** @param {HTMLInputElement} element @param {string[]} states */
function fileStates(element, states) {
  states.push("file-input");
  if (element.multiple) states.push("multiple");
  const accepted = (element.getAttribute("accept") || "").replace(/\s+/g, "");
  if (ACCEPTED.test(accepted)) states.push("accepts=" + accepted);
}

/**
 * Always a number: text from the page must not look like a state.
 * @param {string} tag @param {string | null} said
 */
export function levelOf(tag, said) {
  const level = parseInt(/** @type {string} */ (said), 10) || (/^h[1-6]$/.test(tag) ? Number(tag[1]) : 2);
  return Math.min(Math.max(level, 1), 99);
}

/** @param {Element} element */
const isModal = (element) => {
  try {
    return element.matches(":modal");
  } catch {
    return false;
  }
};

// A field whose validation error the browser shows in a bubble.
const VALIDATED = /^(?:input|select|textarea)$/;
/** @param {Element} element */
export const isUserInvalid = (element) => {
  if (!VALIDATED.test(element.localName)) return false;
  try {
    return element.matches(":user-invalid") && !!element.validationMessage;
  } catch {
    return false; // a browser without :user-invalid
  }
};

/** @param {Element} element @param {string} tag @param {string | null} said */
function expandedOf(element, tag, said) {
  if (tag === "summary") {
    const details = element.parentElement;
    if (details && details.localName === "details") return details.open ? "expanded" : "collapsed";
  }
  return said === "true" ? "expanded" : said === "false" ? "collapsed" : "";
}

/**
 * Disabled by the form, by a fieldset, by ARIA on it or on an ancestor, or inert.
 * @param {Element} element
 */
export const isDisabled = (element) => element.matches(":disabled") || isOff(element);

/** @param {Element | null} element */
export function isOff(element) {
  for (let at = element; at; at = above(at)) {
    if (!(isForm(at) && masked(at)) && turnsOff(at)) return true;
  }
  return false;
}

/** @param {Element} element */
export const turnsOff = (element) =>
  element.inert || element.getAttribute("aria-disabled") === "true";

const SECRET = "••••••";

/**
 * `lists` are option lists that were shown already, if equal lists are to be abbreviated.
 * @param {Element} element @param {string} role @param {Set<string> | null} [lists]
 */
export function valueOf(element, role, lists = null) {
  const tag = element.localName;
  if (tag === "select") return selectValue(/** @type {HTMLSelectElement} */ (element), lists);
  if (tag === "input") {
    const input = /** @type {HTMLInputElement} */ (element);
    const type = input.type;
    if (type === "password") return input.value ? SECRET : "";
    if (type === "file")
      return clip(tidy(Array.from(input.files || [], (file) => file.name).join(", ")), 200);
    if (/^(checkbox|radio|button|submit|reset|image|hidden)$/.test(type)) return "";
    return clip(tidy(input.value), 200);
  }
  if (tag === "textarea") return clip(tidy(/** @type {HTMLTextAreaElement} */ (element).value), 200);
  if (tag === "progress" || tag === "meter") return String(/** @type {HTMLMeterElement} */ (element).value);
  if (element.isContentEditable && FIELDS.has(role)) return clip(tidy(/** @type {HTMLElement} */ (element).innerText), 200);
  const said = element.getAttribute("aria-valuetext") || element.getAttribute("aria-valuenow");
  return said && role !== "generic" ? clip(tidy(said), 80) : "";
}

/** @param {HTMLSelectElement} element @param {Set<string> | null} lists */
function selectValue(element, lists) {
  const all = element.options;
  const one = element.multiple ? null : all[element.selectedIndex];
  const chosen = element.multiple ? Array.from(element.selectedOptions) : one ? [one] : [];
  let shown = clip(chosen.map((option) => tidy(option.label)).join(", "), 100);
  // An option list shared by many selects is shown once, unless option labels differ from their text.
  if (lists && !element.querySelector("[label]")) {
    const list = element.textContent;
    if (all.length > chosen.length && lists.has(list)) return shown + " (or …)";
    lists.add(list);
  }
  const others = [];
  let length = 0;
  for (const option of all) {
    if (option.selected) continue;
    const label = clip(tidy(option.label), 30);
    length += label.length + 3;
    if (length > 100) break;
    others.push(label);
  }
  const left = all.length - chosen.length - others.length;
  if (others.length) shown += ` (or ${others.join(" | ")}${left > 0 ? ` | ${left} more` : ""})`;
  return shown;
}
