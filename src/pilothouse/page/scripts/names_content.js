// Names from content: what an element says by what is inside of it.
// Knows: the flat tree, text made by CSS, where a space belongs. Must not know: attributes.

function contentNodes(el) {
  if (el.localName === "details" && !el.open) {
    const summary = el.querySelector(":scope > summary");
    return summary ? [summary] : [];
  }
  const root = rootOf(el);
  if (root) meetRoot(root);
  let nodes = root ? root.childNodes : el.childNodes;
  if (el.localName === "slot" && el.assignedNodes) {
    const given = el.assignedNodes();
    if (given.length) nodes = given;
  }
  const owns = el.getAttribute("aria-owns");
  return owns ? [...nodes, ...byIds(el, owns)] : nodes;
}

const QUOTED = /"(?:[^"\\]|\\.)*"|open-quote|close-quote/g;
const QUOTES = { "open-quote": "“", "close-quote": "”" };

// {text, apart} of ::before or ::after; null if there is none.
function pseudoText(el, which) {
  if (!(inUse & USED_MADE)) return null;
  const style = getComputedStyle(el, which);
  const content = style.content;
  if (content === "none" || content === "normal" || content === "") return null;
  if (style.display === "none" || style.visibility !== "visible") return null;
  const slash = content.indexOf(" / ");
  const parts = (slash < 0 ? content : content.slice(slash)).match(QUOTED);
  if (!parts) return null;
  const plain = (part) => QUOTES[part] || part.slice(1, -1).replace(/\\(.)/g, "$1");
  const text = parts.map(plain).join("");
  return { text, apart: slash >= 0 || !isInline(style) };
}

const INLINE = setOf("inline ruby ruby-text");
const isInline = (style) =>
  INLINE.has(style.display) &&
  (!(inUse & USED_FLOAT) || style.float === "none") &&
  (!(inUse & USED_MOVE) || !/absolute|fixed/.test(style.position));

// Chrome listens to so many children of one element, and to no more.
const MOST_CHILDREN = 100;

// Pieces of text, with a space wherever two of them are not part of one line. `head` and `tail`
// say whether what comes first and last stands apart from its neighbours.
const ENDS_OPEN = /[^ \t\n\r\f]$/;
const STARTS_OPEN = /^[^ \t\n\r\f]/;

class Pieces {
  constructor() {
    this.text = "";
    this.head = false;
    this.tail = false;
    this.empty = true;
  }

  add(text, head, tail = head) {
    if (text) {
      const apart = head || this.tail;
      if (apart && ENDS_OPEN.test(this.text) && STARTS_OPEN.test(text)) this.text += " ";
      this.text += text;
      if (this.empty) this.head = head;
      this.empty = false;
    }
    this.tail = tail;
  }

  get from() {
    return "content";
  }
}

function contentText(el, state) {
  state.visited.add(el);
  const nodes = contentNodes(el);
  const pieces = new Pieces();
  const before = pseudoText(el, "::before");
  if (before) pieces.add(before.text, before.apart);
  let left = MOST_CHILDREN;
  for (const node of nodes) {
    if (left-- === 0) break;
    if (node.nodeType === 3) {
      const heard =
        state.hidden || !(inUse & USED_SIGHT) || styleOf(el).visibility === "visible";
      if (heard) pieces.add(shownText(node, el), false);
    } else if (node.nodeType === 1) addElement(node, el, state, pieces);
  }
  const after = pseudoText(el, "::after");
  if (after) pieces.add(after.text, after.apart);
  return pieces;
}

function addElement(node, parent, state, pieces) {
  if (node.localName === "br") return pieces.add("\n", false);
  if (NOT_RENDERED.has(node.localName)) return;
  if (state.visited.has(node)) return pieces.add("", !isInline(styleOf(node)));
  const owner = ownerOf(node);
  if (owner && owner !== parent) return;
  const how = hiding(node);
  if (how && !state.hidden) {
    // What is invisible may hold what is not.
    if (how === "hidden" && styleOf(node).visibility !== "visible") {
      pieces.add(contentText(node, state).text, false);
    }
    return;
  }
  const depth = (state.depth || 0) + 1;
  const said = alternative(node, { ...state, within: true, depth });
  const apart = said.from !== "content" || state.hidden === "unpainted" ||
    owner !== undefined || !isInline(styleOf(node));
  pieces.add(said.text, apart || said.head, apart || said.tail);
}

function shownText(node, el) {
  if (!(inUse & USED_LETTERS)) return node.data;
  const how = styleOf(el).textTransform;
  if (how === "none") return node.data;
  if (how === "uppercase") return node.data.toUpperCase();
  if (how === "lowercase") return node.data.toLowerCase();
  if (how === "capitalize") return node.data.replace(/(^|\s)\p{L}/gu, (all) => all.toUpperCase());
  return node.data;
}
