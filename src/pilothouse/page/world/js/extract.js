// Extraction: a page, a part of it or its article as markdown or plain text. One pass over the composed tree
// (extract_text_writer.js), one string out. extract_article.js finds the article.

import { Copy, copyBody, findArticle, keptOf, lastCopy, leading } from "./extract_article.js";
import { Reader } from "./extract_text_writer.js";
import { beginNames, meetDocument, suspect } from "./imports_from_snapshot_bundle.js";

/** @param {string | undefined} selector */
function readTop(selector) {
  if (!selector) return [document.body || document.documentElement];
  return [...document.querySelectorAll(selector)].filter(
    (found, _, all) => !all.some((other) => other !== found && other.contains(found)),
  );
}

/**
 * @typedef {{ reader: { text: string, suspects: Element[] }, tops: (Element | null)[], what: string }} Extracted
 */

function beginReading() {
  beginNames();
  meetDocument();
}

/** @param {(Element | null)[]} tops @param {ReaderOptions} options */
function readAll(tops, options) {
  if (!options.judged) beginReading(); // what is kept of styles holds only while no script runs
  const reader = new Reader(options);
  for (const top of tops) {
    if (top) reader.element(top);
    reader.gap();
  }
  return { text: reader.done(), suspects: reader.suspects };
}

// Where the content of a page without an article is looked for.
const LANDMARKS = ["main article", "article", "main", "[role='main']"];

/**
 * The first landmark with content, or the whole page.
 * @param {ExtractOptions} options @returns {Extracted}
 */
function readLandmark(options) {
  for (const selector of LANDMARKS) {
    const top = document.querySelector(selector);
    const reader = top && readAll([top], options);
    if (reader && reader.text !== "") return { reader, tops: [top], what: "main" };
  }
  return readWhole({ ...options, selector: "" });
}

/** @param {ExtractOptions} options @returns {Extracted} */
function readWhole(options) {
  const tops = readTop(options.selector);
  return { reader: readAll(tops, options), tops, what: options.selector ? "selection" : "page" };
}

/**
 * The text of this frame: {text, title, url, lang, what, found, suspects}.
 * @param {Extracted} extracted @param {ExtractOptions} options
 * @param {{ suspects?: Element[], framed?: boolean, large?: boolean, marks?: Record<string, number[]> }} more
 */
function told({ reader, tops, what }, options, more) {
  // Everything is hidden, behind a curtain or until a script shows it: better than nothing.
  if (reader.text === "" && what !== "article" && tops.some((top) => top && top.textContent.trim())) {
    reader = readAll(tops, { ...options, hidden: true });
    if (reader.text !== "") what = "hidden";
  }
  const { title } = document;
  const lang = document.documentElement ? document.documentElement.lang : "";
  const suspected = suspect(more.suspects || reader.suspects);
  const found = { what, found: tops.length };
  return { text: reader.text, title, url: location.href, lang, ...found, ...more, suspects: suspected };
}

/**
 * The page, or what matches a selector. `options`: format, selector, links, images.
 * @param {ExtractOptions} options
 */
export function extractText(options) {
  let read;
  try {
    read = readWhole(options);
  } catch (error) {
    if (/** @type {Error} */ (error).name !== "SyntaxError") throw error;
    return { bad: true };
  }
  return told(read, options, {});
}

/**
 * The article; without one, a landmark's content, or else the page. `frames` are copied documents, as
 * [key, key of the parent document, element number there, copy]. `marks` of other documents are for
 * `ph.writeMarked` there; `framed`: a frame fills much of the window, so the frames should be copied.
 * @param {ExtractOptions} options @param {[key: string, outer: string, number: number, data: string][]} frames
 */
export function extractArticle(options, frames) {
  /** @type {CopiedFrames} */
  const inner = {};
  for (const [key, outer, number, data] of frames) inner[`${outer}:${number}`] = { key, data: JSON.parse(data) };
  beginReading();
  const { copy, marks, large } = findArticle(inner);
  const more = { framed: copy.framed, large: !!large, suspects: copy.suspects };
  if (marks) {
    const tops = readTop("");
    const keys = Object.keys(marks).filter((key) => key !== "");
    const reader = readAll(tops, { ...options, ...keptOf(copy, marks[""] || [], leading(inner, keys)) });
    if (reader.text !== "") return told({ reader, tops, what: "article" }, options, { ...more, marks });
  }
  return told(readLandmark(options), options, more);
}

/**
 * This document for the copy of the parent document, as JSON.
 * @param {string} key
 */
export function copyAsJson(key) {
  beginReading();
  return JSON.stringify(copyBody(key));
}

/**
 * Write what `ph.copied` marked and the article contains, with the frames of these numbers.
 * @param {ExtractOptions} options @param {number[]} marks @param {number[]} frames
 */
export function writeMarked(options, marks, frames) {
  const tops = readTop("");
  beginReading();
  const copy = lastCopy || new Copy(""); // another document since: nothing of it is known
  const reader = readAll(tops, { ...options, ...keptOf(copy, marks, frames) });
  return told({ reader, tops, what: "article" }, options, {});
}
