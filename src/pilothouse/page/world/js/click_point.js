// From a selector to a point that can be clicked, or the reason why there is none.

import { controlFor, fieldKind } from "./form_fields.js";
import { candidates, describe, matching, picked } from "./query.js";
import {
  above, activeElement, areaPoints, arm, armAround, beginNames, comesBack, deepHit, freePoint, identity,
  isDisabled, isFrame, isShown, lands, numbered, pane, pointsOf, says, scrolledOut, scrolls, tagged,
  upcomingNumber, USED_ALL, USED_FADE, veiled, WANTS_NAMES, watchEffects, within,
} from "./imports_from_snapshot_bundle.js";

const ENDS_SOON_MS = 2000;

/**
 * {state: "ok" | "missing" | "many" | "stale" | "hidden" | "unreached" | "disabled" | "covered" |
 * "readonly", ...}
 * @param {Target} target @param {ProbeNeed} need
 */
export function probeTarget(target, need) {
  beginNames();
  const found = named(target);
  if (found.state) return found;
  const element = need.control ? controlFor(found.element, need.control) : found.element;
  const said = describe(element);
  const answer = { ...said, next: upcomingNumber(), moving: false };
  if (need.frame) return frameAt(element, need, need.frame, answer);
  const shown = need.visible === false || isShown(element);
  if (!shown) return { ...answer, state: "hidden" };
  if (need.enabled && isDisabled(element)) return { ...answer, state: "disabled" };
  if (need.editable && (element.readOnly || element.getAttribute("aria-readonly") === "true"))
    return { ...answer, state: "readonly" };
  if (need.point === false) return { ...answer, ...traits(element), state: "ok" };
  const byName = !/^(css|xpath|testid)$/.test(target.kind ?? "");
  return aimed(element, { ...need, named: byName }, { ...answer, ...traits(element) });
}

/**
 * All matching elements, or that the selector is invalid.
 * @param {QueryStep} target @returns {FoundElements}
 */
export function allMatching(target) {
  try {
    return { all: matching(target) };
  } catch (error) {
    if (error === WANTS_NAMES) throw error;
    return { state: "invalid", message: String(/** @type {Error} */ (error).message || error) };
  }
}

/**
 * The element, or why there is not exactly one.
 * @param {Target} target @returns {FoundElement}
 */
export function named(target) {
  if (target.number !== undefined) return byNumber(target.number);
  const matched = allMatching(target);
  if (matched.state) return matched;
  const { all } = matched;
  if (!all.length) return { state: "missing", count: 0, inFrame: isInFrame(target.within) };
  let shown = all.length > 1 ? all.filter(isShown) : all;
  if (target.nth !== undefined) {
    const [one] = picked(all, target.nth);
    return one ? { element: one } : { state: "missing", count: shown.length || all.length };
  }
  if (shown.length > 1) shown = shown.filter((one) => !shown.some((other) => other !== one && covers(one, other)));
  if (shown.length === 1) return { element: shown[0] };
  const list = shown.length ? shown : all;
  return { state: "many", count: list.length, some: list.slice(0, 5).map(describe), next: upcomingNumber() };
}

/**
 * Whether an earlier step names a frame: Python resolves those.
 * @param {QueryStep | undefined} outer
 */
const isInFrame = (outer) => !!outer && matching(outer).some(isFrame);

/**
 * A label around its own control names the same thing.
 * @param {Element} outer @param {Element} inner
 */
const covers = (outer, inner) => outer.localName === "label" && outer.control === inner;

/** @param {number} number @returns {FoundElement} */
function byNumber(number) {
  const entry = numbered.get(number);
  const element = entry && entry.element.deref();
  if (!entry) return { state: "stale", why: "unknown" };
  const { role, name } = entry;
  if (!element || !element.isConnected)
    return { state: "stale", why: "gone", role, name, near: candidates(role, name), next: upcomingNumber() };
  if (role === "iframe") return { element };
  const [nowRole, nowName] = identity(element);
  if (nowRole === role && nowName === name) return { element };
  const now = describe(element);
  return { state: "stale", why: "changed", role, name, near: [now], next: upcomingNumber() };
}

