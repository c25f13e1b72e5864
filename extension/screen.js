// What the popup and the settings page see and do, over a port of the extension's own. Knows:
// the state as a person wants it. Must not know: how pages draw it.

import { attachable } from "./restrictions.js";
import { STOPPED } from "./states.js";

export class Screen {
  #ports = new Set();
  #due = false;
  #parts;

  constructor(parts) {
    this.#parts = parts;
  }

  /** A page of ours opened. Nobody else gets a port, and this looks again. */
  connected(port, ready) {
    const own = chrome.runtime.getURL("");
    if (port.sender?.id !== chrome.runtime.id || !port.sender.url?.startsWith(own)) {
      port.disconnect();
      return;
    }
    this.#ports.add(port);
    port.onDisconnect.addListener(() => this.#ports.delete(port));
    port.onMessage.addListener((wish) => {
      ready
        .then(() => this.#do(wish))
        .catch((error) => port.postMessage({ problem: error.message }));
    });
    ready.then(() => this.#show([port]));
  }

  /** Something may look different; pages hear of it once, however much it was. */
  changed() {
    if (this.#due || !this.#ports.size) return;
    this.#due = true;
    setTimeout(() => {
      this.#due = false;
      void this.#show([...this.#ports]);
    }, 30);
  }

  async #do({ wish, ...rest }) {
    const { lending, settings, pairing, line } = this.#parts;
    if (wish === "attach") await lending.give(rest.tabId);
    else if (wish === "detach") await lending.take(rest.tabId);
    else if (wish === "pause") await settings.set({ paused: true });
    else if (wish === "resume") await settings.set({ paused: false });
    else if (wish === "stop") await lending.stop(STOPPED);
    else if (wish === "allow") await lending.allow();
    else if (wish === "narrow") await lending.narrow(rest.share, rest);
    else if (wish === "connect") line.restart();
    else if (wish === "autostart") line.tell("autostart", { on: rest.on === true });
    else if (wish === "pair") {
      if (!pairing.tryCode(rest.code)) throw new Error("A code has eight letters and digits.");
      line.restart();
    }
    this.changed();
  }

  async #show(ports) {
    if (!ports.length) return;
    const view = await this.view();
    for (const port of ports) {
      try {
        port.postMessage({ view });
      } catch {
        this.#ports.delete(port);
      }
    }
  }

  /** Everything a page draws. */
  async view() {
    const { settings, memory, debugging, tabs, line, pairing, port } = this.#parts;
    const [all, [current]] = await Promise.all([
      chrome.tabs.query({}),
      chrome.tabs.query({ active: true, lastFocusedWindow: true }),
    ]);
    const known = memory.now.tabs;
    const row = (tab) => ({
      tabId: tab.id,
      windowId: tab.windowId,
      title: tab.title || tab.url || "New tab",
      url: tab.url || "",
      held: debugging.has(tab.id),
      shared: tabs.isShared(tab),
      by: known[tab.id]?.by ?? "",
      client: known[tab.id]?.client ?? "",
      usedAt: known[tab.id]?.usedAt ?? 0,
      closed: !attachable(tab.url || tab.pendingUrl || ""),
    });
    const rows = all.filter((tab) => !tab.incognito).map(row);
    return {
      line: {
        state: line.state,
        words: line.words,
        codeProblem: line.codeProblem,
        refused: line.refused,
      },
      paired: pairing.known !== null,
      settings: settings.now,
      port: port(),
      stopped: memory.now.stopped,
      autostart: memory.now.autostart === true,
      shareTabId: memory.now.shareTabId,
      shareWindowId: memory.now.shareWindowId,
      clients: line.state === "connected" ? memory.now.clients : [],
      tabs: rows,
      current: current ? row(current) : null,
      version: chrome.runtime.getManifest().version,
    };
  }
}
