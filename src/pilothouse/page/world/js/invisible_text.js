// Invisible text: text with a layout box that people cannot see. Pages hide text in many ways, and an agent
// must not take it for what the page says (prompt injection).
// Knows: styles and boxes. Must not know: what is done with the text. In doubt text counts as visible: white
// text over a picture is visible although its own background is white, too.

import { above } from "./refs_and_hit_tests.js";
import { styleOf } from "./names.js";
import { isBlank } from "./text_normalization.js";
import {
  inUse, placed, USED_BLEND, USED_CLIP, USED_COLOUR, USED_CONTENT_VISIBILITY, USED_FADE, USED_FILTER,
  USED_GROUND, USED_IN_TEXT, USED_INDENT, USED_MADE, USED_MASK, USED_MOVE, USED_OVERFLOW, USED_SMALL,
  USED_SPACING, USED_TURN,
} from "./used_css_properties.js";

// Colours with less opacity than this are invisible; colours that differ by no more than this are equal.
export const FAINT = 0.06;
const ALIKE = 12;
// Letter spacing beyond these multiples of the font size makes text unreadable.
const CROWDED = -0.25;
const SCATTERED = 20;
// Smaller images show nothing, whatever their alt text is.
const TINY = 4;

// Parts of a clip-path: the shape, and its numbers in px or %.
const CLIP_FORM = /^(circle|ellipse|inset|polygon|rect|xywh|path)\(([^)]*)\)/;
const CLEAR = /opacity\(0?\.?0\d*%?\)/;
const COLOURS = /rgba?\([^)]*\)|color\([^)]*\)|(?:ok)?l(?:ab|ch)\([^)]*\)/g;

// The browser's own style sheet clips the content of these at their box.
const CUT_OFF = new Set("img svg video canvas object embed".split(" "));
const PICTURES = "img,video,canvas,svg,iframe,object,embed";

// Caches, per element and pass: background colours, what paints outside the flow, and what covers text.
/** @typedef {[colour: number[], element: Element | null]} Ground */
/** @type {Map<Element, Ground | null>} */
let knownGrounds = new Map();
/** @type {Map<Element, Element[]>} */
let knownBlenders = new Map();
/** @type {PaintedBox[] | null} */
let knownBoxes = null;
/** @type {PaintedBox[] | null} */
let knownCovers = null;
/** @type {Set<Node> | null} */
let knownCovered = null;
// While a walk looks for covers: the elements it met outside the flow, and the texts it recorded.
/** @type {Element[] | null} */
export let metOut = null;
/** A text, its element, the next text, ... @type {Node[] | null} */
let notedWords = null;

export function forgetPaint() {
  knownGrounds = new Map();
  knownBlenders = new Map();
  knownBoxes = knownCovers = knownCovered = metOut = notedWords = null;
}

// Colours.

/**
 * The alpha of a colour; notations other than rgb() end in "/ 0.5)".
 * @param {string} color
 */
export function alphaOf(color) {
  if (color.startsWith("rgb(")) return 1;
  const found = /[,/] ?([\d.e-]+)(%?)\)$/.exec(color);
  return found && (color.startsWith("rgba(") || color.includes("/")) ? Number(found[1]) / (found[2] ? 100 : 1) : 1;
}

// Cached: pages have few colours, and every element needs one.
const MOST_COLOURS = 500;
/** @type {Map<string, number[] | null>} */
const knownColours = new Map();

