// Accessible names by our own rules, after accname 1.2 and HTML-AAM; where Chrome deviates, as Chrome does.
// Knows: labels, references, native names. Must not know: what a name is used for.

import { above } from "./refs_and_hit_tests.js";
import { forgetShut, isSureRole, SHUT_EVERYTHING, shutNow, sureName, willAsk } from "./certain_names_and_roles.js";
import { forgetPaint } from "./invisible_text.js";
import { contentText, forgetCounters } from "./names_content.js";
import { simpleLabel, simpleName } from "./names_single_text.js";
import { hasComputedRoles, ownRole, setOf, SVG } from "./roles.js";
import { forgetFocusRules } from "./shown_on_focus.js";
import { collapse, isBlank, squeeze } from "./text_normalization.js";
import {
  forgetStylesInUse, inUse, meetDocument, meetRoot, USED_CONTENT_VISIBILITY, USED_SIGHT,
} from "./used_css_properties.js";

// Caches: valid only while no script of the page runs.
/** @type {Map<Element, string>} */
export let knownRoles = new Map();
/** @type {Map<Element, string>} */
let knownNames = new Map();
/** @type {Map<Element, CSSStyleDeclaration>} */
let knownStyles = new Map();
/** The labels of each control, of each root. @type {Map<Node, Map<Element, HTMLLabelElement[]>>} */
let knownLabels = new Map();
/** @type {Map<Element, Element> | null} */
let knownOwners = null;
/** @type {boolean | undefined} */
let manyNow = undefined;

// Clear all caches of the document.
export const beginNames = () => {
  knownRoles = new Map();
  knownNames = new Map();
  knownStyles = new Map();
  knownLabels = new Map();
  knownOwners = null;
  manyNow = undefined;
  forgetShut();
  forgetStylesInUse();
  forgetPaint();
  forgetFocusRules();
  forgetCounters();
};

// Roles that are named by their content.
const CONTENT_ROLES = setOf(
  "button cell checkbox columnheader DisclosureTriangle gridcell heading LayoutTableCell link " +
  "math menuitem menuitemcheckbox menuitemradio option radio rowheader switch tab term tooltip " +
  "treeitem graphics-object doc-backlink doc-biblioref doc-glossref doc-noteref doc-subtitle");
// Not named by their content, but their content counts in the name of an ancestor.
const HEARD_ROLES = setOf(
  "Abbr Canvas caption code definition deletion DescriptionList emphasis Figcaption generic " +
  "insertion LabelText LayoutTable LayoutTableRow Legend list listitem mark none paragraph Ruby " +
  "strong subscript superscript SvgRoot time table row rowgroup");
const HEARD_TAGS = setOf("address details");
const UNTITLED_ROLES = setOf(
  "caption code definition deletion emphasis generic insertion mark none paragraph " +
  "strong subscript suggestion superscript time");
const FIELD_ROLES = setOf("textbox searchbox combobox spinbutton");
// Without attributes these have no name; the plain ones have no role except the one CSS gives them.
export const PLAIN_TAGS = setOf("div span");
const BARE_TAGS = setOf(
  "div span p ul ol li b i em strong small code section article main nav header footer aside " +
  "dl dd tbody thead");
// The roles of table parts to which Chrome gives none.
/** @type {WordTable} */
const LAYOUT_ROLES = {
  __proto__: null,
  table: "LayoutTable", tr: "LayoutTableRow", td: "LayoutTableCell", th: "LayoutTableCell",
};
export const FIELD_TAGS = setOf("input select textarea");
const LABELABLE = setOf("button input meter output progress select textarea");

/**
 * Use Chrome's computed role and name where it has them. Chrome reports no role where ARIA has none; our
 * rules decide those. Chrome is not asked where the answer is certain (certain_names_and_roles.js).
 * @param {Element} el
 */
export const roleOf = (el) => {
  if (!hasComputedRoles || isSureRole(el)) return ownRole(el);
  willAsk();
  return el.computedRole || LAYOUT_ROLES[el.localName] || ownRole(el);
};
/** @param {Element} el */
export const nameOf = (el) => {
  if (!hasComputedRoles) return ownName(el);
  const tag = el.localName;
  if (BARE_TAGS.has(tag) && !el.hasAttributes()) return "";
  const sure = sureName(el, tag);
  if (sure !== null) return sure;
  // Chrome includes the chosen file in the name of a file input; a stable name keeps refs valid.
  if (tag === "input" && el.type === "file") return ownName(el);
  if (FIELD_TAGS.has(tag) && manyFields()) return ownName(el);
  willAsk();
  return el.computedName || (isBehindModal(el) ? ownName(el) : "");
};

/**
 * Chrome names nothing behind a modal dialog. People still see it, and it has its name again when the
 * dialog closes: a stable name keeps refs valid.
 * @param {Element} el
 */
