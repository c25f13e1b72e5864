// The list of plain elements that may have pointer listeners: the part that runs in our world.

// Listeners are only visible in the page's main world. Both worlds list the same elements in the same order
// (main_world/listeners.js is the other side), so an index identifies an element.
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

// Whether the list is unchanged: called right after the main world has used its own.
ph.marked = function () {
  const same = moved.takeRecords().length === 0;
  moved.disconnect();
  if (!same) marked = [];
  return same;
};
