// Reading: a page, a part of it or its article as markdown or plain text. One pass over the
// composed tree (extract_reader.js), one string out. extract_article.js decides what the article is.

const UNREAD = new Set(
  ("script style noscript template head meta link title base svg canvas video audio object embed map " +
    "datalist param source track optgroup option rp").split(" "),
);
const FRAMES = new Set(["iframe", "frame", "fencedframe"]);
const ROW_LIMIT = 2000;
const DEEPEST = 1200; // beyond it the stack would be at risk; nobody writes such pages by hand
// Where another frame's text belongs. The mark cannot stand in a page: NUL is never in the DOM.
const frameMark = (number) => `\0frame ${number}\0`;

const FIELD_TYPES = new Set(
  "text search url tel email number date time month week datetime-local textarea submit button reset".split(" "),
);
const PARAGRAPHS = new Set(
  ("p figure figcaption article section main aside header footer nav form fieldset address details dl " +
    "hgroup body").split(" "),
);

// Text for screen readers only: cut down to a point, as everyone does it.
function unseen(element, style) {
  if (style.position !== "absolute" && style.position !== "fixed") return false;
  if (style.clip === "auto" && style.clipPath === "none") return false;
  return element.offsetWidth <= 1 && element.offsetHeight <= 1;
}

// An address worth telling; parts of this page are told by their fragment alone.
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

// Tables that say something, as opposed to those that only put things beside each other.
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

function readAll(tops, options) {
  const reader = new Reader(options);
  for (const top of tops) {
    if (top) reader.element(top);
    reader.gap();
  }
  return { text: reader.done(), suspects: reader.suspects };
}

// The text of this frame: {text, title, url, lang, what, found, suspects}. `options`: format, selector,
// article, links, images.
ph.extract = function (options) {
  let tops;
  try {
    tops = readTop(options.selector);
  } catch {
    return { bad: true };
  }
  let what = options.selector ? "selection" : "page";
  let dropped = null;
  if (options.article) {
    const article = findArticle();
    if (article) {
      tops = [article.root];
      dropped = article.dropped;
      what = "article";
    }
  }
  let reader = readAll(tops, { ...options, dropped });
  if (reader.text === "" && what !== "page" && !options.selector) {
    tops = readTop("");
    what = "page";
    reader = readAll(tops, options);
  }
  // All of it is hidden, behind a curtain or for scripts to show: better than nothing.
  if (reader.text === "" && tops.some((top) => top && top.textContent.trim())) {
    reader = readAll(tops, { ...options, hidden: true });
    if (reader.text !== "") what = "hidden";
  }
  const suspected = suspect(reader.suspects);
  const { title } = document;
  const lang = document.documentElement ? document.documentElement.lang : "";
  const found = { what, found: tops.length, suspects: suspected };
  return { text: reader.text, title, url: location.href, lang, ...found };
};
