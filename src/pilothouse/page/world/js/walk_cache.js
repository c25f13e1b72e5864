// `ph.walk`: walks this document, or reports that nothing has changed since an earlier walk.
//
// Chrome counts how often it has computed styles and layouts; `console.timeStamp` makes it report the counts
// (page/world/layout_counters.py). While they are equal, nothing has changed that styles and layout depend on.
// The rest is compared here: nodes, attributes, texts, field values and scroll positions.
// Knows: how a document can change without a style or a layout. Must not know: what a walk contains.

import { above, activeElement, first, nextNumber, numbered, resumeWorld, suspect, suspects } from "./refs_and_hit_tests.js";
import { isBegun, untilBegun } from "./first_content_wait.js";
import { isOff } from "./element_states_and_value.js";
import { beginCovers, coversWords } from "./invisible_text.js";
import { beginNames } from "./names.js";
import { forgetMarked } from "./pointer_listener_candidates.js";
import { hasComputedRoles } from "./roles.js";
import { clean, clip, tidy } from "./text_normalization.js";
import { Walk } from "./tree_walker.js";
import { meetDocument, meetRootsAround, metRoots } from "./used_css_properties.js";

// Whether there was a real walk already: then no warm-up is needed (warm_up.js).
export let lookedAt = false;

/**
 * `indexes` are the elements of `mark`'s list that have listeners; without them those of the last walk count.
 * With `keep` the walk is remembered under that key; with `unless` the result is only "same" if nothing has
 * changed since the walk of that key. A `dry` walk is a warm-up (warm_up.js).
 * `next` is for a document without a walk: the first ref number to use.
 * @param {WalkOptions} options @param {number[] | null} indexes
 */
export const walkDocument = (options, indexes) =>
  isBegun() ? walked(options, indexes) : untilBegun().then(() => walked(options, indexes));

/** @param {WalkOptions} options @param {number[] | null} indexes */
function walked(options, indexes) {
  if (options.unless && isKept(options.unless)) return counted(options.unless), "same";
  if (options.next) resumeWorld(options.next);
  lookedAt ||= !options.dry;
  if (options.keep && !options.dry) counted(options.keep);
  beginNames();
  meetDocument();
  /** @type {Element | null | undefined} */
  let root = document.body || document.documentElement;
  if (options.root) {
    const entry = numbered.get(options.root);
    root = entry && entry.element.deref();
    if (!root || !root.isConnected) return "gone";
    meetRootsAround(root);
  }
  beginCovers();
  let walk = walkFrom(root, options, indexes);
  if (coversWords()) walk = walkFrom(root, options, indexes);
  if (options.dry) keeping(walk, () => {}).watcher.disconnect();
  else {
    if (walk.boxes) keep(walk);
    forgetMarked(); // not before the end: a walk that needs Chrome's names starts again
    suspect(walk.suspects);
  }
  const place = document.scrollingElement || document.documentElement;
  const head = [first, hasComputedRoles ? 1 : 0, nextNumber, slotInParent(), window.length, innerWidth, innerHeight, Math.round(scrollX), Math.round(scrollY),
    place ? place.scrollWidth : 0, place ? place.scrollHeight : 0, suspects.length];
  head.push(clean(clip(tidy(document.title), 200)), clean(location.href));
  return head.join("\t") + "\n" + walk.lines.join("\n");
}

/** @param {Element | null} root @param {WalkOptions} options @param {number[] | null} indexes */
function walkFrom(root, options, indexes) {
  const walk = new Walk(options, indexes);
  if (root) walk.off = isOff(above(root)) ? 1 : 0;
  if (root) walk.element(root, 0, "");
  walk.flush();
  return walk;
}

/**
 * Bring styles and layout up to date, then make Chrome report its counts under that key.
 * @param {string} word
 */
function counted(word) {
  document.documentElement?.getBoundingClientRect();
  console.timeStamp(word);
}

// A script knows no frame ids. But a frame and its parent both know the frame's index in the parent's
// `window.frames`. Finding it takes time linear in their number.
const MOST_SLOTS = 64;

