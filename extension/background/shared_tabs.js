// Which tabs are shared, and what the relay knows of them. sync() compares all tabs with what was
// reported and sends the difference, so that no order of events can lose or duplicate a tab.
// Must not know: the debugger's commands.

import { isAttachable, isOwnPage } from "./restrictions.js";

/** @type {(keyof ReportedTab)[]} */
const REPORTED_FIELDS = [
  "url", "title", "discarded", "frozen", "status", "windowId", "active", "groupId", "by",
  "closable",
];

/** @param {chrome.tabs.Tab} tab */
const urlOf = (tab) => tab.url || tab.pendingUrl || "about:blank";

/**
 * Return whether a tab is shared: by the settings, by the user, or because an agent opened it.
 * @param {chrome.tabs.Tab} tab
 * @param {UserSettings} settings
 * @param {StoredData} stored
 * @returns {tab is KnownTab}
 */
export function isTabShared(tab, settings, stored) {
  if (tab.incognito || tab.id === undefined || tab.id in stored.taken) return false;
  // Browser pages and files are never shared, not even in a tab that an agent opened.
  if (isOwnPage(urlOf(tab)) || !isAttachable(urlOf(tab))) return false;
  const known = stored.tabs[tab.id];
  if (known?.by) return !stored.stopped || known.allowed === true;
  if (stored.stopped || settings.mode === "manual") return false;
  if (settings.share === "tab" && tab.id !== stored.shareTabId) return false;
  return settings.share !== "window" || tab.windowId === stored.shareWindowId;
}

export class SharedTabs {
  // tabId -> what was reported to the relay; null until it requested the list.
  /** @type {Map<number, ReportedTab> | null} */
  #reported = null;
  #syncRequested = false;
  /** @type {Promise<void> | null} */
  #syncing = null;
  // New tabs that are not reported yet: a popup may close itself at once.
  /** @type {Map<number, ReportedTab>} */
  #unreported = new Map();
  #callbacks;

  /**
   * `callbacks` is {settings(), stored(), isAttached(tabId), mayClose(tabId), notify(method,
   * params)}.
   * @param {TabCallbacks} callbacks
   */
  constructor(callbacks) {
    this.#callbacks = callbacks;
  }

  /** Forget what was reported: a new relay knows nothing. */
  reset() {
    this.#reported = null;
  }

