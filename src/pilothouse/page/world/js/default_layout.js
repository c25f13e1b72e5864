// Boxes that lie where the browser puts them by itself: their styles need not be read one by one.
// Knows: which elements no rule of the page has placed (used_css_properties.js), and what the browser does with them.
// Must not know: what is said of them.

// Elements that the browser lays out as lines or blocks, with boxes for all that is in them.
const IN_LINE = setOf("span a b i em strong small code label button input select textarea");
const FLOWS = setOf(
  "span a b i em strong small code label button input select textarea div p section article main nav " +
  "header footer aside h1 h2 h3 h4 h5 h6 ul ol li form table tbody thead tfoot tr td th");
// Their children are laid out by their own kind; those of a flex box or a grid are not.
const AS_USUAL = setOf(
  "block inline inline-block list-item flow-root table table-row-group table-header-group " +
  "table-footer-group table-row table-cell");

const isUnplaced = (element, tag, said) =>
  placed !== null && FLOWS.has(tag) && !placed.has(element) && !(said & SAID_UNSEEN) &&
  element.namespaceURI === HTML;

const PLAINLY = { opacityProperty: true, visibilityProperty: true };
// One question instead of two readings; what fails it is looked at more closely.
const seenPlainly = (element) =>
  inUse & (USED_SIGHT | USED_FADE) ? element.checkVisibility(PLAINLY) : element.checkVisibility();

// Whether it is enough to ask those that are said: what hides boxes is then not in the page's styles.
const asksLate = () => placed !== null && !(inUse & (USED_SIGHT | USED_FADE | USED_CONTENT_VISIBILITY));

// Whether an element that nobody has asked yet is not painted after all.
const isMissing = (element, tag) =>
  asksLate() && isUnplaced(element, tag, 0) && !element.checkVisibility();

// A cursor is handed down, but for these, which the browser gives one of their own.
const OWN_CURSOR = setOf("label button input select textarea");

function cursorOf(element, tag, parentCursor) {
  if (!(inUse & USED_POINTER)) return "";
  // A button of nothing but words is acted on whatever its cursor is.
  if (pointed.has(element) && !(tag === "button" && !element.firstElementChild))
    return getComputedStyle(element).cursor;
  if (OWN_CURSOR.has(tag)) return "default";
  return tag === "a" && element.hasAttribute("href") ? "pointer" : parentCursor;
}
