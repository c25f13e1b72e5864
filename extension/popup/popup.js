// The popup: draws the worker's view and sends the user's actions. Decides nothing.

import { byId } from "../shared/own_page_elements.js";
import { scopeOf } from "../shared/user_settings.js";
import { USER_MESSAGES, PAUSED } from "../shared/user_stop_reasons.js";
import { connectPage } from "../shared/worker_connection.js";

/** The last view; the page draws nothing before the first one. @type {PageView} */
let view;
// What went wrong with the last action. Stays until the next one.
let failed = "";
const sendAction = connectPage("popup", draw, (problem) => showProblem((failed = problem)));

/** @type {import("../shared/worker_connection.js").SendAction} */
function send(action, more) {
  failed = "";
  sendAction(action, more);
}

/** @param {string} text */
function showProblem(text) {
  setText(byId("problem"), text);
  byId("problem").hidden = !text;
}

/** Return the state in one plain sentence. */
function statusSentence() {
  const { connection, stopped, settings, tabs } = view;
  if (connection.state === "unpaired") return ["bad", "Not paired with a relay yet."];
  if (connection.refused) return ["bad", "No longer paired: the relay does not know this extension."];
  if (connection.state !== "connected") {
    return ["wait", connection.message || "Looking for the relay…"];
  }
  if (stopped) return ["bad", USER_MESSAGES[stopped]];
  if (settings.paused) return ["wait", USER_MESSAGES[PAUSED]];
  const held = tabs.filter((tab) => tab.held).length;
  const readOnly = settings.readOnly ? " Read only: agents can look, but change nothing." : "";
  if (held) return ["good", `Agents are working in ${count(held, "tab")}.${readOnly}`];
  return ["good", `Connected. No agent is in any tab.${readOnly}`];
}

/**
 * @param {number} number
 * @param {string} what
 */
const count = (number, what) => `${number} ${what}${number === 1 ? "" : "s"}`;

/** @param {string} url */
function hostOf(url) {
  try {
    const { host, protocol } = new URL(url);
    return host || protocol.replace(":", "");
  } catch {
    return "";
  }
}

/** @param {number} then */
function formatAge(then) {
  const seconds = Math.max(0, Math.round((Date.now() - then) / 1000));
  if (seconds < 5) return "now";
  if (seconds < 60) return `${seconds} s ago`;
  return seconds < 3600 ? `${Math.round(seconds / 60)} min ago` : `${Math.round(seconds / 3600)} h ago`;
}

/** @param {PageView} next */
function draw(next) {
  view = next;
  const [is, sentence] = statusSentence();
  byId("state").dataset.is = is;
  byId("state-text").textContent = sentence;
  drawAlarm();
  const unpaired = view.connection.state === "unpaired" || view.connection.refused;
  byId("pairing").hidden = !unpaired;
  byId("start").hidden = view.connection.state === "connected" || unpaired;
  // Before the first pairing the connection's message is only about a code that failed.
  const first = view.connection.state === "unpaired" ? view.connection.message : "";
  showProblem(failed || view.connection.codeProblem || first);
  drawCurrentTab(unpaired);
  drawShared();
  byId("shared").hidden = unpaired;
  drawClients();
  byId("pause").textContent = view.settings.paused ? "Go on" : "Pause all";
  byId("pause").className = view.settings.paused ? "main" : "";
  byId("pause").hidden = byId("stop").hidden = Boolean(view.stopped) || unpaired;
}

function drawAlarm() {
  const box = byId("alarm");
  box.hidden = !view.stopped;
  if (!view.stopped) return;
  box.dataset.is = "bad";
  setText(byId("alarm-text"), "No agent can see or use a tab until you allow it.");
  setText(byId("alarm-act"), "Allow agents again");
  byId("alarm-act").onclick = () => send("allow");
}

/**
 * @param {HTMLElement} element
 * @param {string} text
 */
