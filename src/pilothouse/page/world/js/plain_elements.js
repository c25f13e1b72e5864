// Which elements listen to the pointer: the half of it that is in our world.

// Listeners can only be counted in the page's own world. Both worlds list the same elements in the
// same order (listeners.js is the other side), so an index is enough to speak of one.
const PLAIN = /^(?!(?:button|input|select|textarea|option|script|style|link|meta|head|title|br)$)/;
let marked = [];
let moved = null;
let heard = new WeakSet();

function plainElements(root, found, most) {
  for (const element of root.querySelectorAll("*")) {
    const tag = element.localName;
    if (!PLAIN.test(tag) || (tag === "a" && element.hasAttribute("href"))) continue;
    if (found.length >= most) break;
    found.push(element);
    if (element.shadowRoot) plainElements(element.shadowRoot, found, most);
  }
  return found;
}

ph.mark = function (most) {
  moved = new MutationObserver(() => {});
  moved.observe(document, { childList: true, subtree: true });
  marked = plainElements(document, [], most);
};

// Whether the list still means the same: asked right after the other world has counted.
ph.marked = function () {
  const same = moved.takeRecords().length === 0;
  moved.disconnect();
  if (!same) marked = [];
  return same;
};
