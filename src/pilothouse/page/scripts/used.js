// Which properties the page's own styles speak of at all. What no style sheet, no style attribute
// and no animation speaks of has the browser's own value everywhere, and need not be read element
// by element: such readings are most of what a walk costs.
// Knows: style sheets as text. Must not know: what a property is read for. In doubt: all of them.

const USED = {
  clip: 1, filter: 2, move: 4, overflow: 8, indent: 16, contentVisibility: 32, small: 64, colour: 128,
  ground: 256, made: 512, letters: 1024, pointer: 2048, turn: 4096, sight: 8192, fade: 16384,
  touch: 32768, float: 65536,
};
const USED_ALL = 131071;
const SPOKEN_OF = [
  [USED.clip, "clip"], [USED.filter, "filter"], [USED.move, "position"], [USED.overflow, "overflow"],
  [USED.overflow, "contain"], [USED.indent, "text-indent"], [USED.ground, "background"],
  [USED.contentVisibility, "content-visibility"], [USED.letters, "text-transform"],
  [USED.pointer, "cursor"], [USED.turn, "transform"], [USED.turn, "translate"], [USED.turn, "scale"],
  [USED.turn, "rotate"], [USED.turn, "offset"], [USED.sight, "visibility"], [USED.fade, "opacity"],
  [USED.touch, "pointer-events"], [USED.float, "float"], [USED.colour, " color:"],
  [USED.colour, "\ncolor:"], [USED.made, " content:"], [USED.made, "\ncontent:"],
];
// Sizes below two of anything, and those that are computed.
const SMALL = /font(?:-size)?:[^;}]*(?:[^\d.](?:[01](?:\.\d+)?|\.\d+)(?:[a-z%]|[ ;/}])|\()/;
const EVERYTHING = /[ \n](?:all|zoom):/;
// Attributes that are styles by another name, and elements that the browser itself styles so.
const STYLED_BY_NAME =
  "[bgcolor],[background],[color],[text],[link],[clip-path],[filter],[transform],[font-size]," +
  "[opacity],[visibility],[pointer-events],[align]," +
  "[hidden='until-found'],marquee,font";
// More of them use everything anyway.
const MOST_RULES = 300;
const MOST_STYLE_TEXT = 100_000;

let rulesLeft = 0;

function rulesText(rules) {
  let text = "";
  for (const rule of rules) {
    if (--rulesLeft < 0) return null;
    if (rule.styleSheet !== undefined) {
      const inner = rule.styleSheet && sheetText(rule.styleSheet);
      if (inner === null) return null;
      text += inner;
    } else text += rule.cssText + "\n";
    if (text.length > MOST_STYLE_TEXT) return null;
  }
  return text;
}

// Null for a sheet that may not be read: it may say anything.
function sheetText(sheet) {
  if (sheet.disabled) return "";
  try {
    return rulesText(sheet.cssRules);
  } catch {
    return null;
  }
}

function stylesText(root) {
  rulesLeft = MOST_RULES;
  let text = "\n";
  for (const sheets of [root.styleSheets, root.adoptedStyleSheets]) {
    for (const sheet of sheets || []) {
      const inner = sheetText(sheet);
      if (inner === null) return null;
      text += inner;
    }
  }
  const written = root.querySelectorAll("[style]");
  if (written.length > MOST_RULES) return null;
  for (const element of written) {
    const said = element.style && element.style.cssText;
    if (typeof said !== "string") return null;
    text += said + "\n";
  }
  return text;
}

// Those of style sheets are in their text.
const ofScripts = (animation) =>
  !(animation instanceof CSSAnimation || animation instanceof CSSTransition);

function usedBy(root) {
  if (root.querySelector(STYLED_BY_NAME) || root.getAnimations().some(ofScripts)) return USED_ALL;
  const text = stylesText(root);
  if (text === null || EVERYTHING.test(text)) return USED_ALL;
  let used = root.querySelector("q") ? USED.made : 0;
  for (const [bit, spoken] of SPOKEN_OF) if (text.includes(spoken)) used |= bit;
  return text.includes("font") && SMALL.test(text) ? used | USED.small : used;
}

// Once for each pass: a shadow root may style its host and what is slotted into it.
function meetRoot(root) {
  if (pass.met.has(root)) return;
  pass.met.add(root);
  if (pass.used !== USED_ALL) pass.used |= usedBy(root);
  pass.astray ||= [...root.querySelectorAll("form")].some(masked);
}

function meetRootsAround(element) {
  for (let at = element; at; at = above(at)) {
    const root = rootOf(at);
    if (root) meetRoot(root);
  }
}
