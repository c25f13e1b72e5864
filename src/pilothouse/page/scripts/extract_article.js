// Which part of a page is its article: every run of text gets a weight, the subtree with the greatest
// sum wins, and what weighs less than nothing inside it is left out. Linear in the page.

const ASIDE_TAGS = new Set("nav footer aside form button menu dialog select".split(" "));
const ASIDE_ROLES = /^(navigation|banner|contentinfo|complementary|search|dialog|alertdialog|menu|menubar|toolbar|tablist)$/;
// Classes and ids that name what stands beside an article: these words anywhere in them, ...
const ASIDE_NAMES =
  /(^|[_-])(comments?|kommentare?|commentlist|disqus|respond|replies|sharing|sharebar|sharedaddy|social|related\w*|similar|recommend\w*|promos?|promobox|sidebar|cookies?|consent|gdpr|newsletter|subscribe|signup|breadcrumbs?|pagination|pager|navbar|navigation|topbar|footer|masthead|adbox|outbrain|taboola|popup|modal|tagcloud|author-?(bio|box|info)|toolbar|skip-?links?|most-?(read|popular)|trending|hatnote|navbox|editsection|jp-relatedposts|screen-reader-text)($|[_-])/i;
// ... these only as the whole of one: as parts they stand in names of all kinds.
const ASIDE_WORDS = new Set(
  ("share shares sharing menu nav navi foot widget widgets ad ads advert advertisement advertising " +
    "banner sponsor sponsored overlay tag tags taglist meta byline postmeta post-meta entry-meta " +
    "article-meta teaser teasers toc reflist noprint print-only wpcnt hidden-print sr-only " +
    "visually-hidden post-tags entry-footer post-footer share-buttons social-share post-share " +
    "article-tags post-navigation nav-links author author-info about-author").split(" "),
);
const BODY_NAMES =
  /(^|[\s_-])(article-?(body|content|text)|story-?(body|content|text)|post-?(body|content|text)|entry-?(content|text)|body-?(content|text)|main-?(content|text)|content-?(body|main)|articlebody|storybody|hentry|markdown-body|mw-parser-output)($|[\s_-])/i;
