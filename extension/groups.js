// A tab group per client: the boundary that the user sees, and can move tabs across.
// Knows: chrome.tabGroups. Must not know: what a drag across the boundary means for a tab.

const COLOURS = ["blue", "green", "purple", "orange", "cyan", "pink", "yellow", "red"];
const BUSY = /cannot be edited right now/i;
const TRIES = 5;
const AGAIN_MS = 300;
const NONE = -1;
const NEW = "new";

function colourOf(client) {
  let sum = 0;
  for (const character of client) sum = (sum * 31 + character.codePointAt(0)) >>> 0;
  return COLOURS[sum % COLOURS.length];
}

export class Groups {
  // tabId -> the group that we ourselves are putting it into: not the user's doing.
  #ours = new Map();
  #queue = Promise.resolve();
  #memory;

  constructor(memory) {
    this.#memory = memory;
  }

  /** Put tabs into a client's group. Pinned tabs stay where they are. */
  put(client, tabIds) {
    return this.#inTurn(() => this.#put(client, tabIds));
  }

  /** Take tabs out of our groups. */
  drop(tabIds) {
    return this.#inTurn(async () => {
      for (const tabId of tabIds) {
        const tab = await chrome.tabs.get(tabId).catch(() => null);
        if (!tab || !this.clientOf(tab.groupId)) continue;
        this.#ours.set(tabId, NONE);
        await again(() => chrome.tabs.ungroup(tabId));
      }
    });
  }

  /** Whose group it is; "" where it is none of ours. */
  clientOf(groupId) {
    const found = Object.entries(this.#memory.now.groups).find(([, id]) => id === groupId);
    return found ? found[0] : "";
  }

  /**
   * A tab changed its group. {kind: "in", client} or {kind: "out"} where the user did it, else
   * null: our own doing.
   */
  moved(tabId, groupId) {
    const ours = this.#ours.get(tabId);
    // The group is being made: which one it is will be known when it is there.
    if (ours === NEW) return null;
    if (ours === groupId) {
      this.#ours.delete(tabId);
      return null;
    }
    const client = this.clientOf(groupId);
    const before = this.#memory.tab(tabId)?.group;
    if (client) return before === groupId ? null : { kind: "in", client };
    return before !== undefined && before !== NONE ? { kind: "out" } : null;
  }

  removed(groupId) {
    const client = this.clientOf(groupId);
    if (!client) return;
    delete this.#memory.now.groups[client];
    this.#memory.save();
  }

  #inTurn(work) {
    const done = this.#queue.then(work);
    // One that fails must not stop the next; who asked for it hears of it.
    this.#queue = done.catch(() => {});
    return done;
  }

  async #put(client, tabIds) {
    const tabs = await Promise.all(tabIds.map((id) => chrome.tabs.get(id).catch(() => null)));
    const free = tabs.filter((tab) => tab && !tab.pinned);
    const byWindow = Map.groupBy(free, (tab) => tab.windowId);
    for (const [windowId, there] of byWindow) {
      let groupId = await this.#groupIn(client, windowId);
      const outside = there.filter((tab) => tab.groupId !== groupId).map((tab) => tab.id);
      if (!outside.length) continue;
      for (const id of outside) this.#ours.set(id, groupId ?? NEW);
      const options = groupId === undefined ? { createProperties: { windowId } } : { groupId };
      groupId = await again(() => chrome.tabs.group({ tabIds: outside, ...options }));
      for (const id of outside) {
        if (this.#ours.get(id) === NEW) this.#ours.delete(id);
        const known = this.#memory.tab(id);
        if (known) known.group = groupId;
      }
      if (this.#memory.now.groups[client] !== groupId) {
        this.#memory.now.groups[client] = groupId;
        const looks = { title: client, color: colourOf(client) };
        await chrome.tabGroups.update(groupId, looks).catch(() => {});
      }
      this.#memory.save();
    }
  }

  async #groupIn(client, windowId) {
    const groupId = this.#memory.now.groups[client];
    if (groupId === undefined) return undefined;
    const group = await chrome.tabGroups.get(groupId).catch(() => null);
    return group && group.windowId === windowId ? groupId : undefined;
  }
}

/** While a person drags tabs nobody else may move them: wait for the hand to let go. */
async function again(work) {
  for (let tried = 1; ; tried++) {
    try {
      return await work();
    } catch (error) {
      if (tried === TRIES || !BUSY.test(error.message)) throw error;
      await new Promise((done) => setTimeout(done, AGAIN_MS));
    }
  }
}
