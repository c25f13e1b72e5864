// The worker's side of the popup, the settings page and the welcome page. Pages get a view of the
// state over a port and send back actions. Must not know: how pages draw the view.

import { isAttachable } from "./restrictions.js";
import { STOPPED } from "../shared/user_stop_reasons.js";

export class ExtensionPages {
  #ports = new Set();
  #refreshDue = false;
  #parts;

  /** @param {PageParts} parts */
  constructor(parts) {
    this.#parts = parts;
  }

  /**
   * Accept a port of one of our own pages. Chrome admits only those; check it again.
   * @param {chrome.runtime.Port} port
   * @param {Promise<void>} ready
   */
  onConnect(port, ready) {
    const own = chrome.runtime.getURL("");
    if (port.sender?.id !== chrome.runtime.id || !port.sender.url?.startsWith(own)) {
      port.disconnect();
      return;
    }
    this.#ports.add(port);
    port.onDisconnect.addListener(() => this.#ports.delete(port));
    port.onMessage.addListener((message) => {
      ready
        .then(() => this.#perform(message))
        .catch((error) => port.postMessage({ problem: error.message }));
    });
    ready.then(() => this.#sendView([port]));
  }

  /** Send the view soon, once for many changes. */
  refresh() {
    if (this.#refreshDue || !this.#ports.size) return;
    this.#refreshDue = true;
    setTimeout(() => {
      this.#refreshDue = false;
      void this.#sendView([...this.#ports]);
    }, 30);
  }

  /** @param {PageAction} message */
  async #perform({ action, ...rest }) {
    const { sharing, settings, pairing, connection } = this.#parts;
    if (action === "attach") await sharing.shareTab(rest.tabId);
    else if (action === "detach") await sharing.takeBack(rest.tabId);
    else if (action === "pause") await settings.set({ paused: true });
    else if (action === "resume") await settings.set({ paused: false });
    else if (action === "stop") await sharing.stop(STOPPED);
    else if (action === "allow") await sharing.allow();
    else if (action === "narrow") await sharing.setScope(rest.share, rest);
    else if (action === "connect") connection.restart();
    else if (action === "autostart") connection.notify("autostart", { on: rest.on === true });
    else if (action === "pair") {
      if (!pairing.tryCode(rest.code)) {
        throw new Error("code: expected eight letters and digits, such as ABCD-EFGH.");
      }
      connection.restart();
    }
    this.refresh();
  }

  /** @param {chrome.runtime.Port[]} ports */
  async #sendView(ports) {
    if (!ports.length) return;
    const view = await this.buildView();
    for (const port of ports) {
      try {
        port.postMessage({ view });
      } catch {
        this.#ports.delete(port);
      }
    }
  }

  /**
   * Return everything a page draws.
   * @returns {Promise<PageView>}
   */
  async buildView() {
    const { settings, store, tabDebugger, tabs, connection, pairing, port } = this.#parts;
    const [all, [current]] = await Promise.all([
      chrome.tabs.query({}),
      chrome.tabs.query({ active: true, lastFocusedWindow: true }),
    ]);
    const known = store.data.tabs;
    /**
     * @param {chrome.tabs.Tab} tab
     * @returns {TabRow}
     */
    const row = ({ id = chrome.tabs.TAB_ID_NONE, ...tab }) => ({
      tabId: id,
      windowId: tab.windowId,
      title: tab.title || tab.url || "New tab",
      url: tab.url || "",
      held: tabDebugger.has(id),
      shared: tabs.isShared({ ...tab, id }),
      by: known[id]?.by ?? "",
      client: known[id]?.client ?? "",
      usedAt: known[id]?.usedAt ?? 0,
      closed: !isAttachable(tab.url || tab.pendingUrl || ""),
    });
    const rows = all.filter((tab) => !tab.incognito).map(row);
    return {
      connection: {
        state: connection.state,
        message: connection.message,
        codeProblem: connection.codeProblem,
        refused: connection.refused,
      },
      paired: pairing.known !== null,
      settings: settings.values,
      port: port(),
      stopped: store.data.stopped,
      autostart: store.data.autostart === true,
      shareTabId: store.data.shareTabId,
      shareWindowId: store.data.shareWindowId,
      clients: connection.state === "connected" ? store.data.clients : [],
      tabs: rows,
      current: current ? row(current) : null,
      version: chrome.runtime.getManifest().version,
    };
  }
}
