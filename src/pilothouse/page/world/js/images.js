// The images of this frame, as a JSON string: source, alternative text, natural and displayed size.

import { rootOf, tidy } from "./imports_from_snapshot_bundle.js";

const IMAGE_LIMIT = 2000;

/**
 * @param {Element} element @param {string} kind @param {string} source
 * @param {[width: number, height: number]} natural
 */
function imageEntry(element, kind, source, natural) {
  const box = element.getBoundingClientRect();
  const visible =
    box.width > 0 && box.height > 0 && element.checkVisibility({ visibilityProperty: true, opacityProperty: true });
  const short = source.startsWith("data:") ? source.slice(0, 80) : source;
  return {
    kind,
    src: short,
    alt: tidy(element.getAttribute("alt") || element.getAttribute("aria-label") || ""),
    naturalWidth: natural[0],
    naturalHeight: natural[1],
    x: Math.round(box.left + scrollX),
    y: Math.round(box.top + scrollY),
    width: Math.round(box.width),
    height: Math.round(box.height),
    visible,
    inViewport: visible && box.bottom > 0 && box.right > 0 && box.top < innerHeight && box.left < innerWidth,
    loaded: kind === "img" ? /** @type {HTMLImageElement} */ (element).complete && natural[0] > 0 : true,
  };
}

/** @param {Document | ShadowRoot} root @param {boolean} backgrounds @param {object[]} found */
function collectImages(root, backgrounds, found) {
  for (const element of root.querySelectorAll("*")) {
    if (found.length >= IMAGE_LIMIT) return;
    const tag = element.localName;
    if (tag === "img" || (tag === "input" && element.type === "image")) {
      const image = /** @type {HTMLImageElement} */ (element);
      const source = image.currentSrc || image.src || "";
      /** @type {[number, number]} */
      const natural = [image.naturalWidth || 0, image.naturalHeight || 0];
      if (source) found.push(imageEntry(element, "img", source, natural));
    } else if (tag === "svg" && !element.parentElement?.closest("svg")) {
      if (backgrounds) found.push(imageEntry(element, "svg", "", [0, 0]));
    } else if (tag === "video") {
      const { poster, videoWidth, videoHeight } = /** @type {HTMLVideoElement} */ (element);
      if (poster) found.push(imageEntry(element, "poster", poster, [videoWidth, videoHeight]));
    }
    if (backgrounds) {
      const shown = getComputedStyle(element).backgroundImage;
      for (const [, url] of shown.matchAll(/url\("((?:[^"\\]|\\.)*)"\)/g))
        found.push(imageEntry(element, "background", url, [0, 0]));
    }
    const inside = rootOf(element);
    if (inside) collectImages(inside, backgrounds, found);
  }
}

/** @param {boolean} backgrounds */
export function listImages(backgrounds) {
  /** @type {object[]} */
  const found = [];
  collectImages(document, backgrounds, found);
  return JSON.stringify(found);
}
