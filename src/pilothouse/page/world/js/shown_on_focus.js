// What shows itself only when it has the focus: links that skip to the content, made for the keyboard.
// Knows: rules with `:focus` in them. Must not know: why somebody asks. Rules are only looked at for
// elements that stand off the page.

const FOCUS = /:focus(?:-visible|-within)?(?![\w-])/;
const FOCUS_PARTS = /:not\(\s*:focus(?:-visible|-within)?\s*\)|:focus(?:-visible|-within)?(?![\w-])/g;
// Properties that bring a box back into sight.
const BRINGS_BACK =
  /(?:^|[\s;])(?:(?:left|right|top|bottom|inset|clip|clip-path|margin|width|height)[\w-]*\s*:|position\s*:\s*static|(?:transform|translate)\s*:[^;]*(?:none|translate|0px))/;
const MOST_FOCUS_RULES = 5000;

// Selectors of what such rules of a document or shadow root speak of, without the focus; "" where
// there are none.
function selectorOfFocus(root) {
  let selector = knownFocus.get(root);
  if (selector === undefined) {
    const found = [];
    let left = MOST_FOCUS_RULES;
    const look = (rules, around) => {
      for (const rule of rules) {
        if (--left < 0) return;
        const said = rule.selectorText;
        const here = said === undefined ? around : said.replaceAll("&", `:is(${around || "*"})`);
        if (said !== undefined && FOCUS.test(here) && BRINGS_BACK.test(rule.style.cssText)) found.push(here);
        if (rule.styleSheet) read(rule.styleSheet);
        else if (rule.cssRules?.length) look(rule.cssRules, here);
      }
    };
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

const unfocused = (selector) =>
  selector.replace(FOCUS_PARTS, (part, at) => (at === 0 || /[\s>+~,(]/.test(selector[at - 1]) ? "*" : ""));

// One that speaks of everything brings nothing back: it draws an outline.
function isSelector(text) {
  if (text === "*") return false;
  try {
    document.createDocumentFragment().querySelector(text);
    return true;
  } catch {
    return false;
  }
}

// "unfocused" for an element that can have the focus and shows itself then.
function shownByFocus(element) {
  if (element.tabIndex < 0 || element.disabled) return "";
  const root = element.getRootNode();
  const selector = root.styleSheets ? selectorOfFocus(root) : "";
  return selector && element.closest(selector) ? "unfocused" : "";
}
