// Form fields: which element is meant, its value, and how it is prepared for a new one.

import { checkedOf, named, traits } from "./click_point.js";
import { describe, everywhere, quoted, ROLE_HINTS } from "./query.js";
import {
  above, activeElement, beginNames, focusText, hidesIn, identity, isFrame, isShown, labelText, numbered,
  numberOf, rootOf, says, tagged, upcomingNumber, within,
} from "./imports_from_snapshot_bundle.js";

const ASSIGNED = /^(date|time|datetime-local|month|week|range|color)$/;
const BUTTONS = /^(button|submit|reset|image|hidden)$/;
const CHECKED_ROLES = /^(checkbox|radio|switch|menuitemcheckbox|menuitemradio)$/;
/** @param {Element} element */
export const saidRole = (element) => (element.getAttribute("role") || "").trim().split(" ")[0];

/**
 * How an element is filled: "text", "rich", "assign", "check", "select", "choice", "file" or "".
 * @param {Element} element
 */
export function fieldKind(element) {
  const tag = element.localName;
  if (tag === "select") return "select";
  if (tag === "textarea") return "text";
  if (tag === "input") {
    const { type } = /** @type {HTMLInputElement} */ (element);
    if (type === "checkbox" || type === "radio") return "check";
    if (type === "file") return "file";
    if (BUTTONS.test(type)) return "";
    return ASSIGNED.test(type) ? "assign" : "text";
  }
  if (element.isContentEditable) return "rich";
  const role = saidRole(element);
  if (CHECKED_ROLES.test(role)) return "check";
  if (role === "combobox" || role === "listbox") return "choice";
  return /^(listbox|menu|true)$/.test(element.getAttribute("aria-haspopup") || "") ? "choice" : "";
}

/** @type {Record<FieldWish, (kind: string, element: Element) => boolean>} */
const WANTED = {
  field: (kind) => kind !== "",
  check: (kind, element) => kind === "check" || element.hasAttribute("aria-pressed"),
  select: (kind) => kind === "select" || kind === "choice",
  file: (kind) => kind === "file",
  focus: (kind, element) => kind !== "" || element.tabIndex >= 0,
};

/**
 * The control that is meant when the selector names a label, a part of it, or a box around one control.
 * @param {Element} element @param {FieldWish} want
 */
export function controlFor(element, want) {
  /** @param {Element} one */
  const fits = (one) => WANTED[want](fieldKind(one), one);
  if (fits(element)) return fieldKind(element) === "rich" ? editingHost(element) : element;
  for (let at = /** @type {Element | null} */ (element); at; at = above(at))
    if (at.localName === "label" && at.control && fits(at.control)) return at.control;
  if (element.id) {
    const labelled = everywhere(`[aria-labelledby~=${quoted(element.id)}]`).filter(fits);
    if (labelled.length === 1) return labelled[0];
  }
  if (element === document.body || element === document.documentElement) return element;
  const inside = descendants(element).filter((one) => fits(one) && outermost(one));
  const shown = want === "file" ? inside : inside.filter(isShown);
  return shown.length === 1 ? shown[0] : element;
}

/** @param {Element} element */
const outermost = (element) => fieldKind(element) !== "rich" || editingHost(element) === element;

/** @param {Element} element */
function editingHost(element) {
  let host = element;
  for (let at = /** @type {Element | null} */ (element); at && at.isContentEditable; at = above(at)) host = at;
  return host;
}

/** @param {Element} element */
export function descendants(element) {
  const found = [];
  /** @type {(Element | ShadowRoot)[]} */
  const waiting = [element];
  while (waiting.length) {
    const root = /** @type {Element} */ (waiting.pop());
    const inner = root.nodeType === 1 ? rootOf(root) : null;
    if (inner) waiting.push(inner);
    for (const one of root.querySelectorAll("*")) {
      found.push(one);
      const shadow = rootOf(one);
      if (shadow) waiting.push(shadow);
    }
  }
  return found;
}

