// What makes an element one that can be acted on, and a box one that may hide a root of its own.
// Knows: single elements. Must not know: the walk.

const ACTED_ON = new Set(
  ("button link textbox searchbox combobox listbox option checkbox radio switch tab menuitem " +
    "menuitemcheckbox menuitemradio slider spinbutton treeitem scrollbar ColorWell Date DateTime " +
    "InputTime DisclosureTriangle PopUpButton").split(" "),
);

// `tabIndex` says 0 for some elements that cannot be focused at all.
function focusable(element, tag) {
  if (element.disabled) return true;
  if (element.hasAttribute("tabindex")) return true;
  if (tag === "a" || tag === "area") return element.hasAttribute("href");
  if (tag === "video" || tag === "audio") return element.controls;
  return !/^(div|span|body|html|object|embed|frame|dialog)$/.test(tag);
}

const editableParent = (element) => {
  const parent = above(element);
  return !!parent && parent.isContentEditable;
};

// Hosts whose root scripts cannot see: custom elements, and boxes that paint what they do not hold.
function customHost(element, tag) {
  if (rootOf(element)) return false;
  if (tag.includes("-")) return true;
  if (tag !== "div" && tag !== "span" && tag !== "section" && tag !== "article") return false;
  const child = element.firstElementChild;
  if (!child) return !element.firstChild && element.offsetHeight > 3 && element.offsetWidth > 3;
  return element.childElementCount < 4 && unpainted(child);
}

const unpainted = (child) =>
  child.localName !== "script" &&
  child.localName !== "style" &&
  child.localName !== "template" &&
  !child.checkVisibility() &&
  child.isConnected &&
  child.getClientRects().length === 0 &&
  getComputedStyle(child).display === "";
