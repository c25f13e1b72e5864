// What is lent and to whom: every decision of the user and of the relay about tabs comes here.
// Knows: settings, memory, debugger, groups. Must not know: the socket, the pages of the popup.

import { READS_COOKIES, cookiesFor, strangerOf } from "./cookies.js";
import { wait } from "./debugging.js";
import {
  CLOSED,
  READ_ONLY,
  attachable,
  isOwn,
  judge,
  judgeOpening,
  refusal,
  siteOf,
} from "./restrictions.js";
import { CANCELLED, FOR_AGENTS, PAUSED, STOPPED, TAKEN_BACK } from "./states.js";

const PASSIVE = /^(Target\.|Runtime\.runIfWaitingForDebugger$|.*\.(enable|disable)$)/;
const TO_HISTORY = "Page.navigateToHistoryEntry";
const OUTSIDE_MS = 200;
const CLOSE_AGAIN_MS = 500;
const OWN_TAB = "the user opened this tab, and agents may not close it";
const LET_GO = "let go of it, or ask the user to close it";
export const FALLBACK = "Pilothouse";

export class Refusal extends Error {
  constructor({ code, message }) {
    super(message);
    this.code = code;
  }
}

export class Lending {
  #parts;

  /** `parts` is {settings, memory, debugging, tabs, groups, visit(), online(), tell(…), changed()}. */
  constructor(parts) {
    this.#parts = parts;
  }

