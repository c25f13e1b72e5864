// The requests of the relay, by method name. Knows: the protocol. Must not know: how they are done.

import { errorOf } from "./debugger.js";
import { Refusal } from "./agent_tab_access.js";
import { refusal } from "./restrictions.js";

// The states that CDP and chrome.windows share.
/** @type {Record<string, `${chrome.windows.WindowState}`>} */
const WINDOW_STATES = {
  normal: "normal",
  minimized: "minimized",
  maximized: "maximized",
  fullscreen: "fullscreen",
};

/**
 * Return the handlers by method name. The parameter is `parts` of worker.js with `sharing`.
 * @param {Parts & {sharing: TabSharing}} parts
 * @returns {Record<string, (params: CdpParams) => unknown>}
 */
export function relayCommands({ sharing, tabs, settings, store, refresh }) {
  return {
    ping: () => ({}),
    listTabs: async () => ({ tabs: await tabs.list() }),
    attachTab: async ({ tabId, client }) => ({ targetInfo: await sharing.attach(tabId, client) }),
    detachTab: async ({ tabId }) => {
      await sharing.detach(tabId);
      return {};
    },
    giveBackTabs: ({ tabIds }) => sharing.giveBack(integersOf(tabIds)),
    createTab: (params) => sharing.openTab(params),
    closeTab: ({ tabId }) => sharing.closeTab(tabId),
    activateTab: async ({ tabId }) => {
      await tabs.get(tabId);
      const tab = await chrome.tabs.update(tabId, { active: true });
      if (tab) await chrome.windows.update(tab.windowId, { focused: true });
      return {};
    },
    cdpCommand: (params) => sharing.runCommand(/** @type {CommandRequest} */ (params)),
    window: async ({ tabId }) => {
      const { windowId } = await tabs.get(tabId);
      return describeWindow(await chrome.windows.get(windowId));
    },
    setWindow: async ({ tabId, ...wanted }) => {
      const { windowId } = await tabs.get(tabId);
      const bounds = boundsOf(wanted.bounds ?? wanted);
      return describeWindow(await chrome.windows.update(windowId, bounds));
    },
    share: (params) => sharing.groupTabs(/** @type {GroupRequest} */ (params)),
    settings: () => settings.forRelay(),
    autostart: ({ on }) => {
      store.data.autostart = on === true;
      store.save();
      refresh();
      return {};
    },
    status: ({ clients }) => {
      store.data.clients = Array.isArray(clients) ? clients.slice(0, 50) : [];
      store.save();
      refresh();
      return {};
    },
    reload: () => {
      // A reload by an agent must not risk losing what the user took back.
      if (Object.keys(store.data.taken).length) {
        throw new Refusal(refusal("reload", "the user took tabs back", "ask the user to do it"));
      }
      // Send the reply first.
      setTimeout(() => chrome.runtime.reload(), 100);
      return {};
    },
  };
}

/**
 * @param {unknown} values
 * @returns {number[]}
 */
const integersOf = (values) => (Array.isArray(values) ? values.filter(Number.isInteger) : []);

/** @param {chrome.windows.Window} shown */
function describeWindow({ id, left, top, width, height, state }) {
  const windowState = WINDOW_STATES[state ?? "normal"] ?? "normal";
  return { windowId: id, bounds: { left, top, width, height, windowState } };
}

/** @param {CdpParams} wanted */
function boundsOf({ left, top, width, height, windowState }) {
  /** @type {CdpParams} */
  const bounds = {};
  for (const [name, value] of Object.entries({ left, top, width, height })) {
    if (Number.isFinite(value)) bounds[name] = Math.round(value);
  }
  if (windowState in WINDOW_STATES) bounds.state = windowState;
  return bounds;
}

/**
 * Run a request and reply. Awaits nothing before the command is sent, to keep the order.
 * @param {RelayMessage} message
 * @param {Record<string, (params: CdpParams) => unknown>} commands
 * @param {RelayConnection} connection
 */
export function runRelayCommand(message, commands, connection) {
  const { id, method, params } = message;
  const handler = Object.hasOwn(commands, method) ? commands[method] : null;
  if (!handler) {
    if (id !== undefined) connection.fail(id, { code: -32601, message: `'${method}' wasn't found` });
    return;
  }
  let result;
  try {
    result = handler(params ?? {});
  } catch (error) {
    if (id !== undefined) connection.fail(id, errorReply(error));
    return;
  }
  if (id === undefined) {
    Promise.resolve(result).catch((error) => console.warn(method, error));
  } else if (result instanceof Promise) {
    result.then(
      (value) => connection.reply(id, value),
      (error) => connection.fail(id, errorReply(error)),
    );
  } else {
    connection.reply(id, result);
  }
}

/** @param {unknown} error */
function errorReply(error) {
  if (error instanceof Refusal) return { code: error.code, message: error.message };
  return errorOf(error);
}
