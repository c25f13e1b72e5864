// What the relay may ask for, by name. Knows: the wire. Must not know: how it is done.

import { errorOf } from "./debugging.js";
import { Refusal } from "./lending.js";
import { refusal } from "./restrictions.js";

const STATES = { normal: "normal", minimized: "minimized", maximized: "maximized", fullscreen: "fullscreen" };

/** The commands of the wire, by name. `parts` is what worker.js put together. */
export function commandsOf({ lending, tabs, settings, memory, changed }) {
  return {
    ping: () => ({}),
    listTabs: async () => ({ tabs: await tabs.list() }),
    attachTab: async ({ tabId, client }) => ({ targetInfo: await lending.attach(tabId, client) }),
    detachTab: async ({ tabId }) => {
      await lending.release(tabId);
      return {};
    },
    giveBackTabs: ({ tabIds }) => lending.giveBack(numbers(tabIds)),
    createTab: (params) => lending.open(params),
    closeTab: ({ tabId }) => lending.close(tabId),
    activateTab: async ({ tabId }) => {
      await tabs.one(tabId);
      const { windowId } = await chrome.tabs.update(tabId, { active: true });
      await chrome.windows.update(windowId, { focused: true });
      return {};
    },
    cdpCommand: (params) => lending.command(params),
    window: async ({ tabId }) => {
      const { windowId } = await tabs.one(tabId);
      return shownWindow(await chrome.windows.get(windowId));
    },
    setWindow: async ({ tabId, ...wanted }) => {
      const { windowId } = await tabs.one(tabId);
      return shownWindow(await chrome.windows.update(windowId, boundsOf(wanted.bounds ?? wanted)));
    },
    share: (params) => lending.share(params),
    settings: () => settings.told(),
    autostart: ({ on }) => {
      memory.now.autostart = on === true;
      memory.save();
      changed();
      return {};
    },
    status: ({ clients }) => {
      memory.now.clients = Array.isArray(clients) ? clients.slice(0, 50) : [];
      memory.save();
      changed();
      return {};
    },
    reload: () => {
      // What the user took back is forgotten with it.
      if (Object.keys(memory.now.taken).length) {
        throw new Refusal(refusal("reload", "the user took tabs back", "ask the user to do it"));
      }
      // The answer goes out first.
      setTimeout(() => chrome.runtime.reload(), 100);
      return {};
    },
  };
}

const numbers = (values) => (Array.isArray(values) ? values.filter(Number.isInteger) : []);

function shownWindow({ id, left, top, width, height, state }) {
  return { windowId: id, bounds: { left, top, width, height, windowState: STATES[state] ?? "normal" } };
}

function boundsOf({ left, top, width, height, windowState }) {
  const bounds = {};
  for (const [name, value] of Object.entries({ left, top, width, height })) {
    if (Number.isFinite(value)) bounds[name] = Math.round(value);
  }
  if (windowState in STATES) bounds.state = windowState;
  return bounds;
}

/** Do what a message asks and answer it. Nothing is awaited before a command is under way. */
export function obey(message, commands, line) {
  const { id, method, params } = message;
  const wanted = Object.hasOwn(commands, method) ? commands[method] : null;
  if (!wanted) {
    if (id !== undefined) line.fail(id, { code: -32601, message: `'${method}' wasn't found` });
    return;
  }
  let result;
  try {
    result = wanted(params ?? {});
  } catch (error) {
    if (id !== undefined) line.fail(id, wrong(error));
    return;
  }
  if (id === undefined) {
    Promise.resolve(result).catch((error) => console.warn(method, error));
  } else if (typeof result?.then === "function") {
    result.then(
      (value) => line.answer(id, value),
      (error) => line.fail(id, wrong(error)),
    );
  } else {
    line.answer(id, result);
  }
}

function wrong(error) {
  if (error instanceof Refusal) return { code: error.code, message: error.message };
  return errorOf(error);
}