/** @param {Element} element */
export function traits(element) {
  const type = element.localName === "input" ? element.type : "";
  return {
    local: element.localName,
    type,
    editable: element.isContentEditable,
    multiple: !!element.multiple,
    field: fieldKind(element),
    checked: checkedOf(element),
    focused: activeElement() === element,
  };
}

/** @param {Element} element */
export function checkedOf(element) {
  if (element.localName === "input" && /^(checkbox|radio)$/.test(/** @type {HTMLInputElement} */ (element).type)) return element.checked;
  const said = element.getAttribute("aria-checked") || element.getAttribute("aria-pressed");
  return said === null ? null : said === "true";
}

/**
 * Where a click has to go: the element, or the label that is drawn for it.
 * @param {Element} element
 */
function clickable(element) {
  const box = element.getBoundingClientRect();
  const style = getComputedStyle(element);
  const drawn = box.width >= 2 && box.height >= 2 && style.pointerEvents !== "none" && style.clip === "auto";
  if (drawn || !element.labels) return element;
  for (const label of element.labels) {
    const at = label.getBoundingClientRect();
    if (at.width >= 2 && at.height >= 2) return label;
  }
  return element;
}

/** @param {number} x @param {number} y */
function inView(x, y) {
  const { width, height } = pane();
  return x >= 0 && y >= 0 && x < width && y < height;
}

/** @param {Element} element @param {Offset | undefined} position */
function pointsToTry(element, position) {
  if (!position) return areaPoints(element) || pointsOf(element);
  const box = element.getBoundingClientRect();
  return [[box.left + position.x, box.top + position.y]];
}

/** @param {Element} element */
export function boxOf(element) {
  const box = element.getBoundingClientRect();
  return { x: box.x, y: box.y, width: box.width, height: box.height };
}

/**
 * Scroll it into view if necessary, and find a point where a click hits it.
 * @param {Element} element @param {ProbeNeed & { named: boolean }} need @param {object} answer
 */
function aimed(element, need, answer) {
  const drawn = clickable(element);
  let tried = tryPoints(element, drawn, need.position);
  if (!tried.point && need.scroll !== false) {
    for (const block of /** @type {ScrollLogicalPosition[]} */ (["center", "start", "end"])) {
      drawn.scrollIntoView({ block, inline: "center", behavior: "instant" });
      tried = tryPoints(element, drawn, need.position);
      if (tried.point) break;
    }
    if (!tried.point && isOutOfReach(drawn)) {
      // A skip link becomes visible with focus.
      /** @type {HTMLElement} */ (drawn).focus();
      tried = tryPoints(element, drawn, need.position);
    }
  }
  const box = boxOf(drawn);
  if (!tried.point) {
    const state = isOutOfReach(drawn) ? "unreached" : tried.cover ? "covered" : "hidden";
    return { ...answer, box, state, cover: tried.cover };
  }
  const [x, y] = tried.point;
  if (need.arm) {
    arm(element, need.named);
    watchEffects();
  }
  const moving = movement(drawn);
  return { ...answer, box, state: "ok", x, y, moving: !!moving, rests: !!moving && endsSoon(moving) };
}

/**
 * Left of or above the page, where no scrolling leads, or clipped to a point.
 * @param {Element} element
 */
function isOutOfReach(element) {
  if (veiled(element, getComputedStyle(element), USED_ALL & ~USED_FADE)) return true;
  const box = element.getBoundingClientRect();
  return (box.right + scrollX <= 0 || box.bottom + scrollY <= 0) && !comesBack(element, box);
}

/** @param {Element} element @param {Element} drawn @param {Offset | undefined} position */
export function tryPoints(element, drawn, position) {
  let cover = "";
  for (const [x, y] of pointsToTry(drawn, position)) {
    if (!inView(x, y)) continue;
    const hit = deepHit(x, y);
    if (lands(element, hit) || within(hit, drawn)) return { point: [x, y] };
    if (!cover && hit) cover = tagged(hit) + says(hit);
  }
  // An element that is covered at its centre may be free at an edge, where a person would click.
  const point = cover && !position && element.localName !== "area" ? freePoint(element, drawn) : null;
  return { point, cover };
}

