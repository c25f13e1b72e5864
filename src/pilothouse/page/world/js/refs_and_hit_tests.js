// Base of our isolated world: refs, the composed tree, hit tests. All other scripts use it.

import { beginNames, nameOf, PLAIN_TAGS, roleOf } from "./names.js";
import { hasComputedRoles, HTML } from "./roles.js";
import { clip, space, tidy } from "./text_normalization.js";

// A ref number is used once and never again, not even in a later document of the same frame.
export let first = 0;
export let nextNumber = 1;
/**
 * Also resumes a world: documents come back from the back/forward cache with their worlds.
 * @param {number} next
 */
export const resumeWorld = (next) => {
  first ||= next;
  nextNumber = Math.max(nextNumber, next);
  return [!!hasComputedRoles, first];
};
/** @type {Map<number, { element: WeakRef<Element>, role: string, name: string }>} */
export const numbered = new Map();
/** An element's present number. @type {WeakMap<Element, number>} */
const numbers = new WeakMap();
/** The closed shadow root of a host, made known through CDP. @type {WeakMap<Element, ShadowRoot>} */
export const closedRoots = new WeakMap();
/** How a host looked when it had none. @type {WeakMap<Element, string>} */
export const checkedHosts = new WeakMap();

/**
 * A form's fields shadow its properties of the same name: a field called `nextSibling` would break
 * tree walks. So properties are read through the prototype's getters.
 * @template {Node} T @template {keyof T & string} K
 * @param {{ prototype: T }} type @param {K} name @returns {(node: Node) => T[K]}
 */
export const asked = (type, name) => {
  const { get } = /** @type {{ get: () => T[K] }} */ (Object.getOwnPropertyDescriptor(type.prototype, name));
  return (node) => get.call(node);
};
/** @param {Node | null} node */
export const isForm = (node) => node instanceof HTMLFormElement;
const formParent = asked(Node, "parentNode");
export const formNext = asked(Node, "nextSibling");
export const formFirst = asked(Node, "firstChild");
const formSlot = asked(Element, "assignedSlot");
const formFields = asked(HTMLFormElement, "elements");
const ASKED_OF_FORMS = (
  "nodeType localName tabIndex attributes hasAttribute getAttribute getBoundingClientRect matches " +
  "checkVisibility isContentEditable children childElementCount firstElementChild firstChild " +
  "offsetHeight offsetWidth textContent closest labels required readOnly inert isConnected " +
  "getRootNode getClientRects computedRole computedName shadowRoot querySelectorAll"
).split(" ");
/** @param {HTMLFormElement} form */
export const masked = (form) => {
  const fields = formFields(form);
  return ASKED_OF_FORMS.some((name) => fields.namedItem(name));
};

/**
 * A form has no shadow root, whatever its fields are called.
 * @param {Element} element
 */
export const rootOf = (element) => {
  const root = element.shadowRoot || closedRoots.get(element);
  return root && root.nodeType === 11 ? root : null;
};

/**
 * The parent in the flat tree: slots and hosts included.
 * @param {Node} node @returns {Element | null}
 */
export function above(node) {
  const form = isForm(node);
  const slot = form ? formSlot(node) : node.assignedSlot;
  if (slot) return slot;
  const parent = form ? formParent(node) : node.parentNode;
  if (isForm(parent)) return parent;
  if (parent && parent.nodeType === 11) return /** @type {ShadowRoot} */ (parent).host || hostOf(parent);
  return parent && parent.nodeType === 1 ? /** @type {Element} */ (parent) : null;
}

/** @type {WeakMap<Node, Element>} */
const hostsOfClosed = new WeakMap();
/** @param {Node} root */
export const hostOf = (root) => hostsOfClosed.get(root) || null;

/** @param {Node | null} node @param {Node | null} ancestor */
export function within(node, ancestor) {
  for (let at = node; at; at = above(at)) if (at === ancestor) return true;
  return false;
}

// The visible part of the page without scroll bars, on which nothing of the page can be hit.
// In quirks mode (no doctype) the body has it.
export function pane() {
  const page = document.compatMode === "BackCompat" ? document.body : document.documentElement;
  return { width: page?.clientWidth || innerWidth, height: page?.clientHeight || innerHeight };
}

/**
 * The element painted at a point of this frame, through all shadow roots.
 * @param {number} x @param {number} y
 */
