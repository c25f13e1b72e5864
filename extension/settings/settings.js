// The settings page: shows the settings and saves every change at once.

import { DEFAULTS, normalize } from "../shared/user_settings.js";

const byId = (id) => document.getElementById(id);
const MINUTES = [0, 5, 10, 15, 30, 60];
const SWITCHES = ["readOnly", "lockUrl", "noNewTabs", "mayClose"];
const CHOSEN = ["autoDetachMinutes", "autoCloseMinutes"];
const TEXTS = ["userInstructions", "profile"];

let view = null;
let port = null;
let fading = 0;

function connect() {
  port = chrome.runtime.connect({ name: "settings" });
  port.onMessage.addListener((message) => {
    if (message.problem) showNote(message.problem);
    if (message.view) {
      view = message.view;
      draw();
    }
  });
  // The port ends with the worker. Connecting again wakes it.
  port.onDisconnect.addListener(() => setTimeout(connect, 300));
}

function showNote(text) {
  byId("saved").textContent = text;
  clearTimeout(fading);
  fading = setTimeout(() => (byId("saved").textContent = ""), 2500);
}

async function save(name, value) {
  if (view?.settings[name] === value) return;
  await chrome.storage.local.set({ [name]: normalize(name, value) });
  showNote("Saved");
}

const option = (value, text) => {
  const made = document.createElement("option");
  made.value = value;
  made.textContent = text;
  return made;
};

function draw() {
  const { settings, connection } = view;
  const scope = settings.mode === "manual" ? "manual" : settings.share;
  for (const radio of document.querySelectorAll("[name=scope]")) radio.checked = radio.value === scope;
  drawScopeSelects(scope);
  for (const name of SWITCHES) byId(name).checked = settings[name];
  for (const name of CHOSEN) drawMinutes(byId(name), settings[name]);
  const texts = { ...settings, port: view.port };
  for (const name of [...TEXTS, "port"]) {
    if (document.activeElement !== byId(name)) byId(name).value = texts[name];
  }
  byId("connection").dataset.is = connection.state;
  byId("connection").textContent = describeConnection(connection);
  byId("version").textContent = view.version;
}

function describeConnection(connection) {
  if (connection.state === "connected") return "Connected. Both sides have proven who they are.";
  if (connection.state === "unpaired") return "Not paired yet: open the popup and type a pairing code.";
  if (connection.refused) return "No longer paired: open the popup and type a pairing code.";
  return connection.message || "Looking for the relay…";
}

function drawMinutes(select, minutes) {
  const known = MINUTES.includes(minutes) ? MINUTES : [...MINUTES, minutes].sort((a, b) => a - b);
  select.replaceChildren(
    ...known.map((number) => option(number, number ? `${number} minutes` : "never")),
  );
  select.value = minutes;
}

function drawScopeSelects(scope) {
  byId("window-row").hidden = scope !== "window";
  byId("tab-row").hidden = scope !== "tab";
  const open = view.tabs.filter((tab) => !tab.closed);
  const windows = Map.groupBy(open, (tab) => tab.windowId);
  fill(
    byId("window"),
    [...windows].map(([id, tabs]) => {
      const more = tabs.length > 1 ? ` and ${tabs.length - 1} more` : "";
      return [id, `${short(tabs[0].title)}${more}`];
    }),
    view.shareWindowId,
  );
  fill(
    byId("tab"),
    open.map((tab) => [tab.tabId, short(tab.title)]),
    view.shareTabId,
  );
}

const short = (text) => (text.length > 60 ? `${text.slice(0, 59)}…` : text);

function fill(select, rows, chosen) {
  if (document.activeElement === select) return;
  const none = rows.some(([id]) => id === chosen) ? [] : [option("", "choose one: nothing is shared")];
  select.replaceChildren(...none, ...rows.map(([id, text]) => option(id, text)));
  select.value = none.length ? "" : String(chosen);
}

function setScope(share) {
  const first = view.tabs.find((tab) => !tab.closed);
  const tabId = view.shareTabId ?? first?.tabId ?? null;
  const windowId = view.shareWindowId ?? first?.windowId ?? null;
  port.postMessage({ action: "narrow", share, tabId, windowId });
  showNote("Saved");
}

for (const radio of document.querySelectorAll("[name=scope]")) {
  radio.addEventListener("change", () => setScope(radio.value));
}
byId("tab").addEventListener("change", ({ target }) => {
  port.postMessage({ action: "narrow", share: "tab", tabId: Number(target.value) });
  showNote("Saved");
  target.blur();
});
byId("window").addEventListener("change", ({ target }) => {
  port.postMessage({ action: "narrow", share: "window", windowId: Number(target.value) });
  showNote("Saved");
  target.blur();
});
for (const name of SWITCHES) {
  byId(name).addEventListener("change", ({ target }) => save(name, target.checked));
}
for (const name of CHOSEN) {
  byId(name).addEventListener("change", ({ target }) => save(name, Number(target.value)));
}
for (const name of TEXTS) {
  byId(name).addEventListener("change", ({ target }) => save(name, target.value.trim() || DEFAULTS[name]));
}
byId("port").addEventListener("change", ({ target }) => {
  const number = Number(target.value);
  const good = Number.isInteger(number) && number > 0 && number < 65536;
  target.setAttribute("aria-invalid", String(!good));
  if (good) save("port", number);
  else showNote("port: expected 1 to 65535.");
});
connect();
