// What must outlive the service worker, mostly not the browser. Knows: chrome.storage.
// Must not know: what the entries are for.
//
// Chrome empties storage.session when the extension is loaded anew. So what the user gave and took
// is kept in storage.local, too, with the target ids of tabs: while one of them is still there it is
// the same run of the browser, and the numbers mean the same tabs.

import { STOPPED } from "./states.js";

const USUAL = () => ({
  // tabId -> {by: "agent"|"user", client, group, usedAt, used}: tabs that agents hold or opened, or
  // that the user shares by hand. `used`: an agent has been on it.
  tabs: {},
  // Tabs that the user took away: never attached again unless the user says so.
  taken: {},
  // Tabs that a page opened while an agent was on it: agents may close them.
  popups: {},
  // "stopped" in the popup or "cancelled" on Chrome's own bar: nothing is shared until the user
  // allows it again.
  stopped: "",
  // The one tab or window that is shared, where the settings say "tab" or "window".
  shareTabId: null,
  shareWindowId: null,
  // client -> id of its tab group.
  groups: {},
  // What the relay last said of its clients.
  clients: [],
  // Whether the relay starts when the user logs in, as it says.
  autostart: false,
  // The relay that was reached last.
  relay: "",
});

const LASTING = ["tabs", "taken", "popups", "shareTabId", "shareWindowId", "groups", "relay"];

export class Memory {
  now = USUAL();
  // What storage.local holds, as text.
  #lasting = "";

  async load() {
    const [{ memory }, { stopped, lasting }] = await Promise.all([
      chrome.storage.session.get("memory"),
      chrome.storage.local.get(["stopped", "lasting"]),
    ]);
    const known = memory ?? (await stillThere(lasting ?? {}));
    this.now = { ...USUAL(), ...known, stopped: stopped === true ? STOPPED : stopped || "" };
  }

  /** That the user stopped all agents, and how, outlives even the browser: only the user undoes it. */
  stop(stopped) {
    this.now.stopped = stopped;
    chrome.storage.local.set({ stopped });
    this.save();
  }

  /** Written at once: the worker may be gone the next moment. */
  save() {
    const lasting = Object.fromEntries(LASTING.map((name) => [name, this.now[name]]));
    const text = textOf(lasting);
    if (text !== this.#lasting) {
      this.#lasting = text;
      void targets().then((run) => {
        if (text === this.#lasting) chrome.storage.local.set({ lasting: { ...lasting, run } });
      });
    }
    return chrome.storage.session.set({ memory: this.now });
  }

  tab(tabId) {
    return this.now.tabs[tabId];
  }

  forget(tabId) {
    const known = tabId in this.now.tabs || tabId in this.now.taken;
    delete this.now.tabs[tabId];
    delete this.now.taken[tabId];
    delete this.now.popups[tabId];
    if (this.now.shareTabId === tabId) this.now.shareTabId = null;
    if (known) this.save();
  }

  /** A tab got another id; everything known of it moves along. */
  renumber(oldId, newId) {
    for (const entries of [this.now.tabs, this.now.taken, this.now.popups]) {
      if (!(oldId in entries)) continue;
      entries[newId] = entries[oldId];
      delete entries[oldId];
    }
    if (this.now.shareTabId === oldId) this.now.shareTabId = newId;
    this.save();
  }
}

/** When a tab was last used changes with every command: that alone is not worth the disk. */
function textOf(lasting) {
  return JSON.stringify(lasting, (name, value) => (name === "usedAt" ? undefined : value));
}

/** The target ids of all tabs. They are random: no other run of the browser has them. */
async function targets() {
  const found = await chrome.debugger.getTargets();
  return found.filter(({ tabId }) => tabId !== undefined).map(({ id }) => id);
}

/** What is left of what was known before the extension was loaded anew. No tab is held then. */
async function stillThere({ run = [], tabs = {}, taken = {}, popups = {}, groups = {}, ...shares }) {
  const now = new Set(await targets());
  if (!run.some((target) => now.has(target))) return {};
  const [open, grouped] = await Promise.all([chrome.tabs.query({}), chrome.tabGroups.query({})]);
  const ids = new Set(open.map(({ id }) => id));
  const windows = new Set(open.map(({ windowId }) => windowId));
  const groupIds = new Set(grouped.map(({ id }) => id));
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
    shareTabId: ids.has(shares.shareTabId) ? shares.shareTabId : null,
    shareWindowId: windows.has(shares.shareWindowId) ? shares.shareWindowId : null,
    relay: shares.relay ?? "",
  };
}
