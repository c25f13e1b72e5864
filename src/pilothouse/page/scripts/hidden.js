// Text that is laid out but that nobody can see: pages hide words from people in many ways, and an
// agent must not take them for what the page says.
// Knows: styles and boxes. Must not know: what is done with the text. In doubt text is shown: white
// words over a picture are seen although their own background is white too.

const CLIPPED = /^(?:(?:circle|ellipse)\(0(?:px|%)?[ )]|inset\((?:50|100)%)/;
const CLEAR = /opacity\(0?\.?0\d*%?\)/;

// The browser's own style cuts these off at their box.
const CUT_OFF = new Set("img svg video canvas object embed".split(" "));

// A box of which nothing is painted, with everything in it. `used`: see used.js.
function veiled(element, style, used) {
  if (used & USED_CLIP) {
    const clip = style.clipPath;
    if (clip !== "none" && CLIPPED.test(clip)) return true;
  }
  if (used & USED_FILTER) {
    const filter = style.filter;
    if (filter !== "none" && CLEAR.test(filter)) return true;
  }
  const clips =
    CUT_OFF.has(element.localName) ||
    (used & USED_OVERFLOW && style.overflowX !== "visible") ||
    (used & USED_CLIP && style.clip !== "auto");
  const moved =
    (used & USED_MOVE && style.position !== "static") ||
    (used & USED_TURN && style.transform !== "none");
  if (!clips && !moved) return false;
  const box = element.getBoundingClientRect();
  if (moved && (box.right + scrollX <= 0 || box.bottom + scrollY <= 0)) return true;
  if (clips) return box.width < 1 || box.height < 1 || (box.width <= 1 && box.height <= 1);
  return box.width === 0 && box.height === 0 && element.offsetWidth > 0;
}

// Elements that stand for something else: the words in them are for who cannot show it.
const FALLBACKS = /^(?:canvas|video|audio|progress|meter)$/;

// Words in no size, in no colour, far to the left, or folded away: their own box tells.
function unreadable(element, style, used) {
  const tag = element.localName;
  if (FALLBACKS.test(tag) || (tag === "details" && !element.open)) return true;
  if (used & USED_CONTENT_VISIBILITY && style.contentVisibility === "hidden") return true;
  if (used & USED_SMALL && parseFloat(style.fontSize) < 2) return true;
  if (used & USED_INDENT) {
    const indent = style.textIndent;
    if (indent[0] === "-" && parseFloat(indent) < -500) return true;
  }
  if (!(used & (USED_COLOUR | USED_GROUND))) return false;
  const color = style.color;
  if (color.startsWith("rgba(")) return color.endsWith(", 0)");
  return (used & USED_GROUND) !== 0 && color === style.backgroundColor;
}
