// The service worker: puts the parts together and listens. Every listener is registered here, at
// once, for Chrome wakes the worker only for those. Must not know: what the parts decide.

import { showBadge } from "./badge.js";
import { commandsOf, obey } from "./commands.js";
import { Debugging } from "./debugging.js";
import { Groups } from "./groups.js";
import { Lending } from "./lending.js";
import { Line } from "./line.js";
import { Memory } from "./memory.js";
import { Pairing } from "./pairing.js";
import { loadTable } from "./restrictions.js";
import { Screen } from "./screen.js";
import { Settings, USUAL_PORT } from "./settings.js";
import { Tabs } from "./tabs.js";

const TICK = "tick";
const TICK_MINUTES = 0.5;
// While the line is up this alarm is put off again and again: it rings only when the worker died.
const DEAD_MAN = "dead-man";
const DEAD_MAN_MS = 1000;
const PUT_OFF_MS = 600;
// How long held tabs wait for a relay that was lost. Not longer than DEAD_MAN_MS: should the worker
// end meanwhile, the alarm is still to ring.
const LET_GO_MS = 1000;
// Close codes of a relay that does not come back for its tabs: it does not know this extension any
// more, or it ends.
const FAREWELLS = new Set([4003, 4004]);

const memory = new Memory();
const pairing = new Pairing();
const debugging = new Debugging();
const groups = new Groups(memory);
const settings = new Settings((news) => settingsChanged(news));
const tell = (method, params, keep) => line.tell(method, params, keep);
const tabs = new Tabs({
  settings: () => settings.now,
  memory: () => memory.now,
  held: (tabId) => debugging.has(tabId),
  closable: (tabId) => lending.mayClose(tabId),
  tell,
});
// How often a relay has been reached or lost: what was attached on an earlier visit is not its doing.
let visits = 0;
const visit = () => visits;
const online = () => line.state === "connected";
const parts = { settings, memory, debugging, tabs, groups, visit, online, tell, changed };
const lending = new Lending(parts);
const commands = commandsOf({ ...parts, lending });
const line = new Line({
  port,
  secret: () => pairing.secret(),
  hello,
  welcomed,
  heard: (message) => obey(message, commands, line),
  lost,
  codeFailed: () => pairing.dropCode(),
  // `pilothouse extension install` may have written another secret since.
  refused: () => pairing.load(),
  changed,
});
const screen = new Screen({ ...parts, lending, line, pairing, port });

const whenReady = (work) => (...args) => void ready.then(() => work(...args));

/** The port that the user set, or the installer, or the usual one. */
function port() {
  return settings.now.port || pairing.port || USUAL_PORT;
}

async function start() {
  await Promise.all([loadTable(), memory.load(), pairing.load()]);
  await settings.load(pairing.share === "all" ? { mode: "auto", share: "all" } : {});
  debugging.paused = settings.now.paused;
  const held = Object.entries(memory.now.tabs).filter(([, known]) => known.held);
  await debugging.recall(held.map(([tabId]) => Number(tabId)));
  // What these pages wait for is not known any more: a relay comes back soon, or they are let go.
  waitForRelay(LET_GO_MS);
  line.ensure();
  changed();
}

function hello() {
  const brands = navigator.userAgentData?.brands ?? [];
  const version = /Chrome\/([\d.]+)/.exec(navigator.userAgent)?.[1] ?? "";
  return navigator.userAgentData
    .getHighEntropyValues(["fullVersionList"])
    .then(({ fullVersionList }) => fullVersionList ?? brands, () => brands)
    .then((list) => ({
      install: pairing.install,
      version: chrome.runtime.getManifest().version,
      product: `Chrome/${list.find(({ brand }) => brand === "Chromium")?.version ?? version}`,
      userAgent: navigator.userAgent,
      profile: settings.now.profile,
      settings: settings.told(),
    }));
}

/** Both sides are proven. True if it is the relay from before: what it missed is still good. */
function welcomed({ secret, install, relay }) {
  visits += 1;
  clearTimeout(letGoTimer);
  letGoTimer = 0;
  debugging.pause(settings.now.paused);
  if (secret) void pairing.paired({ secret, install });
  const again = !relay || relay === memory.now.relay;
  memory.now.relay = relay ?? "";
  memory.save();
  tabs.reset();
  // The clients of another relay are gone, and their tabs are the user's.
  if (!again) void lending.giveBack(lending.lent());
  putOff();
  return again;
}

let letGoTimer = 0;

