// How the page reacts to a drag: whether it started, is accepted, and was dropped.

import { heldElement } from "./form_fields.js";
import { tagged } from "./imports_from_snapshot_bundle.js";

/** @type {("dragstart" | "dragover" | "drop")[]} */
const DRAGS = ["dragstart", "dragover", "drop"];
/**
 * @typedef {{ dragstart: DragEvent | null, dragover: DragEvent | null, drop: DragEvent | null,
 *   files: string[] | null }} Drag
 */
/** @type {Drag | null} */
let drag = null;

/** @param {DragEvent} event */
function noteDrag(event) {
  if (!drag || !event.isTrusted) return;
  // Keep the event itself: what later listeners do with it is only known afterwards.
  drag[/** @type {"dragstart" | "dragover" | "drop"} */ (event.type)] = event;
  if (event.type === "drop") drag.files = [.../** @type {DataTransfer} */ (event.dataTransfer).files].map((file) => file.name);
}

/**
 * No handler took the files: without this the browser would navigate to them.
 * @param {Event} event
 */
function keepPage(event) {
  const hit = /** @type {Element} */ (event.composedPath()[0]);
  if (drag?.files?.length && !(hit.localName === "input" && hit.type === "file")) event.preventDefault();
}

export function dragWatch() {
  if (!drag) {
    for (const type of DRAGS) addEventListener(type, noteDrag, true);
    addEventListener("drop", keepPage);
  }
  drag = { dragstart: null, dragover: null, drop: null, files: null };
}

export function dragState() {
  const { dragstart, dragover, drop, files } = drag || {};
  return {
    began: !!dragstart && !dragstart.defaultPrevented,
    welcome: !!dragover && dragover.defaultPrevented,
    dropped: !!drop,
    on: drop?.target instanceof Element ? tagged(drop.target) : "",
    files: files || [],
  };
}

export function dragEnd() {
  drag = null;
  for (const type of DRAGS) removeEventListener(type, noteDrag, true);
  removeEventListener("drop", keepPage);
}

// Files of inputs: what an input accepts, and what it got, even if the page clears it at once. The input of
// a file chooser need not be in the document.
/** @type {{ element: HTMLInputElement, given: string[] | null } | null} */
let taker = null;

/** @param {Element | null} element */
export function takes(element) {
  if (!(element?.localName === "input" && element.type === "file")) return { state: "other" };
  const input = /** @type {HTMLInputElement} */ (element);
  /** @type {{ element: HTMLInputElement, given: string[] | null }} */
  const mine = (taker = { element: input, given: null });
  const note = () => (mine.given = fileNames(input));
  for (const type of ["input", "change"]) element.addEventListener(type, note, { capture: true, once: true });
  const { multiple, accept, webkitdirectory: folder } = input;
  return { state: "ok", multiple, accept, folder };
}

/** @param {HTMLInputElement} input */
const fileNames = (input) => [.../** @type {FileList} */ (input.files)].map((file) => file.name);
/** @param {Target} target */
export const fileInput = (target) => takes(heldElement(target));
export const filesGiven = () => ({ given: taker?.given || null, now: taker ? fileNames(taker.element) : [] });
