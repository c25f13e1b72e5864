// State that must outlive the service worker, but mostly not the browser. Knows: chrome.storage.
// Must not know: what the entries are for.
//
// Chrome clears storage.session when the extension is reloaded. What the user shared and took back
// is therefore also kept in storage.local, together with the target ids of all tabs. If one of them
// still exists, it is the same run of the browser, and the tab ids still mean the same tabs.

import { STOPPED } from "../shared/user_stop_reasons.js";

/** @returns {StoredData} */
const DEFAULTS = () => ({
  // tabId -> {by: "agent"|"user"|"", client, group, usedAt, used, held, allowed, site}: tabs that
  // agents opened or use, or that the user picked. `held`: attached now. `used`: an agent has used
  // it. `allowed`: shared again after a stop.
  tabs: {},
  // Tabs that the user took back: not attached again until the user shares them.
  taken: {},
  // Tabs that an agent's page opened: agents may close them.
  popups: {},
  // "stopped" (popup) or "cancelled" (Chrome's bar): nothing is shared until the user allows it.
  stopped: "",
  // The shared tab or window if `share` is "tab" or "window".
  shareTabId: null,
  shareWindowId: null,
  // client -> id of its tab group.
  groups: {},
  // The rows of clients that the relay sent last.
  clients: [],
  // Whether the relay starts at login, as it said.
  autostart: false,
  // The id of the last relay.
  relay: "",
});

/** @type {(keyof StoredData)[]} */
const LASTING_KEYS = ["tabs", "taken", "popups", "shareTabId", "shareWindowId", "groups", "relay"];

export class StoredState {
  data = DEFAULTS();
  // What storage.local holds, serialized.
  #lasting = "";

  async load() {
    const [{ memory }, { stopped, lasting }] = /** @type {CdpParams[]} */ (await Promise.all([
      chrome.storage.session.get("memory"),
      chrome.storage.local.get(["stopped", "lasting"]),
    ]));
    const known = memory ?? (await recoverLasting(lasting ?? {}));
    this.data = { ...DEFAULTS(), ...known, stopped: stopped === true ? STOPPED : stopped || "" };
  }

  /**
   * Store that the user stopped all agents. It outlives the browser: only the user undoes it.
   * @param {Stopped} stopped
   */
  stop(stopped) {
    this.data.stopped = stopped;
    chrome.storage.local.set({ stopped });
    this.save();
  }

  /** Write at once: Chrome may end the worker at any moment. */
  save() {
    const lasting = Object.fromEntries(LASTING_KEYS.map((name) => [name, this.data[name]]));
    const text = serialize(lasting);
    if (text !== this.#lasting) {
      this.#lasting = text;
      void targetIds().then((run) => {
        if (text === this.#lasting) chrome.storage.local.set({ lasting: { ...lasting, run } });
      });
    }
    return chrome.storage.session.set({ memory: this.data });
  }

  /**
   * @param {number} tabId
   * @returns {StoredTab | undefined}
   */
  tab(tabId) {
    return this.data.tabs[tabId];
  }

  /** @param {number} tabId */
  forget(tabId) {
    const known = tabId in this.data.tabs || tabId in this.data.taken;
    delete this.data.tabs[tabId];
    delete this.data.taken[tabId];
    delete this.data.popups[tabId];
    if (this.data.shareTabId === tabId) this.data.shareTabId = null;
    if (known) this.save();
  }

  /**
   * Move everything known of a tab to its new id.
   * @param {number} oldId
   * @param {number} newId
   */
  renumber(oldId, newId) {
    for (const entries of [this.data.tabs, this.data.taken, this.data.popups]) {
      if (!(oldId in entries)) continue;
      entries[newId] = entries[oldId];
      delete entries[oldId];
    }
    if (this.data.shareTabId === oldId) this.data.shareTabId = newId;
    this.save();
  }
}

/**
 * Serialize without `usedAt`, which changes with every command and is not worth a disk write.
 * @param {Partial<StoredData>} lasting
 */
function serialize(lasting) {
  return JSON.stringify(lasting, (name, value) => (name === "usedAt" ? undefined : value));
}

/** Return the target ids of all tabs. They are random, so they identify a run of the browser. */
async function targetIds() {
  const found = await chrome.debugger.getTargets();
  return found.filter(({ tabId }) => tabId !== undefined).map(({ id }) => id);
}

/**
 * Return what still holds after a reload of the extension. No tab is attached then.
 * @param {Partial<StoredData> & {run?: string[]}} lasting
 * @returns {Promise<Partial<StoredData>>}
 */
async function recoverLasting(lasting) {
  const { run = [], tabs = {}, taken = {}, popups = {}, groups = {}, ...shares } = lasting;
  const now = new Set(await targetIds());
  if (!run.some((target) => now.has(target))) return {};
  const [open, grouped] = await Promise.all([chrome.tabs.query({}), chrome.tabGroups.query({})]);
  const ids = new Set(open.map(({ id }) => id));
  const windows = new Set(open.map(({ windowId }) => windowId));
  const groupIds = new Set(grouped.map(({ id }) => id));
  /** @type {<Entry>(entries: Record<number, Entry>) => [string, Entry][]} */
  const ofTabs = (entries) => Object.entries(entries).filter(([id]) => ids.has(Number(id)));
  return {
    tabs: Object.fromEntries(
      ofTabs(tabs)
        .filter(([, { by }]) => by)
        .map(([id, known]) => [id, { ...known, held: false }]),
    ),
    taken: Object.fromEntries(ofTabs(taken)),
    popups: Object.fromEntries(ofTabs(popups)),
    groups: Object.fromEntries(Object.entries(groups).filter(([, id]) => groupIds.has(id))),
    shareTabId: ids.has(shares.shareTabId ?? NaN) ? shares.shareTabId : null,
    shareWindowId: windows.has(shares.shareWindowId ?? NaN) ? shares.shareWindowId : null,
    relay: shares.relay ?? "",
  };
}