/** The line is down. From now on nothing on a page waits for an agent. */
function lost(code) {
  visits += 1;
  debugging.pause(true);
  waitForRelay(FAREWELLS.has(code) ? 0 : LET_GO_MS);
}

/** Let go of all tabs unless a relay is there in time. */
function waitForRelay(ms) {
  clearTimeout(letGoTimer);
  letGoTimer = setTimeout(() => {
    letGoTimer = 0;
    void lending.abandon();
  }, ms);
}

function changed() {
  showBadge({
    stopped: memory.now.stopped,
    paused: settings.now.paused,
    line: line.refused ? "unpaired" : line.state,
    attached: debugging.held.size,
  });
  screen.changed();
}

function settingsChanged(news) {
  tell("settingsChanged", { settings: settings.told() });
  if ("port" in news) line.restart();
  if ("paused" in news) lending.pauses(news.paused);
  void lending.settled();
}

let putOffTimer = 0;
function putOff() {
  clearTimeout(putOffTimer);
  if (line.state !== "connected") return;
  chrome.alarms.create(DEAD_MAN, { when: Date.now() + DEAD_MAN_MS });
  putOffTimer = setTimeout(putOff, PUT_OFF_MS);
}

async function tick() {
  line.ensure();
  if (!online() && !letGoTimer) await lending.abandon();
  await lending.sweep();
}

chrome.alarms.onAlarm.addListener(
  whenReady(({ name }) => (name === TICK ? tick() : line.ensure())),
);
chrome.runtime.onStartup.addListener(whenReady(() => line.ensure()));
chrome.runtime.onInstalled.addListener(
  whenReady(({ reason }) => {
    line.ensure();
    // Whoever installed it may have answered already: pilothouse extension install --share.
    if (reason === "install" && !pairing.share) {
      chrome.tabs.create({ url: chrome.runtime.getURL("welcome.html") });
    }
  }),
);
chrome.storage.onChanged.addListener(
  whenReady((changes, area) => settings.heard(changes, area)),
);
chrome.debugger.onEvent.addListener((source, method, params) => {
  const { tabId, sessionId } = source;
  if (tabId === undefined) return;
  if (debugging.note(tabId, sessionId ?? "", method, params ?? {})) return;
  const event = { tabId, method, params: params ?? {} };
  if (sessionId) event.childSessionId = sessionId;
  tell("cdpEvent", event, true);
});
chrome.debugger.onDetach.addListener(
  whenReady(({ tabId }, reason) => tabId !== undefined && lending.lost(tabId, reason)),
);
chrome.tabs.onCreated.addListener(
  whenReady(async (tab) => {
    // Where no new tabs are allowed, one that a page of an agent opens is the user's alone.
    if (settings.now.noNewTabs && debugging.has(tab.openerTabId)) {
      memory.now.taken[tab.id] = true;
      memory.save();
    }
    if (debugging.has(tab.openerTabId)) {
      memory.now.popups[tab.id] = true;
      memory.save();
    }
    tabs.opened(tab);
    await tabs.survey();
  }),
);
chrome.tabs.onUpdated.addListener(
  whenReady(async (tabId, news) => {
    if (news.groupId !== undefined) await lending.dragged(tabId, news.groupId);
    if (news.url !== undefined) await lending.moved(tabId, news.url);
    await tabs.survey();
    if (news.title !== undefined || news.url !== undefined) screen.changed();
  }),
);
chrome.tabs.onRemoved.addListener(
  whenReady(async (tabId) => {
    if (debugging.held.delete(tabId)) tell("tabDetached", { tabId, reason: "target_closed" });
    memory.forget(tabId);
    await tabs.survey();
    tabs.closed(tabId);
    changed();
  }),
);
chrome.tabs.onReplaced.addListener(
  whenReady(async (newTabId, tabId) => {
    memory.renumber(tabId, newTabId);
    tabs.replaced(newTabId, tabId);
    await tabs.survey();
  }),
);
chrome.tabs.onActivated.addListener(whenReady((news) => tabs.activated(news)));
chrome.tabs.onAttached.addListener(whenReady(() => lending.settled()));
chrome.tabGroups.onRemoved.addListener(whenReady(({ id }) => groups.removed(id)));
chrome.runtime.onConnect.addListener((port) => screen.connected(port, ready));
chrome.alarms.get(TICK, (alarm) => {
  if (!alarm) chrome.alarms.create(TICK, { periodInMinutes: TICK_MINUTES });
});
// Last of all: a setting that changes after it was read and before somebody listens is lost, for
// on the first start Chrome keeps no events for listeners that it has not met.
const ready = start();