export function deepHit(x, y) {
  let hit = document.elementFromPoint(x, y);
  for (let root = hit && rootOf(hit); root; root = hit && rootOf(hit)) {
    const inner = root.elementFromPoint(x, y);
    if (!inner || inner === hit) break;
    hit = inner;
  }
  return hit;
}

/**
 * Whether a click that lands on `hit` counts as a click on `element`.
 * @param {Element} element @param {Element | null} hit
 */
export function lands(element, hit) {
  if (!hit) return false;
  if (within(hit, element)) return true;
  for (let at = /** @type {Element | null} */ (hit); at; at = above(at)) {
    if (at.localName === "label") return at.control === element;
    if (at.localName === "area") return at === element;
  }
  if (element.localName === "area") {
    const map = element.closest("map");
    return hit.localName === "img" && !!map && /** @type {HTMLImageElement} */ (hit).useMap === "#" + map.name;
  }
  return element.localName === "option" && within(hit, element.closest("select"));
}

/** @param {CSSStyleDeclaration} style */
export const scrolls = (style) => style.overflowX !== "visible" || style.overflowY !== "visible";

/**
 * Whether an ancestor has scrolled a point out of view: "yes", or "flat" if that ancestor has no
 * size in which the point could ever become visible.
 * @param {Element} element @param {number} x @param {number} y
 */
export function scrolledOut(element, x, y) {
  for (let at = above(element); at && at !== document.documentElement; at = above(at)) {
    if (at === document.body || !scrolls(getComputedStyle(at))) continue;
    const box = at.getBoundingClientRect();
    if (x < box.left || x > box.right || y < box.top || y > box.bottom)
      return box.width < 1 || box.height < 1 ? "flat" : "yes";
  }
  return "";
}

/**
 * Whether an element is outside the page only because an ancestor is scrolled.
 * @param {Element} element @param {DOMRect} box
 */
export function comesBack(element, box) {
  for (let at = above(element); at && at !== document.documentElement; at = above(at)) {
    if (!at.scrollTop && !at.scrollLeft) continue;
    const around = at.getBoundingClientRect();
    if (box.bottom + at.scrollTop > around.top && box.right + at.scrollLeft > around.left) return true;
  }
  return false;
}

/**
 * Points to try, best first: the centre, then the centre of each line box.
 * @param {Element} element @param {DOMRect} [box]
 */
export function pointsOf(element, box = element.getBoundingClientRect()) {
  const points = [[box.left + box.width / 2, box.top + box.height / 2]];
  const parts = element.getClientRects();
  if (parts.length > 1 && parts.length < 20) {
    for (const part of parts) {
      if (part.width > 1 && part.height > 1)
        points.push([part.left + part.width / 2, part.top + part.height / 2]);
    }
  }
  return points;
}

// Points to try when the centre is covered: a grid over the visible part of the box, the points
// closest to the centre first.
const GRID = [0.08, 0.29, 0.5, 0.71, 0.92];
/** @param {DOMRect} box */
function gridOf(box) {
  const { width, height } = pane();
  const [left, right] = [Math.max(box.left, 0), Math.min(box.right, width)];
  const [top, bottom] = [Math.max(box.top, 0), Math.min(box.bottom, height)];
  if (right - left < 1 || bottom - top < 1) return [];
  const points = GRID.flatMap((across) => GRID.map((down) => [across, down]));
  /** @param {number[]} point */
  const away = ([across, down]) => (across - 0.5) ** 2 + (down - 0.5) ** 2;
  points.sort((one, other) => away(one) - away(other));
  return points.map(([across, down]) => [left + (right - left) * across, top + (bottom - top) * down]);
}

// A grid point where a click hits the element itself, not something clickable inside it.
const OWN_USE = "a[href],button,input,select,textarea,summary,label,[onclick],[tabindex],[contenteditable]";
/** @param {Element} element @param {Element} drawn */
export function freePoint(element, drawn) {
  for (const [x, y] of gridOf(drawn.getBoundingClientRect())) {
    const hit = deepHit(x, y);
    if (!hit || !(lands(element, hit) || within(hit, drawn))) continue;
    let at = /** @type {Element | null} */ (hit);
    while (at && at !== element && at !== drawn && !at.matches(OWN_USE)) at = above(at);
    if (at === element || at === drawn || !within(hit, element)) return [x, y];
  }
  return null;
}

/**
 * The element has no box of its own, but boxes inside: a link around blocks.
 * @param {Element} element
 */
export function spreads(element) {
  for (const child of element.children) {
    const box = child.getBoundingClientRect();
    if (box.width >= 1 && box.height >= 1 && child.checkVisibility()) return true;
  }
  return false;
}

