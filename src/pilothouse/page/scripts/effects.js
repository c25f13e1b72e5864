// What an action brings about: who gets the events, and what changes afterwards.

const GUARDED = [
  "pointerdown", "mousedown", "pointerup", "mouseup", "click", "dblclick", "auxclick", "contextmenu",
];
let guard = null;

// Let only `element` have the coming press; anything else in its place never hears of it.
function arm(element) {
  disarm();
  guard = { element, events: [], blocked: "" };
  for (const type of GUARDED) addEventListener(type, onGuarded, { capture: true, passive: false });
}

function disarm() {
  if (!guard) return;
  for (const type of GUARDED) removeEventListener(type, onGuarded, { capture: true });
  guard = null;
}

function onGuarded(event) {
  if (!guard || !event.isTrusted) return;
  const hit = event.composedPath()[0];
  const ours = hit instanceof Node && (lands(guard.element, hit) || hidesIn(guard.element, hit));
  if (ours && !guard.blocked) {
    guard.events.push(event.type);
    return;
  }
  // Released somewhere else than pressed: a click of the common ancestor is not ours, but no harm.
  if (guard.events.length && !guard.blocked && !event.type.endsWith("down")) return;
  if (!guard.blocked) guard.blocked = hit instanceof Element ? tagged(hit) + says(hit) : "the page";
  event.preventDefault();
  event.stopImmediatePropagation();
}

// From outside, whatever is in a closed root looks like its host.
function hidesIn(element, host) {
  for (let root = element.getRootNode(); root && root.nodeType === 11; ) {
    const outer = root.host || hostOf(root);
    if (!outer) return false;
    if (outer === host) return closedRoots.has(host);
    root = outer.getRootNode();
  }
  return false;
}

let watch = null;
const knownRoots = new Set();

const seenRoot = (root) => {
  if (knownRoots.size < 500) knownRoots.add(root);
};

// Count every change of this document from now on.
ph.watch = function () {
  watch?.observer.disconnect();
  const counts = { added: 0, removed: 0, attributes: 0, text: 0, inputs: 0, scrolled: 0 };
  const observer = new MutationObserver(noteChanges);
  const what = { childList: true, attributes: true, characterData: true, subtree: true };
  observer.observe(document, what);
  for (const root of knownRoots) {
    if (root.isConnected) observer.observe(root, what);
    else knownRoots.delete(root);
  }
  watch = { observer, counts, focus: activeElement(), href: location.href, told: null };
  for (const type of ["input", "change"]) addEventListener(type, noteInput, true);
  addEventListener("scroll", noteScroll, true);
};

function noteChanges(records) {
  if (!watch) return;
  const { counts } = watch;
  for (const record of records) {
    if (record.type === "childList") {
      counts.added += record.addedNodes.length;
      counts.removed += record.removedNodes.length;
    } else if (record.type === "attributes") counts.attributes++;
    else counts.text++;
  }
  tell();
}

function noteInput() {
  if (watch) watch.counts.inputs++;
  tell();
}

function noteScroll() {
  if (watch) watch.counts.scrolled++;
}

function tell() {
  if (watch?.told) watch.told(true);
}

// Resolves at the next change; at once if there was one already.
ph.changed = () =>
  new Promise((resolve) => {
    if (!watch) return resolve(false);
    noteChanges(watch.observer.takeRecords());
    const { added, removed, attributes, text, inputs } = watch.counts;
    if (added + removed + attributes + text + inputs) return resolve(true);
    watch.told = resolve;
  });

// What has changed since `watch`; with `done` the watching ends.
ph.effects = function (done) {
  const answer = { events: [], blocked: "" };
  if (guard) Object.assign(answer, { events: guard.events, blocked: guard.blocked });
  if (watch) {
    noteChanges(watch.observer.takeRecords());
    Object.assign(answer, watch.counts);
    const active = activeElement();
    if (active !== watch.focus) answer.focus = focusText(active);
    if (location.href !== watch.href) answer.url = location.href;
    answer.title = document.title;
  }
  if (done) {
    disarm();
    watch?.observer.disconnect();
    if (watch?.told) watch.told(false);
    for (const type of ["input", "change"]) removeEventListener(type, noteInput, true);
    removeEventListener("scroll", noteScroll, true);
    watch = null;
  }
  return answer;
};

function focusText(element) {
  if (!element || element === document.body || element === document.documentElement) return "nothing";
  ph.beginNames();
  const [role, name] = identity(element);
  return name ? `${role} "${clip(name, 60)}"` : `${role} ${tagged(element)}`;
}

ph.disarm = disarm;
