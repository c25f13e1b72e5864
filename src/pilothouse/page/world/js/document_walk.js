// A look at a document: a walk of it, and whether it still is as that walk saw it.
//
// Chrome counts how often it has computed styles and layouts, and is had to say so here (page/world/layout_counters.py
// hears it): whatever they depend on has not changed while that count is the same. The rest is here:
// nodes, attributes, words, what is in fields, and what is scrolled.
// Knows: how a document can change without a style or a layout. Must not know: what a walk says.

// Whether anybody has looked yet: then nothing needs to be warmed any more (warm_up.js).
let lookedAt = false;

// `indexes` are those of `mark`'s list that listen; without them those of the last walk count. With
// `keep` it is kept under that word; with `unless` it only says "same" if all is as it was under that.
// A `dry` one is for nobody (warm_up.js).
// `next` is for a document that nobody has spoken to yet: the number with which it begins to count.
ph.walk = (options, indexes) =>
  isBegun() ? walked(options, indexes) : untilBegun().then(() => walked(options, indexes));

function walked(options, indexes) {
  if (options.unless && isKept(options.unless)) return counted(options.unless), "same";
  if (options.next) ph.again(options.next);
  lookedAt ||= !options.dry;
  if (options.keep && !options.dry) counted(options.keep);
  ph.beginNames();
  meetDocument();
  let root = document.body || document.documentElement;
  if (options.root) {
    const entry = numbered.get(options.root);
    root = entry && entry.element.deref();
    if (!root || !root.isConnected) return "gone";
    meetRootsAround(root);
  }
  beginCovers();
  let walk = walkFrom(root, options, indexes);
  if (coversWords()) walk = walkFrom(root, options, indexes);
  if (options.dry) keeping(walk, () => {}).watcher.disconnect();
  else {
    if (walk.boxes) keep(walk);
    marked = []; // not before the end: a walk that cannot do without Chrome's names begins again
    suspects = walk.suspects.slice(0, 64);
  }
  const place = document.scrollingElement || document.documentElement;
  const head = [first, ph.native ? 1 : 0, nextNumber, slotInParent(), window.length, innerWidth, innerHeight, Math.round(scrollX), Math.round(scrollY),
    place ? place.scrollWidth : 0, place ? place.scrollHeight : 0, suspects.length];
  head.push(clean(clip(tidy(document.title), 200)), clean(location.href));
  return head.join("\t") + "\n" + walk.lines.join("\n");
}

function walkFrom(root, options, indexes) {
  const walk = new Walk(options, indexes);
  if (root) walk.off = isOff(above(root)) ? 1 : 0;
  if (root) walk.element(root, 0, "");
  walk.flush();
  return walk;
}

// Has Chrome say under that word how often it has computed styles and layouts, with all that is due now.
function counted(word) {
  document.documentElement?.getBoundingClientRect();
  console.timeStamp(word);
}

// A document cannot name its frame to us, nor its parent the frames in it; but both know which of the
// parent's frames it is. Looking for it takes longer the more there are.
const MOST_SLOTS = 64;

function slotInParent() {
  const count = parent.length;
  if (parent === window || count > MOST_SLOTS) return "";
  for (let slot = 0; slot < count; slot++) if (parent[slot] === window) return `${slot} ${count}`;
  return "";
}

// The slots of the frames in this window. Frames in shadow roots have none.
function slotsHere() {
  const slots = new Map();
  const count = Math.min(window.length, MOST_SLOTS);
  for (let slot = 0; slot < count; slot++) slots.set(window[slot], slot);
  return slots;
}

const EVERY_CHANGE = { childList: true, attributes: true, characterData: true, subtree: true };
// The last walk that is to be kept, until something is known to have changed.
let kept = null;

// What scrolls in a shadow root is heard nowhere else. Nobody stops listening: the first listener and the last one
// going have Chrome draw the page anew. Twice is once, and `document.open()` has all of them go.
const hearScrolls = (root) => root.addEventListener("scroll", letGo, true);
hearScrolls(document);

function keeping(walk, changed) {
  const watcher = new MutationObserver(changed);
  for (const root of metRoots) {
    watcher.observe(root, EVERY_CHANGE);
    hearScrolls(root);
  }
  const roots = [...metRoots];
  const fields = roots.flatMap((root) => [...root.querySelectorAll("input,select,textarea")]);
  const filled = fields.map(filledWith);
  return { word: walk.options.keep, watcher, roots, fields, filled, boxes: walk.boxes, where: whereNow() };
}

function keep(walk) {
  letGo();
  kept = keeping(walk, letGo);
}

function letGo() {
  if (!kept) return;
  kept.watcher.disconnect();
  kept = null;
}

const whereNow = () => [
  scrollX, scrollY, innerWidth, innerHeight, devicePixelRatio, location.href, document.title, activeElement(),
];

function filledWith(field) {
  if (field.localName === "select")
    return field.multiple ? Array.from(field.options, (option) => option.selected).join() : field.selectedIndex;
  const files = field.files ? Array.from(field.files, (file) => file.name).join() : "";
  return `${field.checked} ${field.indeterminate} ${files} ${field.value}`;
}

// Whether all is as it was when a walk was kept under this word; others keep theirs under others.
function isKept(word) {
  if (!kept || kept.word !== word) return false;
  const same = isSame();
  if (!same) letGo();
  return same;
}

function isSame() {
  if (kept.watcher.takeRecords().length || hasOwnRoles()) return false;
  const where = whereNow();
  if (kept.where.some((value, index) => value !== where[index])) return false;
  if (kept.fields.some((field, index) => filledWith(field) !== kept.filled[index])) return false;
  const { boxes } = kept;
  for (let index = 0; index < boxes.length; index += 2) {
    const was = boxes[index + 1];
    const now = boxes[index].getBoundingClientRect();
    if (now.x !== was.x || now.y !== was.y || now.width !== was.width || now.height !== was.height) return false;
  }
  return true;
}

// Elements of the page's own making may change their role without a sign.
const hasOwnRoles = () =>
  (kept.ownRoles ??= kept.roots.some((root) =>
    Array.prototype.some.call(root.querySelectorAll("*"), (element) => element.localName.includes("-"))));
