// The popup: draws what the worker says and passes on what the person wants. Decides nothing.

import { FOR_YOU, PAUSED } from "./states.js";

const at = (id) => document.getElementById(id);
const port = chrome.runtime.connect({ name: "popup" });
const ask = (wish, more = {}) => {
  failed = "";
  port.postMessage({ wish, ...more });
};
let view = null;
// What went wrong with the last wish; it stays until the next.
let failed = "";

port.onMessage.addListener((message) => {
  if (message.problem) showProblem((failed = message.problem));
  if (message.view) {
    view = message.view;
    draw();
  }
});
// A worker that was ended takes the port along; opening another wakes it.
port.onDisconnect.addListener(() => setTimeout(() => location.reload(), 200));

function showProblem(words) {
  put(at("problem"), words);
  at("problem").hidden = !words;
}

/** The state of things in one plain sentence. */
function sentence() {
  const { line, stopped, settings, tabs } = view;
  if (line.state === "unpaired") return ["bad", "Not paired with a relay yet."];
  if (line.refused) return ["bad", "Not paired any more: the relay does not know this extension."];
  if (line.state !== "connected") return ["wait", line.words || "Looking for the relay…"];
  if (stopped) return ["bad", FOR_YOU[stopped]];
  if (settings.paused) return ["wait", FOR_YOU[PAUSED]];
  const held = tabs.filter((tab) => tab.held).length;
  if (held) return ["good", `Agents are working in ${count(held, "tab")}.`];
  return ["good", "Connected. No agent is in any tab."];
}

const count = (number, what) => `${number} ${what}${number === 1 ? "" : "s"}`;

function hostOf(url) {
  try {
    const { host, protocol } = new URL(url);
    return host || protocol.replace(":", "");
  } catch {
    return "";
  }
}

function ago(then) {
  const seconds = Math.max(0, Math.round((Date.now() - then) / 1000));
  if (seconds < 5) return "now";
  if (seconds < 60) return `${seconds} s ago`;
  return seconds < 3600 ? `${Math.round(seconds / 60)} min ago` : `${Math.round(seconds / 3600)} h ago`;
}

function draw() {
  const [is, words] = sentence();
  at("state").dataset.is = is;
  at("words").textContent = words;
  drawAlarm();
  const unpaired = view.line.state === "unpaired" || view.line.refused;
  at("pairing").hidden = !unpaired;
  at("start").hidden = view.line.state === "connected" || unpaired;
  // Before the first pairing the line has words only about a code that was no good.
  const first = view.line.state === "unpaired" ? view.line.words : "";
  showProblem(failed || view.line.codeProblem || first);
  drawHere(unpaired);
  drawShared();
  at("shared").hidden = unpaired;
  drawClients();
  at("pause").textContent = view.settings.paused ? "Go on" : "Pause all";
  at("pause").className = view.settings.paused ? "main" : "";
  at("pause").hidden = at("stop").hidden = view.stopped || unpaired;
}

function drawAlarm() {
  const box = at("alarm");
  box.hidden = !view.stopped;
  if (!view.stopped) return;
  box.dataset.is = "bad";
  put(at("alarm-words"), "No agent can see or use a tab until you allow it.");
  put(at("alarm-act"), "Allow agents again");
  at("alarm-act").onclick = () => ask("allow");
}