/**
 * How messages name an element: <button#save.primary>.
 * @param {Element} element
 */
export function tagged(element) {
  let text = element.localName;
  if (element.id && typeof element.id === "string") text += "#" + element.id;
  else if (typeof element.className === "string" && element.className.trim())
    text += "." + element.className.trim().split(space).slice(0, 2).join(".");
  return `<${clip(text, 60)}>`;
}

/** @param {Element} element */
export function labelText(element) {
  return clip(tidy(element.innerText || element.textContent || ""), 100);
}

/** @param {Element} element */
export const isFrame = (element) => /^(iframe|frame|fencedframe)$/.test(element.localName);
/** @param {Element} element */
export const frameName = (element) => clip(tidy(element.title || element.name || ""), 100);
/** @param {Element} element */
export const frameNumber = (element) => numberOf(element, "iframe", frameName(element));

/**
 * Most elements are boxes without meaning: this detects them without asking Chrome.
 * @param {Element} element @param {string} tag @param {number} [said]
 */
export function roleFor(element, tag, said = saidBy(element)) {
  /** @type {string | null | undefined} */
  let sure = SURE_ROLES.get(tag);
  if (tag === "input") sure = SURE_INPUTS.get(element.type);
  else if (tag === "a" && element.hasAttribute("href")) sure = "link";
  else if (tag === "select") sure = element.multiple || element.size > 1 ? "" : "combobox";
  if (said & SAID_MORE) {
    const written = said & SAID_OTHER || !PLAIN_TAGS.has(tag) ? null : element.getAttribute("role");
    sure = SURE_WRITTEN.has(written) ? written : "";
  }
  if (sure && element.namespaceURI === HTML) return sure;
  return spokenRole(element) || "generic";
}

// Chrome tells layout tables from data tables. Agents need rows and cells of both.
/** @type {WordTable} */
const SPOKEN_ROLES = { __proto__: null, LayoutTable: "table", LayoutTableRow: "row", LayoutTableCell: "cell" };
/** @param {Element} element */
export const spokenRole = (element) => {
  const role = roleOf(element);
  return SPOKEN_ROLES[role] || role;
};

// Elements that need no question to Chrome, unless an attribute gives them a meaning.
const SURE_ROLES = new Map([
  ["div", "generic"], ["span", "generic"], ["p", "generic"], ["label", "LabelText"],
  ["button", "button"], ["h1", "heading"], ["h2", "heading"], ["h3", "heading"],
  ["h4", "heading"], ["h5", "heading"], ["h6", "heading"], ["section", "generic"],
]);
/** @type {Set<string | null>} */
const SURE_WRITTEN = new Set(["button", "link"]);
/** @type {Map<string | undefined, string>} */
export const SURE_INPUTS = new Map([
  ["text", "textbox"], ["email", "textbox"], ["tel", "textbox"], ["url", "textbox"],
  ["password", "textbox"], ["search", "searchbox"], ["number", "spinbutton"],
  ["checkbox", "checkbox"], ["radio", "radio"], ["submit", "button"], ["button", "button"],
]);

// What the attributes of an element may mean, by their names alone: one bit each.
export const SAID_MORE = 1; // about its role or name
export const SAID_ARIA = 2; // about its state
export const SAID_OFF = 4; // that it takes no part
export const SAID_OTHER = 8; // about its role or name, and neither a role nor a place among the focusable
const SAID_CLICK = 16; // what a click does
export const SAID_UNSEEN = 32; // that it is not painted, at least not always
const saidByName = new Map([
  ["role", SAID_MORE], ["tabindex", SAID_MORE], ["title", SAID_MORE | SAID_OTHER],
  ["list", SAID_MORE | SAID_OTHER], ["contenteditable", SAID_MORE | SAID_OTHER],
  ["aria-disabled", SAID_MORE | SAID_OTHER | SAID_ARIA | SAID_OFF], ["inert", SAID_OFF],
  ["onclick", SAID_CLICK], ["hidden", SAID_UNSEEN],
  ["draggable", SAID_MORE | SAID_OTHER], ["autofocus", SAID_MORE | SAID_OTHER],
]);
/** @param {Element} element */
export function saidBy(element) {
  if (!element.hasAttributes()) return 0;
  let said = 0;
  for (const name of element.getAttributeNames()) {
    const known = saidByName.get(name);
    said |= known === undefined ? learnt(name) : known;
  }
  return said;
}