function isBehindModal(el) {
  if (shutNow !== SHUT_EVERYTHING) return false;
  const modal = document.querySelector("dialog:modal,:fullscreen");
  return modal !== null && !modal.contains(el);
}

// Chrome searches the whole document for the labels of each field, and again after every change:
// with 3,000 fields among 30,000 elements that takes seconds.
function manyFields() {
  if (manyNow === undefined) {
    const fields = document.querySelectorAll("input,select,textarea").length;
    manyNow = fields * document.getElementsByTagName("*").length > 400_000;
  }
  return manyNow;
}

// Role and name of every element, open shadow trees included, by each method: to compare the methods.
/** @type {Record<string, ((el: Element) => string | null | undefined)[]>} */
const WAYS = {
  own: [ownRole, ownName],
  native: [(el) => roleOf(el), (el) => nameOf(el)],
  chrome: [(el) => el.computedRole || LAYOUT_ROLES[el.localName] || ownRole(el), (el) => el.computedName],
  sure: [(el) => (isSureRole(el) ? ownRole(el) : null), (el) => sureName(el, el.localName)],
};
/** @param {string} way */
export const rolesAndNames = (way) => {
  beginNames();
  meetDocument();
  const [role, name] = WAYS[way];
  /** @type {(string | null | undefined)[][]} */
  const said = [];
  /** @param {Element} el */
  const visit = (el) => {
    if (el.shadowRoot) meetRoot(el.shadowRoot);
    said.push([role(el), name(el)]);
    const roots = el.shadowRoot ? [el.shadowRoot, el] : [el];
    for (const root of roots) {
      for (const child of root.childNodes) if (child.nodeType === 1) visit(/** @type {Element} */ (child));
    }
  };
  visit(document.documentElement);
  return said;
};

/** @param {Element} el */
export function styleOf(el) {
  let style = knownStyles.get(el);
  if (!style) knownStyles.set(el, (style = getComputedStyle(el)));
  return style;
}

/** @param {Element} el @param {string} name */
export const attribute = (el, name) => {
  const value = el.getAttribute(name);
  return value && value.trim() ? value : "";
};

/** @param {Element} el */
export function ownName(el) {
  let name = knownNames.get(el);
  if (name === undefined) {
    name = simpleName(el) ?? (el.localName === "br" ? "\n" : isNameless(el) ? "" : wholeName(el));
    knownNames.set(el, name);
  }
  return name;
}

/**
 * Fast path: most elements have nothing that could name them.
 * @param {Element} el
 */
const isNameless = (el) =>
  (BARE_TAGS.has(el.localName) && !el.hasAttributes()) ||
  (UNTITLED_ROLES.has(ownRole(el)) && el.namespaceURI !== SVG && !isCustom(el) &&
    !(el.hasAttribute("aria-label") || el.hasAttribute("aria-labelledby") ||
      el.hasAttribute("aria-labeledby") || el.hasAttribute("contenteditable")));

/** @param {Element} el */
const isCustom = (el) => el.localName.includes("-");

/**
 * Attributes keep a space at their ends; content has none there unless it is preformatted.
 * @param {Element} el
 */
function wholeName(el) {
  const { text, from } = alternative(el, { visited: new Set() });
  if (!text) return "";
  const name = collapse(text);
  if (name[0] !== " " && name[name.length - 1] !== " ") return name;
  return from !== "content" || styleOf(el).whiteSpace === "pre" ? name : squeeze(name);
}

/** @param {Element} el */
export function namingElements(el) {
  const written = el.getAttribute("aria-labelledby") || el.getAttribute("aria-labeledby");
  if (!written) return [];
  return byIds(el, written);
}

/** @param {Element} el @param {string} ids */
export function byIds(el, ids) {
  const root = /** @type {Document} */ (el.getRootNode());
  const found = [];
  for (const id of ids.split(/\s+/)) {
    const named = id && root.getElementById && root.getElementById(id);
    if (named) found.push(named);
  }
  return found;
}

/**
 * The labels of every control below a root, found once: `el.labels` searches the whole tree each time.
 * @param {Element} el
 */
export function labelsOf(el) {
  const root = /** @type {Document} */ (el.getRootNode());
  let map = knownLabels.get(root);
  if (!map) {
    map = new Map();
    for (const label of root.querySelectorAll ? root.querySelectorAll("label") : []) {
      const control = label.control;
      if (!control) continue;
      const known = map.get(control);
      if (known) known.push(label);
      else map.set(control, [label]);
    }
    knownLabels.set(root, map);
  }
  return map.get(el) || [];
}

/**
 * Elements that aria-owns moves elsewhere, with their owner.
 * @param {Element} el
 */
