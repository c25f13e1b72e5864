"""An independent opinion on what can be acted on in a document: a script of the page's own world.

Knows: HTML, ARIA roles and the mouse. Must not know: how the snapshot is made. It shares no code
with the walker and takes other ways on purpose: it records listeners by wrapping
`addEventListener` before any script of the page, scrolls to each element, and asks what lies at
its centre through every shadow root.
"""

from __future__ import annotations

__all__ = ["BEFORE_SCRIPTS", "JUDGE"]

# Runs before the page's own scripts. Closed shadow roots are kept, so that they can be judged.
BEFORE_SCRIPTS = """(() => {
  if (self.__judge) return;
  const heard = new WeakMap(), closed = new WeakMap();
  const pointer = /^(click|dblclick|mousedown|mouseup|pointerdown|pointerup|touchstart|touchend)$/;
  const add = EventTarget.prototype.addEventListener;
  EventTarget.prototype.addEventListener = function (type, ...rest) {
    if (pointer.test(type) && this instanceof Element) heard.set(this, true);
    return add.call(this, type, ...rest);
  };
  const attach = Element.prototype.attachShadow;
  Element.prototype.attachShadow = function (init) {
    const root = attach.call(this, init);
    if (init.mode === "closed") closed.set(this, root);
    return root;
  };
  self.__judge = { heard, rootOf: (element) => element.shadowRoot || closed.get(element) };
})()"""

# Marks every element with its number, `data-judged`; the value says which can be acted on:
# {elements, acts: [number], maybe: [number], stands: {number: number}}. `maybe` has those that
# only say so by their role: whether that counts depends on what is around them, and a wrong
# guess is no error. `stands` leads from a label to its control, and from an option to its list:
# to click the one is to click the other.
JUDGE = """(() => {
  const { heard, rootOf } = self.__judge;
  const all = [];
  const collect = (root) => {
    for (const element of root.querySelectorAll("*")) {
      all.push(element);
      const inner = rootOf(element);
      if (inner) collect(inner);
    }
  };
  collect(document);
  all.forEach((element, number) => element.setAttribute("data-judged", number));
  const numberOf = (element) => Number(element.getAttribute("data-judged"));
  const parentOf = (node) => {
    if (node.assignedSlot) return node.assignedSlot;
    const parent = node.parentNode;
    if (!(parent instanceof ShadowRoot)) return parent instanceof Element ? parent : null;
    return parent.host;
  };
  const roles = new Set(["button", "link", "textbox", "searchbox", "combobox", "listbox", "option",
    "checkbox", "radio", "switch", "tab", "menuitem", "menuitemcheckbox", "menuitemradio",
    "slider", "spinbutton", "treeitem", "gridcell", "scrollbar"]);
  const native = "a[href],area[href],button,input:not([type=hidden]),select,textarea,option," +
    "details > summary:first-of-type,audio[controls],video[controls]";
  const wants = (element) => {
    if (element.matches(native)) return true;
    if (element.hasAttribute("tabindex") && element.tabIndex >= 0) return true;
    const editable = element.getAttribute("contenteditable");
    if (editable !== null && editable !== "false") return true;
    if (element.onclick || element.hasAttribute("onclick") || heard.has(element)) return true;
    const parent = parentOf(element);
    return getComputedStyle(element).cursor === "pointer" &&
      !(parent && getComputedStyle(parent).cursor === "pointer");
  };
  const hitAt = (x, y) => {
    let hit = document.elementFromPoint(x, y);
    for (let root; hit && (root = rootOf(hit)); ) {
      const inner = root.elementFromPoint(x, y);
      if (!inner || inner === hit) break;
      hit = inner;
    }
    return hit;
  };
  const contains = (outer, inner) => {
    for (let at = inner; at; at = parentOf(at)) if (at === outer) return true;
    return false;
  };
  // At the centre of the whole, of a line of it (links that wrap), or of something in it (links
  // around blocks).
  const hittable = (element) => {
    element.scrollIntoView({ block: "center", inline: "center", behavior: "instant" });
    const boxes = [element.getBoundingClientRect(), ...element.getClientRects()];
    for (const inner of element.children) boxes.push(inner.getBoundingClientRect());
    return boxes.some((box) => {
      if (box.width < 1 || box.height < 1) return false;
      const hit = hitAt(box.left + box.width / 2, box.top + box.height / 2);
      if (!hit) return false;
      if (contains(element, hit)) return true;
      const label = [...(element.labels || [])].some((one) => contains(one, hit));
      return label && !contains(hit, element);
    });
  };
  const visible = (element) => element.checkVisibility({ visibilityProperty: true });
  const byRole = (element) =>
    (element.getAttribute("role") || "").split(/\\s+/).some((role) => roles.has(role));
  const acts = [], maybe = [], stands = {};
  for (const element of all) {
    const list = element.localName === "option" && element.closest("select");
    if (list) stands[numberOf(element)] = numberOf(list);
    else if (element.localName === "label" && element.control)
      stands[numberOf(element)] = numberOf(element.control);
    else if (/^(html|body|label|iframe|slot)$/.test(element.localName)) continue;
    else if (wants(element)) {
      if (visible(element) && hittable(element)) acts.push(numberOf(element));
    } else if (byRole(element) && visible(element) && hittable(element))
      maybe.push(numberOf(element));
  }
  scrollTo(0, 0);
  for (const element of all) if (element.scrollTop || element.scrollLeft) element.scrollTo(0, 0);
  return { elements: all.length, acts, maybe, stands };
})()"""