function put(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

function drawHere(unpaired) {
  const here = view.current;
  at("here").hidden = !here || unpaired;
  if (!here) return;
  put(at("here-title"), here.title);
  at("here-title").title = here.title;
  const act = at("here-act");
  act.disabled = here.closed;
  act.className = here.shared ? "" : "main";
  put(act, here.shared ? "Take back" : "Share");
  act.setAttribute("aria-label", here.shared ? "Take this tab back" : "Share this tab with agents");
  act.onclick = () => ask(here.shared ? "detach" : "attach", { tabId: here.tabId });
  put(at("here-words"), hereWords(here));
}

function hereWords(here) {
  if (here.closed) return "A page of the browser: no agent can use it.";
  const does = view.settings.paused ? "waits" : "is working";
  if (here.held) return `${here.client || "An agent"} ${does} here.`;
  if (here.shared) return "Agents may use it.";
  return "Agents cannot see it.";
}

function drawShared() {
  const { settings, stopped } = view;
  const shared = view.tabs.filter((tab) => tab.shared);
  const named = shared
    .filter((tab) => tab.held || tab.by)
    .sort((one, other) => other.held - one.held || other.usedAt - one.usedAt);
  const others = shared.length - named.length;
  put(at("shared-words"), sharedWords(stopped, settings, shared.length, others, named.length));
  at("shared-words").hidden = !at("shared-words").textContent;
  at("narrow").hidden = stopped;
  const scope = settings.mode === "manual" ? "manual" : settings.share;
  if (document.activeElement !== at("scope")) at("scope").value = scope;
  const list = at("tabs");
  list.hidden = !named.length;
  list.replaceChildren(...named.map(tabRow));
}

function sharedWords(stopped, settings, shared, others, named) {
  if (stopped) return "Nothing.";
  if (!shared) return settings.mode === "manual" ? "Nothing yet: share a tab above." : "No tab.";
  if (!named) return `${count(shared, "tab")}, none of them in use.`;
  return others ? `and ${others} more ${others === 1 ? "tab" : "tabs"}, not in use.` : "";
}

function tabRow(tab) {
  const row = document.createElement("li");
  const dot = document.createElement("span");
  dot.className = "held";
  dot.dataset.is = tab.held ? "yes" : "no";
  dot.title = tab.held ? "An agent is attached" : "";
  const words = document.createElement("p");
  words.className = "grow";
  const title = document.createElement("span");
  title.className = "title";
  title.textContent = title.title = tab.title;
  const host = document.createElement("span");
  host.className = "host small soft";
  const by = tab.client || (tab.by === "agent" ? "opened by an agent" : tab.by && "shared by you");
  host.textContent = [hostOf(tab.url), by].filter(Boolean).join(" · ");
  words.append(title, host);
  const back = document.createElement("button");
  back.type = "button";
  back.className = "quiet";
  back.textContent = "Take back";
  back.setAttribute("aria-label", `Take back ${tab.title}`);
  back.onclick = () => ask("detach", { tabId: tab.tabId });
  row.append(dot, words, back);
  return row;
}

function drawClients() {
  at("agents").hidden = !view.clients.length;
  at("clients").replaceChildren(...view.clients.map(clientRow));
}

function clientRow(client) {
  const row = document.createElement("li");
  const who = document.createElement("span");
  who.className = "who";
  who.textContent = client.label || client.id || "An agent";
  const did = document.createElement("span");
  did.className = "small soft";
  const action = client.lastAction;
  const words = typeof action === "string" ? action : (action?.words ?? action?.method ?? "");
  const when = client.at ?? action?.at;
  did.textContent = words ? ` ${words}${when ? `, ${ago(when)}` : ""}` : " has done nothing yet";
  row.append(who, did);
  for (const conflict of client.conflicts ?? []) {
    const clash = document.createElement("span");
    clash.className = "clash small";
    clash.textContent = typeof conflict === "string" ? conflict : (conflict.words ?? "");
    row.append(clash);
  }
  return row;
}

at("pairing").addEventListener("submit", (event) => {
  event.preventDefault();
  ask("pair", { code: at("code").value });
});
at("pause").addEventListener("click", () => ask(view.settings.paused ? "resume" : "pause"));
at("stop").addEventListener("click", () => ask("stop"));
// In a tab of its own: Chrome's way may take over an empty one that an agent holds.
at("settings").addEventListener("click", () => {
  chrome.tabs.create({ url: chrome.runtime.getURL("settings.html") });
  window.close();
});
at("scope").addEventListener("change", (event) => {
  const { tabId, windowId } = view.current ?? {};
  ask("narrow", { share: event.target.value, tabId, windowId });
});
setInterval(() => view && drawClients(), 5000);
