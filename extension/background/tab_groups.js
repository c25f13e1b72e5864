// A tab group for each client. The user sees it, and can drag tabs into it and out of it.
// Knows: chrome.tabGroups. Must not know: what dragging means for a tab.

import { messageOf } from "./error_text.js";

/** @type {`${chrome.tabGroups.Color}`[]} */
const COLOURS = ["blue", "green", "purple", "orange", "cyan", "pink", "yellow", "red"];
const BUSY = /cannot be edited right now/i;
const MAX_TRIES = 5;
const RETRY_MS = 300;
const NO_GROUP = -1;
const NEW_GROUP = "new";

/** @param {string} client */
function colourOf(client) {
  let sum = 0;
  for (const character of client) sum = (sum * 31 + (character.codePointAt(0) ?? 0)) >>> 0;
  return COLOURS[sum % COLOURS.length];
}

export class TabGroups {
  // tabId -> the group that we are moving it to, to tell our moves from the user's.
  /** @type {Map<number, number | typeof NEW_GROUP>} */
  #ownMoves = new Map();
  /** @type {Promise<unknown>} */
  #queue = Promise.resolve();
  #store;

  /** @param {StoredState} store */
  constructor(store) {
    this.#store = store;
  }

  /**
   * Move tabs to a client's group. Pinned tabs stay where they are.
   * @param {string} client
   * @param {number[]} tabIds
   */
  addTabs(client, tabIds) {
    return this.#enqueue(() => this.#addTabs(client, tabIds));
  }

  /**
   * Remove tabs from our groups.
   * @param {number[]} tabIds
   */
  removeTabs(tabIds) {
    return this.#enqueue(async () => {
      for (const tabId of tabIds) {
        const tab = await chrome.tabs.get(tabId).catch(() => null);
        if (!tab || !this.clientOf(tab.groupId)) continue;
        this.#ownMoves.set(tabId, NO_GROUP);
        await retryWhileDragging(() => chrome.tabs.ungroup(tabId));
      }
    });
  }

  /**
   * Return the client of a group; "" if it is not one of ours.
   * @param {number} groupId
   */
  clientOf(groupId) {
    const found = Object.entries(this.#store.data.groups).find(([, id]) => id === groupId);
    return found ? found[0] : "";
  }

  /**
   * Return {kind: "in", client} or {kind: "out"} if the user dragged a tab to its new group; null
   * if we moved it.
   * @param {number} tabId
   * @param {number} groupId
   * @returns {{kind: "in", client: string} | {kind: "out"} | null}
   */
  detectDrag(tabId, groupId) {
    const own = this.#ownMoves.get(tabId);
    // We are creating the group: its id is not known yet.
    if (own === NEW_GROUP) return null;
    if (own === groupId) {
      this.#ownMoves.delete(tabId);
      return null;
    }
    const client = this.clientOf(groupId);
    const before = this.#store.tab(tabId)?.group;
    if (client) return before === groupId ? null : { kind: "in", client };
    return before !== undefined && before !== NO_GROUP ? { kind: "out" } : null;
  }

  /** @param {number} groupId */
  onGroupRemoved(groupId) {
    const client = this.clientOf(groupId);
    if (!client) return;
    delete this.#store.data.groups[client];
    this.#store.save();
  }

  /**
   * @template Result
   * @param {() => Promise<Result>} work
   * @returns {Promise<Result>}
   */
  #enqueue(work) {
    const done = this.#queue.then(work);
    // A failure must not stop the next one. The caller still gets it.
    this.#queue = done.catch(() => {});
    return done;
  }

  /**
   * @param {string} client
   * @param {number[]} tabIds
   */
  async #addTabs(client, tabIds) {
    const tabs = await Promise.all(tabIds.map((id) => chrome.tabs.get(id).catch(() => null)));
    const free = /** @type {KnownTab[]} */ (tabs.filter((tab) => tab && !tab.pinned));
    const byWindow = Map.groupBy(free, (tab) => tab.windowId);
    for (const [windowId, there] of byWindow) {
      const groupId = await this.#groupIn(client, windowId);
      const outside = there.filter((tab) => tab.groupId !== groupId).map((tab) => tab.id);
      if (!outside.length) continue;
      for (const id of outside) this.#ownMoves.set(id, groupId ?? NEW_GROUP);
      const options = groupId === undefined ? { createProperties: { windowId } } : { groupId };
      const moved = /** @type {[number, ...number[]]} */ (outside);
      const group = await retryWhileDragging(() => chrome.tabs.group({ tabIds: moved, ...options }));
      for (const id of outside) {
        if (this.#ownMoves.get(id) === NEW_GROUP) this.#ownMoves.delete(id);
        const known = this.#store.tab(id);
        if (known) known.group = group;
      }
      if (this.#store.data.groups[client] !== group) {
        this.#store.data.groups[client] = group;
        const appearance = { title: client, color: colourOf(client) };
        await chrome.tabGroups.update(group, appearance).catch(() => {});
      }
      this.#store.save();
    }
  }

  /**
   * @param {string} client
   * @param {number} windowId
   * @returns {Promise<number | undefined>}
   */
  async #groupIn(client, windowId) {
    const groupId = this.#store.data.groups[client];
    if (groupId === undefined) return undefined;
    const group = await chrome.tabGroups.get(groupId).catch(() => null);
    return group && group.windowId === windowId ? groupId : undefined;
  }
}

/**
 * Retry while the user drags a tab: Chrome refuses to move tabs meanwhile.
 * @template Result
 * @param {() => Promise<Result>} work
 * @returns {Promise<Result>}
 */
async function retryWhileDragging(work) {
  for (let tried = 1; ; tried++) {
    try {
      return await work();
    } catch (error) {
      if (tried === MAX_TRIES || !BUSY.test(messageOf(error))) throw error;
      await new Promise((done) => setTimeout(done, RETRY_MS));
    }
  }
}
