// The images of this frame, as a JSON string: source, alternative text, natural and displayed size.

import { rootOf, tidy } from "./imports_from_snapshot_bundle.js";

const IMAGE_LIMIT = 2000;

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
    loaded: kind === "img" ? element.complete && natural[0] > 0 : true,
  };
}

function collectImages(root, backgrounds, found) {
  for (const element of root.querySelectorAll("*")) {
    if (found.length >= IMAGE_LIMIT) return;
    const tag = element.localName;
    if (tag === "img" || (tag === "input" && element.type === "image")) {
      const source = element.currentSrc || element.src || "";
      const natural = [element.naturalWidth || 0, element.naturalHeight || 0];
      if (source) found.push(imageEntry(element, "img", source, natural));
    } else if (tag === "svg" && !element.parentElement?.closest("svg")) {
      if (backgrounds) found.push(imageEntry(element, "svg", "", [0, 0]));
    } else if (tag === "video" && element.poster) {
      found.push(imageEntry(element, "poster", element.poster, [element.videoWidth, element.videoHeight]));
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

export function listImages(backgrounds) {
  const found = [];
  collectImages(document, backgrounds, found);
  return JSON.stringify(found);
}
