// Which tabs agents use: carries out every request of the relay and every choice of the user.
// Knows: settings, stored state, debugger, tab groups. Must not know: the socket, the popup.

import { COOKIE_READS, filterCookies, findOtherSite } from "./cookie_access.js";
import { sleep } from "./debugger.js";
import {
  PAGE_NOT_ALLOWED,
  READ_ONLY,
  checkCommand,
  checkOpenTab,
  isAttachable,
  isOwnPage,
  refusal,
  siteOf,
} from "./restrictions.js";
import { CANCELLED, AGENT_MESSAGES, PAUSED, TAKEN_BACK } from "../shared/user_stop_reasons.js";

// Commands that clients send on their own. They do not count as use of a tab.
const PASSIVE = /^(Target\.|Runtime\.runIfWaitingForDebugger$|.*\.(enable|disable)$)/;
const NAVIGATE_TO_ENTRY = "Page.navigateToHistoryEntry";
const DRAGGED_OUT_MS = 200;
const CLOSE_RETRY_MS = 500;
const USERS_TAB = "the user opened this tab, and agents may not close it";
const DETACH_HINT = "let go of it, or ask the user to close it";
export const DEFAULT_GROUP = "Pilothouse";

export class Refusal extends Error {
  /** @param {ErrorReply} error */
  constructor({ code, message }) {
    super(message);
    this.code = code;
  }
}

export class TabSharing {
  #parts;

  /**
   * `parts` is {settings, store, tabDebugger, tabs, groups, epoch(), isConnected(), notify(…),
   * refresh()}.
   * @param {Parts} parts
   */
  constructor(parts) {
    this.#parts = parts;
  }

