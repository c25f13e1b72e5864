// The writer behind `ph.extract`: walks the composed tree once and writes lines.

import {
  address, BREAKS, DEEPEST, FIELD_TYPES, frameMark, FRAMES, isData, isElement, language, PARAGRAPHS,
  ROW_LIMIT, shownChildren, tableRows, tagOf, unaskable, UNREAD,
} from "./extraction_tag_groups.js";
import {
  above, checkedHosts, covered, customHost, dim, FAINT, frameNumber, isBlank, meetRoot, rootOf, space,
  styleOf, tidy, unreadable, usedNow, veiled,
} from "./imports_from_snapshot_bundle.js";

export class Reader {
  /** @param {ReaderOptions} options */
  constructor(options) {
    this.markdown = options.format !== "text";
    this.links = this.markdown && options.links !== false;
    this.images = options.images !== false;
    this.kept = options.kept || null; // of an article: only these, and what leads to them
    this.way = options.way || null;
    this.judged = options.judged || null; // the copy that knows what is hidden
    this.hidden = options.hidden || false;
    this.faded = false; // inside of what is not painted, and told as such
    /** They may have closed roots. @type {Element[]} */
    this.suspects = [];
    /** @type {string[]} */
    this.lines = [];
    this.line = "";
    /** Quotes and list items. @type {{ first: string, rest: string, used: boolean }[]} */
    this.levels = [];
    this.blank = false;
    this.flat = 0; // inside a cell, a heading or a link everything is one line
    this.depth = 0;
    this.next = new WeakMap(); // ordered list -> the number of its next item
    this.here = location.href.split("#")[0];
  }

  // Lines.

  /** @param {string} text */
  say(text) {
    const flat = text.replace(space, " ");
    if (flat === "" || (flat[0] === " " && (this.line === "" || this.line.endsWith(" ")))) {
      this.line += flat.slice(1);
    } else this.line += flat;
  }

  prefix() {
    let made = "";
    for (const level of this.levels) {
      made += level.used ? level.rest : level.first;
      level.used = true;
    }
    return made;
  }

  rests() {
    let made = "";
    for (const level of this.levels) if (level.used) made += level.rest;
    return made.trimEnd();
  }

  flush() {
    if (this.flat) {
      if (this.line !== "" && !this.line.endsWith(" ")) this.line += " ";
      return;
    }
    const text = this.line.trim();
    this.line = "";
    if (text === "") return;
    if (this.blank && this.lines.length) this.lines.push(this.rests());
    this.blank = false;
    this.lines.push(this.prefix() + text);
  }

  gap() {
    this.flush();
    if (!this.flat) this.blank = true;
  }

  /** @param {string} text */
  verbatim(text) {
    this.gap();
    if (this.lines.length) this.lines.push(this.rests());
    this.blank = false;
    for (const line of text.split("\n")) this.lines.push(this.prefix() + line);
    this.blank = true;
  }

  /**
   * The text of an element on one line, separate from what was written before.
   * @param {() => void} work
   */
  aside(work) {
    const kept = this.line;
    this.line = "";
    this.flat++;
    work();
    const said = this.line.trim();
    this.flat--;
    this.line = kept;
    return said;
  }

  /** @param {Element} element @param {string} mark */
  wrapped(element, mark) {
    if (!this.markdown) return this.children(element);
    const start = this.line.length;
    const lines = this.lines.length;
    this.children(element);
    if (this.lines.length !== lines) return;
    const said = this.line.slice(start);
    const bare = said.trim();
    if (bare === "" || bare.startsWith(mark[0])) return;
    const [lead] = /** @type {RegExpMatchArray} */ (said.match(/^\s*/));
    const [tail] = /** @type {RegExpMatchArray} */ (said.match(/\s*$/));
    this.line = this.line.slice(0, start) + lead + mark + bare + mark + tail;
  }

  // The tree.

  /** @param {Node} node @param {boolean} pre */
  node(node, pre) {
    if (isElement(node)) this.element(node);
    else if (node.nodeType === 3 && (this.hidden || !this.unseen(/** @type {Text} */ (node)))) {
      const { data } = /** @type {Text} */ (node);
      if (pre && !this.flat) this.preserved(data);
      else this.say(data);
    }
  }

