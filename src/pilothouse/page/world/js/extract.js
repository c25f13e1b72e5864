// Extraction: a page, a part of it or its article as markdown or plain text. One pass over the composed tree
// (extract_reader.js), one string out. extract_article.js finds the article.

const UNREAD = new Set(
  ("script style noscript template head meta link title base svg canvas video audio object embed map " +
    "datalist param source track optgroup option rp").split(" "),
);
const BREAKS = new Set(["br", "hr", "wbr"]);
const FRAMES = new Set(["iframe", "frame", "fencedframe"]);
const ROW_LIMIT = 2000;
const DEEPEST = 1200; // beyond it the stack would be at risk; nobody writes such pages by hand
// Marks where another frame's text belongs. It cannot occur in a page: NUL is never in the DOM.
const frameMark = (number) => `\0frame ${number}\0`;

const FIELD_TYPES = new Set(
  "text search url tel email number date time month week datetime-local textarea submit button reset".split(" "),
);
const PARAGRAPHS = new Set(
  ("p figure figcaption article section main aside header footer nav form fieldset address details dl " +
    "hgroup body").split(" "),
);

// Forms whose fields shadow their properties: what they return means nothing. Whether text directly in them is
// visible is unknown, so it counts as hidden.
const unaskable = (element) => isForm(element) && masked(element);
const isElement = (node) => isForm(node) || node.nodeType === 1;
const tagOf = (element) => (isForm(element) ? "form" : element.localName);
const childNodesOf = asked(Node, "childNodes");

// Children as rendered: of a shadow root, or assigned to a slot.
function shownChildren(element) {
  const root = rootOf(element);
  if (!root && tagOf(element) === "slot" && element.assignedNodes) {
    const given = element.assignedNodes();
    if (given.length) return given;
  }
  return childNodesOf(root || element);
}

// A URL worth showing; links within this page are shown by their fragment only.
function address(url, here) {
  if (!/^(https?|ftp|mailto|tel):/.test(url)) return "";
  const short = here && url.startsWith(here + "#") ? url.slice(here.length) : url;
  return short.replace(/[\s()]/g, (sign) => "%" + sign.charCodeAt(0).toString(16).padStart(2, "0"));
}

function language(pre) {
  const inner = pre.querySelector("code");
  const classes = `${pre.className} ${inner ? inner.className : ""} ${pre.parentNode.className || ""}`;
  const found = /(?:^|[\s-])(?:language|lang|highlight-source|brush:)[-\s]?([\w+#-]+)/.exec(classes);
  return found ? found[1] : "";
}

function tableRows(table) {
  const rows = [];
  for (const row of table.rows) if (getComputedStyle(row).display !== "none") rows.push(row);
  return rows;
}

// Data tables, as opposed to layout tables.
function isData(table, rows) {
  if (/^(presentation|none)$/.test(table.getAttribute("role") || "")) return false;
  if (table.querySelector("table, h1, h2, h3, form, article, iframe")) return false;
  if (table.caption || table.tHead || table.querySelector("th")) return true;
  if (rows.length < 2) return false;
  const widths = rows.map((row) => row.cells.length);
  if (Math.max(...widths) < 2) return false;
  const cells = widths.reduce((all, width) => all + width, 0);
  return table.textContent.length / cells < 200 && !table.querySelector("ul, ol, p + p");
}

function readTop(selector) {
  if (!selector) return [document.body || document.documentElement];
  return [...document.querySelectorAll(selector)].filter(
    (found, _, all) => !all.some((other) => other !== found && other.contains(found)),
  );
}

function beginReading() {
  ph.beginNames();
  meetDocument();
}

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

// The first landmark with content, or the whole page.
function readLandmark(options) {
  for (const selector of LANDMARKS) {
    const top = document.querySelector(selector);
    const reader = top && readAll([top], options);
    if (reader && reader.text !== "") return { reader, tops: [top], what: "main" };
  }
  return readWhole({ ...options, selector: "" });
}

function readWhole(options) {
  const tops = readTop(options.selector);
  return { reader: readAll(tops, options), tops, what: options.selector ? "selection" : "page" };
}

// The text of this frame: {text, title, url, lang, what, found, suspects}.
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

// The page, or what matches a selector. `options`: format, selector, links, images.
ph.extract = function (options) {
  let read;
  try {
    read = readWhole(options);
  } catch (error) {
    if (error.name !== "SyntaxError") throw error;
    return { bad: true };
  }
  return told(read, options, {});
};

// The article; without one, a landmark's content, or else the page. `frames` are copied documents, as
// [key, key of the parent document, element number there, copy]. `marks` of other documents are for
// `ph.writeMarked` there; `framed`: a frame fills much of the window, so the frames should be copied.
ph.article = function (options, frames) {
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
};

// This document for the copy of the parent document, as JSON.
ph.copied = function (key) {
  beginReading();
  lastCopy = new Copy(key);
  return JSON.stringify(document.body ? lastCopy.element(document.body, 0) : null);
};

// Write what `ph.copied` marked and the article contains, with the frames of these numbers.
ph.writeMarked = function (options, marks, frames) {
  const tops = readTop("");
  beginReading();
  const copy = lastCopy || new Copy(""); // another document since: nothing of it is known
  const reader = readAll(tops, { ...options, ...keptOf(copy, marks, frames) });
  return told({ reader, tops, what: "article" }, options, {});
};
