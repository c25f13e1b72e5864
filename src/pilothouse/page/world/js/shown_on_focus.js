// Elements that are visible only with focus, such as skip links for keyboard users.
// Knows: rules with `:focus`. Must not know: what it is used for. Rules are only read for elements that are
// outside the page.

const FOCUS = /:focus(?:-visible|-within)?(?![\w-])/;
const FOCUS_PARTS = /:not\(\s*:focus(?:-visible|-within)?\s*\)|:focus(?:-visible|-within)?(?![\w-])/g;
// Properties that can bring a box back into view.
const BRINGS_BACK =
  /(?:^|[\s;])(?:(?:left|right|top|bottom|inset|clip|clip-path|margin|width|height)[\w-]*\s*:|position\s*:\s*static|(?:transform|translate)\s*:[^;]*(?:none|translate|0px))/;
const MOST_FOCUS_RULES = 5000;

// For each root, the selectors of elements that become visible with focus.
let knownFocus = new Map();

export function forgetFocusRules() {
  knownFocus = new Map();
}

/**
 * Selectors of such rules of a document or shadow root, without the `:focus` part; "" if there are none.
 * @param {Document | ShadowRoot} root
 */
function selectorOfFocus(root) {
  let selector = knownFocus.get(root);
  if (selector === undefined) {
    /** @type {string[]} */
    const found = [];
    let left = MOST_FOCUS_RULES;
    /** @param {CSSRuleList} rules @param {string} around */
    const look = (rules, around) => {
      for (const rule of rules) {
        if (--left < 0) return;
        const said = rule.selectorText;
        const here = said === undefined ? around : said.replaceAll("&", `:is(${around || "*"})`);
        if (said !== undefined && FOCUS.test(here) && BRINGS_BACK.test(/** @type {CSSStyleRule} */ (rule).style.cssText)) found.push(here);
        if (rule.styleSheet) read(rule.styleSheet);
        else if (rule.cssRules?.length) look(rule.cssRules, here);
      }
    };
    /** @param {CSSStyleSheet} sheet */
    const read = (sheet) => {
      try {
        if (!sheet.disabled) look(sheet.cssRules, "");
      } catch {
        left--; // of another origin: it may not be read
      }
    };
    for (const sheet of [...root.styleSheets, ...root.adoptedStyleSheets]) read(sheet);
    selector = found.map(unfocused).filter(isSelector).join();
    knownFocus.set(root, selector);
  }
  return selector;
}

/** @param {string} selector */
export const unfocused = (selector) =>
  selector.replace(FOCUS_PARTS, (part, at) => (at === 0 || /[\s>+~,(]/.test(selector[at - 1]) ? "*" : ""));

/**
 * A rule for all elements brings nothing back: it draws an outline.
 * @param {string} text
 */
function isSelector(text) {
  if (text === "*") return false;
  try {
    document.createDocumentFragment().querySelector(text);
    return true;
  } catch {
    return false;
  }
}

/**
 * "unfocused" for a focusable element that becomes visible with focus.
 * @param {Element} element
 */
export function shownByFocus(element) {
  if (element.tabIndex < 0 || element.disabled) return "";
  const root = /** @type {Document | ShadowRoot} */ (element.getRootNode());
  const selector = root.styleSheets ? selectorOfFocus(root) : "";
  return selector && element.closest(selector) ? "unfocused" : "";
}