export function ownerOf(el) {
  if (!knownOwners) {
    knownOwners = new Map();
    for (const owner of document.querySelectorAll("[aria-owns]")) {
      // An aria-hidden element owns nothing, and an element that is not rendered cannot be owned.
      if (/hidden|inert/.test(hidingAround(owner))) continue;
      for (const owned of byIds(owner, /** @type {string} */ (owner.getAttribute("aria-owns")))) {
        if (knownOwners.has(owned) || owned.contains(owner) || !owned.checkVisibility()) continue;
        knownOwners.set(owned, owner);
      }
    }
  }
  return knownOwners.get(el);
}

/**
 * "" if an element counts in names. "unpainted" and "hidden" ones count only when referenced, "inert"
 * ones never do.
 * @param {Element} el
 */
export function hiding(el) {
  const style = styleOf(el);
  const display = style.display;
  if (display === "none" || display === "") return "unpainted";
  if (el.inert) return "inert";
  if (inUse & USED_CONTENT_VISIBILITY && style.contentVisibility === "hidden" && display !== "inline")
    return "inert";
  if (inUse & USED_SIGHT && style.visibility !== "visible") return "hidden";
  if (el.getAttribute("aria-hidden") === "true") return "hidden";
  return "";
}

/** @param {Element} el */
function hidingAround(el) {
  for (let at = /** @type {Element | null} */ (el); at; at = above(at)) {
    const how = hiding(at);
    if (how) return how;
  }
  return "";
}

/**
 * The text alternative of an element: {text, from}. `state` says how we got here:
 * visited     elements already used for this name
 * referenced  through aria-labelledby: no further reference is followed
 * within      as part of another element's name
 * hidden      below a hidden element that was referenced: hidden content counts
 * actions     elements that aria-actions of the named element refers to: no part of its name
 * depth       number of elements between it and the named element
 * @param {Element} el @param {NameState} state @returns {NameText}
 */
export function alternative(el, state) {
  // A slot has no name of its own, only content.
  if (el.localName === "slot") return isHeard(el, "generic", state) ? contentText(el, state) : { text: "", from: "content" };
  if (!state.within && el.hasAttribute("aria-actions"))
    state = { ...state, actions: byIds(el, /** @type {string} */ (el.getAttribute("aria-actions"))) };
  const named = state.referenced ? [] : namingElements(el);
  if (named.length) {
    const text = referencedText(named, state);
    if (text) return { text, from: "reference" };
  }
  const role = ownRole(el);
  if (state.within) {
    const value = embeddedValue(el, role, state);
    if (value) return { text: value, from: "value" };
  }
  const label = attribute(el, "aria-label");
  if (label) return { text: label, from: "attribute" };
  if (role !== "none") {
    const text = nativeName(el, role, state);
    if (text !== null) return { text, from: "native" };
  }
  if (isHeard(el, role, state)) {
    if (/** @type {number} */ (state.depth) > NAME_DEPTH) return { text: el.textContent, from: "content" };
    const said = contentText(el, state);
    if (!isBlank(said.text)) return said;
  }
  return { text: tooltip(el, role), from: "attribute" };
}

// Deeper than parsers nest; scripts can nest deeper, and the stack is limited.
const NAME_DEPTH = 600;

// Fallback content: it counts only where the element itself cannot be shown.
const FALLBACK_TAGS = setOf("select progress map object video audio");

/** @param {Element} el @param {string} role @param {NameState} state */
function isHeard(el, role, state) {
  if (isEditingHost(el)) return state.within;
  if (CONTENT_ROLES.has(role)) return true;
  // Everything in an element that aria-labelledby references counts, except groups in hidden content.
  if (state.referenced && state.within && !FALLBACK_TAGS.has(el.localName))
    return role !== "group" || !state.hidden || !state.depth;
  if (role === "row" && !state.within) return isInGrid(el);
  return state.within && (HEARD_ROLES.has(role) || HEARD_TAGS.has(el.localName));
}

/** @param {Element} el */
function isInGrid(el) {
  for (let up = above(el); up; up = above(up)) {
    const role = ownRole(up);
    if (role === "grid" || role === "treegrid") return true;
    if (role === "table") return false;
  }
  return false;
}

/** @param {Element} el */
function isEditingHost(el) {
  const written = el.getAttribute("contenteditable");
  return written !== null && written !== "false" && el.isContentEditable;
}

/** @param {Element[]} named @param {NameState} state @returns {string} */
function referencedText(named, state) {
  const parts = [];
  for (const other of named) {
    const hidden = hidingAround(other);
    if (hidden === "inert") continue;
    const inner = { visited: new Set(state.visited), referenced: true, within: true, hidden };
    parts.push(squeeze(alternative(other, inner).text));
  }
  return parts.filter(Boolean).join(" ");
}

/**
 * A control inside another name contributes its value; null if it has none.
 * @param {Element} el @param {string} role @param {NameState} state
 */
