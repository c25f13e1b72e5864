// The service worker: creates the parts and registers every listener. Chrome wakes the worker only
// for listeners that are registered at once, at the top level of this file.
// Must not know: what the parts decide.
//
//   relay <-> connection.js -> relay_commands.js -> agent_tab_access.js -> debugger.js -> chrome.debugger
//   chrome.tabs -> shared_tabs.js -> connection.js       popup, settings, welcome <-> extension_pages.js

import { showBadge } from "./badge.js";
import { relayCommands, runRelayCommand } from "./relay_commands.js";
import { TabDebugger } from "./debugger.js";
import { TabGroups } from "./tab_groups.js";
import { TabSharing } from "./agent_tab_access.js";
import { RelayConnection } from "./connection.js";
import { StoredState } from "./stored_state.js";
import { Pairing } from "./pairing.js";
import { loadTable } from "./restrictions.js";
import { ExtensionPages } from "./extension_pages.js";
import { Settings, DEFAULT_PORT } from "../shared/user_settings.js";
import { SharedTabs } from "./shared_tabs.js";

const TICK = "tick";
const TICK_MINUTES = 0.5;
// While connected, the worker keeps postponing this alarm. It fires only if the worker has died,
// and then starts it again.
const RESTART = "dead-man";
const RESTART_MS = 1000;
const POSTPONE_MS = 600;
// Attached tabs wait this long for a lost relay. Not longer than RESTART_MS: if the worker ends
// meanwhile, that alarm must still be pending.
const RELEASE_MS = 1000;
// Close codes of a relay that will not come back for its tabs: it has unpaired this extension, or
// it is shutting down.
const FINAL_CLOSE_CODES = new Set([4003, 4004]);

const store = new StoredState();
const pairing = new Pairing();
const tabDebugger = new TabDebugger();
const groups = new TabGroups(store);
const settings = new Settings((changes) => onSettingsChanged(changes));
/**
 * @param {string} method
 * @param {object} [params]
 * @param {boolean} [keep]
 */
const notify = (method, params, keep) => connection.notify(method, params, keep);
const tabs = new SharedTabs({
  settings: () => settings.values,
  stored: () => store.data,
  isAttached: (tabId) => tabDebugger.has(tabId),
  mayClose: (tabId) => sharing.mayClose(tabId),
  notify,
});
// Increases whenever a relay is connected or lost. A tab attached in an earlier epoch was attached
// for another connection.
let connectionEpoch = 0;
const epoch = () => connectionEpoch;
const isConnected = () => connection.state === "connected";
const parts = { settings, store, tabDebugger, tabs, groups, epoch, isConnected, notify, refresh };
const sharing = new TabSharing(parts);
const commands = relayCommands({ ...parts, sharing });
const connection = new RelayConnection({
  port,
  credentials: () => pairing.credentials(),
  hello,
  onWelcome,
  onMessage: (message) => runRelayCommand(message, commands, connection),
  onLost,
  onCodeFailed: () => pairing.dropCode(),
  // `pilothouse extension install` may have written a new secret meanwhile.
  reloadPairing: () => pairing.load(),
  onChange: refresh,
});
const pages = new ExtensionPages({ ...parts, sharing, connection, pairing, port });

/**
 * Return a listener that does its work as soon as the parts have loaded.
 * @template {any[]} Given
 * @param {(...args: Given) => unknown} work
 * @returns {(...args: Given) => void}
 */
const whenReady = (work) => (...args) => void ready.then(() => work(...args));

/** Return the port: the user's, the installer's, or the default. */
function port() {
  return settings.values.port || pairing.port || DEFAULT_PORT;
}

async function start() {
  await Promise.all([loadTable(), store.load(), pairing.load()]);
  await settings.load(pairing.share === "all" ? { mode: "auto", share: "all" } : {});
  tabDebugger.paused = settings.values.paused;
  const attached = Object.entries(store.data.tabs).filter(([, known]) => known.held);
  await tabDebugger.recover(attached.map(([tabId]) => Number(tabId)));
  // What these pages wait for is unknown now. A relay connects soon, or the tabs are released.
  waitForRelay(RELEASE_MS);
  connection.ensure();
  refresh();
}

/** Return what the relay is told of this browser. */
async function hello() {
  const { userAgentData } = navigator;
  const brands = userAgentData?.brands ?? [];
  const full = await userAgentData?.getHighEntropyValues(["fullVersionList"]).catch(() => null);
  const list = full?.fullVersionList ?? brands;
  const version = /Chrome\/([\d.]+)/.exec(navigator.userAgent)?.[1] ?? "";
  return {
    install: pairing.install,
    version: chrome.runtime.getManifest().version,
    product: `Chrome/${list.find(({ brand }) => brand === "Chromium")?.version ?? version}`,
    userAgent: navigator.userAgent,
    profile: settings.values.profile,
    settings: settings.forRelay(),
  };
}

/**
 * Both sides have proven the secret. Returns true if it is the same relay as before: then the
 * queued events are still valid.
 * @param {CdpParams} welcome
 */
function onWelcome({ secret, install, relay }) {
  connectionEpoch += 1;
  clearTimeout(releaseTimer);
  releaseTimer = undefined;
  tabDebugger.setPaused(settings.values.paused);
  if (secret) void pairing.save({ secret, install });
  const again = !relay || relay === store.data.relay;
  store.data.relay = relay ?? "";
  store.save();
  tabs.reset();
  // The clients of another relay are gone: give their tabs back to the user.
  if (!again) void sharing.giveBack(sharing.usedTabs());
  postponeRestart();
  return again;
}