function setText(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

/** @param {boolean} unpaired */
function drawCurrentTab(unpaired) {
  const here = view.current;
  byId("here").hidden = !here || unpaired;
  if (!here) return;
  setText(byId("here-title"), here.title);
  byId("here-title").title = here.title;
  const act = byId("here-act");
  act.disabled = here.closed;
  act.className = here.shared ? "" : "main";
  setText(act, here.shared ? "Take back" : "Share");
  act.setAttribute("aria-label", here.shared ? "Take this tab back" : "Share this tab with agents");
  act.onclick = () => send(here.shared ? "detach" : "attach", { tabId: here.tabId });
  setText(byId("here-text"), describeCurrentTab(here));
}

/** @param {TabRow} here */
function describeCurrentTab(here) {
  if (here.closed) return "A page of the browser: no agent can use it.";
  const does = view.settings.paused ? "waits" : "is working";
  if (here.held) return `${here.client || "An agent"} ${does} here.`;
  if (here.shared) return view.settings.readOnly ? "Agents may look at it." : "Agents may use it.";
  return "Agents cannot see it.";
}

function drawShared() {
  const { settings, stopped } = view;
  const shared = view.tabs.filter((tab) => tab.shared);
  const named = shared
    .filter((tab) => tab.held || tab.by)
    .sort((one, other) => Number(other.held) - Number(one.held) || other.usedAt - one.usedAt);
  const others = shared.length - named.length;
  const text = describeShared(stopped, settings, shared.length, others, named.length);
  setText(byId("shared-text"), text);
  byId("shared-text").hidden = !byId("shared-text").textContent;
  byId("narrow").hidden = Boolean(stopped);
  const scope = scopeOf(settings);
  if (document.activeElement !== byId("scope")) byId("scope").value = scope;
  const list = byId("tabs");
  list.hidden = !named.length;
  list.replaceChildren(...named.map(tabRow));
}

/**
 * @param {Stopped} stopped
 * @param {UserSettings} settings
 * @param {number} shared
 * @param {number} others
 * @param {number} named
 */
function describeShared(stopped, settings, shared, others, named) {
  if (stopped) return "Nothing.";
  if (!shared) return settings.mode === "manual" ? "Nothing yet: share a tab above." : "No tab.";
  if (!named) return `${count(shared, "tab")}, none of them in use.`;
  return others ? `and ${others} more ${others === 1 ? "tab" : "tabs"}, not in use.` : "";
}

/**
 * Return the name of the client that uses a tab; "" if it has left.
 * @param {TabRow} tab
 */
function clientHere(tab) {
  const connected = view.clients.some((client) => (client.label || client.id) === tab.client);
  return tab.held || connected ? tab.client : "";
}

/** @param {TabRow} tab */
function tabRow(tab) {
  const row = document.createElement("li");
  const dot = document.createElement("span");
  dot.className = "held";
  dot.dataset.is = tab.held ? "yes" : "no";
  dot.title = tab.held ? "An agent is attached" : "";
  const text = document.createElement("p");
  text.className = "grow";
  const title = document.createElement("span");
  title.className = "title";
  title.textContent = title.title = tab.title;
  const host = document.createElement("span");
  host.className = "host small soft";
  const by = clientHere(tab) || (tab.by === "agent" ? "opened by an agent" : tab.by && "shared by you");
  host.textContent = [hostOf(tab.url), by].filter(Boolean).join(" · ");
  text.append(title, host);
  const back = document.createElement("button");
  back.type = "button";
  back.className = "quiet";
  back.textContent = "Take back";
  back.setAttribute("aria-label", `Take back ${tab.title}`);
  back.onclick = () => send("detach", { tabId: tab.tabId });
  row.append(dot, text, back);
  return row;
}

function drawClients() {
  byId("agents").hidden = !view.clients.length;
  byId("clients").replaceChildren(...view.clients.map(clientRow));
}

/** @param {ClientRow} client */
function clientRow(client) {
  const row = document.createElement("li");
  const who = document.createElement("span");
  who.className = "who";
  who.textContent = client.label || client.id || "An agent";
  const lastAction = document.createElement("span");
  lastAction.className = "small soft";
  const action = client.lastAction;
  const done = typeof action === "string" ? action : (action?.words ?? action?.method ?? "");
  const when = client.at ?? (typeof action === "object" ? action.at : undefined);
  const age = when ? `, ${formatAge(when)}` : "";
  lastAction.textContent = done ? ` ${done}${age}` : " has done nothing yet";
  row.append(who, lastAction);
  for (const conflict of client.conflicts ?? []) {
    const conflictLine = document.createElement("span");
    conflictLine.className = "conflict small";
    conflictLine.textContent = typeof conflict === "string" ? conflict : (conflict.words ?? "");
    row.append(conflictLine);
  }
  return row;
}

byId("pairing").addEventListener("submit", (event) => {
  event.preventDefault();
  send("pair", { code: byId("code").value });
});
byId("pause").addEventListener("click", () => send(view.settings.paused ? "resume" : "pause"));
byId("stop").addEventListener("click", () => send("stop"));
// Open a new tab: openOptionsPage() may reuse an empty tab that an agent uses.
byId("settings").addEventListener("click", () => {
  chrome.tabs.create({ url: chrome.runtime.getURL("settings/settings.html") });
  window.close();
});
byId("scope").addEventListener("change", () => {
  const { tabId, windowId } = view.current ?? {};
  send("narrow", { share: byId("scope").value, tabId, windowId });
});
setInterval(() => view && drawClients(), 5000);
