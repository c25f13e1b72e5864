// Finds elements by selector, through every shadow root of this frame.

import {
  above, ACTED_ON, beginNames, clip, identity, isShown, nameOf, numberOf, roleOf, rootOf, SKIPPED,
  spokenRole, tagged, tidy, upcomingNumber,
} from "./imports_from_snapshot_bundle.js";

function* roots() {
  /** @type {(Document | ShadowRoot)[]} */
  const waiting = [document];
  while (waiting.length) {
    const root = /** @type {Document | ShadowRoot} */ (waiting.pop());
    yield root;
    for (const element of root.querySelectorAll("*")) {
      const inner = rootOf(element);
      if (inner) waiting.push(inner);
    }
  }
}

/** @param {string} selector */
export function everywhere(selector) {
  const found = [];
  for (const root of roots()) found.push(...root.querySelectorAll(selector));
  return found;
}

// How well a text matches: equal, equal ignoring case, or containing it; 0 is no match. `exact` accepts
// only equal texts.
const WHOLE = 3;
const SAME = 2;
const PART = 1;
/** @param {string | null | undefined} text @param {string} wanted @param {boolean} exact */
export function closeness(text, wanted, exact) {
  const said = tidy(text || "");
  if (said === wanted) return WHOLE;
  if (exact) return 0;
  const lower = said.toLowerCase();
  const sought = wanted.toLowerCase();
  return lower === sought ? SAME : lower.includes(sought) ? PART : 0;
}

/**
 * Elements with their match quality; those without a match are dropped.
 * @param {Iterable<Element>} elements @param {(element: Element) => number} rank
 */
function ranked(elements, rank) {
  const found = new Map();
  for (const element of elements) {
    const close = rank(element);
    if (close) found.set(element, close);
  }
  return found;
}

/**
 * Whether the text occurs in what can be rendered: not in scripts and styles. These are checked only where
 * the whole text matches, which is rare.
 * @param {Element} element @param {string} wanted @param {boolean} exact
 */
function wordsRank(element, wanted, exact) {
  const all = closeness(element.textContent, wanted, false);
  if (!all) return 0;
  const skipped = [...SKIPPED].join();
  if (!element.querySelector(skipped)) return exact && all < WHOLE ? 0 : all;
  // Without a filter: callbacks do not run while a dialog holds the page.
  const texts = document.createTreeWalker(element, 4);
  let said = "";
  for (let text = texts.nextNode(); text; text = texts.nextNode())
    if (!/** @type {Element} */ (text.parentElement).closest(skipped)) said += text.nodeValue;
  return closeness(said, wanted, exact);
}

/**
 * The innermost elements that contain the text.
 * @param {string} wanted @param {boolean} exact
 */
function byText(wanted, exact) {
  return ranked(everywhere("*"), (element) => {
    if (SKIPPED.has(element.localName)) return 0;
    const own = element.localName === "input" && /^(submit|button|reset)$/.test(/** @type {HTMLInputElement} */ (element).type);
    const rank = own ? closeness(/** @type {HTMLInputElement} */ (element).value, wanted, exact) : wordsRank(element, wanted, exact);
    if (!rank) return 0;
    for (const child of element.children)
      if (!SKIPPED.has(child.localName) && wordsRank(child, wanted, exact)) return 0;
    return rank;
  });
}

/**
 * The innermost elements with a text among those that a CSS selector matches.
 * @param {string} selector @param {string} wanted
 */
function byWords(selector, wanted) {
  const found = ranked(everywhere(selector), (element) => wordsRank(element, wanted, false));
  for (const element of found.keys()) {
    for (let at = above(element); at; at = above(at)) found.delete(at);
  }
  return found;
}

/** @type {Record<string, string | undefined>} */
export const ROLE_HINTS = {
  button: "button,input,summary,[role]",
  link: "a,area,[role]",
  textbox: "input,textarea,[contenteditable],[role]",
  searchbox: "input,[role]",
  checkbox: "input,[role]",
  radio: "input,[role]",
  combobox: "select,input,[role]",
  listbox: "select,[role]",
  heading: "h1,h2,h3,h4,h5,h6,[role]",
  img: "img,svg,[role]",
  image: "img,svg,[role]",
};

/** @param {string} role @param {string} name @param {boolean} exact */
function byRole(role, name, exact) {
  if (!role) return byName(name, exact);
  /** @param {string} found */
  const same = (found) => found === role || (role === "img" && found === "image");
  return ranked(everywhere(ROLE_HINTS[role] || "*"), (element) => {
    if (!same(spokenRole(element))) return 0;
    return name ? closeness(nameOf(element), name, exact) : WHOLE;
  });
}

/**
 * Elements with an accessible name. A link wins over the image in it, a button over its heading.
 * @param {string} name @param {boolean} exact
 */
function byName(name, exact) {
  return ranked(everywhere("*"), (element) => {
    const close = closeness(nameOf(element), name, exact);
    return close && 2 * close + (ACTED_ON.has(roleOf(element)) ? 1 : 0);
  });
}

/** @param {string} wanted @param {boolean} exact */
function byLabel(wanted, exact) {
  const controls = "input,textarea,select,button,meter,output,progress,[contenteditable],[role]";
  return ranked(everywhere(controls), (element) =>
    element.type === "hidden" ? 0 : closeness(nameOf(element), wanted, exact),
  );
}

