// Roles by our own rules, after WAI-ARIA 1.3, HTML-AAM, SVG-AAM and Graphics-AAM, spelled as in Chrome's
// accessibility tree. Lower-case roles are ARIA's; names with a capital (LabelText, Iframe,
// DisclosureTriangle) are Chrome's own for what ARIA has no role for.
// Knows: elements, attributes, context. Must not know: names beyond "has one", visibility, refs.

import { above } from "./refs_and_hit_tests.js";
import { knownRoles, namingElements, ownerOf, styleOf } from "./names.js";

export const hasComputedRoles = "computedRole" in Element.prototype;

export const HTML = "http://www.w3.org/1999/xhtml";
export const SVG = "http://www.w3.org/2000/svg";
/** A set that may be asked for any attribute. @param {string} words @returns {ReadonlySet<string | null | undefined>} */
export function setOf(words) {
  return new Set(words.split(" "));
}

// Every role that an author may write, and Chrome's name for it if that differs.
const ARIA_ROLES = setOf(
  "alert alertdialog application article banner blockquote button caption cell checkbox code " +
  "columnheader combobox comment complementary contentinfo definition deletion dialog directory " +
  "document emphasis feed figure form generic grid gridcell group heading image img insertion " +
  "link list listbox listitem log main mark marquee math menu menubar menuitem menuitemcheckbox " +
  "menuitemradio meter navigation none note option paragraph presentation progressbar radio " +
  "radiogroup region row rowgroup rowheader scrollbar search searchbox sectionfooter " +
  "sectionheader separator slider spinbutton status strong subscript suggestion superscript " +
  "switch tab table " +
  "tablist tabpanel term textbox time timer toolbar tooltip tree treegrid treeitem " +
  "graphics-document graphics-object graphics-symbol " +
  "doc-abstract doc-acknowledgments doc-afterword doc-appendix doc-backlink doc-biblioentry " +
  "doc-bibliography doc-biblioref doc-chapter doc-colophon doc-conclusion doc-cover doc-credit " +
  "doc-credits doc-dedication doc-endnote doc-endnotes doc-epigraph doc-epilogue doc-errata " +
  "doc-example doc-footnote doc-foreword doc-glossary doc-glossref doc-index doc-introduction " +
  "doc-noteref doc-notice doc-pagebreak doc-pagefooter doc-pageheader doc-pagelist doc-part " +
  "doc-preface doc-prologue doc-pullquote doc-qna doc-subtitle doc-tip doc-toc");
/** @type {WordTable} */
const ROLE_SYNONYMS = { img: "image", presentation: "none", directory: "list" };

// Elements whose role depends only on their tag.
// No prototype: pages may have a <constructor> element.
/** @type {WordTable} */
const TAG_ROLES = {
  __proto__: null,
  abbr: "Abbr", acronym: "Abbr", address: "group", article: "article", audio: "Audio",
  blockquote: "blockquote", br: "LineBreak", button: "button", canvas: "Canvas", code: "code",
  dd: "definition", del: "deletion", details: "group", dfn: "term", dialog: "dialog", dir: "list",
  dl: "DescriptionList", dt: "term", em: "emphasis", embed: "EmbeddedObject", fieldset: "group",
  figcaption: "Figcaption", figure: "figure", form: "form", h1: "heading", h2: "heading",
  h3: "heading", h4: "heading", h5: "heading", h6: "heading", hgroup: "group", hr: "separator",
  iframe: "Iframe", ins: "insertion", label: "LabelText", legend: "Legend",
  main: "main", mark: "mark", menu: "list", meter: "meter", nav: "navigation",
  object: "PluginObject", ol: "list", optgroup: "group", option: "option", output: "status",
  p: "paragraph", progress: "progressbar", rt: "RubyAnnotation", ruby: "Ruby", s: "deletion",
  search: "search", strong: "strong", sub: "subscript", sup: "superscript", textarea: "textbox",
  time: "time", ul: "list", video: "Video",
};
/** @type {WordTable} */
const INPUT_ROLES = {
  button: "button", checkbox: "checkbox", color: "ColorWell", date: "Date",
  "datetime-local": "DateTime", file: "button", hidden: "none", image: "button", month: "DateTime",
  number: "spinbutton", radio: "radio", range: "slider", reset: "button", search: "searchbox",
  submit: "button", time: "InputTime", week: "DateTime",
};
const LISTABLE_INPUTS = setOf(
  "text search url tel email number date month week time datetime-local");
