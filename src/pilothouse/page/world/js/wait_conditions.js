// Conditions of waits. All of them answer at once: timers and animation frames of the page hardly run in
// background tabs, so Python polls.

import { rootOf } from "./imports_from_snapshot_bundle.js";

// When the document last changed, on the clock of `performance.now`.
let changedAt = 0;
/** @type {MutationObserver | null} */
let observer = null;

/** @param {MutationRecord[]} records */
const note = (records) => {
  // Animations change styles forever; that is no change of the content.
  if (records.some((record) => record.attributeName !== "style")) changedAt = performance.now();
};

// For how many milliseconds nothing has changed; the first call starts the observer.
export const stillFor = () => {
  if (!observer) {
    observer = new MutationObserver(note);
    observer.observe(document, {
      attributes: true,
      characterData: true,
      childList: true,
      subtree: true,
    });
    changedAt = performance.now();
  }
  note(observer.takeRecords());
  return performance.now() - changedAt;
};

/** @param {Document | ShadowRoot} root @param {(root: Document | ShadowRoot) => void} visit */
const eachRoot = (root, visit) => {
  visit(root);
  for (const element of root.querySelectorAll("*")) {
    const inner = rootOf(element);
    if (inner) eachRoot(inner, visit);
  }
};

/** @param {Element} element */
const seen = (element) => {
  if (!element.checkVisibility({ visibilityProperty: true })) {
    return getComputedStyle(element).display === "contents" && [...element.children].some(seen);
  }
  const box = element.getBoundingClientRect();
  return box.width > 0 && box.height > 0;
};

/**
 * How many elements match, through all shadow roots, and how many of them are visible.
 * @param {string} css
 */
export const countMatches = (css) => {
  /** @type {Element[]} */
  const found = [];
  try {
    document.querySelector(css);
  } catch (error) {
    return { error: /** @type {Error} */ (error).message };
  }
  eachRoot(document, (root) => found.push(...root.querySelectorAll(css)));
  return { count: found.length, visible: found.filter(seen).length };
};

/** @param {string} text */
const squeezeText = (text) => text.replace(/\s+/g, " ").toLowerCase();
/** @param {string} text */
const strip = (text) => text.replace(/\s+/g, "").toLowerCase();

/**
 * Whether a text is visible somewhere, ignoring case and spacing. Reading rendered text costs a layout, so it
 * is done only where the plain text matches.
 * @param {string} text
 */
export const hasText = (text) => {
  const wanted = squeezeText(text).trim();
  const bare = strip(text);
  let found = false;
  eachRoot(document, (root) => {
    if (found) return;
    const tops = root === document ? [document.body || document.documentElement] : root.children;
    for (const top of tops) {
      if (!top || found) continue;
      if (strip(top.textContent).includes(bare)) {
        found = squeezeText(top.innerText || "").includes(wanted) && seen(top);
      }
    }
    if (found) return;
    for (const input of root.querySelectorAll("input")) {
      const button = /^(submit|button|reset)$/.test(input.type);
      if (button && squeezeText(input.value).includes(wanted) && seen(input)) found = true;
    }
  });
  return found;
};
