// Effects of an action: which element gets the events, and what changes afterwards.

import { activeElement, closedRoots, hostOf, identity, lands, says, tagged } from "./refs_and_hit_tests.js";
import { beginNames } from "./names.js";
import { clip, space, tidy } from "./text_normalization.js";

const GUARDED = [
  "pointerdown", "mousedown", "pointerup", "mouseup", "click", "dblclick", "auxclick", "contextmenu",
];
// The press follows at once; a guard that was left behind must not block a person for longer.
const GUARDED_MS = 5000;
const HELD_MS = 60000;
/**
 * @typedef {{ element: Element, wording: string | null, events: string[], blocked: string, cut: string,
 *   until: number, places: (Window | ShadowRoot)[], around?: boolean }} Guard
 */
/** @type {Guard | null} */
let guard = null;

/**
 * Let only `element` receive the coming press; any other element there never gets the event. With
 * `named` its text must be unchanged, too: a page may reuse a node for another item.
 * @param {Element} element @param {boolean} named
 */
export function arm(element, named) {
  disarm();
  const until = performance.now() + GUARDED_MS;
  const wording = named ? wordsOf(element) : null;
  const places = [window, ...closedAround(element)];
  guard = { element, wording, events: [], blocked: "", cut: "", until, places };
  for (const place of places)
    for (const type of GUARDED)
      place.addEventListener(type, onGuarded, { capture: true, passive: false });
}

/**
 * In the frames around the one that is pressed: no press may arrive here.
 * @param {Element} frame
 */
export function armAround(frame) {
  arm(frame, false);
  /** @type {Guard} */ (/** @type {unknown} */ (guard)).around = true;
}

export function disarm() {
  if (!guard) return;
  for (const place of guard.places)
    for (const type of GUARDED) place.removeEventListener(type, onGuarded, { capture: true });
  guard = null;
}

/** @param {Event} event */
function onGuarded(event) {
  if (!guard || !event.isTrusted || performance.now() > guard.until) return;
  const { element, events, around } = guard;
  // The release after a press in the frame may happen anywhere.
  if (around && !guard.blocked && !event.type.endsWith("down")) return;
  const hit = event.composedPath()[0];
  const isNode = hit instanceof Node;
  // Out here an element in a closed root looks like its host; the listener inside the root decides.
  if (isNode && hidesIn(element, hit)) return;
  const ours = isNode && !around && lands(element, /** @type {Element} */ (hit));
  if (ours && !guard.blocked && saysTheSame(guard)) {
    if (!events.length) pressed(guard);
    events.push(event.type);
    return;
  }
  // The page must see the release, wherever it is: a drag may end there.
  if (events.length && !guard.blocked && event.type.endsWith("up")) return;
  const what = hit instanceof Element ? tagged(hit) + says(hit) : "the page";
  // Pressed on the right element, but it was gone before the release: no other element gets the click.
  if (events.length && !guard.blocked) guard.cut = guard.cut || what;
  else guard.blocked = guard.blocked || what;
  event.preventDefault();
  event.stopImmediatePropagation();
}

/** What follows our click is attributed to it. @param {Guard} armed */
const saysTheSame = (armed) =>
  armed.wording === null || armed.events.includes("click") || wordsOf(armed.element) === armed.wording;

/**
 * Reported at once through the binding: the document may be gone before Python can ask.
 * @param {Guard} armed
 */
function pressed(armed) {
  armed.until += HELD_MS;
  if (typeof globalThis.pilothousePressed === "function") globalThis.pilothousePressed("");
}

/**
 * Everything that a name can be made of, without the cost of computing the name.
 * @param {Element} element
 */
function wordsOf(element) {
  /** @type {(string | null | undefined)[]} */
  const words = [element.textContent.slice(0, 2000)];
  for (const name of ["aria-label", "title", "alt", "placeholder"])
    words.push(element.getAttribute(name));
  const button = /** @type {HTMLInputElement} */ (element);
  if (/^(button|submit|reset)$/.test(button.type)) words.push(button.value);
  for (const label of element.labels || []) words.push(label.textContent);
  for (const id of (element.getAttribute("aria-labelledby") || "").split(space))
    if (id) words.push(/** @type {Document} */ (element.getRootNode()).getElementById?.(id)?.textContent);
  for (const image of element.querySelectorAll("img[alt],[aria-label]"))
    words.push(image.getAttribute("aria-label") || image.alt);
  return words.join("\n");
}