/** @param {string} text */
export const quoted = (text) => JSON.stringify(text);
/** @param {string[]} names @param {string} wanted @param {boolean} exact */
const byAttribute = (names, wanted, exact) =>
  ranked(everywhere(names.map((name) => `[${name}]`).join()), (element) =>
    Math.max(...names.map((name) => closeness(element.getAttribute(name), wanted, exact))),
  );

// An XPath that begins with a dot starts at each element of the previous step; it may lead out of it.
const FROM_HERE = /^\(?\./;
/** @param {string} path @param {Set<Element> | undefined} around */
function byPath(path, around) {
  const found = new Set();
  const starts = around && FROM_HERE.test(path) ? around : [document];
  for (const start of starts) {
    const result = document.evaluate(path, start, null, 7, null);
    for (let index = 0; index < result.snapshotLength; index++) {
      const node = /** @type {Node} */ (result.snapshotItem(index));
      const element = node.nodeType === 1 ? /** @type {Element} */ (node) : node.parentElement;
      if (element) found.add(element);
    }
  }
  return found;
}

/**
 * Elements, or elements with their match quality.
 * @param {QueryStep} target @param {Set<Element> | undefined} around
 */
function candidatesFor({ kind, value, name, exact }, around) {
  switch (kind) {
    case "css":
      return name ? byWords(value, name) : everywhere(value);
    case "text":
      return byText(value, exact);
    case "role":
      return byRole(value, name, exact);
    case "label":
      return byLabel(value, exact);
    case "placeholder":
      return byAttribute(["placeholder", "aria-placeholder"], value, exact);
    case "testid":
      return everywhere(`[data-testid=${quoted(value)}],[data-test-id=${quoted(value)}],[data-test=${quoted(value)}]`);
    case "alt":
    case "title":
      return byAttribute([kind], value, exact);
    case "xpath":
      return byPath(value, around);
  }
  throw new Error(`no such kind of target: ${kind}`);
}

/**
 * The matches of a selector in document order. Exact texts and names win over partial ones, but visible
 * elements win over invisible ones.
 * @param {QueryStep} target @returns {Element[]}
 */
export function matching(target) {
  const around = target.within && new Set(picked(matching(target.within), target.within.nth));
  const found = candidatesFor(target, around);
  let all = found instanceof Map ? [...found.keys()] : [...found];
  const leadsOut = target.kind === "xpath" && FROM_HERE.test(target.value);
  if (around && !leadsOut) all = all.filter((element) => isRelated(element, around, target.relation));
  if (!(found instanceof Map) || all.length < 2) return all;
  /** @param {Element[]} some */
  const closest = (some) => {
    const best = Math.max(...some.map((element) => /** @type {number} */ (found.get(element))));
    return some.filter((element) => found.get(element) === best);
  };
  const best = closest(all);
  if (best.length === all.length || best.some(isShown)) return best;
  const shown = all.filter(isShown);
  if (!shown.length) return best;
  const least = found.get(closest(shown)[0]);
  return all.filter((element) => /** @type {number} */ (found.get(element)) >= /** @type {number} */ (least));
}

/** @param {Element} element @param {Set<Element>} around @param {string | undefined} relation */
function isRelated(element, around, relation) {
  if (relation === "self" && around.has(element)) return true;
  let at = above(element);
  if (relation === "child") return at !== null && around.has(at);
  for (; at; at = above(at)) if (around.has(at)) return true;
  return false;
}

/**
 * The selected elements: with `nth`, one of them, counted among the visible ones.
 * @param {Element[]} all @param {number | undefined} nth
 */
export function picked(all, nth) {
  if (nth === undefined) return all;
  const shown = all.filter(isShown);
  const list = shown.length ? shown : all;
  return list.slice(nth, nth === -1 ? undefined : nth + 1);
}

/**
 * How many match, and how many of them are visible; for calls that do not act.
 * @param {QueryStep} target
 */
export function countElements(target) {
  beginNames();
  const found = matching(target);
  return { count: found.length, shown: found.filter(isShown).length };
}

/** @param {Element} element */
export const describe = (element) => {
  const [role, name] = identity(element);
  return { number: numberOf(element, role, name), role, name: clip(name, 80), tag: tagged(element) };
};

/**
 * The elements most like one that is gone: same role and name first, then similar names.
 * @param {string} role @param {string} name @param {number} [most]
 */
export function candidates(role, name, most = 3) {
  const same = [];
  const like = [];
  const wanted = name.toLowerCase();
  for (const element of everywhere(ROLE_HINTS[role] || "*")) {
    if (spokenRole(element) !== role || !isShown(element)) continue;
    const [, found] = identity(element);
    if (found === name) same.push(element);
    else if (wanted && found && akin(found.toLowerCase(), wanted)) like.push(element);
    if (same.length >= most) break;
  }
  return [...same, ...like].slice(0, most).map(describe);
}

/** @param {string} one @param {string} other */
const akin = (one, other) =>
  one.includes(other) || other.includes(one) || one.slice(0, 4) === other.slice(0, 4);

/** @param {string} role @param {string} name */
export function nearCandidates(role, name) {
  beginNames();
  return { near: candidates(role, name), next: upcomingNumber() };
}