const SENTENCE = /[.!?…。！？؟।:;]["'”’»)\]]*\s*$/;
const COMMA = /[,،、，;]/g;
const BLOCKS = /^(block|flex|grid|table|list-item|table-cell|table-row|table-row-group|flow-root|table-caption)/;
const HEADINGS = /^h[1-6]$/;
const KEPT = /^(pre|code|p|li|dt|dd|table|t[rdh]|t(body|head|foot)|figcaption|caption)$/;
const LEAST = 140; // an article has more letters than that
const MOST_DEEP = 1500;

class Weigher {
  constructor() {
    this.best = null;
    this.found = new Map(); // block element -> its record
  }

  // What an element's own runs of text weigh, and those of the blocks in it.
  weigh(element, depth, parent) {
    const record = { element, parent, sum: 0, text: 0, link: 0, positive: 0, links: 0, inner: [] };
    // Whether it holds what is never left out for being short.
    record.kept = /^(li|td|pre|h1)$/.test(element.localName);
    record.aside = false;
    this.found.set(element, record);
    let run = { text: 0, link: 0, commas: 0, tail: "" };
    const close = () => {
      const weight = weightOf(run, element);
      record.sum += weight;
      if (weight > 0) record.positive += weight;
      record.text += run.text;
      record.link += run.link;
      run = { text: 0, link: 0, commas: 0, tail: "" };
    };
    const block = (child) => {
      close();
      const inner = this.weigh(child, depth + 1, record);
      record.inner.push(inner);
      record.positive += inner.positive;
      record.links += inner.links;
      record.kept ||= inner.kept;
      record.text += inner.text;
      record.link += inner.link;
    };
    this.runs(element, false, depth, block, () => run, record);
    close();
    return record;
  }

  // Inline content goes into the present run; blocks are handed over.
  runs(element, linked, depth, block, run, record) {
    if (depth > MOST_DEEP) return;
    const root = rootOf(element);
    let nodes = (root || element).childNodes;
    if (element.localName === "slot" && element.assignedNodes && element.assignedNodes().length)
      nodes = element.assignedNodes();
    for (const node of nodes) {
      if (node.nodeType === 3) {
        const text = node.data.trim();
        if (text) addTo(run(), text, linked);
      } else if (node.nodeType === 1 && !UNREAD.has(node.localName) && !FRAMES.has(node.localName)) {
        const { display } = getComputedStyle(node);
        if (display === "none") continue;
        const link = node.localName === "a";
        if (link) record.links++;
        if (BLOCKS.test(display)) block(node);
        else this.runs(node, linked || link, depth + 1, block, run, record);
      }
    }
  }

  // The sums, from below; what stands aside does not speak for the article, however long it is,
  // unless it is most of the page: then its name says nothing.
  settle(record, total) {
    for (const inner of record.inner) {
      this.settle(inner, total);
      record.sum += inner.sum;
    }
    record.aside = record.positive < total * 0.5 && isAside(record.element);
    if (record.aside && record.sum > 0) record.sum *= -0.3;
    if (isBody(record.element)) record.sum *= 1.15;
    if (!record.aside && (!this.best || record.sum > this.best.sum)) this.best = record;
  }

  // Further up as long as that brings more of the article than of anything else.
  root() {
    let record = this.best;
    for (let up = record.parent; up; up = up.parent) {
      if (up.aside || up.element === document.body || up.sum < this.best.sum * 0.9) break;
      if (up.positive > record.positive * 1.02) record = up;
    }
    return record;
  }
}

function addTo(run, text, linked) {
  const length = text.length * (/[\u3040-\u9fff\uac00-\ud7af\u0e00-\u0e7f]/.test(text) ? 3 : 1);
  run.text += length;
  if (linked) run.link += length;
  else run.commas += (text.match(COMMA) || []).length;
  run.tail = text.slice(-12);
}

function weightOf(run, element) {
  if (run.text === 0) return 0;
  const plain = run.text - run.link;
  if (HEADINGS.test(element.localName)) return 0;
  if (run.link > run.text * 0.5) return -Math.min(run.link, 120) * 0.5 - 5;
  if (element.localName === "pre") return plain * 0.6;
  if (run.text >= 80) return plain - run.link + run.commas * 10;
  if (SENTENCE.test(run.tail)) return (plain - run.link) * 0.8;
  return element.localName === "p" ? plain * 0.3 : -6;
}

function isAside(element) {
  const tag = element.localName;
  if (tag === "body" || tag === "html" || tag === "main" || tag === "article") return false;
  if (ASIDE_TAGS.has(tag)) return !(tag === "form" && element.querySelector("article, h1"));
  const role = element.getAttribute("role");
  if (role && ASIDE_ROLES.test(role)) return true;
  if (tag === "header") return !element.closest("article, main");
  const names = namesOf(element).trim();
  if (names === "" || isBody(element)) return false;
  return names.split(space).some((name) => ASIDE_WORDS.has(name.toLowerCase()) || ASIDE_NAMES.test(name));
}

const namesOf = (element) =>
  `${typeof element.className === "string" ? element.className : ""} ${element.id}`;

function isBody(element) {
  if (element.localName === "article" || element.localName === "main") return true;
  if (element.getAttribute("role") === "main") return true;
  if (/articleBody/.test(element.getAttribute("itemprop") || "")) return true;
  return BODY_NAMES.test(namesOf(element));
}

// Everything below the root that is beside the article.
function besides(root, weigher) {
  const dropped = new Set();
  const visit = (element, depth) => {
    if (depth > MOST_DEEP) return;
    for (const child of element.children) {
      const seen = weigher.found.get(child);
      if (seen && leftOut(child, seen, weigher.best.positive)) dropped.add(child);
      else visit(child, depth + 1);
    }
    const inside = element.shadowRoot;
    if (inside) visit(inside, depth + 1);
  };
  visit(root, 0);
  return dropped;
}

function leftOut(element, seen, most) {
  if (seen.aside) return true;
  if (seen.text === 0 || KEPT.test(element.localName)) return false;
  // Short lines that are no sentences: who took the picture, how long it takes to read, "share".
  if (seen.positive === 0 && seen.sum < 0 && seen.text < 60 && !seen.kept)
    return !HEADINGS.test(element.localName);
  if (seen.links >= 3 && seen.link > seen.text * 0.6 && seen.sum < 0) return true;
  return seen.links >= 2 && seen.link > seen.text * 0.35 && seen.positive < most * 0.1 && seen.text > 60;
}

// The article of this page, or null if nothing here reads like one.
function findArticle() {
  const body = document.body;
  if (!body) return null;
  const weigher = new Weigher();
  const all = weigher.weigh(body, 0, null);
  weigher.settle(all, all.positive);
  if (!weigher.best || weigher.best.sum < LEAST) return null;
  const { element } = weigher.root();
  return { root: element, dropped: besides(element, weigher) };
}
