// A world that is new with its document has run nothing yet, and all it does takes several times as long
// as later. Once the page has loaded and has nothing else to do, it walks a little of it, for nobody.
// Knows: when a page is idle. Must not know: anything that is to be kept of such a walk.

const WARM_LINES = 40;
const WARM_TIMES = 8;
// Whoever looks as soon as a page has loaded goes before.
const WARM_AFTER_MS = 50;
const WARMING = {
  all: false, boxes: false, viewport: false, lists: false, root: 0, most: WARM_LINES, keep: " ", dry: true,
};

function warmUp(times) {
  if (lookedAt) return; // what was to be warmed is warm
  try {
    alone("walk", [WARMING]);
  } catch {
    return; // whoever looks will be told; nobody wants to hear of it as an error of the page
  }
  if (times > 1) requestIdleCallback(() => warmUp(times - 1));
}

const whenIdle = () => requestIdleCallback(() => warmUp(WARM_TIMES));

if (document.readyState !== "complete")
  addEventListener("load", () => setTimeout(whenIdle, WARM_AFTER_MS), { once: true });
