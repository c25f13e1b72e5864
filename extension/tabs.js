// Which tabs the relay may know of, and what it was told. One survey compares what is with what
// was told and says the difference, so that no order of events can lose or double a tab.
// Must not know: the debugger's commands.

import { attachable, isOwn } from "./restrictions.js";

const KEPT = ["url", "title", "discarded", "frozen", "status", "windowId", "active", "groupId",
  "by", "closable"];

const addressOf = (tab) => tab.url || tab.pendingUrl || "about:blank";

/** Whether a tab is shared: by the settings, by the user's hand, or because an agent opened it. */
export function shared(tab, settings, memory) {
  if (tab.incognito || tab.id === undefined || tab.id in memory.taken) return false;
  // Pages of the browser and of files are the user's alone, also where the tab is an agent's.
  if (isOwn(addressOf(tab)) || !attachable(addressOf(tab))) return false;
  const known = memory.tabs[tab.id];
  if (known?.by) return !memory.stopped || known.allowed === true;
  if (memory.stopped || settings.mode === "manual") return false;
  if (settings.share === "tab" && tab.id !== memory.shareTabId) return false;
  return settings.share !== "window" || tab.windowId === memory.shareWindowId;
}

export class Tabs {
  // tabId -> what the relay was told; null until it asked for the list.
  #told = null;
  #wanted = false;
  #running = null;
  // Tabs that were opened and are not told yet: a popup may close itself at once.
  #fresh = new Map();
  #ask;

  /** `ask` is {settings(), memory(), held(tabId), closable(tabId), tell(method, params)}. */
  constructor(ask) {
    this.#ask = ask;
  }

  /** A new relay has been told nothing. */
  reset() {
    this.#told = null;
  }

  isShared(tab) {
    return shared(tab, this.#ask.settings(), this.#ask.memory());
  }

  /** The addresses of shared tabs, as the relay was told of them. */
  addresses() {
    return [...(this.#told?.values() ?? [])].map(({ url }) => url);
  }

  /** All shared tabs, as listTabs says it; from now on changes are told. */
  async list() {
    const seen = await this.#look();
    this.#told = seen;
    return [...seen.values()];
  }

  /** One tab as the relay sees it. Throws for a tab that is not there or not shared. */
  async one(tabId) {
    const tab = await chrome.tabs.get(tabId);
    const shown = this.isShared(tab) ? (await this.#look()).get(tabId) : undefined;
    if (!shown) throw new Error(`No tab with given id ${tabId}.`);
    return shown;
  }

  async #look() {
    const [tabs, ids] = await Promise.all([chrome.tabs.query({}), targetIds()]);
    const seen = new Map();
    for (const tab of tabs) if (this.isShared(tab)) seen.set(tab.id, this.#shown(tab, ids));
    for (const tab of seen.values()) {
      // The id of a tab that is not shared is nobody's business.
      if (!seen.has(tab.openerTabId)) delete tab.openerTabId;
    }
    return seen;
  }

  #shown(tab, ids) {
    const shown = {
      tabId: tab.id,
      targetId: ids.get(tab.id) ?? "",
      windowId: tab.windowId,
      url: addressOf(tab),
      title: tab.title ?? "",
      active: tab.active,
      discarded: tab.discarded === true,
      status: tab.status ?? "",
      attached: this.#ask.held(tab.id),
    };
    if (tab.frozen !== undefined) shown.frozen = tab.frozen;
    if (tab.groupId !== undefined && tab.groupId !== -1) shown.groupId = tab.groupId;
    if (tab.openerTabId !== undefined) shown.openerTabId = tab.openerTabId;
    const known = this.#ask.memory().tabs[tab.id];
    if (known?.client) shown.client = known.client;
    if (known?.by) shown.by = known.by;
    shown.closable = this.#ask.closable(tab.id);
    return shown;
  }

  /** Something may have changed. Runs once at a time, and once more if it is asked meanwhile. */
  survey() {
    this.#wanted = true;
    this.#running ??= this.#surveys().finally(() => {
      this.#running = null;
    });
    return this.#running;
  }

  async #surveys() {
    while (this.#wanted) {
      this.#wanted = false;
      if (this.#told === null) return;
      const seen = await this.#look();
      if (this.#told !== null) this.#compare(seen);
    }
  }

  #compare(seen) {
    const before = this.#told;
    this.#told = seen;
    for (const tabId of before.keys()) {
      if (!seen.has(tabId)) this.#ask.tell("tabRemoved", { tabId });
    }
    for (const [tabId, tab] of seen) {
      const old = before.get(tabId);
      if (!old) {
        this.#fresh.delete(tabId);
        this.#ask.tell("tabCreated", { tab });
        continue;
      }
      const news = KEPT.filter((name) => old[name] !== tab[name]);
      if (old.targetId !== tab.targetId) news.push("targetId");
      if (!news.length) continue;
      const changed = Object.fromEntries(news.map((name) => [name, tab[name] ?? null]));
      this.#ask.tell("tabUpdated", { tabId, ...changed });
    }
  }

  /** A tab was opened. */
  opened(tab) {
    if (this.#told === null || !this.isShared(tab)) return;
    const { id: tabId, windowId } = tab;
    this.#fresh.set(tabId, { tabId, windowId, targetId: "", url: addressOf(tab), title: "" });
  }

  /** A tab is gone. One that nobody could look at is told of all the same. */
  closed(tabId) {
    const tab = this.#fresh.get(tabId);
    if (!this.#fresh.delete(tabId) || this.#told === null) return;
    this.#ask.tell("tabGlimpsed", { tab });
  }

  activated({ tabId, windowId }) {
    if (this.#told?.has(tabId)) this.#ask.tell("tabActivated", { tabId, windowId });
  }

  /** Chrome put another tab into a tab's place. */
  replaced(newTabId, tabId) {
    const old = this.#told?.get(tabId);
    if (!old) return;
    this.#told.delete(tabId);
    this.#told.set(newTabId, { ...old, tabId: newTabId });
    this.#ask.tell("tabReplaced", { tabId, newTabId });
  }
}

/** tabId -> real target id, which is known without attaching. */
async function targetIds() {
  const ids = new Map();
  for (const { tabId, id, type } of await chrome.debugger.getTargets()) {
    if (tabId !== undefined && type === "page") ids.set(tabId, id);
  }
  return ids;
}