  /** Why a tab cannot be used now, or null. */
  #closed(what, known) {
    const { settings, memory } = this.#parts;
    if (settings.now.paused) return refusal(what, ...FOR_AGENTS[PAUSED]);
    if (memory.now.stopped && !known?.allowed) {
      return refusal(what, ...FOR_AGENTS[memory.now.stopped]);
    }
    return null;
  }

  /** Hold a tab for the relay. */
  async attach(tabId, client) {
    const { memory, debugging, groups, tabs, visit } = this.#parts;
    const asked = visit();
    const tab = await chrome.tabs.get(tabId).catch(() => null);
    if (tabId in memory.now.taken) {
      throw new Refusal(refusal("attachTab", ...FOR_AGENTS[TAKEN_BACK]));
    }
    const error = this.#closed("attachTab", memory.tab(tabId));
    if (error) throw new Refusal(error);
    if (!tab || !tabs.isShared(tab)) {
      throw new Refusal({ code: -32000, message: `No tab with given id ${tabId}.` });
    }
    // A discarded tab has no page to answer: it is loaded again first, as a click on it does.
    if (tab.discarded) {
      const loaded = untilLoaded(tabId);
      await chrome.tabs.reload(tabId);
      await loaded;
    }
    if (visit() !== asked) throw new Refusal(refusal("attachTab", "the relay that asked is gone"));
    const targetInfo = await debugging.attach(tabId, asked);
    this.#holds(tabId, tab.url || tab.pendingUrl || "", client);
    if (client) groups.put(client, [tabId]).catch(() => {});
    return targetInfo;
  }

  #holds(tabId, url, client = "") {
    const { memory, changed } = this.#parts;
    const known = (memory.now.tabs[tabId] ??= { by: "" });
    known.held = true;
    known.used = true;
    known.site ||= siteOf(url);
    known.usedAt = Date.now();
    if (client) known.client = client;
    memory.save();
    changed();
  }

  /** One CDP command, judged and sent without a wait: the order must stand. */
  command({ tabId, childSessionId, method, params }) {
    const { settings, memory, debugging, tabs } = this.#parts;
    const held = debugging.held.get(tabId);
    if (!held) {
      const message = `Debugger is not attached to the tab with id: ${tabId}.`;
      throw new Refusal({ code: -32000, message });
    }
    if (settings.now.paused) throw new Refusal(this.#closed(method));
    const known = memory.tab(tabId);
    const error = judge(method, params, settings.now, { site: known?.site, targets: held.targets });
    if (error) throw new Refusal(error);
    const kept = method === "Page.close" && !childSessionId && this.#kept(method, tabId);
    if (kept) throw new Refusal(kept);
    const everything = settings.now.mode === "auto" && settings.now.share === "all";
    const stranger = everything ? "" : strangerOf(tabs.addresses(), method, params);
    if (stranger) {
      const why = `the user shares no tab of ${stranger}`;
      throw new Refusal(refusal(method, why, "change cookies of tabs that are shared"));
    }
    if (known && !PASSIVE.test(method)) known.usedAt = Date.now();
    if (method === TO_HISTORY) return this.#toHistory(tabId, childSessionId, params);
    const answer = debugging.send(tabId, childSessionId, method, params);
    if (everything || !READS_COOKIES.has(method)) return answer;
    return answer.then(async (all) => cookiesFor(await this.#addresses(), all));
  }

  /** Where the user has been is not where an agent may go: an entry is judged like an address. */
  async #toHistory(tabId, childSessionId, params) {
    const { debugging } = this.#parts;
    const { entries } = await debugging.send(tabId, "", "Page.getNavigationHistory");
    const entry = entries.find(({ id }) => id === params?.entryId);
    if (entry && !attachable(entry.url)) throw new Refusal(refusal(TO_HISTORY, CLOSED));
    return debugging.send(tabId, childSessionId, TO_HISTORY, params);
  }

  async #addresses() {
    const tabs = await chrome.tabs.query({});
    return tabs.filter((tab) => this.#parts.tabs.isShared(tab)).map((tab) => tab.url ?? "");
  }

  /** The relay lets a tab go. */
  async release(tabId) {
    await this.#letGo(tabId);
    this.#parts.changed();
  }

  async #letGo(tabId) {
    const { memory, debugging, groups } = this.#parts;
    const was = await debugging.free(tabId);
    const known = memory.tab(tabId);
    if (known && known.by !== "agent") {
      delete known.group;
      groups.drop([tabId]).catch(() => {});
    }
    if (known) {
      known.held = false;
      if (!known.by) delete memory.now.tabs[tabId];
      memory.save();
    }
    return was;
  }

  /** The tabs that agents opened or have used. */
  lent() {
    const tabs = Object.entries(this.#parts.memory.now.tabs);
    return tabs.filter(([, { by, used }]) => by === "agent" || used).map(([id]) => Number(id));
  }

  /**
   * Whoever used these tabs is gone: they are the user's, as if no agent had ever been there. Only
   * the settings, or the user's hand, share them again.
   */
  async giveBack(tabIds) {
    const { memory, debugging, groups, tabs, tell, changed } = this.#parts;
    for (const tabId of tabIds) delete memory.now.tabs[tabId];
    memory.save();
    await Promise.all(
      tabIds.map(async (tabId) => {
        if (await debugging.free(tabId)) tell("tabDetached", { tabId, reason: "not_shared" });
      }),
    );
    groups.drop(tabIds).catch(() => {});
    await tabs.survey();
    changed();
    return {};
  }

  async open({ url, active, windowId, window, client }) {
    const { settings, memory, groups, tabs } = this.#parts;
    const error = judgeOpening(url ?? "", settings.now, memory.now);
    if (error) throw new Refusal(error);
    const wanted = settings.now.share === "window" ? memory.now.shareWindowId : windowId;
    const apart = window && settings.now.share !== "window";
    const place = apart ? null : wanted ? { windowId: wanted } : await someWindow();
    const to = url || "about:blank";
    const made = place
      ? await chrome.tabs.create({ url: to, active: active === true, ...place })
      : (await chrome.windows.create({ ...window, url: to, focused: false })).tabs[0];
    memory.now.tabs[made.id] = { by: "agent", client: client ?? "", usedAt: Date.now(), site: "" };
    memory.save();
    groups.put(client || FALLBACK, [made.id]).catch(() => {});
    // The relay hears of the tab before it hears that it was made.
    await tabs.survey();
    return tabs.one(made.id);
  }

  /** Whether agents may close a tab: what the user opened is the user's to close. */
  mayClose(tabId) {
    const { settings, memory } = this.#parts;
    const opened = memory.tab(tabId)?.by === "agent" || tabId in memory.now.popups;
    return opened || settings.now.mayClose;
  }

  #kept(what, tabId) {
    return this.mayClose(tabId) ? null : refusal(what, OWN_TAB, LET_GO);
  }

  async close(tabId) {
    const { settings, memory, debugging, tabs } = this.#parts;
    const error = settings.now.readOnly
      ? refusal("closeTab", READ_ONLY)
      : this.#closed("closeTab", memory.tab(tabId)) ?? this.#kept("closeTab", tabId);
    if (error) throw new Refusal(error);
    await tabs.one(tabId);
    const gone = untilGone(tabId);
    if (await debugging.close(tabId)) {
      await this.#insist(tabId, gone);
    } else {
      await debugging.detach(tabId);
      await chrome.tabs.remove(tabId);
    }
    const closed = await gone;
    await tabs.survey();
    return { closed };
  }

  /** Chrome says yes to a close and forgets it when a new document comes at the same moment. */
  async #insist(tabId, gone) {
    const { debugging } = this.#parts;
    const came = () => Promise.race([gone, wait(CLOSE_AGAIN_MS)]);
    while ((await came()) === undefined && !debugging.asks(tabId)) await debugging.close(tabId);
  }

  /** Put tabs into a client's group. */
  async share({ client, tabIds }) {
    const { memory, groups, tabs } = this.#parts;
    for (const tabId of tabIds) {
      await tabs.one(tabId);
      (memory.now.tabs[tabId] ??= { by: "", usedAt: Date.now() }).client = client;
    }
    await groups.put(client || FALLBACK, tabIds);
    return {};
  }

  // What the user does.

  /** The user shares a tab by hand. */
  async give(tabId, client = "") {
    const { memory, tabs, tell, changed } = this.#parts;
    const tab = await chrome.tabs.get(tabId);
    const url = tab.url || tab.pendingUrl || "";
    if (!attachable(url)) throw new Refusal(refusal("this tab", "Chrome keeps its own pages closed"));
    delete memory.now.taken[tabId];
    const known = (memory.now.tabs[tabId] ??= { by: "user", usedAt: Date.now() });
    known.by ||= "user";
    known.allowed = true;
    known.site = siteOf(url);
    if (client) Object.assign(known, { client, group: tab.groupId });
    memory.save();
    await tabs.survey();
    tell("userAction", { kind: "attach", tabId, ...(client && { client }) });
    changed();
  }

  /** The user takes a tab back. */
  async take(tabId, reason = "detached_by_user") {
    const { memory, debugging, groups, tabs, tell, changed } = this.#parts;
    memory.now.taken[tabId] = true;
    const grouped = memory.tab(tabId)?.group !== undefined;
    delete memory.now.tabs[tabId];
    memory.save();
    // First of all: once the tab is gone from the list nobody could say why.
    tell("userAction", { kind: "detach", tabId });
    if (await debugging.detach(tabId)) tell("tabDetached", { tabId, reason });
    if (grouped) groups.drop([tabId]).catch(() => {});
    await tabs.survey();
    changed();
  }

  /** Stopped in the popup or cancelled on Chrome's bar: nothing is shared until the user says so. */
  async stop(state = CANCELLED) {
    const { memory, debugging, groups, tabs, tell, changed } = this.#parts;
    if (memory.now.stopped && !debugging.held.size) return;
    memory.stop(state);
    const reason = state === CANCELLED ? "canceled_by_user" : "stopped_by_user";
    const ids = Object.keys(memory.now.tabs).map(Number);
    for (const known of Object.values(memory.now.tabs)) {
      known.allowed = false;
      known.held = false;
    }
    memory.save();
    changed();
    tell("userAction", { kind: "detach", state });
    await this.#dropAll(reason);
    groups.drop(ids).catch(() => {});
    await tabs.survey();
    changed();
    return debugging.held.size;
  }

  /** The user allows agents again after a stop. */
  async allow() {
    const { memory, tabs, tell, changed } = this.#parts;
    memory.stop("");
    tell("userAction", { kind: "attach" });
    await tabs.survey();
    changed();
  }

  async #dropAll(reason) {
    const { debugging, tell } = this.#parts;
    await Promise.all(
      [...debugging.held.keys()].map(async (tabId) => {
        if (await debugging.detach(tabId)) tell("tabDetached", { tabId, reason });
      }),
    );
  }

  /** Hands off, all of them, or on again. Follows the setting, wherever it was changed. */
  pauses(paused) {
    const { debugging, online, tell, changed } = this.#parts;
    debugging.pause(paused || !online());
    tell("userAction", { kind: paused ? "pause" : "resume" });
    changed();
  }

  /** How much is shared from now on: all, one window, one tab, or what the user picks. */
  async narrow(share, { tabId = null, windowId = null }) {
    const { settings, memory } = this.#parts;
    memory.now.shareTabId = share === "tab" ? tabId : null;
    memory.now.shareWindowId = share === "window" ? windowId : null;
    if (tabId !== null && share === "tab") delete memory.now.taken[tabId];
    memory.save();
    if (share === "manual") await settings.set({ mode: "manual" });
    else await settings.set({ mode: "auto", share });
    await this.settled();
  }

  /** After a change of settings: what is no longer shared is let go. */
  async settled() {
    const { debugging, tabs, tell, changed } = this.#parts;
    for (const tabId of [...debugging.held.keys()]) {
      const tab = await chrome.tabs.get(tabId).catch(() => null);
      if (tab && tabs.isShared(tab)) continue;
      if (await this.#letGo(tabId)) tell("tabDetached", { tabId, reason: "not_shared" });
    }
    await tabs.survey();
    changed();
  }

  // What happens by itself.

  /** Chrome took the debugger off a tab. */
  async lost(tabId, reason) {
    const { memory, debugging, tell, changed } = this.#parts;
    const was = debugging.held.delete(tabId) || memory.tab(tabId)?.held;
    if (was) tell("tabDetached", { tabId, reason }, true);
    if (reason === "canceled_by_user") {
      await this.stop();
      return;
    }
    const known = memory.tab(tabId);
    if (known) known.held = false;
    memory.save();
    changed();
  }

  /** A tab is somewhere else. One that is locked to a site and left it is let go. */
  async moved(tabId, url) {
    const { settings, memory, debugging, tell, changed } = this.#parts;
    const known = memory.tab(tabId);
    if ((isOwn(url) || !attachable(url)) && (await this.#letGo(tabId))) {
      tell("tabDetached", { tabId, reason: "not_shared" });
      changed();
    }
    if (!known) return;
    const site = siteOf(url);
    if (!known.site) {
      known.site = site;
      memory.save();
    } else if (site !== known.site && !settings.now.lockUrl) {
      known.site = site;
      memory.save();
    } else if (site && site !== known.site && debugging.has(tabId)) {
      await this.take(tabId, "left_locked_site");
    }
  }

  /** The user dragged a tab over the edge of a group. */
  async dragged(tabId, groupId) {
    const { memory, groups } = this.#parts;
    const move = groups.moved(tabId, groupId);
    if (move?.kind === "in") await this.give(tabId, move.client);
    else if (move?.kind === "out") {
      // A tab that is being closed leaves its group first, and one on its way to another window
      // does too: only what stays outside was dragged out.
      await new Promise((done) => setTimeout(done, OUTSIDE_MS));
      const tab = await chrome.tabs.get(tabId).catch(() => null);
      if (tab && !groups.clientOf(tab.groupId)) await this.take(tabId);
    } else if (memory.tab(tabId)) {
      memory.tab(tabId).group = groupId === -1 ? undefined : groupId;
      memory.save();
    }
  }

  /** Let go of, and close, what nobody used for as long as the settings say. */
  async sweep(now = Date.now()) {
    const { settings, memory, debugging, tell, changed } = this.#parts;
    const { autoDetachMinutes, autoCloseMinutes } = settings.now;
    for (const [id, known] of Object.entries(memory.now.tabs)) {
      const tabId = Number(id);
      const idle = (now - (known.usedAt ?? now)) / 60000;
      if (autoCloseMinutes && known.by === "agent" && idle >= autoCloseMinutes) {
        await debugging.close(tabId);
        await debugging.detach(tabId);
        await chrome.tabs.remove(tabId).catch(() => {});
      } else if (autoDetachMinutes && debugging.has(tabId) && idle >= autoDetachMinutes) {
        if (await this.#letGo(tabId)) tell("tabDetached", { tabId, reason: "idle" });
      }
    }
    memory.save();
    changed();
  }

  /** No relay came back in time: nobody is left who would let the tabs go. */
  async abandon() {
    const { debugging, online, tell, changed } = this.#parts;
    await Promise.all(
      debugging.all().map(async (tabId) => {
        if (online()) return;
        // A relay that comes back just now has been told that the tab is held.
        if (await this.#letGo(tabId)) tell("tabDetached", { tabId, reason: "line_lost" });
      }),
    );
    changed();
  }
}

async function someWindow() {
  const windows = await chrome.windows.getAll({ windowTypes: ["normal"] });
  const shown = windows.filter((found) => !found.incognito);
  if (!shown.length) return null;
  return { windowId: (shown.find((found) => found.focused) ?? shown[0]).id };
}

/** Resolves once what an event says of the tab is true, or after a while with false. */
function until(event, fits, withinMs) {
  return new Promise((done) => {
    const finish = (came) => {
      clearTimeout(timer);
      event.removeListener(heard);
      done(came);
    };
    const heard = (...told) => fits(...told) && finish(true);
    const timer = setTimeout(() => finish(false), withinMs);
    event.addListener(heard);
  });
}

/** A page may object to being closed: then it is still there after a while. */
const untilGone = (tabId) => until(chrome.tabs.onRemoved, (id) => id === tabId, 8000);

/** A page may load for ever: then it is used as it is. */
const untilLoaded = (tabId) =>
  until(chrome.tabs.onUpdated, (id, { status }) => id === tabId && status === "complete", 5000);