/**
 * The element of a number as it is, even if its name has changed meanwhile.
 * @param {{ number?: number }} target
 */
export const heldElement = (target) => numbered.get(/** @type {number} */ (target.number))?.element.deref() || null;

/** @param {Element} element */
function holds(element) {
  const kind = fieldKind(element);
  if (kind === "check") return checkedOf(element);
  if (kind === "rich") return /** @type {HTMLElement} */ (element).innerText.replace(/\n$/, "");
  const { value } = /** @type {HTMLInputElement} */ (element);
  if (value !== undefined) return String(value);
  return labelText(element);
}

/** @param {Element} element */
export function focusOn(element) {
  if (activeElement() !== element) /** @type {HTMLElement} */ (element).focus();
  const active = activeElement();
  return active === element || (element.isContentEditable && !!active && within(active, element));
}

/**
 * Why a field would not accept a value, where its attributes say so.
 * @param {Element} element @param {string} kind @param {string} wanted
 */
function barOf(element, kind, wanted) {
  if (kind === "text" && element.maxLength >= 0 && wanted.length > element.maxLength)
    return { why: "long", limit: element.maxLength };
  if (kind !== "assign" || wanted === "") return null;
  const { type, min, max, step } = /** @type {HTMLInputElement} */ (element);
  const copy = Object.assign(document.createElement("input"), { type, min, max, step });
  copy.value = wanted;
  const number = Number(wanted);
  if (type === "range") {
    const low = min === "" ? 0 : Number(min);
    const high = Math.max(low, max === "" ? 100 : Number(max));
    return number < low || number > high ? { why: "range", min: String(low), max: String(high) } : null;
  }
  if (copy.value === "") return { why: "format" };
  const { rangeUnderflow, rangeOverflow } = copy.validity;
  return rangeUnderflow || rangeOverflow ? { why: "range", min, max } : null;
}

const HEARD_WITHIN_MS = 500;
/** @type {{ element: Element, blocked: string, until: number } | null} */
let inserting = null;

/** @param {Event} event */
function onInsert(event) {
  if (!inserting || !event.isTrusted || performance.now() > inserting.until) return;
  const hit = event.composedPath()[0];
  if (hit instanceof Node && (within(hit, inserting.element) || hidesIn(inserting.element, hit))) return;
  inserting.blocked = hit instanceof Element ? tagged(hit) + says(hit) : "the page";
  event.preventDefault();
  event.stopImmediatePropagation();
}

function stopInserting() {
  const blocked = inserting ? inserting.blocked : "";
  inserting = null;
  removeEventListener("beforeinput", onInsert, true);
  return blocked;
}

/**
 * Focus a field and select its content, so that inserted text replaces it; an insertion that would go
 * anywhere else is stopped.
 * @param {Target} target @param {string} wanted
 */
export function prepareField(target, wanted) {
  beginNames();
  const found = named(target);
  if (found.state) return found;
  const { element } = found;
  const kind = fieldKind(element);
  const bar = barOf(element, kind, wanted);
  if (bar) return { state: "barred", ...bar };
  const before = holds(element);
  if (!focusOn(element)) return { state: "unfocused", to: focusText(activeElement()) };
  if (kind === "assign") {
    const input = /** @type {HTMLInputElement} */ (element);
    if (input.value !== wanted) {
      input.value = wanted;
      announce(element);
    }
    return { state: "ok", before };
  }
  inserting = { element, blocked: "", until: performance.now() + 5000 };
  addEventListener("beforeinput", onInsert, true);
  if (kind === "rich") return selectAllHeard(element).then(() => ({ state: "ok", before }));
  /** @type {HTMLInputElement} */ (element).select();
  return { state: "ok", before };
}

/**
 * Editors keep a selection of their own. They learn of ours by an event that arrives later, and a key
 * before that event would go to the old position.
 * @param {Element} element
 */