/** @param {Element} element */
function closedAround(element) {
  /** @type {ShadowRoot[]} */
  const found = [];
  for (let root = element.getRootNode(); root && root.nodeType === 11; ) {
    const host = /** @type {ShadowRoot} */ (root).host || hostOf(root);
    if (!host) break;
    if (closedRoots.get(host) === root) found.push(/** @type {ShadowRoot} */ (root));
    root = host.getRootNode();
  }
  return found;
}

/**
 * From outside, everything in a closed root looks like its host.
 * @param {Element} element @param {Node} host
 */
export function hidesIn(element, host) {
  for (let root = element.getRootNode(); root && root.nodeType === 11; ) {
    const outer = /** @type {ShadowRoot} */ (root).host || hostOf(root);
    if (!outer) return false;
    if (outer === host) return closedRoots.has(outer);
    root = outer.getRootNode();
  }
  return false;
}

/**
 * @typedef {{ observer: MutationObserver, counts: Record<string, number>, focus: Element | null, href: string,
 *   told: ((changed: boolean) => void) | null, live: Map<Element, string | null>, invalid: Set<Element>,
 *   tried: boolean, submitted: boolean, chooser?: boolean, download?: Event }} Watch
 */
/** @type {Watch | null} */
let watch = null;
/** @type {Set<ShadowRoot>} */
const knownRoots = new Set();

/** @param {ShadowRoot} root */
export const seenRoot = (root) => {
  if (knownRoots.size < 500) knownRoots.add(root);
};

// Count every change of this document from now on.
export function watchEffects() {
  watch?.observer.disconnect();
  const counts = { added: 0, removed: 0, attributes: 0, text: 0, inputs: 0, scrolled: 0 };
  const observer = new MutationObserver(noteChanges);
  const what = { childList: true, attributes: true, characterData: true, subtree: true };
  observer.observe(document, what);
  for (const root of knownRoots) {
    if (root.isConnected) observer.observe(root, what);
    else knownRoots.delete(root);
  }
  watch = {
    observer, counts, focus: activeElement(), href: location.href, told: null,
    live: liveTexts(), invalid: new Set(), tried: false, submitted: false,
  };
  for (const [type, note] of NOTED) addEventListener(type, note, true);
}

// Live regions: alerts and status messages.
const LIVE = "[role=alert],[role=status],[role=alertdialog],output,[aria-live=polite],[aria-live=assertive]";
const MOST_LIVE = 200;
const ALERTS_TOLD = 5;
const ALERT_LENGTH = 200;

function liveRegions() {
  const found = [...document.querySelectorAll(LIVE)];
  for (const root of knownRoots) if (root.isConnected) found.push(...root.querySelectorAll(LIVE));
  return found.slice(0, MOST_LIVE);
}

const liveTexts = () => new Map(liveRegions().map((region) => [region, region.textContent]));

/**
 * Texts of live regions that were not there before, outermost first.
 * @param {Map<Element, string | null>} before
 */
function newAlerts(before) {
  const said = [];
  let within = null;
  for (const region of liveRegions()) {
    if (within && within.contains(region)) continue;
    if (region.textContent === (before.get(region) ?? "")) continue;
    if (!region.checkVisibility({ opacityProperty: true, visibilityProperty: true })) continue;
    const text = clip(tidy(/** @type {HTMLElement} */ (region).innerText ?? region.textContent), ALERT_LENGTH);
    if (!text) continue;
    within = region;
    const kind = region.getAttribute("role") === "status" || region.localName === "output" ? "status" : "alert";
    said.push(`${kind}: ${text}`);
    if (said.length === ALERTS_TOLD) break;
  }
  return said;
}

// Fields for which the browser refused to submit their form.
const INVALID_TOLD = 5;

/** @param {Event} event */
function noteInvalid(event) {
  const field = event.composedPath()[0];
  if (watch && event.isTrusted && watch.invalid.size < INVALID_TOLD) watch.invalid.add(/** @type {Element} */ (field));
}