  /**
   * Return why a tab cannot be used now, or null.
   * @param {string} what
   * @param {StoredTab | undefined} known
   * @returns {ErrorReply | null}
   */
  #checkAccess(what, known) {
    const { settings, store } = this.#parts;
    if (settings.values.paused) return refusal(what, ...AGENT_MESSAGES[PAUSED]);
    if (store.data.stopped && !known?.allowed) {
      return refusal(what, ...AGENT_MESSAGES[store.data.stopped]);
    }
    return null;
  }

  /**
   * Attach to a tab for the relay.
   * @param {number} tabId
   * @param {string | undefined} client
   */
  async attach(tabId, client) {
    const { store, tabDebugger, groups, tabs, epoch } = this.#parts;
    const requested = epoch();
    const tab = await chrome.tabs.get(tabId).catch(() => null);
    if (tabId in store.data.taken) {
      throw new Refusal(refusal("attachTab", ...AGENT_MESSAGES[TAKEN_BACK]));
    }
    const error = this.#checkAccess("attachTab", store.tab(tabId));
    if (error) throw new Refusal(error);
    if (!tab || !tabs.isShared(tab)) {
      throw new Refusal({ code: -32000, message: `No tab with given id ${tabId}.` });
    }
    // A discarded tab has no page that could answer. Reload it, as a click on it would.
    if (tab.discarded) {
      const loaded = untilLoaded(tabId);
      await chrome.tabs.reload(tabId);
      await loaded;
    }
    if (epoch() !== requested) {
      throw new Refusal(refusal("attachTab", "the relay that asked for it is gone"));
    }
    const targetInfo = await tabDebugger.attach(tabId, requested);
    this.#markAttached(tabId, tab.url || tab.pendingUrl || "", client);
    if (client) groups.addTabs(client, [tabId]).catch(() => {});
    return targetInfo;
  }

  /**
   * @param {number} tabId
   * @param {string} url
   * @param {string} client
   */
  #markAttached(tabId, url, client = "") {
    const { store, refresh } = this.#parts;
    const known = (store.data.tabs[tabId] ??= { by: "" });
    known.held = true;
    known.used = true;
    known.site ||= siteOf(url);
    known.usedAt = Date.now();
    if (client) known.client = client;
    store.save();
    refresh();
  }

  /**
   * Check and send one CDP command, without awaiting anything: commands must stay in order.
   * @param {CommandRequest} request
   */
  runCommand({ tabId, childSessionId, method, params }) {
    const { settings, store, tabDebugger, tabs } = this.#parts;
    const attachment = tabDebugger.attached.get(tabId);
    if (!attachment) {
      const message = `Debugger is not attached to the tab with id: ${tabId}.`;
      throw new Refusal({ code: -32000, message });
    }
    if (settings.values.paused) throw new Refusal(refusal(method, ...AGENT_MESSAGES[PAUSED]));
    const known = store.tab(tabId);
    const { targets } = attachment;
    const error = checkCommand(method, params, settings.values, { site: known?.site, targets });
    if (error) throw new Refusal(error);
    const refused = method === "Page.close" && !childSessionId && this.#checkClose(method, tabId);
    if (refused) throw new Refusal(refused);
    const sharesAll = settings.values.mode === "auto" && settings.values.share === "all";
    const otherSite = sharesAll ? "" : findOtherSite(tabs.urls(), method, params);
    if (otherSite) {
      const why = `the user shares no tab of ${otherSite}`;
      throw new Refusal(refusal(method, why, "change cookies of tabs that are shared"));
    }
    if (known && !PASSIVE.test(method)) known.usedAt = Date.now();
    if (method === NAVIGATE_TO_ENTRY) {
      return this.#navigateToHistoryEntry(tabId, childSessionId, params);
    }
    const answer = tabDebugger.send(tabId, childSessionId, method, params);
    if (sharesAll || !COOKIE_READS.has(method)) return answer;
    return answer.then(async (all) => filterCookies(await this.#sharedUrls(), all));
  }

  /**
   * Navigate in history, but only to URLs that an agent may use.
   * @param {number} tabId
   * @param {string | undefined} childSessionId
   * @param {CdpParams | undefined} params
   */
  async #navigateToHistoryEntry(tabId, childSessionId, params) {
    const { tabDebugger } = this.#parts;
    const history = await tabDebugger.send(tabId, "", "Page.getNavigationHistory", {});
    const { entries } = /** @type {NavigationHistory} */ (history);
    const entry = entries.find(({ id }) => id === params?.entryId);
    if (entry && !isAttachable(entry.url)) {
      throw new Refusal(refusal(NAVIGATE_TO_ENTRY, PAGE_NOT_ALLOWED));
    }
    return tabDebugger.send(tabId, childSessionId, NAVIGATE_TO_ENTRY, params);
  }

  async #sharedUrls() {
    const tabs = await chrome.tabs.query({});
    return tabs.filter((tab) => this.#parts.tabs.isShared(tab)).map((tab) => tab.url ?? "");
  }

  /**
   * Detach from a tab for the relay.
   * @param {number} tabId
   */
  async detach(tabId) {
    await this.#release(tabId);
    this.#parts.refresh();
  }

  /** @param {number} tabId */
  async #release(tabId) {
    const { store, tabDebugger, groups } = this.#parts;
    const wasAttached = await tabDebugger.release(tabId);
    const known = store.tab(tabId);
    if (known && known.by !== "agent") {
      delete known.group;
      groups.removeTabs([tabId]).catch(() => {});
    }
    if (known) {
      known.held = false;
      if (!known.by) delete store.data.tabs[tabId];
      store.save();
    }
    return wasAttached;
  }

  /** Return the ids of tabs that agents opened or have used. */
  usedTabs() {
    const tabs = Object.entries(this.#parts.store.data.tabs);
    return tabs.filter(([, { by, used }]) => by === "agent" || used).map(([id]) => Number(id));
  }

  /**
   * Give tabs back to the user after their client has gone, as if no agent had ever used them. Only
   * the settings or the user share them again.
   * @param {number[]} tabIds
   */
  async giveBack(tabIds) {
    const { store, tabDebugger, groups, tabs, notify, refresh } = this.#parts;
    for (const tabId of tabIds) delete store.data.tabs[tabId];
    store.save();
    await Promise.all(
      tabIds.map(async (tabId) => {
        const wasAttached = await tabDebugger.release(tabId);
        if (wasAttached) notify("tabDetached", { tabId, reason: "not_shared" });
      }),
    );
    groups.removeTabs(tabIds).catch(() => {});
    await tabs.sync();
    refresh();
    return {};
  }

  /** @param {OpenTabRequest} request */
  async openTab({ url, active, windowId, window, client }) {
    const { settings, store, groups, tabs } = this.#parts;
    const error = checkOpenTab(url ?? "", settings.values, store.data);
    if (error) throw new Refusal(error);
    const targetWindow = settings.values.share === "window" ? store.data.shareWindowId : windowId;
    const ownWindow = window && settings.values.share !== "window";
    const place = ownWindow ? null : targetWindow ? { windowId: targetWindow } : await findWindow();
    const to = url || "about:blank";
    const created = place
      ? await chrome.tabs.create({ url: to, active: active === true, ...place })
      : (await chrome.windows.create({ ...window, url: to, focused: false }))?.tabs?.[0];
    const tabId = created?.id;
    if (tabId === undefined) throw new Error("Chrome opened no tab.");
    /** @type {StoredTab} */
    const known = { by: "agent", client: client ?? "", usedAt: Date.now(), site: "" };
    store.data.tabs[tabId] = known;
    store.save();
    groups.addTabs(client || DEFAULT_GROUP, [tabId]).catch(() => {});
    // The relay must hear of the tab before it gets this reply.
    await tabs.sync();
    return tabs.get(tabId);
  }

  /**
   * Return whether agents may close a tab. By default they may not close what the user opened.
   * @param {number} tabId
   */
  mayClose(tabId) {
    const { settings, store } = this.#parts;
    const opened = store.tab(tabId)?.by === "agent" || tabId in store.data.popups;
    return opened || settings.values.mayClose;
  }

  /**
   * @param {string} what
   * @param {number} tabId
   * @returns {ErrorReply | null}
   */
  #checkClose(what, tabId) {
    return this.mayClose(tabId) ? null : refusal(what, USERS_TAB, DETACH_HINT);
  }

  /** @param {number} tabId */
  async closeTab(tabId) {
    const { settings, store, tabDebugger, tabs } = this.#parts;
    const error = settings.values.readOnly
      ? refusal("closeTab", READ_ONLY)
      : this.#checkAccess("closeTab", store.tab(tabId)) ?? this.#checkClose("closeTab", tabId);
    if (error) throw new Refusal(error);
    await tabs.get(tabId);
    const gone = untilGone(tabId);
    if (await tabDebugger.close(tabId)) {
      await this.#closeUntilGone(tabId, gone);
    } else {
      await tabDebugger.detach(tabId);
      await chrome.tabs.remove(tabId);
    }
    const closed = await gone;
    await tabs.sync();
    return { closed };
  }

  /**
   * Repeat closing: Chrome accepts it, and forgets it if a new document loads at that moment.
   * @param {number} tabId
   * @param {Promise<boolean>} gone
   */
  async #closeUntilGone(tabId, gone) {
    const { tabDebugger } = this.#parts;
    const goneOrTimeout = () => Promise.race([gone, sleep(CLOSE_RETRY_MS)]);
    while ((await goneOrTimeout()) === undefined && !tabDebugger.hasDialog(tabId)) {
      await tabDebugger.close(tabId);
    }
  }

  /**
   * Put tabs into a client's group.
   * @param {GroupRequest} request
   */
  async groupTabs({ client, tabIds }) {
    const { store, groups, tabs } = this.#parts;
    for (const tabId of tabIds) {
      await tabs.get(tabId);
      (store.data.tabs[tabId] ??= { by: "", usedAt: Date.now() }).client = client;
    }
    await groups.addTabs(client || DEFAULT_GROUP, tabIds);
    return {};
  }

  // Actions of the user.

  /**
   * Share a tab that the user picked.
   * @param {number} tabId
   * @param {string} client
   */
  async shareTab(tabId, client = "") {
    const { store, tabs, notify, refresh } = this.#parts;
    const tab = await chrome.tabs.get(tabId);
    const url = tab.url || tab.pendingUrl || "";
    if (!isAttachable(url)) {
      throw new Refusal(refusal("this tab", "Chrome allows no debugger on its own pages"));
    }
    delete store.data.taken[tabId];
    const known = (store.data.tabs[tabId] ??= { by: "user", usedAt: Date.now() });
    known.by ||= "user";
    known.allowed = true;
    known.site = siteOf(url);
    if (client) Object.assign(known, { client, group: tab.groupId });
    store.save();
    await tabs.sync();
    notify("userAction", { kind: "attach", tabId, ...(client && { client }) });
    refresh();
  }

  /**
   * Take a tab back from agents.
   * @param {number} tabId
   * @param {string} reason
   */
  async takeBack(tabId, reason = "detached_by_user") {
    const { store, tabDebugger, groups, tabs, notify, refresh } = this.#parts;
    store.data.taken[tabId] = true;
    const grouped = store.tab(tabId)?.group !== undefined;
    delete store.data.tabs[tabId];
    store.save();
    // Send this first: after the tab has left the list, the relay could not know why.
    notify("userAction", { kind: "detach", tabId });
    if (await tabDebugger.detach(tabId)) notify("tabDetached", { tabId, reason });
    if (grouped) groups.removeTabs([tabId]).catch(() => {});
    await tabs.sync();
    refresh();
  }

  /**
   * Stop all agents (popup, or Cancel on Chrome's bar) until the user allows them again.
   * @param {Exclude<Stopped, "">} state
   */
  async stop(state = CANCELLED) {
    const { store, tabDebugger, groups, tabs, notify, refresh } = this.#parts;
    if (store.data.stopped && !tabDebugger.attached.size) return;
    store.stop(state);
    const reason = state === CANCELLED ? "canceled_by_user" : "stopped_by_user";
    const ids = Object.keys(store.data.tabs).map(Number);
    for (const known of Object.values(store.data.tabs)) {
      known.allowed = false;
      known.held = false;
    }
    store.save();
    refresh();
    notify("userAction", { kind: "detach", state });
    await this.#detachAll(reason);
    groups.removeTabs(ids).catch(() => {});
    await tabs.sync();
    refresh();
    return tabDebugger.attached.size;
  }

  /** Allow agents again after a stop. */
  async allow() {
    const { store, tabs, notify, refresh } = this.#parts;
    store.stop("");
    notify("userAction", { kind: "attach" });
    await tabs.sync();
    refresh();
  }

  /** @param {string} reason */
  async #detachAll(reason) {
    const { tabDebugger, notify } = this.#parts;
    await Promise.all(
      [...tabDebugger.attached.keys()].map(async (tabId) => {
        if (await tabDebugger.detach(tabId)) notify("tabDetached", { tabId, reason });
      }),
    );
  }

  /**
   * Pause or resume all agents. Called whenever the setting changes.
   * @param {boolean} paused
   */
  setPaused(paused) {
    const { tabDebugger, isConnected, notify, refresh } = this.#parts;
    tabDebugger.setPaused(paused || !isConnected());
    notify("userAction", { kind: paused ? "pause" : "resume" });
    refresh();
  }

  /**
   * Share all tabs, one window, one tab, or only picked tabs ("manual").
   * @param {UserSettings["share"] | "manual"} share
   * @param {{tabId?: number | null, windowId?: number | null}} chosen
   */
  async setScope(share, { tabId = null, windowId = null }) {
    const { settings, store } = this.#parts;
    store.data.shareTabId = share === "tab" ? tabId : null;
    store.data.shareWindowId = share === "window" ? windowId : null;
    if (tabId !== null && share === "tab") delete store.data.taken[tabId];
    store.save();
    if (share === "manual") await settings.set({ mode: "manual" });
    else await settings.set({ mode: "auto", share });
    await this.detachUnshared();
  }

  /** Detach from tabs that are no longer shared, after settings or windows have changed. */
  async detachUnshared() {
    const { tabDebugger, tabs, notify, refresh } = this.#parts;
    for (const tabId of [...tabDebugger.attached.keys()]) {
      const tab = await chrome.tabs.get(tabId).catch(() => null);
      if (tab && tabs.isShared(tab)) continue;
      if (await this.#release(tabId)) notify("tabDetached", { tabId, reason: "not_shared" });
    }
    await tabs.sync();
    refresh();
  }

  // Events of Chrome and timers.

  /**
   * Chrome detached the debugger from a tab.
   * @param {number} tabId
   * @param {string} reason
   */
  async onDebuggerDetached(tabId, reason) {
    const { store, tabDebugger, notify, refresh } = this.#parts;
    const wasAttached = tabDebugger.attached.delete(tabId) || store.tab(tabId)?.held;
    if (wasAttached) notify("tabDetached", { tabId, reason }, true);
    if (reason === "canceled_by_user") {
      await this.stop();
      return;
    }
    const known = store.tab(tabId);
    if (known) known.held = false;
    store.save();
    refresh();
  }

  /**
   * A tab has another URL. Take it back if it left the site that it is locked to.
   * @param {number} tabId
   * @param {string} url
   */
  async onUrlChanged(tabId, url) {
    const { settings, store, tabDebugger, notify, refresh } = this.#parts;
    const known = store.tab(tabId);
    if ((isOwnPage(url) || !isAttachable(url)) && (await this.#release(tabId))) {
      notify("tabDetached", { tabId, reason: "not_shared" });
      refresh();
    }
    if (!known) return;
    const site = siteOf(url);
    if (!known.site) {
      known.site = site;
      store.save();
    } else if (site !== known.site && !settings.values.lockUrl) {
      known.site = site;
      store.save();
    } else if (site && site !== known.site && tabDebugger.has(tabId)) {
      await this.takeBack(tabId, "left_locked_site");
    }
  }

  /**
   * A tab's group changed: the user may have dragged it into or out of a client's group.
   * @param {number} tabId
   * @param {number} groupId
   */
  async onGroupChanged(tabId, groupId) {
    const { store, groups } = this.#parts;
    const move = groups.detectDrag(tabId, groupId);
    const known = store.tab(tabId);
    if (move?.kind === "in") await this.shareTab(tabId, move.client);
    else if (move?.kind === "out") {
      // A closing tab leaves its group first, and so does one moving to another window. Only a tab
      // that stays outside was dragged out.
      await new Promise((done) => setTimeout(done, DRAGGED_OUT_MS));
      const tab = await chrome.tabs.get(tabId).catch(() => null);
      if (tab && !groups.clientOf(tab.groupId)) await this.takeBack(tabId);
    } else if (known) {
      known.group = groupId === -1 ? undefined : groupId;
      store.save();
    }
  }

  /** Detach from, or close, tabs that were idle for as long as the settings say. */
  async releaseIdleTabs(now = Date.now()) {
    const { settings, store, tabDebugger, notify, refresh } = this.#parts;
    const { autoDetachMinutes, autoCloseMinutes } = settings.values;
    for (const [id, known] of Object.entries(store.data.tabs)) {
      const tabId = Number(id);
      const idle = (now - (known.usedAt ?? now)) / 60000;
      if (autoCloseMinutes && known.by === "agent" && idle >= autoCloseMinutes) {
        await tabDebugger.close(tabId);
        await tabDebugger.detach(tabId);
        await chrome.tabs.remove(tabId).catch(() => {});
      } else if (autoDetachMinutes && tabDebugger.has(tabId) && idle >= autoDetachMinutes) {
        if (await this.#release(tabId)) notify("tabDetached", { tabId, reason: "idle" });
      }
    }
    store.save();
    refresh();
  }

  /** Detach from all tabs, because no relay connected in time. */
  async releaseAll() {
    const { tabDebugger, isConnected, notify, refresh } = this.#parts;
    await Promise.all(
      tabDebugger.attachedOrAttaching().map(async (tabId) => {
        if (isConnected()) return;
        // A relay that connects just now was told that the tab is attached.
        if (await this.#release(tabId)) notify("tabDetached", { tabId, reason: "line_lost" });
      }),
    );
    refresh();
  }
}

async function findWindow() {
  const windows = await chrome.windows.getAll({ windowTypes: ["normal"] });
  const shown = windows.filter((found) => !found.incognito);
  if (!shown.length) return null;
  return { windowId: (shown.find((found) => found.focused) ?? shown[0]).id };
}

/**
 * Resolve to true when a matching event comes, or to false after `withinMs`.
 * @template {any[]} Given
 * @param {chrome.events.Event<(...args: Given) => void>} event
 * @param {(...args: Given) => boolean} matches
 * @param {number} withinMs
 * @returns {Promise<boolean>}
 */
function waitFor(event, matches, withinMs) {
  return new Promise((done) => {
    /** @param {boolean} happened */
    const finish = (happened) => {
      clearTimeout(timer);
      event.removeListener(listener);
      done(happened);
    };
    /** @param {Given} args */
    const listener = (...args) => matches(...args) && finish(true);
    const timer = setTimeout(() => finish(false), withinMs);
    event.addListener(listener);
  });
}

/**
 * Wait until a tab is closed. A page may refuse to close.
 * @param {number} tabId
 */
const untilGone = (tabId) => waitFor(chrome.tabs.onRemoved, (id) => id === tabId, 8000);

/**
 * Wait until a tab has loaded. A page may load forever: then use it as it is.
 * @param {number} tabId
 */
const untilLoaded = (tabId) =>
  waitFor(chrome.tabs.onUpdated, (id, { status }) => id === tabId && status === "complete", 5000);