/** @param {string} color */
export function channels(color) {
  let parts = knownColours.get(color);
  if (parts === undefined) {
    const found = /^rgba?\((\d+), (\d+), (\d+)/.exec(color);
    parts = found && [Number(found[1]), Number(found[2]), Number(found[3])];
    if (knownColours.size >= MOST_COLOURS) knownColours.clear();
    knownColours.set(color, parts);
  }
  return parts;
}

/** @param {number[]} one @param {number[]} other */
const alike = (one, other) => one.every((value, i) => Math.abs(value - other[i]) <= ALIKE);

/**
 * The background colour behind an element if only its ancestors are behind it: [colour, element]; null if
 * unknown. Images are not considered here (`pictured`). Computed once per element and pass.
 * @param {Element | null} element @returns {Ground | null}
 */
function groundOf(element) {
  if (!element) return rootGround();
  let ground = knownGrounds.get(element);
  if (ground === undefined) {
    const color = styleOf(element).backgroundColor;
    const alpha = color === "rgba(0, 0, 0, 0)" ? 0 : alphaOf(color);
    if (alpha < FAINT) ground = groundOf(above(element));
    else ground = alpha < 1 || !channels(color) ? null : [/** @type {number[]} */ (channels(color)), element];
    knownGrounds.set(element, ground);
  }
  return ground;
}

/**
 * Whether an element or an ancestor, up to the one with the background colour, has an image behind its text.
 * @param {Element} element @param {Element | null} upTo
 */
function pictured(element, upTo) {
  for (let at = /** @type {Element | null} */ (element); at; at = above(at)) {
    if (styleOf(at).backgroundImage !== "none") return true;
    if (at === upTo) return false;
  }
  return false;
}

/** The canvas is white, except in pages with a dark colour scheme. @returns {Ground | null} */
function rootGround() {
  const scheme = getComputedStyle(document.documentElement).colorScheme;
  return /dark/.test(scheme) ? null : [[255, 255, 255], null];
}

/** The colour of ink on paper, channel by channel. @type {Record<string, ((ink: number, paper: number) => number) | undefined>} */
export const BLENDS = {
  multiply: (ink, paper) => (ink * paper) / 255,
  screen: (ink, paper) => 255 - ((255 - ink) * (255 - paper)) / 255,
  darken: Math.min,
  lighten: Math.max,
  difference: (ink, paper) => Math.abs(ink - paper),
  exclusion: (ink, paper) => ink + paper - (2 * ink * paper) / 255,
  "hard-light": (ink, paper) =>
    ink < 128 ? (2 * ink * paper) / 255 : 255 - (2 * (255 - ink) * (255 - paper)) / 255,
  overlay: (ink, paper) =>
    paper < 128 ? (2 * ink * paper) / 255 : 255 - (2 * (255 - ink) * (255 - paper)) / 255,
  "color-dodge": (ink, paper) => (ink === 255 ? 255 : Math.min(255, (paper * 255) / (255 - ink))),
  "color-burn": (ink, paper) => (ink === 0 ? 0 : 255 - Math.min(255, ((255 - paper) * 255) / ink)),
  "plus-lighter": (ink, paper) => Math.min(255, ink + paper),
};

/**
 * The elements, from this one outwards, that blend with what is behind them.
 * @param {Element | null} element @returns {Element[]}
 */
function blendersOf(element) {
  if (!element) return NONE;
  let found = knownBlenders.get(element);
  if (found === undefined) {
    found = blendersOf(above(element));
    if (BLENDS[styleOf(element).mixBlendMode]) found = [element, ...found];
    knownBlenders.set(element, found);
  }
  return found;
}

/**
 * The text colour after blending with the background.
 * @param {Element} element @param {number[]} ink @param {Ground} ground
 */
function blended(element, ink, [paper, upTo]) {
  for (const at of blendersOf(element)) {
    if (at === upTo || (upTo && at.contains(upTo))) break;
    const blend = /** @type {(ink: number, paper: number) => number} */ (BLENDS[styleOf(at).mixBlendMode]);
    ink = ink.map((value, i) => blend(value, paper[i]));
  }
  return ink;
}

/**
 * Whether text is drawn by more than its colour: shadow, stroke, or background-clip: text.
 * @param {Element} element
 */
function decorated(element) {
  const { textShadow, webkitTextStrokeWidth } = styleOf(element);
  if (textShadow !== "none" || webkitTextStrokeWidth !== "0px") return true;
  for (let at = /** @type {Element | null} */ (element); at; at = above(at)) {
    const style = styleOf(at);
    if (style.backgroundClip === "text" || style.webkitBackgroundClip === "text") return true;
    if (style.display !== "inline" && style.backgroundImage !== "none") return false;
  }
  return false;
}

/** @type {Element[]} */
const NONE = [];
/** @param {DOMRect} one @param {DOMRect} other */
const overlap = (one, other) =>
  one.left < other.right && one.right > other.left && one.top < other.bottom && one.bottom > other.top;

// Everything that paints over or under text without being its ancestor: images, and positioned boxes with
// a colour. Collected once per pass, when some text is in doubt.
function paintedBoxes() {
  if (knownBoxes) return knownBoxes;
  knownBoxes = [...document.querySelectorAll(PICTURES)].map((element) => /** @type {PaintedBox} */ ({ element, picture: true }));
  for (const element of inUse & (USED_MOVE | USED_TURN) ? placed || document.querySelectorAll("body *") : []) {
    const { position, transform } = styleOf(element);
    const one = position === "static" && transform === "none" ? null : paintedBox(element);
    if (one) knownBoxes.push(one);
  }
  for (const one of knownBoxes) one.box = one.element.getBoundingClientRect();
  return knownBoxes;
}

/**
 * A box with a colour or image of its own; null for others.
 * @param {Element} element
 */
function paintedBox(element) {
  const style = styleOf(element);
  const image = style.backgroundImage !== "none";
  const alpha = style.backgroundColor === "rgba(0, 0, 0, 0)" ? 0 : alphaOf(style.backgroundColor);
  return image || alpha >= FAINT ? /** @type {PaintedBox} */ ({ element, solid: alpha === 1, style }) : null;
}

/**
 * Whether nothing but its ancestors can be behind an element's text.
 * @param {Element} element @param {Element | null} upTo
 */
function standsOn(element, upTo) {
  if (element === upTo) return true;
  const box = element.getBoundingClientRect();
  if (inUse & USED_MADE)
    for (let at = /** @type {Element | null} */ (element); at && at !== upTo; at = above(at))
      for (const made of ["::before", "::after"])
        if (!/^(?:none|normal)$/.test(getComputedStyle(at, made).content)) return false;
  return !paintedBoxes().some(
    (one) => !one.element.contains(element) && !element.contains(one.element) && overlap(box, one.box),
  );
}

// Boxes.

/** @param {string} said @param {number} whole */
const inPixels = (said, whole) =>
  said.endsWith("%") ? (parseFloat(said) / 100) * whole : parseFloat(said);

/**
 * Whether a clip-path leaves nothing of a box.
 * @param {string} path @param {DOMRect} box
 */
export function clippedAway(path, box) {
  const found = CLIP_FORM.exec(path);
  if (!found) return clippedByNothing(path);
  const said = found[2].split(/ (?:at|round) /)[0];
  const words = said.split(/[ ,]+/).filter(Boolean);
  const least = Math.min(box.width, box.height);
  switch (found[1]) {
    case "circle":
      return inPixels(words[0] || "50%", least) < 1;
    case "ellipse":
      return inPixels(words[0] || "50%", box.width) < 1 || inPixels(words[1] || "50%", box.height) < 1;
    case "inset": {
      const [top, right = top, bottom = top, left = right] = words;
      return (
        inPixels(top, box.height) + inPixels(bottom, box.height) > box.height - 1 ||
        inPixels(left, box.width) + inPixels(right, box.width) > box.width - 1
      );
    }
    case "rect":
      return words.every((word) => parseFloat(word) === parseFloat(words[0]));
    case "xywh":
      return parseFloat(words[2]) === 0 || parseFloat(words[3]) === 0;
    case "polygon":
      return polygonArea(said, box) < 1;
  }
  return false;
}

// Whether the deprecated `clip` leaves nothing of a box.
const CUT = /^rect\((\S+)px, (\S+)px, (\S+)px, (\S+)px\)$/;
/** @param {CSSStyleDeclaration} style */
export function cutAway(style) {
  const found = style.clip === "auto" ? null : CUT.exec(style.clip);
  if (!found || !/absolute|fixed/.test(style.position)) return false;
  const [top, right, bottom, left] = found.slice(1).map(Number);
  return bottom - top < 1 || right - left < 1;
}

/**
 * Clipped by an SVG element of the document that contains no shapes.
 * @param {string} path
 */
function clippedByNothing(path) {
  const found = /^url\("#([^"]+)"\)/.exec(path);
  const by = found && document.getElementById(found[1]);
  return !!by && by.childElementCount === 0;
}