function noteSubmit() {
  if (watch) watch.submitted = true;
}

/** @param {Event} event */
function noteTry(event) {
  if (!watch) return;
  const hit = /** @type {Element} */ (event.composedPath()[0]);
  // A script may click the file input on behalf of the person.
  if (event.type === "click" && hit.localName === "input" && hit.type === "file") watch.chooser = true;
  if (event.type === "click" && hit instanceof Element && Element.prototype.closest.call(hit, "a[download]"))
    watch.download = event;
  if (!event.isTrusted) return;
  const button = hit instanceof Element ? /** @type {HTMLInputElement | null} */ (Element.prototype.closest.call(hit, "button,input")) : null;
  if (event.type === "keydown" ? /** @type {KeyboardEvent} */ (event).key === "Enter" : button && /^(submit|image)$/.test(button.type))
    watch.tried = true;
}

/** @param {Watch} seen */
function complaints(seen) {
  if (!seen.invalid.size || seen.submitted) return [];
  beginNames();
  return Array.from(seen.invalid, (field) => {
    const [role, name] = identity(field);
    return `${clip(name || role, 60)}: ${clip(tidy(field.validationMessage || "not valid"), 160)}`;
  });
}

/** @param {MutationRecord[]} records */
function noteChanges(records) {
  if (!watch) return;
  const { counts } = watch;
  for (const record of records) {
    if (record.type === "childList") {
      counts.added += record.addedNodes.length;
      counts.removed += record.removedNodes.length;
    } else if (record.type === "attributes") counts.attributes++;
    else counts.text++;
  }
  tell();
}

function noteInput() {
  if (watch) watch.counts.inputs++;
  tell();
}

function noteScroll() {
  if (watch) watch.counts.scrolled++;
}

/** @type {[string, (event: Event) => void][]} */
const NOTED = [
  ["input", noteInput], ["change", noteInput], ["scroll", noteScroll], ["invalid", noteInvalid],
  ["submit", noteSubmit], ["click", noteTry], ["keydown", noteTry],
];

function tell() {
  if (watch?.told) watch.told(true);
}

// Resolves at the next change; at once if there was one already.
export const changedNow = () =>
  new Promise((resolve) => {
    if (!watch) return resolve(false);
    noteChanges(watch.observer.takeRecords());
    const { added, removed, attributes, text, inputs } = watch.counts;
    if (added + removed + attributes + text + inputs) return resolve(true);
    watch.told = resolve;
  });

/**
 * What has changed since `watch`; `done` ends the watch.
 * @param {boolean} done
 */
export function collectEffects(done) {
  /** @type {Record<string, unknown>} */
  const answer = { events: [], blocked: "", cut: "" };
  if (guard) {
    const { events, blocked, cut } = guard;
    Object.assign(answer, { events, blocked, cut });
  }
  if (watch) {
    noteChanges(watch.observer.takeRecords());
    Object.assign(answer, watch.counts);
    const active = activeElement();
    if (active !== watch.focus) answer.focus = focusText(active);
    if (location.href !== watch.href) answer.url = location.href;
    answer.title = document.title;
    if (watch.chooser) answer.chooser = true;
    if (watch.download && !watch.download.defaultPrevented) answer.download = true;
    if (done) {
      answer.alerts = newAlerts(watch.live);
      answer[watch.tried ? "refused" : "invalid"] = complaints(watch);
    }
  }
  if (done) {
    disarm();
    watch?.observer.disconnect();
    if (watch?.told) watch.told(false);
    for (const [type, note] of NOTED) removeEventListener(type, note, true);
    watch = null;
    // Update styles and layout now, so that Chrome's counters are stable for the next snapshot.
    document.documentElement?.getBoundingClientRect();
  }
  return answer;
}

/** @param {Element | null} element */
export function focusText(element) {
  if (!element || element === document.body || element === document.documentElement) return "nothing";
  beginNames();
  const [role, name] = identity(element);
  return name ? `${role} "${clip(name, 60)}"` : `${role} ${tagged(element)}`;
}

// Whether the press that starts a drag reached its element.
export const isGripped = () => !guard || (guard.events.length > 0 && !guard.blocked);