/**
 * A running animation that may move the element away from under the pointer.
 * @param {Element} element
 */
function movement(element) {
  for (let at = /** @type {Element | null} */ (element); at; at = above(at)) {
    for (const animation of at.getAnimations()) {
      if (animation.playState !== "running") continue;
      const effect = /** @type {KeyframeEffect | null} */ (animation.effect);
      const frames = effect?.getKeyframes?.() || [];
      const moves = frames.some((frame) =>
        Object.keys(frame).some((name) => /^(transform|translate|left|top|right|bottom|margin|inset|width|height|scale|rotate|offset)/.test(name)),
      );
      if (moves) return animation;
    }
  }
  return null;
}

/**
 * Worth waiting for. Comparing two boxes is not enough: on a busy machine no frame may be painted between
 * them, and an element that was not painted yet has not started to move.
 * @param {Animation} animation
 */
function endsSoon(animation) {
  const effect = /** @type {AnimationEffect} */ (animation.effect);
  const end = /** @type {number} */ (effect.getComputedTiming().endTime);
  const left = end - /** @type {number} */ (animation.currentTime || 0);
  return left / Math.abs(animation.playbackRate || 1) <= ENDS_SOON_MS;
}

/**
 * For a frame element: where a point of the frame is in this document, if it is visible.
 * @param {Element} element @param {ProbeNeed} need @param {Offset} inner its point @param {object} answer
 */
function frameAt(element, need, inner, answer) {
  if (!isShown(element)) return { ...answer, state: "hidden" };
  const [x, y, scale] = pointOfFrame(element, inner);
  const hit = inView(x, y) ? deepHit(x, y) : null;
  if (hit === element) {
    if (need.arm) armAround(element);
    return { ...answer, state: "ok", x, y, scale };
  }
  if (need.scroll !== false && (!hit || scrolledOut(element, x, y) === "yes")) {
    revealPoint(element, inner);
    return { ...answer, state: "scrolled" };
  }
  return { ...answer, state: "covered", cover: hit ? tagged(hit) + says(hit) : "" };
}

/** @param {Element} element @param {Offset} inner */
function pointOfFrame(element, inner) {
  const at = originOf(element);
  return [at.x + inner.x * at.scaleX, at.y + inner.y * at.scaleY, at.scaleX];
}

/**
 * A frame may be larger than the viewport: scroll to the point, not to its middle.
 * @param {Element} element @param {Offset} inner
 */
function revealPoint(element, inner) {
  for (let at = above(element); at; at = above(at)) {
    const whole = at === document.documentElement;
    if (!whole && (at === document.body || !scrolls(getComputedStyle(at)))) continue;
    const [x, y] = pointOfFrame(element, inner);
    const box = whole ? { x: 0, y: 0, ...pane() } : at.getBoundingClientRect();
    /** @type {ScrollToOptions} */
    const by = { left: x - box.x - box.width / 2, top: y - box.y - box.height / 2, behavior: "instant" };
    (whole ? window : at).scrollBy(by);
  }
}

/**
 * The box of an element in this frame, without any checks.
 * @param {Target} target
 */
export function boxOfElement(target) {
  const found = named(target);
  return found.state ? found : { ...describe(found.element), ...boxOf(found.element), state: "ok" };
}

/**
 * Where the document of a frame element begins in this one, and its scale here.
 * @param {Element} element
 */
function originOf(element) {
  const style = getComputedStyle(element);
  const box = element.getBoundingClientRect();
  const scaleX = element.offsetWidth ? box.width / element.offsetWidth : 1;
  const scaleY = element.offsetHeight ? box.height / element.offsetHeight : 1;
  const left = element.clientLeft + parseFloat(style.paddingLeft || "0");
  const top = element.clientTop + parseFloat(style.paddingTop || "0");
  return { x: box.left + left * scaleX, y: box.top + top * scaleY, scaleX, scaleY };
}

/** @param {number} number */
export function originOfFrame(number) {
  const element = numbered.get(number)?.element.deref();
  const at = element ? originOf(element) : { x: 0, y: 0, scaleX: 1 };
  return { x: at.x, y: at.y, scale: at.scaleX };
}
export const scrolledBy = () => ({ x: scrollX, y: scrollY });