  /**
   * @param {chrome.tabs.Tab} tab
   * @returns {tab is KnownTab}
   */
  isShared(tab) {
    return isTabShared(tab, this.#callbacks.settings(), this.#callbacks.stored());
  }

  /** Return the URLs of shared tabs as reported to the relay. */
  urls() {
    return [...(this.#reported?.values() ?? [])].map(({ url }) => url);
  }

  /** Return all shared tabs for `listTabs`. From now on changes are reported. */
  async list() {
    const seen = await this.#collect();
    this.#reported = seen;
    return [...seen.values()];
  }

  /**
   * Return one shared tab as the relay sees it. Throws if there is none.
   * @param {number} tabId
   * @returns {Promise<ReportedTab>}
   */
  async get(tabId) {
    const tab = await chrome.tabs.get(tabId);
    const described = this.isShared(tab) ? (await this.#collect()).get(tabId) : undefined;
    if (!described) throw new Error(`No tab with given id ${tabId}.`);
    return described;
  }

  /** @returns {Promise<Map<number, ReportedTab>>} */
  async #collect() {
    const [tabs, ids] = await Promise.all([chrome.tabs.query({}), targetIds()]);
    const seen = new Map();
    for (const tab of tabs) if (this.isShared(tab)) seen.set(tab.id, this.#describe(tab, ids));
    for (const tab of seen.values()) {
      // Do not reveal the id of a tab that is not shared.
      if (!seen.has(tab.openerTabId ?? NaN)) delete tab.openerTabId;
    }
    return seen;
  }

  /**
   * @param {KnownTab} tab
   * @param {Map<number, string>} ids
   * @returns {ReportedTab}
   */
  #describe(tab, ids) {
    /** @type {ReportedTab} */
    const described = {
      tabId: tab.id,
      targetId: ids.get(tab.id) ?? "",
      windowId: tab.windowId,
      url: urlOf(tab),
      title: tab.title ?? "",
      active: tab.active,
      discarded: tab.discarded === true,
      status: tab.status ?? "",
      attached: this.#callbacks.isAttached(tab.id),
    };
    if (tab.frozen !== undefined) described.frozen = tab.frozen;
    if (tab.groupId !== undefined && tab.groupId !== -1) described.groupId = tab.groupId;
    if (tab.openerTabId !== undefined) described.openerTabId = tab.openerTabId;
    const known = this.#callbacks.stored().tabs[tab.id];
    if (known?.client) described.client = known.client;
    if (known?.by) described.by = known.by;
    described.closable = this.#callbacks.mayClose(tab.id);
    return described;
  }

  /** Report changes. Runs once at a time, and once more if called meanwhile. */
  sync() {
    this.#syncRequested = true;
    this.#syncing ??= this.#runSync().finally(() => {
      this.#syncing = null;
    });
    return this.#syncing;
  }

  async #runSync() {
    while (this.#syncRequested) {
      this.#syncRequested = false;
      if (this.#reported === null) return;
      const seen = await this.#collect();
      if (this.#reported !== null) this.#sendChanges(seen);
    }
  }

  /** @param {Map<number, ReportedTab>} seen */
  #sendChanges(seen) {
    const before = this.#reported ?? new Map();
    this.#reported = seen;
    for (const tabId of before.keys()) {
      if (!seen.has(tabId)) this.#callbacks.notify("tabRemoved", { tabId });
    }
    for (const [tabId, tab] of seen) {
      const old = before.get(tabId);
      if (!old) {
        this.#unreported.delete(tabId);
        this.#callbacks.notify("tabCreated", { tab });
        continue;
      }
      const changedFields = REPORTED_FIELDS.filter((name) => old[name] !== tab[name]);
      if (old.targetId !== tab.targetId) changedFields.push("targetId");
      if (!changedFields.length) continue;
      const changed = Object.fromEntries(changedFields.map((name) => [name, tab[name] ?? null]));
      this.#callbacks.notify("tabUpdated", { tabId, ...changed });
    }
  }

  /**
   * Remember a new tab until it is reported.
   * @param {chrome.tabs.Tab} tab
   */
  onOpened(tab) {
    if (this.#reported === null || !this.isShared(tab)) return;
    const { id: tabId, windowId } = tab;
    this.#unreported.set(tabId, { tabId, windowId, targetId: "", url: urlOf(tab), title: "" });
  }

  /**
   * Report a tab that closed before it could be reported.
   * @param {number} tabId
   */
  onClosed(tabId) {
    const tab = this.#unreported.get(tabId);
    if (!this.#unreported.delete(tabId) || this.#reported === null) return;
    this.#callbacks.notify("tabGlimpsed", { tab });
  }

  /** @param {{tabId: number, windowId: number}} active */
  onActivated({ tabId, windowId }) {
    if (this.#reported?.has(tabId)) this.#callbacks.notify("tabActivated", { tabId, windowId });
  }

  /**
   * Chrome replaced a tab with another one.
   * @param {number} newTabId
   * @param {number} tabId
   */
  onReplaced(newTabId, tabId) {
    const old = this.#reported?.get(tabId);
    if (!old) return;
    this.#reported?.delete(tabId);
    this.#reported?.set(newTabId, { ...old, tabId: newTabId });
    this.#callbacks.notify("tabReplaced", { tabId, newTabId });
  }
}

/** Return tabId -> real target id. Chrome tells it without attaching. */
async function targetIds() {
  const ids = new Map();
  for (const { tabId, id, type } of await chrome.debugger.getTargets()) {
    if (tabId !== undefined && type === "page") ids.set(tabId, id);
  }
  return ids;
}