/** @type {WordTable} */
const SVG_ROLES = {
  __proto__: null,
  svg: "SvgRoot", g: "group", image: "image", use: "graphics-object", rect: "graphics-symbol",
  circle: "graphics-symbol", ellipse: "graphics-symbol", line: "graphics-symbol",
  path: "graphics-symbol", polygon: "graphics-symbol", polyline: "graphics-symbol",
  foreignObject: "group",
};
/** @type {WordTable} */
const MATH_ROLES = {
  __proto__: null,
  math: "Math", mfrac: "Fraction", mi: "Identifier", mmultiscripts: "Multiscripts", mn: "Number",
  mo: "Operator", mover: "Over", mroot: "Root", mrow: "Row", msqrt: "SquareRoot", msub: "Sub",
  msubsup: "SubSup", msup: "Sup", mtable: "Table", mtd: "TableCell", mtext: "Text", mtr: "TableRow",
  munder: "Under", munderover: "UnderOver",
};
export const NOT_RENDERED = setOf("head title meta link style script base template noscript");

// The required context of a role; outside it the role does not count.
/** @type {Record<string, string[]>} */
const REQUIRED_CONTEXT = {
  listitem: ["list", "group"], option: ["listbox", "group"], treeitem: ["tree", "group"],
};
const NEEDS_NAME = setOf("region form");
const SECTIONING_ROLES = setOf("article complementary navigation");
// What makes an SVG element more than an image.
const DRAWN_PARTS =
  "text,a,foreignObject,[role],[tabindex],[aria-label],[aria-labelledby],:scope > * title";
const GLOBAL_ARIA = [
  "aria-atomic", "aria-busy", "aria-controls", "aria-current", "aria-describedby", "aria-details",
  "aria-dropeffect", "aria-flowto", "aria-grabbed", "aria-keyshortcuts", "aria-label",
  "aria-labelledby", "aria-live", "aria-owns", "aria-relevant", "aria-roledescription",
];

/** @param {Element} el @returns {string} */
export function ownRole(el) {
  let role = knownRoles.get(el);
  if (role === undefined) {
    role = decideRole(el);
    knownRoles.set(el, role);
  }
  return role;
}

/** @param {Element} el @returns {string} */
function decideRole(el) {
  const written = el.getAttribute("role");
  if (written) {
    const role = writtenRole(el, written);
    if (role) return role;
  }
  const role = elementRole(el);
  return role === "generic" ? styledRole(el) : role;
}

/**
 * For Chrome, boxes that CSS lays out as a list item or table are parts of one.
 * @param {Element} el
 */
function styledRole(el) {
  const display = styleOf(el).display;
  if (display === "list-item") return "listitem";
  if (isGrouped(el, display)) return "group";
  if (!display.startsWith("table") || el.closest("table")) return "generic";
  if (display === "table") return "LayoutTable";
  const parent = above(el);
  if (!parent || !styleOf(parent).display.startsWith("table")) return "generic";
  if (display === "table-row") return "LayoutTableRow";
  return display === "table-cell" ? "LayoutTableCell" : "generic";
}

// For Chrome, a box that is draggable or has autofocus is a group.
const GROUPED_TAGS = setOf("div center pre xmp listing plaintext");
/** @param {Element} el @param {string} display */
function isGrouped(el, display) {
  if (!el.hasAttribute("draggable") && !el.hasAttribute("autofocus")) return false;
  if (el.hasAttribute("role") || el.namespaceURI !== HTML || /^(?:contents|table)/.test(display)) return false;
  return GROUPED_TAGS.has(el.localName) || (el.localName === "span" && !display.startsWith("inline"));
}