function embeddedValue(el, role, state) {
  switch (role) {
    case "textbox": case "searchbox":
      return isTypedInto(el) ? shownValue(el) : el.textContent;
    case "combobox": case "listbox":
      if (el.localName === "select") return Array.from(/** @type {HTMLSelectElement} */ (el).selectedOptions, (o) => o.label).join(" ");
      return isTypedInto(el) ? shownValue(el) : selectedText(el, state);
    case "slider": case "scrollbar": case "spinbutton": case "progressbar": case "meter":
      return rangeValue(el, role);
  }
  return null;
}

/** @param {Element} el @returns {el is HTMLInputElement | HTMLTextAreaElement} */
const isTypedInto = (el) => el.localName === "input" || el.localName === "textarea";
/** @param {HTMLInputElement | HTMLTextAreaElement} el */
const shownValue = (el) => (el.type === "password" ? "•".repeat(el.value.length) : el.value);

/** @param {Element} el @param {NameState} state */
function selectedText(el, state) {
  const chosen = Array.from(el.querySelectorAll('[role="option"][aria-selected="true"]'));
  const inner = { ...state, within: true };
  return chosen.map((option) => squeeze(contentText(option, inner).text)).join(" ");
}

/** @param {Element} el @param {string} role */
function rangeValue(el, role) {
  const said = el.getAttribute("aria-valuetext") || el.getAttribute("aria-valuenow");
  if (said) return said;
  const meter = /** @type {HTMLProgressElement} */ (el);
  if (el.localName === "progress") return meter.position < 0 ? null : String(meter.value);
  if (el.localName === "input" || el.localName === "meter") return String(meter.value);
  if (role === "slider" || role === "scrollbar") return "50";
  return role === "progressbar" ? null : "0";
}

/**
 * The native name by HTML-AAM; null if there is none.
 * @param {Element} el @param {string} role @param {NameState} state @returns {string | null}
 */
function nativeName(el, role, state) {
  const tag = el.localName;
  if (el.namespaceURI === SVG) return partText(el, "title", state);
  if (LABELABLE.has(tag) || tag.includes("-")) {
    const text = textOfLabels(el, state);
    if (text) return text;
  }
  switch (tag) {
    case "input": return inputName(/** @type {HTMLInputElement} */ (el));
    case "img": case "area": return el.getAttribute("alt");
    case "fieldset": return partText(el, "legend", state);
    case "table": return partText(el, "caption", state) || attribute(el, "summary") || null;
    case "optgroup": case "option": return attribute(el, "label") || null;
    case "abbr": case "acronym": return (!state.within && attribute(el, "title")) || null;
  }
  return null;
}

/** @param {HTMLInputElement} el */
function inputName(el) {
  switch (el.type) {
    case "button": return el.value || null;
    case "submit": return el.hasAttribute("value") ? el.value : "Submit";
    case "reset": return el.hasAttribute("value") ? el.value : "Reset";
    case "image":
      return attribute(el, "alt") || attribute(el, "value") || attribute(el, "title") || "Submit";
    case "file": return "Choose File";
  }
  return null;
}

/** @param {Element} el @param {NameState} state @returns {string} */
function textOfLabels(el, state) {
  const labels = labelsOf(el);
  if (!labels.length) return "";
  const parts = [];
  const visited = new Set(state.visited).add(el);
  for (const label of labels) {
    const how = hiding(label);
    if ((how && how !== "inert") || visited.has(label)) continue;
    const simple = simpleLabel(label, el);
    if (simple !== null) {
      parts.push(simple);
      continue;
    }
    const inner = { visited, within: true, referenced: state.referenced };
    parts.push(squeeze(alternative(label, inner).text));
  }
  return parts.filter(Boolean).join(" ");
}

/**
 * The text of the child that names its parent (legend, caption, title).
 * @param {Element} el @param {string} tag @param {NameState} state @returns {string | null}
 */
function partText(el, tag, state) {
  for (let child = el.firstElementChild; child; child = child.nextElementSibling) {
    if (child.localName !== tag) continue;
    if (tag === "title") return child.textContent;
    if (hiding(child)) return null;
    const visited = new Set(state.visited).add(el);
    return squeeze(alternative(child, { ...state, visited, within: true }).text) || null;
  }
  return null;
}

/** @param {Element} el @param {string} role */
function tooltip(el, role) {
  if (!UNTITLED_ROLES.has(role) || isCustom(el) || isEditingHost(el)) {
    const title = attribute(el, "title");
    // A title that only repeats the text adds nothing.
    if (title && title !== squeeze(el.textContent)) return title;
  }
  if (!FIELD_ROLES.has(role)) return "";
  return (isTypedInto(el) && attribute(el, "placeholder")) || attribute(el, "aria-placeholder");
}