/** @param {string} said @param {DOMRect} box */
function polygonArea(said, box) {
  const points = said
    .split(",")
    .map((point) => point.trim().split(/ +/))
    .filter((point) => point.length === 2)
    .map(([x, y]) => [inPixels(x, box.width), inPixels(y, box.height)]);
  const twice = points.reduce((sum, [x, y], i) => {
    const [nextX, nextY] = points[(i + 1) % points.length];
    return sum + x * nextY - nextX * y;
  }, 0);
  return Math.abs(twice / 2);
}

/**
 * Whether a mask hides everything.
 * @param {CSSStyleDeclaration} style
 */
export function maskedAway(style) {
  const image = style.maskImage;
  if (!image || image === "none") return false;
  if (/^0(?:px|%)(?: 0(?:px|%))?$/.test(style.maskSize)) return true;
  const colours = /gradient\(/.test(image) && !/url\(/.test(image) ? image.match(COLOURS) : null;
  return !!colours && colours.every((color) => alphaOf(color) < FAINT);
}

/**
 * A box of which nothing is painted, nor of its content. `used`: see used_css_properties.js.
 * @param {Element} element @param {CSSStyleDeclaration} style @param {number} used
 */
export function veiled(element, style, used) {
  if (used & USED_FADE && Number(style.opacity) < FAINT) return true;
  if (used & USED_CLIP) {
    const clip = style.clipPath;
    if (clip !== "none" && clippedAway(clip, element.getBoundingClientRect())) return true;
    if (cutAway(style)) return true;
  }
  if (used & USED_MASK && maskedAway(style)) return true;
  if (used & USED_FILTER) {
    const filter = style.filter;
    if (filter !== "none" && CLEAR.test(filter)) return true;
  }
  const picture = CUT_OFF.has(element.localName);
  const clips =
    picture ||
    (used & USED_OVERFLOW && style.overflowX !== "visible") ||
    (used & USED_CLIP && style.clip !== "auto");
  const turned = used & USED_TURN && style.transform !== "none";
  const moved = (used & USED_MOVE && style.position !== "static") || turned;
  if (moved && metOut) metOut.push(element);
  if (!clips && !moved) return false;
  const box = element.getBoundingClientRect();
  if (moved && (box.right + scrollX <= 0 || box.bottom + scrollY <= 0)) return true;
  if (picture && box.width <= TINY && box.height <= TINY) return true;
  if (clips) return box.width < 1 || box.height < 1 || (box.width <= 1 && box.height <= 1);
  if (turned && (box.width < 1 || box.height < 1)) return element.offsetWidth > 0 && element.offsetHeight > 0;
  return box.width === 0 && box.height === 0 && element.offsetWidth > 0;
}

// Elements with fallback content: their text is for browsers that cannot show them.
const FALLBACKS = /^(?:canvas|video|audio|progress|meter)$/;

/**
 * Text without size, without colour, far off to the left, overlapping, or collapsed: its own box shows it.
 * @param {Element} element @param {CSSStyleDeclaration} style @param {number} used
 */
export function unreadable(element, style, used) {
  const tag = element.localName;
  if (FALLBACKS.test(tag) || (tag === "details" && !element.open)) return true;
  if (used & USED_CONTENT_VISIBILITY && style.contentVisibility === "hidden") return true;
  if (used & USED_SMALL && parseFloat(style.fontSize) < 2) return true;
  if (used & USED_INDENT) {
    const indent = style.textIndent;
    if (indent[0] === "-" && parseFloat(indent) < -500) return true;
  }
  if (used & USED_SPACING) {
    const spacing = style.letterSpacing;
    const between = spacing === "normal" ? 0 : parseFloat(spacing) / parseFloat(style.fontSize);
    if (between < CROWDED || between > SCATTERED) return true;
  }
  return (used & (USED_COLOUR | USED_GROUND | USED_BLEND)) !== 0 && colourless(element, style, used);
}

/**
 * Text that is transparent, or has the colour of its background.
 * @param {Element} element @param {CSSStyleDeclaration} style @param {number} used
 */
function colourless(element, style, used) {
  const color = style.webkitTextFillColor;
  if (alphaOf(color) < FAINT) return !decorated(element);
  let ink = /** @type {number[]} */ (channels(color));
  const ground = ink && (used & USED_GROUND ? groundOf(element) : rootGround());
  if (!ground) return false;
  if (used & USED_BLEND) ink = blended(element, ink, ground);
  if (!alike(ink, ground[0]) || pictured(element, ground[1])) return false;
  return !decorated(element) && standsOn(element, ground[1]);
}

/**
 * Text under a box that stays over it however the page is scrolled.
 * Finding such boxes means reading the position of every element. The walk does that anyway: it records its
 * texts, checks those under the boxes it met (coversWords), and starts again if some are covered.
 * @param {Node} node @param {Element} element
 */
export function covered(node, element) {
  if (!(inUse & (USED_MOVE | USED_TURN))) return false;
  if (knownCovered) return knownCovered.has(node);
  if (notedWords) {
    notedWords.push(node, element);
    return false;
  }
  knownCovers ??= paintedBoxes().filter(isCover);
  return isUnder(knownCovers, node, element);
}

export function beginCovers() {
  metOut = [];
  notedWords = [];
}

// Whether any recorded text is under a box; which ones is known from then on.
export function coversWords() {
  const painted = /** @type {Element[]} */ (metOut).map((element) => paintedBox(element));
  const covers = /** @type {PaintedBox[]} */ (painted.filter((one) => one && isCover(one)));
  for (const one of covers) one.box = one.element.getBoundingClientRect();
  const words = /** @type {Node[]} */ (notedWords);
  metOut = notedWords = null;
  if (!covers.length) return false;
  const found = new Set();
  for (let i = 0; i < words.length; i += 2) if (isUnder(covers, words[i], /** @type {Element} */ (words[i + 1]))) found.add(words[i]);
  if (found.size) knownCovered = found;
  return found.size > 0;
}

/** @param {PaintedBox} one */
function isCover(one) {
  if (one.picture || !one.solid) return false;
  const { position, opacity, visibility } = /** @type {CSSStyleDeclaration} */ (one.style);
  return opacity === "1" && visibility === "visible" && !/fixed|sticky/.test(position);
}

/** @param {PaintedBox[]} covers @param {Node} node @param {Element} element */
function isUnder(covers, node, element) {
  if (!covers.length) return false;
  const near = element.getBoundingClientRect();
  return covers.some((cover) => overlap(near, cover.box) && liesOver(cover, node, element));
}

/** @param {PaintedBox} cover @param {Node} node @param {Element} element */
function liesOver(cover, node, element) {
  if (cover.element.contains(element) || element.contains(cover.element)) return false;
  const range = document.createRange();
  range.selectNodeContents(node);
  const words = range.getBoundingClientRect();
  const { box } = cover;
  const over =
    box.left <= words.left + 1 && box.right >= words.right - 1 &&
    box.top <= words.top + 1 && box.bottom >= words.bottom - 1;
  if (!over || !words.width) return false;
  const [x, y] = [(words.left + words.right) / 2, (words.top + words.bottom) / 2];
  if (x >= 0 && y >= 0 && x < innerWidth && y < innerHeight) {
    const stack = /** @type {Document} */ (element.getRootNode()).elementsFromPoint(x, y);
    const [first, second] = [stack.indexOf(cover.element), stack.indexOf(element)];
    if (first >= 0 && second >= 0) return first < second;
  }
  return paintsLater(cover.element, element);
}

/**
 * Which of two boxes is painted later, where a hit test cannot tell.
 * @param {Element} cover @param {Element} element
 */
function paintsLater(cover, element) {
  let own = null;
  for (let at = /** @type {Element | null} */ (element); at && !at.contains(cover); at = above(at))
    if (styleOf(at).position !== "static" || styleOf(at).transform !== "none") own = at;
  /** @param {Element | null} one */
  const level = (one) => Number(one ? styleOf(one).zIndex : 0) || 0;
  if (level(cover) !== level(own)) return level(cover) > level(own);
  return !own || !!(own.compareDocumentPosition(cover) & Node.DOCUMENT_POSITION_FOLLOWING);
}

/**
 * Whether some text in an element is hidden from people although its name contains it.
 * @param {Element} element
 */
export function dim(element) {
  if (!(inUse & (USED_IN_TEXT | USED_MOVE | USED_TURN | USED_FADE | USED_CLIP | USED_MASK))) return false;
  const alone = element.firstChild;
  if (alone && !alone.nextSibling && alone.nodeType === 3)
    return unreadable(element, styleOf(element), inUse) || covered(alone, element);
  const texts = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
  for (let node = texts.nextNode(); node; node = texts.nextNode()) {
    const parent = node.parentElement;
    if (isBlank(/** @type {Text} */ (node).data) || !parent || !parent.checkVisibility()) continue;
    if (unreadable(parent, styleOf(parent), inUse) || covered(node, parent)) return true;
    for (let at = /** @type {Element | null} */ (parent); at && at !== element; at = above(at))
      if (veiled(at, styleOf(at), inUse)) return true;
  }
  return false;
}