/**
 * The first valid role of the list; "" leaves the element's own role.
 * @param {Element} el @param {string} written
 */
function writtenRole(el, written) {
  for (const word of written.toLowerCase().split(/\s+/)) {
    if (!ARIA_ROLES.has(word)) continue;
    const role = ROLE_SYNONYMS[word] || word;
    if (role === "none") {
      if (el.localName === "iframe") return "IframePresentational";
      return keepsMeaning(el) ? "" : "none";
    }
    if (NEEDS_NAME.has(role) && !hasAuthorName(el)) continue;
    if (REQUIRED_CONTEXT[role] && !insideOf(el, REQUIRED_CONTEXT[role])) continue;
    return role;
  }
  return "";
}

/**
 * role=none does not count if the element is focusable or has global ARIA attributes.
 * @param {Element} el
 */
function keepsMeaning(el) {
  return isFocusable(el) || GLOBAL_ARIA.some((name) => el.hasAttribute(name));
}

/** @param {Element} el */
function isFocusable(el) {
  if (el.tabIndex >= 0 && !el.disabled) return true;
  return el.hasAttribute("tabindex") && !el.disabled;
}

/** @param {Element} el */
const hasAuthorName = (el) =>
  (el.getAttribute("aria-label") || "").trim() !== "" ||
  namingElements(el).length > 0 || (el.getAttribute("title") || "").trim() !== "";

/** @param {Element} el @param {string[]} roles */
function insideOf(el, roles) {
  for (let up = ownerOf(el) || above(el); up; up = above(up)) {
    const role = ownRole(up);
    if (role !== "generic" && role !== "none") return roles.includes(role);
  }
  return false;
}

/** @param {Element} el @returns {string} */
function elementRole(el) {
  const tag = el.localName;
  if (el.namespaceURI !== HTML) {
    if (el.namespaceURI === SVG) return svgRole(el);
    return MATH_ROLES[tag] ? "MathML" + MATH_ROLES[tag] : "generic";
  }
  const always = TAG_ROLES[tag];
  if (always) return always;
  switch (tag) {
    case "div": case "span": return "generic";
    case "a": return el.matches("[href],[onclick],[onmousedown],[onmouseup]") ? "link" : "generic";
    case "area": return el.hasAttribute("href") ? "link" : "generic";
    case "li": return listItemRole(el);
    case "input": return inputRole(el);
    case "select": return el.multiple || el.size > 1 ? "listbox" : "combobox";
    case "img": return "image";
    case "summary": return isDisclosure(el) ? "DisclosureTriangle" : "generic";
    case "header": return isOfPage(el) ? "banner" : "sectionheader";
    case "footer": return isOfPage(el) ? "contentinfo" : "sectionfooter";
    case "section": return hasAuthorName(el) ? "region" : "generic";
    case "aside": return hasAuthorName(el) || !inSection(el) ? "complementary" : "generic";
    case "table": case "caption": case "thead": case "tbody": case "tfoot": case "tr": case "td":
    case "th": return tableRole(el, tag);
  }
  return NOT_RENDERED.has(tag) ? "none" : "generic";
}

/** @param {Element} el */
function inputRole(el) {
  const type = el.type;
  if (el.hasAttribute("list") && LISTABLE_INPUTS.has(type) && /** @type {HTMLInputElement} */ (el).list) return "combobox";
  return INPUT_ROLES[/** @type {string} */ (type)] || "textbox";
}

/** @param {Element} el */
function svgRole(el) {
  const tag = el.localName;
  if (tag === "svg") return el.querySelector(DRAWN_PARTS) ? "SvgRoot" : "image";
  if (tag === "a") return /** @type {SVGAElement} */ (el).href.baseVal ? "link" : "group";
  return SVG_ROLES[tag] || "generic";
}

/** @param {Element} el */
function isDisclosure(el) {
  const parent = el.parentElement;
  return parent !== null && parent.localName === "details";
}

/**
 * A list or table with role=none removes the roles of its parts, too.
 * @param {Element} el @returns {string}
 */