  /**
   * Text that people do not see, in a box that they do.
   * @param {Text} node
   */
  unseen(node) {
    if (this.judged) return this.judged.unseen.has(node);
    const parent = node.parentElement || /** @type {ShadowRoot} */ (node.parentNode).host;
    if (parent && unaskable(parent)) return true;
    // Collapsed content: a reader can expand it.
    if (!parent || isBlank(node.data) || parent.localName === "details") return false;
    return unreadable(parent, styleOf(parent), usedNow()) || covered(node, parent);
  }

  /** @param {string} text */
  preserved(text) {
    const parts = text.split("\n");
    parts.forEach((part, index) => {
      if (index) this.flush();
      this.say(part);
    });
  }

  /** @param {Element} element @param {CSSStyleDeclaration} [style] */
  children(element, style) {
    const pre = style ? style.whiteSpaceCollapse.startsWith("preserve") : false;
    const hidden = style && style.visibility !== "visible" && !this.hidden;
    const own = !this.kept || this.kept.has(element);
    for (const node of shownChildren(element)) {
      const { nodeType, data } = /** @type {Text} */ (node);
      if (nodeType === 3 && (hidden || !(own || this.kept?.has(node) || isBlank(data)))) continue;
      this.node(node, pre);
    }
  }

  /** @param {Element} element */
  element(element) {
    const tag = tagOf(element);
    if (UNREAD.has(tag) || !this.wanted(element, tag)) return;
    const root = rootOf(element);
    if (root) meetRoot(root);
    const style = styleOf(element);
    if (!this.hidden && style.display === "none") return;
    if (!this.hidden && !this.faded && this.veiled(element, style)) return this.veil(element, style);
    if (customHost(element, tag) && !checkedHosts.has(element)) this.suspects.push(element);
    if (this.depth > DEEPEST) return this.say(element.textContent);
    this.depth++;
    const how = TAGS[tag];
    if (how && (!this.kept || this.kept.has(element) || BREAKS.has(tag))) how(this, element, style);
    else this.plain(element, style);
    this.depth--;
  }

  /** @param {Element} element @param {CSSStyleDeclaration} style */
  veiled(element, style) {
    if (this.judged) return this.judged.faded.has(element);
    return !unaskable(element) && veiled(element, style, usedNow());
  }

  /**
   * Whether the article contains any of it. Breaks between its words have no mark.
   * @param {Element} element @param {string} tag
   */
  wanted(element, tag) {
    if (!this.kept || this.kept.has(element) || this.way?.has(element)) return true;
    return (BREAKS.has(tag) || FRAMES.has(tag)) && this.kept.has(/** @type {Element} */ (above(element)));
  }

  /**
   * Many pages fade text in when it is scrolled to: it is written, and reported as hidden. Text that is
   * clipped, masked or moved away is not.
   * @param {Element} element @param {CSSStyleDeclaration} style
   */
  veil(element, style) {
    if (Number(style.opacity) >= FAINT || /^(?:img|svg|iframe)$/.test(element.localName)) return;
    this.faded = true;
    const said = this.aside(() => this.children(element, style));
    this.faded = false;
    if (said === "") return;
    this.gap();
    this.line += `[hidden text: ${said}]`;
    this.gap();
  }

