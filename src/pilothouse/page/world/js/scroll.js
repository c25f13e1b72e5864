// Scrolling: what would move, how far it did, and where it ends.

import { heldElement } from "./form_fields.js";
import { named, tryPoints } from "./click_point.js";
import { above, beginNames, deepHit, isFrame, tagged } from "./imports_from_snapshot_bundle.js";

/** @typedef {{ element: Element } & BoxSize} ScrolledBox */
/** @type {ScrolledBox[]} */
let rolling = [];

const pageScroller = () => document.scrollingElement || document.documentElement;

/**
 * The scrollable boxes around an element, the innermost first and the page last.
 * @param {Element} element
 */
function scrollersOf(element) {
  const found = [];
  for (let at = /** @type {Element | null} */ (element); at && at !== document.documentElement && at !== document.body; at = above(at)) {
    const style = getComputedStyle(at);
    const tall = /auto|scroll/.test(style.overflowY) && at.scrollHeight > at.clientHeight;
    const wide = /auto|scroll/.test(style.overflowX) && at.scrollWidth > at.clientWidth;
    if (tall || wide || (at.localName === "textarea" && at.scrollHeight > at.clientHeight)) found.push(at);
  }
  const { body } = document;
  if (body && body !== pageScroller() && /auto|scroll/.test(getComputedStyle(body).overflowY)) found.push(body);
  return [...found, pageScroller()];
}

/** @param {Element} element */
const room = (element) => ({
  x: element.scrollLeft,
  y: element.scrollTop,
  width: Math.max(0, element.scrollWidth - element.clientWidth),
  height: Math.max(0, element.scrollHeight - element.clientHeight),
});

/**
 * Whether the page itself may scroll: some pages forbid it by style while a dialog is open.
 * @param {Element} element
 */
const locked = (element) =>
  element === pageScroller() &&
  [document.documentElement, document.body].some((one) => one && /hidden|clip/.test(getComputedStyle(one).overflowY));

/** @param {Element} element @param {number} dx @param {number} dy */
function canMove(element, dx, dy) {
  if (locked(element)) return false;
  const at = room(element);
  /** @param {number} by @param {number} from @param {number} most */
  const along = (by, from, most) => (by > 0 ? from < most - 1 : by < 0 && from > 0);
  return along(dx, at.x, at.width) || along(dy, at.y, at.height);
}

/**
 * Record what may scroll at a point (without one: where the wheel moves the page).
 * @param {[number, number] | null} point @param {number} dx @param {number} dy
 */
export function scrollStart(point, dx, dy) {
  const [x, y] = point || wheelPoint(dx, dy);
  rolling = scrollersOf(deepHit(x, y) || document.body || document.documentElement).map((element) => ({
    element,
    ...room(element),
  }));
  return { x, y, hidden: document.visibilityState === "hidden" };
}

/**
 * The middle of the visible part of an element, from its corner; null if nothing is visible.
 * @param {Target} target
 */
export function scrollPointOf(target) {
  const element = heldElement(target);
  const box = /** @type {Element} */ (element).getBoundingClientRect();
  const page = document.documentElement;
  const [left, right] = [Math.max(0, box.left), Math.min(page.clientWidth, box.right)];
  const [top, bottom] = [Math.max(0, box.top), Math.min(page.clientHeight, box.bottom)];
  if (right - left < 1 || bottom - top < 1) return null;
  return [(left + right) / 2 - box.left, (top + bottom) / 2 - box.top];
}

/** @param {number} dx @param {number} dy @returns {Point} */
function wheelPoint(dx, dy) {
  const { clientWidth, clientHeight } = document.documentElement;
  const parts = [0.5, 0.3, 0.7, 0.1, 0.9, 0.02, 0.98];
  /** @type {{ area: number, point: Point } | null} */
  let best = null;
  for (const down of parts) {
    for (const across of parts) {
      const [x, y] = [clientWidth * across, clientHeight * down];
      const hit = deepHit(x, y);
      if (!hit || isFrame(hit)) continue;
      const first = scrollersOf(hit).find((one) => canMove(one, dx, dy));
      if (!first) continue;
      if (first === pageScroller()) return [x, y];
      const area = first.clientWidth * first.clientHeight;
      if (!best || area > best.area) best = { area, point: [x, y] };
    }
  }
  return best ? best.point : [clientWidth / 2, clientHeight / 2];
}

// How far the recorded boxes have moved since, and the position of the first that did.
export function scrollState() {
  const moved = rolling.find(({ element, x, y }) => element.scrollLeft !== x || element.scrollTop !== y);
  const { element, x, y } = moved || rolling[rolling.length - 1];
  const now = room(element);
  return {
    what: element === pageScroller() ? "the page" : tagged(element),
    dx: Math.round(now.x - x),
    dy: Math.round(now.y - y),
    x: Math.round(now.x),
    y: Math.round(now.y),
    width: now.width,
    height: now.height,
  };
}

/**
 * The same without a wheel: background tabs have none.
 * @param {number} dx @param {number} dy
 */
export function scrollByPixels(dx, dy) {
  const one = rolling.find(({ element }) => canMove(element, dx, dy));
  one?.element.scrollBy({ left: dx, top: dy, behavior: "instant" });
}

/**
 * Scroll to an edge of the scrollable box around an element, or of the page.
 * @param {Target | null} target @param {string} edge
 */
export function scrollEdge(target, edge) {
  const found = target ? named(target) : null;
  if (found?.state) return found;
  const down = edge === "top" || edge === "bottom";
  const list = found ? scrollersOf(found.element) : scrollersOf(deepHit(...wheelPoint(0, 1)) || document.body);
  /** @param {Element} one */
  const fits = (one) => (down ? room(one).height : room(one).width) > 0 && !locked(one);
  const element = list.find(fits) || pageScroller();
  rolling = [{ element, ...room(element) }];
  const far = edge === "top" || edge === "left" ? 0 : 1e9;
  element.scrollTo({ [down ? "top" : "left"]: far, behavior: "instant" });
  return { state: "ok" };
}

/** @param {Target} target */
export function scrollIntoView(target) {
  beginNames();
  const found = named(target);
  if (found.state) return found;
  rolling = scrollersOf(found.element).map((element) => ({ element, ...room(element) }));
  const box = found.element.getBoundingClientRect();
  const drawn = tryPoints(found.element, found.element, undefined).point;
  const page = document.documentElement;
  const whole = box.top >= 0 && box.left >= 0 && box.bottom <= page.clientHeight && box.right <= page.clientWidth;
  if (!whole || !drawn) found.element.scrollIntoView({ block: "center", inline: "nearest", behavior: "instant" });
  return { state: "ok" };
}