function listItemRole(el) {
  const parent = el.hasAttribute("role") ? null : above(el);
  if (!parent || !/^(ul|ol|menu)$/.test(parent.localName)) return "listitem";
  const told = /^\s*(none|presentation)\b/i.test(parent.getAttribute("role") || "");
  return told || ownRole(parent) !== "list" ? "none" : "listitem";
}

/**
 * A sectioning element, unless a role makes it something else.
 * @param {Element} el
 */
function startsSection(el) {
  const role = ownRole(el);
  if (SECTIONING_ROLES.has(role)) return true;
  return (el.localName === "section" || el.localName === "aside") && !el.hasAttribute("role");
}

/** @param {Element} el */
function inSection(el) {
  for (let up = above(el); up; up = above(up)) if (startsSection(up)) return true;
  return false;
}

/** @param {Element} el */
function isOfPage(el) {
  for (let up = above(el); up; up = above(up)) {
    if (startsSection(up) || ownRole(up) === "main") return false;
  }
  return true;
}

/** @param {Element} el @param {string} tag @returns {string} */
function tableRole(el, tag) {
  const table = tag === "table" ? el : el.closest("table");
  if (!table) return "generic";
  if (tag === "caption") return "caption";
  const kind = tag === "table" ? (isDataTable(/** @type {HTMLTableElement} */ (el)) ? "table" : "LayoutTable") : ownRole(table);
  if (tag === "table") return kind;
  const grid = kind === "grid" || kind === "treegrid";
  if (kind !== "table" && kind !== "LayoutTable" && !grid) return "generic";
  const layout = kind === "LayoutTable";
  if (tag === "tr") return layout ? "LayoutTableRow" : "row";
  if (tag === "td" || tag === "th") {
    if (layout) return "LayoutTableCell";
    return tag === "td" ? (grid ? "gridcell" : "cell") : headerRole(el);
  }
  return layout ? "generic" : "rowgroup";
}

/** @param {Element} el */
function headerRole(el) {
  const scope = (el.getAttribute("scope") || "").toLowerCase();
  if (scope === "row" || scope === "rowgroup") return "rowheader";
  if (scope === "col" || scope === "colgroup") return "columnheader";
  const row = el.parentElement;
  if (!row || !row.cells) return "columnheader";
  for (const cell of row.cells) {
    if (cell.localName === "td" && (cell.firstElementChild || cell.textContent.trim())) {
      return "rowheader";
    }
  }
  return "columnheader";
}

/**
 * Whether a table is a data table: its parts say so, or it is large or has borders.
 * @param {HTMLTableElement} table
 */
function isDataTable(table) {
  if (table.isContentEditable || table.caption || table.tHead || table.tFoot) return true;
  if (table.hasAttribute("summary") || table.hasAttribute("rules")) return true;
  if (table.querySelector("col")) return true;
  const rows = table.rows;
  if (rows.length === 0 || (rows.length === 1 && rows[0].cells.length < 2)) return false;
  if (table.querySelector("th,td[headers],td[scope],td[abbr],td[axis]")) return true;
  return rows.length >= 20 || isRuled(table, rows);
}

/** @param {HTMLTableElement} table @param {HTMLCollectionOf<HTMLTableRowElement>} rows */
function isRuled(table, rows) {
  const ground = styleOf(table).backgroundColor;
  let cells = 0;
  let bordered = 0;
  let coloured = 0;
  /** @type {string[]} */
  const colours = [];
  for (const row of rows) {
    const colour = styleOf(row).backgroundColor;
    colours.push(colour);
    for (const cell of row.cells) {
      const style = styleOf(cell);
      const own = style.backgroundColor;
      cells++;
      if (parseFloat(style.borderTopWidth) > 0 || parseFloat(style.borderLeftWidth) > 0) bordered++;
      if (own !== "rgba(0, 0, 0, 0)" && own !== ground) coloured++;
    }
  }
  if (cells > 1 && (2 * bordered >= cells || 2 * coloured >= cells)) return true;
  return colours.length > 2 && colours[0] !== colours[1] &&
    colours.every((colour, index) => colour === colours[index % 2]);
}
