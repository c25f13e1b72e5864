// The dashboard: reads the daemon's state, follows its events, and shows both.

import { byId, make, setText } from "./elements.js";
import { followEvents } from "./event_stream.js";
import { showClients, showHealth } from "./health.js";
import { interruptCard } from "./interrupts.js";
import { hasSession, onSessionEnd, request } from "./session.js";
import { applyEvent, modelOf } from "./state.js";
import { TabGrid } from "./tab_grid.js";
import { TabPanel } from "./tab_panel.js";
import { timeline } from "./timeline.js";

/** @typedef {import("./types.js").State} State */
/** @typedef {import("./types.js").DaemonEvent} DaemonEvent */
/** @typedef {import("./state.js").Model} Model */

const HEALTH_MS = 5000;

/** @type {Model | undefined} */
let model;
/** @type {State["clients"]} */
let clients = [];
let selected = "";
let isDrawing = false;

const grid = new TabGrid(byId("tabs"), select);
const panel = new TabPanel();
/** @type {Map<string, HTMLElement>} */
const waiting = new Map();

/** @param {string} id */
function select(id) {
  selected = selected === id ? "" : id;
  drawSoon();
}

/** Draw once for all events of one frame. */
function drawSoon() {
  if (isDrawing) return;
  isDrawing = true;
  requestAnimationFrame(() => {
    isDrawing = false;
    if (model) draw(model);
  });
}

/** @param {Model} now */
function draw(now) {
  if (selected && !now.tabs.has(selected)) selected = "";
  const tab = now.tabs.get(selected);
  grid.update(now, selected);
  byId("no-tabs").hidden = now.tabs.size > 0;
  panel.update(tab);
  drawInterrupts(now);
  setText(byId("timeline-of"), tab ? `of ${tab.name}` : "of all tabs");
  byId("timeline").replaceChildren(timeline(now.calls, tab));
  byId("clients").replaceChildren(showClients(clients, now.viewers));
  setText(byId("announcement"), now.notice);
  document.title = now.interrupts.size ? `(${now.interrupts.size}) Pilothouse` : "Pilothouse";
}

/** Keep the cards that are there: somebody may be typing into one.
 * @param {Model} now */
function drawInterrupts(now) {
  for (const [id, card] of waiting) {
    if (!now.interrupts.has(id)) {
      card.remove();
      waiting.delete(id);
    }
  }
  for (const [id, one] of now.interrupts) {
    if (waiting.has(id)) continue;
    const card = interruptCard(one, now.tabs.get(one.tab));
    waiting.set(id, card);
    byId("interrupts").append(card);
  }
  byId("waiting").hidden = now.interrupts.size === 0;
}

/** Read the whole state.
 * @returns {Promise<string>} the id of the last event in it */
async function readState() {
  const state = /** @type {State} */ (await (await request("/api/state")).json());
  model = modelOf(state);
  clients = state.clients;
  setText(byId("version"), state.version);
  drawSoon();
  return state.last_event;
}

/** @param {DaemonEvent} event */
function onEvent(event) {
  if (event.type === "reset") {
    readState().catch((error) => console.info(`could not read the state: ${error}`));
    return;
  }
  if (!model) return;
  applyEvent(model, event, performance.now());
  drawSoon();
}

/** @param {boolean} isLive */
function onLive(isLive) {
  setText(byId("live"), isLive ? "Live" : "Connecting …");
  byId("live").className = isLive ? "live on" : "live";
}

async function readHealth() {
  if (document.hidden) return;
  try {
    const [health, state] = await Promise.all([request("/api/health"), request("/api/state")]);
    byId("health").replaceChildren(showHealth(await health.json()));
    clients = (await state.json()).clients;
    drawSoon();
  } catch (error) {
    byId("health").replaceChildren(make("p", { class: "soft" }, `The daemon does not answer: ${error}`));
  }
}

function showEntrance() {
  byId("entrance").hidden = false;
  byId("page").hidden = true;
}

async function leave() {
  await request("/api/leave", { body: {} });
  localStorage.clear();
  showEntrance();
}

async function start() {
  onSessionEnd(showEntrance);
  if (!hasSession()) {
    showEntrance();
    return;
  }
  const lastId = await readState();
  byId("page").hidden = false;
  byId("leave").addEventListener("click", () => leave());
  await readHealth();
  setInterval(readHealth, HEALTH_MS);
  grid.fetchPictures(() => model);
  await followEvents(lastId, onEvent, onLive);
}

start().catch((error) => {
  console.info(`the dashboard could not start: ${error}`);
  showEntrance();
});
