// What must outlive the service worker, mostly not the browser. Knows: chrome.storage.
// Must not know: what the entries are for.

const USUAL = () => ({
  // tabId -> {by: "agent"|"user", client, group, usedAt}: tabs that agents hold or opened.
  tabs: {},
  // Tabs that the user took away: never attached again unless the user says so.
  taken: {},
  // The user pressed Cancel on Chrome's own bar: nothing is shared until they allow it again.
  stopped: false,
  // The one tab or window that is shared, where the settings say "tab" or "window".
  shareTabId: null,
  shareWindowId: null,
  // client -> id of its tab group.
  groups: {},
  // What the relay last said of its clients.
  clients: [],
  // When the line went down, and which relay it was.
  lostAt: 0,
  relay: "",
});

export class Memory {
  now = USUAL();

  async load() {
    const [{ memory }, { stopped }] = await Promise.all([
      chrome.storage.session.get("memory"),
      chrome.storage.local.get("stopped"),
    ]);
    this.now = { ...USUAL(), ...memory, stopped: stopped === true };
  }

  /** That the user stopped all agents outlives even the browser: only the user undoes it. */
  stop(stopped) {
    this.now.stopped = stopped;
    chrome.storage.local.set({ stopped });
    this.save();
  }

  /** Written at once: the worker may be gone the next moment. */
  save() {
    return chrome.storage.session.set({ memory: this.now });
  }

  tab(tabId) {
    return this.now.tabs[tabId];
  }

  forget(tabId) {
    const known = tabId in this.now.tabs || tabId in this.now.taken;
    delete this.now.tabs[tabId];
    delete this.now.taken[tabId];
    if (this.now.shareTabId === tabId) this.now.shareTabId = null;
    if (known) this.save();
  }

  /** A tab got another id; everything known of it moves along. */
  renumber(oldId, newId) {
    for (const entries of [this.now.tabs, this.now.taken]) {
      if (!(oldId in entries)) continue;
      entries[newId] = entries[oldId];
      delete entries[oldId];
    }
    if (this.now.shareTabId === oldId) this.now.shareTabId = newId;
    this.save();
  }
}