  /** @param {Element} element @param {CSSStyleDeclaration} style */
  plain(element, style) {
    const display = style.display;
    if (display === "inline" || display === "contents") return this.children(element, style);
    if (display.startsWith("inline")) {
      // Side by side on the page, often without a space between them in the source.
      if (this.line !== "" && !/[\s([{"'*_`-]$/.test(this.line)) this.line += " ";
      this.children(element, style);
      if (this.line !== "" && !this.line.endsWith(" ")) this.line += " ";
      return;
    }
    const apart = PARAGRAPHS.has(tagOf(element));
    if (apart) this.gap();
    else this.flush();
    this.children(element, style);
    if (apart) this.gap();
    else this.flush();
  }

  /** @param {string} first @param {string} rest @param {() => void} work */
  level(first, rest, work) {
    this.flush();
    const level = { first, rest, used: false };
    this.levels.push(level);
    work();
    this.flush();
    this.levels.pop();
  }

  /** @param {HTMLAnchorElement} element @param {CSSStyleDeclaration} style */
  link(element, style) {
    const start = this.line.length;
    this.flat++;
    this.children(element, style);
    this.flat--;
    let said = this.line.slice(start);
    let bare = said.trim();
    if (bare === "") {
      bare = tidy(element.getAttribute("aria-label") || element.title || "");
      if (bare === "") return;
      said = bare;
    }
    const to = this.links ? address(element.href, this.here) : "";
    const shown = to && !bare.includes("](") ? `[${bare}](${to})` : bare;
    const lead = /^\s/.test(said) ? " " : "";
    this.line = this.line.slice(0, start) + lead + shown + (/\s$/.test(said) ? " " : "");
  }

  /** @param {HTMLImageElement} element */
  image(element) {
    if (!this.images) return;
    const alt = tidy(element.getAttribute("alt") || "");
    if (alt === "") return;
    const source = this.links ? address(element.currentSrc || element.src || "", "") : "";
    const shown = this.markdown ? `![${alt}](${source})` : `[${alt}]`;
    if (this.line !== "" && !this.line.endsWith(" ")) this.line += " ";
    this.line += shown + " ";
  }

  /** @param {Element} element @param {CSSStyleDeclaration} style */
  heading(element, style) {
    const said = this.aside(() => this.children(element, style));
    if (said === "") return;
    this.gap();
    const level = Number(element.localName[1]);
    this.line = this.markdown && !this.flat ? `${"#".repeat(level)} ${said}` : said + " ";
    this.gap();
  }

  /** @param {Element} element @param {CSSStyleDeclaration} style */
  code(element, style) {
    if (!this.markdown || this.flat > 8) return this.children(element, style);
    const said = this.aside(() => this.children(element, style));
    if (said === "") return;
    const tick = said.includes("`") ? "``" : "`";
    this.line += `${tick}${said}${tick}`;
  }

  /** @param {HTMLPreElement} element */
  pre(element) {
    if (!this.hidden && dim(element)) return this.children(element, styleOf(element));
    const text = element.innerText.replace(/\s+$/, "").replace(/^\n/, "");
    if (text.trim() === "") return;
    if (this.flat) return this.say(text);
    if (!this.markdown) return this.verbatim(text);
    let fence = "```";
    while (text.includes(fence)) fence += "`";
    this.verbatim(`${fence}${language(element)}\n${text}\n${fence}`);
  }

  /** @param {Element} element @param {CSSStyleDeclaration} style */
  list(element, style) {
    const nested = this.levels.length > 0;
    if (nested) this.flush();
    else this.gap();
    this.children(element, style);
    if (!nested) this.gap();
  }

  /** @param {Element} element @param {CSSStyleDeclaration} style */
  item(element, style) {
    if (this.flat) {
      this.flush();
      this.children(element, style);
      return this.flush();
    }
    const parent = /** @type {Element | null} */ (element.parentNode);
    let first = "- ";
    if (parent && parent.localName === "ol")
      first = `${this.ordinal(/** @type {HTMLLIElement} */ (element), /** @type {HTMLOListElement} */ (parent))}. `;
    const rest = " ".repeat(first.length);
    this.level(first, rest, () => this.children(element, style));
    // Items stay together, whatever paragraphs are in them.
    this.blank = false;
  }

  /** @param {HTMLLIElement} item @param {HTMLOListElement} list */
  ordinal(item, list) {
    const own = item.hasAttribute("value") ? item.value : (this.next.get(list) ?? list.start);
    this.next.set(list, own + 1);
    return own;
  }

  /** @param {HTMLTableElement} element @param {CSSStyleDeclaration} style */
  table(element, style) {
    const rows = tableRows(element);
    if (!isData(element, rows)) {
      this.gap();
      this.children(element, style);
      return this.gap();
    }
    const caption = element.caption ? this.aside(() => this.children(/** @type {Element} */ (element.caption))) : "";
    const made = rows.slice(0, ROW_LIMIT).map((row) => this.row(row));
    const kept = made.filter((cells) => cells.some((cell) => cell !== ""));
    const width = kept.reduce((most, cells) => Math.max(most, cells.length), 0);
    if (!kept.length) return;
    for (const cells of kept) while (cells.length < width) cells.push("");
    if (this.flat) return this.say(kept.map((cells) => cells.join(" ")).join(" "));
    const lines = caption ? [caption, ""] : [];
    if (this.markdown) {
      lines.push(...kept.map((cells) => `| ${cells.join(" | ")} |`));
      lines.splice(caption ? 3 : 1, 0, `|${" --- |".repeat(width)}`);
    } else lines.push(...kept.map((cells) => cells.join(" | ")));
    if (rows.length > ROW_LIMIT) lines.push(`(${rows.length - ROW_LIMIT} more rows)`);
    this.verbatim(lines.join("\n"));
  }

  /** @param {HTMLTableRowElement} row */
  row(row) {
    const cells = [];
    for (const cell of row.cells) {
      if (getComputedStyle(cell).display === "none" || !this.wanted(cell, cell.localName)) continue;
      const said = this.aside(() => this.children(cell, getComputedStyle(cell)));
      cells.push(this.markdown ? said.replace(/\|/g, "\\|") : said);
      for (let more = Math.min(cell.colSpan, 50); more > 1; more--) cells.push("");
    }
    return cells;
  }

  /** @param {HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement} element */
  field(element) {
    const said =
      element.localName === "select"
        ? [.../** @type {HTMLSelectElement} */ (element).selectedOptions].map((option) => tidy(option.text)).join(", ")
        : FIELD_TYPES.has(element.type)
          ? tidy(element.value)
          : "";
    if (said) this.say(` ${said} `);
  }

  /** @param {Element} element */
  frame(element) {
    this.flush();
    this.gap();
    if (this.flat) return;
    this.line = frameMark(frameNumber(element));
    this.gap();
  }

  done() {
    this.flat = 0;
    this.flush();
    return this.lines.join("\n").trim();
  }
}

// How elements are written that are more than their display.
/** @typedef {HTMLElementTagNameMap & { math: MathMLElement }} Tags */
/** @typedef {(reader: Reader, element: Element, style: CSSStyleDeclaration) => void} Writer */
/** @type {{ [Tag in keyof Tags]?: (reader: Reader, element: Tags[Tag], style: CSSStyleDeclaration) => void }} */
const BY_TAG = {
  a: (reader, element, style) => reader.link(element, style),
  img: (reader, element) => reader.image(element),
  br: (reader) => reader.flush(),
  hr: (reader) => (reader.gap(), reader.markdown && !reader.flat && (reader.line = "---"), reader.gap()),
  pre: (reader, element) => reader.pre(element),
  code: (reader, element, style) => reader.code(element, style),
  kbd: (reader, element, style) => reader.code(element, style),
  samp: (reader, element, style) => reader.code(element, style),
  b: (reader, element) => reader.wrapped(element, "**"),
  strong: (reader, element) => reader.wrapped(element, "**"),
  i: (reader, element) => reader.wrapped(element, "*"),
  em: (reader, element) => reader.wrapped(element, "*"),
  ul: (reader, element, style) => reader.list(element, style),
  ol: (reader, element, style) => reader.list(element, style),
  menu: (reader, element, style) => reader.list(element, style),
  li: (reader, element, style) => reader.item(element, style),
  dt: (reader, element) => (reader.gap(), reader.wrapped(element, "**"), reader.flush()),
  dd: (reader, element, style) =>
    reader.flat || !reader.markdown
      ? reader.plain(element, style)
      : reader.level(": ", "  ", () => reader.children(element, style)),
  blockquote: (reader, element, style) => {
    reader.gap();
    if (reader.flat) return reader.children(element, style);
    const mark = reader.markdown ? "> " : "";
    reader.level(mark, mark, () => reader.children(element, style));
    reader.gap();
  },
  table: (reader, element, style) => reader.table(element, style),
  math: (reader, element) => reader.say(element.getAttribute("alttext") || element.textContent),
  input: (reader, element) => reader.field(element),
  textarea: (reader, element) => reader.field(element),
  select: (reader, element) => reader.field(element),
};
const TAGS = /** @type {Record<string, Writer | undefined>} */ (BY_TAG);
for (const tag of ["h1", "h2", "h3", "h4", "h5", "h6"])
  TAGS[tag] = (reader, element, style) => reader.heading(element, style);
for (const tag of FRAMES) TAGS[tag] = (reader, element) => reader.frame(element);