function slotInParent() {
  const count = parent.length;
  if (parent === window || count > MOST_SLOTS) return "";
  for (let slot = 0; slot < count; slot++) if (parent[slot] === window) return `${slot} ${count}`;
  return "";
}

// The indexes of the frames in this window. Frames in shadow roots have none.
export function slotsHere() {
  const slots = new Map();
  const count = Math.min(window.length, MOST_SLOTS);
  for (let slot = 0; slot < count; slot++) slots.set(window[slot], slot);
  return slots;
}

const EVERY_CHANGE = { childList: true, attributes: true, characterData: true, subtree: true };
/**
 * @typedef {{ word: string, watcher: MutationObserver, roots: (Document | ShadowRoot)[], fields: Element[],
 *   filled: (string | number)[], boxes: (Element | DOMRect)[], where: unknown[], ownRoles?: boolean }} KeptWalk
 */
/** The last remembered walk, until something is known to have changed. @type {KeptWalk | null} */
let kept = null;

/**
 * A scroll in a shadow root is only observable there. The listener is never removed: adding the first one and
 * removing the last one make Chrome repaint the page. Adding it twice has no effect, and `document.open()`
 * removes all listeners.
 * @param {Node} root
 */
const hearScrolls = (root) => root.addEventListener("scroll", letGo, true);
hearScrolls(document);

/** @param {Walk} walk @param {() => void} changed @returns {KeptWalk} */
function keeping(walk, changed) {
  const watcher = new MutationObserver(changed);
  for (const root of metRoots) {
    watcher.observe(root, EVERY_CHANGE);
    hearScrolls(root);
  }
  const roots = [...metRoots];
  const fields = roots.flatMap((root) => [...root.querySelectorAll("input,select,textarea")]);
  const filled = fields.map(filledWith);
  const { options, boxes } = walk;
  return { word: options.keep || "", watcher, roots, fields, filled, boxes: boxes || [], where: whereNow() };
}

/** @param {Walk} walk */
function keep(walk) {
  letGo();
  kept = keeping(walk, letGo);
}

function letGo() {
  if (!kept) return;
  kept.watcher.disconnect();
  kept = null;
}

const whereNow = () => [
  scrollX, scrollY, innerWidth, innerHeight, devicePixelRatio, location.href, document.title, activeElement(),
];

/** @param {Element} field */
function filledWith(field) {
  const select = /** @type {HTMLSelectElement} */ (field);
  if (field.localName === "select")
    return select.multiple ? Array.from(select.options, (option) => option.selected).join() : select.selectedIndex;
  const input = /** @type {HTMLInputElement} */ (field);
  const files = input.files ? Array.from(input.files, (file) => file.name).join() : "";
  return `${input.checked} ${input.indeterminate} ${files} ${input.value}`;
}

/**
 * Whether nothing has changed since the walk of this key; other clients use other keys.
 * @param {string} word
 */
function isKept(word) {
  if (!kept || kept.word !== word) return false;
  const same = isSame(kept);
  if (!same) letGo();
  return same;
}

/** @param {KeptWalk} walk */
function isSame(walk) {
  if (walk.watcher.takeRecords().length || hasOwnRoles(walk)) return false;
  const where = whereNow();
  if (walk.where.some((value, index) => value !== where[index])) return false;
  if (walk.fields.some((field, index) => filledWith(field) !== walk.filled[index])) return false;
  const { boxes } = walk;
  for (let index = 0; index < boxes.length; index += 2) {
    const was = /** @type {DOMRect} */ (boxes[index + 1]);
    const now = /** @type {Element} */ (boxes[index]).getBoundingClientRect();
    if (now.x !== was.x || now.y !== was.y || now.width !== was.width || now.height !== was.height) return false;
  }
  return true;
}

/**
 * Custom elements may change their role (ElementInternals) without any event.
 * @param {KeptWalk} walk
 */
const hasOwnRoles = (walk) =>
  (walk.ownRoles ??= walk.roots.some((root) =>
    Array.prototype.some.call(root.querySelectorAll("*"), (element) => element.localName.includes("-"))));