/** @param {string} name */
function learnt(name) {
  let said = 0;
  if (name.startsWith("aria-")) said = SAID_MORE | SAID_OTHER | SAID_ARIA;
  else if (/^(?:popover|command)/.test(name)) said = SAID_MORE | SAID_OTHER | SAID_UNSEEN;
  if (saidByName.size < 1000) saidByName.set(name, said);
  return said;
}

/**
 * What identifies an element besides its node: a ref becomes stale when this changes.
 * @param {Element} element @returns {[role: string, name: string]}
 */
export function identity(element) {
  if (isFrame(element)) return ["iframe", frameName(element)];
  const role = roleFor(element, element.localName);
  const name = clip(tidy(nameOf(element) || ""), 200) || bareName(element, role);
  return [role, name];
}

/**
 * Elements without a name are identified by their text: a row that a page reuses for another item is
 * another element for an agent. An editor stays the same whatever is written in it.
 * @param {Element} element @param {string} role
 */
export const bareName = (element, role) =>
  element.localName === "area" ? clip(tidy(/** @type {string} */ (element.alt || element.title)), 100) :
  (role === "generic" || role === "none" || role === "cell" || role === "row") && !element.isContentEditable
    ? clip(tidy(element.textContent.slice(0, 400)), 100)
    : "";

/** @param {Element} element @param {string} role @param {string} name */
export function numberOf(element, role, name) {
  const known = numbers.get(element);
  if (known !== undefined) {
    const entry = numbered.get(known);
    if (entry && entry.role === role && entry.name === name) return known;
  }
  const number = nextNumber++;
  numbered.set(number, { element: new WeakRef(element), role, name });
  numbers.set(element, number);
  return number;
}

export function activeElement() {
  let active = document.activeElement;
  for (let root = active && rootOf(active); root && root.activeElement; ) {
    active = root.activeElement;
    root = rootOf(/** @type {Element} */ (active));
  }
  return active;
}

/**
 * A root that is attached later is noticed: the element becomes defined, or changes its size.
 * @param {Element} host
 */
export const looksLike = (host) => `${host.matches(":defined")} ${host.offsetWidth} ${host.offsetHeight}`;

/**
 * Closed shadow roots, which no script can reach; Python adds them (closed_shadow_roots.py).
 * @param {Element} host @param {ShadowRoot | null} root
 */
export function adoptClosedRoot(host, root) {
  checkedHosts.set(host, looksLike(host));
  if (!root) return;
  closedRoots.set(host, root);
  hostsOfClosed.set(root, host);
}

/** @type {Element[]} */
export let suspects = [];
/** @param {Element[]} found */
export const suspect = (found) => (suspects = found.slice(0, 64)).length;
/** @param {number} index */
export const suspectAt = (index) => suspects[index];

/** @param {Element} element */
export const numberFor = (element) => {
  beginNames();
  return numberOf(element, ...identity(element));
};
export const upcomingNumber = () => nextNumber;

/** @param {Element} area */
function imageOf(area) {
  const map = area.closest("map");
  return map && /** @type {ParentNode} */ (area.getRootNode()).querySelector(`img[usemap="#${CSS.escape(map.name)}"]`);
}

/** @param {Element} element */
export const isShown = (element) => {
  if (element.localName === "area") return !!imageOf(element)?.checkVisibility();
  // A control that is not drawn itself is used through its label.
  const labelled = !!element.labels?.length;
  if (!element.checkVisibility({ visibilityProperty: true })) return labelled;
  const box = element.getBoundingClientRect();
  const drawn = box.width > 0 && box.height > 0;
  return drawn || labelled || spreads(element);
};

/** @param {Element} element */
export function areaPoints(element) {
  if (element.localName !== "area") return null;
  const image = imageOf(element);
  if (!image) return null;
  const box = image.getBoundingClientRect();
  const { coords, shape } = /** @type {HTMLAreaElement} */ (element);
  const corners = coords.split(",").map(Number);
  if (corners.length < 3) return [[box.left + box.width / 2, box.top + box.height / 2]];
  if (shape === "circle") return [[box.left + corners[0], box.top + corners[1]]];
  let x = 0;
  let y = 0;
  for (let index = 0; index + 1 < corners.length; index += 2) {
    x += corners[index];
    y += corners[index + 1];
  }
  const count = Math.floor(corners.length / 2) || 1;
  return [[box.left + x / count, box.top + y / count]];
}

/** @param {Element} element */
export const says = (element) => {
  const text = clip(labelText(element), 40);
  return text ? ` "${text}"` : "";
};