/** @type {ReturnType<typeof setTimeout> | undefined} */
let releaseTimer;

/**
 * The connection is lost. From now on nothing in a page may wait for an agent.
 * @param {number} code
 */
function onLost(code) {
  connectionEpoch += 1;
  tabDebugger.setPaused(true);
  waitForRelay(FINAL_CLOSE_CODES.has(code) ? 0 : RELEASE_MS);
}

/**
 * Release all tabs unless a relay connects in time.
 * @param {number} ms
 */
function waitForRelay(ms) {
  clearTimeout(releaseTimer);
  releaseTimer = setTimeout(() => {
    releaseTimer = undefined;
    void sharing.releaseAll();
  }, ms);
}

function refresh() {
  showBadge({
    stopped: store.data.stopped,
    paused: settings.values.paused,
    connection: connection.refused ? "unpaired" : connection.state,
    attached: tabDebugger.attached.size,
  });
  pages.refresh();
}

/** @param {Partial<UserSettings>} changes */
function onSettingsChanged(changes) {
  notify("settingsChanged", { settings: settings.forRelay() });
  if ("port" in changes) connection.restart();
  if ("paused" in changes) sharing.setPaused(changes.paused === true);
  void sharing.detachUnshared();
}

/** @type {ReturnType<typeof setTimeout> | undefined} */
let postponeTimer;
function postponeRestart() {
  clearTimeout(postponeTimer);
  if (connection.state !== "connected") return;
  chrome.alarms.create(RESTART, { when: Date.now() + RESTART_MS });
  postponeTimer = setTimeout(postponeRestart, POSTPONE_MS);
}

async function tick() {
  connection.ensure();
  if (!isConnected() && !releaseTimer) await sharing.releaseAll();
  await sharing.releaseIdleTabs();
}

chrome.alarms.onAlarm.addListener(
  whenReady(({ name }) => (name === TICK ? tick() : connection.ensure())),
);
chrome.runtime.onStartup.addListener(whenReady(() => connection.ensure()));
chrome.runtime.onInstalled.addListener(
  whenReady(({ reason }) => {
    connection.ensure();
    // `pilothouse extension install --share` has already answered the welcome page's question.
    if (reason === "install" && !pairing.share) {
      chrome.tabs.create({ url: chrome.runtime.getURL("welcome/welcome.html") });
    }
  }),
);
chrome.storage.onChanged.addListener(
  whenReady((changes, area) => settings.onStorageChanged(changes, area)),
);
chrome.debugger.onEvent.addListener((source, method, params) => {
  const { tabId, sessionId } = /** @type {chrome.debugger.DebuggerSession} */ (source);
  if (tabId === undefined) return;
  if (tabDebugger.handleEvent(tabId, sessionId ?? "", method, params ?? {})) return;
  const from = sessionId ? { tabId, childSessionId: sessionId } : { tabId };
  const event = { ...from, method, params: params ?? {} };
  notify("cdpEvent", event, true);
});
chrome.debugger.onDetach.addListener(
  whenReady(({ tabId }, reason) => {
    if (tabId !== undefined) return sharing.onDebuggerDetached(tabId, reason);
  }),
);
chrome.tabs.onCreated.addListener(
  whenReady(async (tab) => {
    // If no new tabs are allowed, a popup of an agent's page belongs to the user alone.
    const byAgent = tab.openerTabId !== undefined && tabDebugger.has(tab.openerTabId);
    if (byAgent && tab.id !== undefined) {
      if (settings.values.noNewTabs) store.data.taken[tab.id] = true;
      store.data.popups[tab.id] = true;
      store.save();
    }
    tabs.onOpened(tab);
    await tabs.sync();
  }),
);
chrome.tabs.onUpdated.addListener(
  whenReady(async (tabId, changes) => {
    if (changes.groupId !== undefined) await sharing.onGroupChanged(tabId, changes.groupId);
    if (changes.url !== undefined) await sharing.onUrlChanged(tabId, changes.url);
    await tabs.sync();
    if (changes.title !== undefined || changes.url !== undefined) pages.refresh();
  }),
);
chrome.tabs.onRemoved.addListener(
  whenReady(async (tabId) => {
    const wasAttached = tabDebugger.attached.delete(tabId);
    if (wasAttached) notify("tabDetached", { tabId, reason: "target_closed" });
    store.forget(tabId);
    await tabs.sync();
    tabs.onClosed(tabId);
    refresh();
  }),
);
chrome.tabs.onReplaced.addListener(
  whenReady(async (newTabId, tabId) => {
    store.renumber(tabId, newTabId);
    tabs.onReplaced(newTabId, tabId);
    await tabs.sync();
  }),
);
chrome.tabs.onActivated.addListener(whenReady((changes) => tabs.onActivated(changes)));
chrome.tabs.onAttached.addListener(whenReady(() => sharing.detachUnshared()));
chrome.tabGroups.onRemoved.addListener(whenReady(({ id }) => groups.onGroupRemoved(id)));
chrome.runtime.onConnect.addListener((page) => pages.onConnect(page, ready));
chrome.alarms.get(TICK, (alarm) => {
  if (!alarm) chrome.alarms.create(TICK, { periodInMinutes: TICK_MINUTES });
});
// Must be last: a setting that changes after it was read and before its listener is registered
// would be lost. On the first start Chrome keeps no events for listeners that it does not know yet.
const ready = start();