function selectAllHeard(element) {
  const selection = /** @type {Selection} */ (getSelection());
  const ends = () => [selection.anchorNode, selection.anchorOffset, selection.focusNode, selection.focusOffset];
  const before = ends();
  selection.selectAllChildren(element);
  if (ends().every((end, i) => end === before[i])) return Promise.resolve();
  return new Promise((resolve) => {
    document.addEventListener("selectionchange", resolve, { once: true });
    setTimeout(resolve, HEARD_WITHIN_MS);
  });
}

/** @param {Element} element */
export function announce(element) {
  for (const type of ["input", "change"])
    element.dispatchEvent(new Event(type, { bubbles: true, composed: true }));
}

/**
 * The current value of a field, and its validity.
 * @param {NumberedTarget} target
 */
export function heldFacts(target) {
  const blocked = stopInserting();
  let element = heldElement(target);
  let replaced = false;
  if (!element || !element.isConnected) {
    const { role, name } = /** @type {{ role: string, name: string }} */ (numbered.get(target.number));
    beginNames();
    const like = everywhere(ROLE_HINTS[role] || "*").filter((one) => {
      const [nowRole, nowName] = identity(one);
      return nowRole === role && nowName === name && isShown(one);
    });
    if (like.length !== 1) return { state: "gone", blocked };
    [element, replaced] = [like[0], true];
  }
  const valid = !element.validity || element.validity.valid;
  return { state: "ok", value: holds(element), blocked, replaced, message: valid ? "" : element.validationMessage };
}

/**
 * The submit button of a field's form: the one that Enter would press.
 * @param {Target} target
 */
export function submitterOf(target) {
  beginNames();
  const found = named(target);
  if (found.state) return found;
  const form = found.element.form || found.element.closest("form");
  /** @param {Element} one */
  const sends = (one) => one.form === form && (one.type === "submit" || one.type === "image");
  const button = form && [.../** @type {ParentNode} */ (form.getRootNode()).querySelectorAll("button,input")].find(sends);
  return button ? { state: "ok", number: numberOf(button, ...identity(button)) } : { state: "none" };
}

/**
 * Focus an element; `atEnd` moves the caret of a field that did not have the focus to its end.
 * @param {Target} target @param {boolean} atEnd
 */
export function takeFocus(target, atEnd) {
  beginNames();
  const found = named(target);
  if (found.state) return found;
  const { element } = found;
  const had = activeElement() === element;
  const before = holds(element);
  if (!focusOn(element)) return { state: "unfocused", to: focusText(activeElement()) };
  if (atEnd && !had) caretToEnd(element);
  return { state: "ok", had, before };
}

/**
 * Insert text at the selection of an element, from within its own document: another element that takes the
 * focus meanwhile does not get it.
 * @param {Target} target @param {string} text
 */
export function insertHere(target, text) {
  beginNames();
  const found = named(target);
  if (found.state) return found;
  if (!focusOn(found.element)) return { state: "unfocused", to: focusText(activeElement()) };
  return { state: document.execCommand("insertText", false, text) ? "ok" : "unfocused", to: "the page" };
}

/** @param {Element} element */
function caretToEnd(element) {
  const kind = fieldKind(element);
  if (kind !== "text" && kind !== "rich") return;
  const selection = /** @type {Selection} */ (getSelection());
  const input = /** @type {HTMLInputElement} */ (element);
  if (kind === "rich") {
    selection.selectAllChildren(element);
    selection.collapseToEnd();
  } else if (input.selectionStart !== null) input.setSelectionRange(input.value.length, input.value.length);
  else selection.modify("move", "forward", "documentboundary");
}

// The element that would receive key events in this frame.
export function focusedFacts() {
  beginNames();
  const element = activeElement();
  if (!element || element === document.body || element === document.documentElement)
    return { number: 0, role: "page", name: "", local: "", frame: false, field: "", next: upcomingNumber() };
  return {
    ...describe(element),
    ...traits(element),
    frame: isFrame(element),
    next: upcomingNumber(),
  };
}
