// What kinds of elements extraction treats alike, and facts about elements that it reads.

import { asked, isForm, masked, rootOf } from "./imports_from_snapshot_bundle.js";

export const UNREAD = new Set(
  ("script style noscript template head meta link title base svg canvas video audio object embed map " +
    "datalist param source track optgroup option rp").split(" "),
);
export const BREAKS = new Set(["br", "hr", "wbr"]);
export const FRAMES = new Set(["iframe", "frame", "fencedframe"]);
export const ROW_LIMIT = 2000;
export const DEEPEST = 1200; // beyond it the stack would be at risk; nobody writes such pages by hand
/**
 * Marks where another frame's text belongs. It cannot occur in a page: NUL is never in the DOM.
 * @param {number} number
 */
export const frameMark = (number) => `\0frame ${number}\0`;

export const FIELD_TYPES = new Set(
  "text search url tel email number date time month week datetime-local textarea submit button reset".split(" "),
);
export const PARAGRAPHS = new Set(
  ("p figure figcaption article section main aside header footer nav form fieldset address details dl " +
    "hgroup body").split(" "),
);

/**
 * Forms whose fields shadow their properties: what they return means nothing. Whether text directly in them is
 * visible is unknown, so it counts as hidden.
 * @param {Element} element
 */
export const unaskable = (element) => isForm(element) && masked(element);
/** @param {Node} node @returns {node is Element} */
export const isElement = (node) => isForm(node) || node.nodeType === 1;
/** @param {Element} element */
export const tagOf = (element) => (isForm(element) ? "form" : element.localName);
const childNodesOf = asked(Node, "childNodes");

/**
 * Children as rendered: of a shadow root, or assigned to a slot.
 * @param {Element} element
 */
export function shownChildren(element) {
  const root = rootOf(element);
  const slot = /** @type {HTMLSlotElement} */ (element);
  if (!root && tagOf(element) === "slot" && slot.assignedNodes) {
    const given = slot.assignedNodes();
    if (given.length) return given;
  }
  return childNodesOf(root || element);
}

/**
 * A URL worth showing; links within this page are shown by their fragment only.
 * @param {string} url @param {string} here
 */
export function address(url, here) {
  if (!/^(https?|ftp|mailto|tel):/.test(url)) return "";
  const short = here && url.startsWith(here + "#") ? url.slice(here.length) : url;
  return short.replace(/[\s()]/g, (sign) => "%" + sign.charCodeAt(0).toString(16).padStart(2, "0"));
}

/** @param {HTMLElement} pre */
export function language(pre) {
  const inner = pre.querySelector("code");
  const classes = `${pre.className} ${inner ? inner.className : ""} ${/** @type {Element} */ (pre.parentNode).className || ""}`;
  const found = /(?:^|[\s-])(?:language|lang|highlight-source|brush:)[-\s]?([\w+#-]+)/.exec(classes);
  return found ? found[1] : "";
}

/** @param {HTMLTableElement} table */
export function tableRows(table) {
  const rows = [];
  for (const row of table.rows) if (getComputedStyle(row).display !== "none") rows.push(row);
  return rows;
}

/**
 * Data tables, as opposed to layout tables.
 * @param {HTMLTableElement} table @param {HTMLTableRowElement[]} rows
 */
export function isData(table, rows) {
  if (/^(presentation|none)$/.test(table.getAttribute("role") || "")) return false;
  if (table.querySelector("table, h1, h2, h3, form, article, iframe")) return false;
  if (table.caption || table.tHead || table.querySelector("th")) return true;
  if (rows.length < 2) return false;
  const widths = rows.map((row) => row.cells.length);
  if (Math.max(...widths) < 2) return false;
  const cells = widths.reduce((all, width) => all + width, 0);
  return table.textContent.length / cells < 200 && !table.querySelector("ul, ol, p + p");
}
