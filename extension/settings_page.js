// The settings page: shows what is set and writes what the person changes, at once.

import { USUAL, proper } from "./settings.js";

const at = (id) => document.getElementById(id);
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
    if (message.problem) say(message.problem);
    if (message.view) {
      view = message.view;
      draw();
    }
  });
  // A worker that was ended takes the port along.
  port.onDisconnect.addListener(() => setTimeout(connect, 300));
}

function say(words) {
  at("saved").textContent = words;
  clearTimeout(fading);
  fading = setTimeout(() => (at("saved").textContent = ""), 2500);
}

async function keep(name, value) {
  if (view?.settings[name] === value) return;
  await chrome.storage.local.set({ [name]: proper(name, value) });
  say("Saved");
}

const option = (value, text) => {
  const made = document.createElement("option");
  made.value = value;
  made.textContent = text;
  return made;
};

function draw() {
  const { settings, line } = view;
  const scope = settings.mode === "manual" ? "manual" : settings.share;
  for (const radio of document.querySelectorAll("[name=scope]")) radio.checked = radio.value === scope;
  drawPlaces(scope);
  for (const name of SWITCHES) at(name).checked = settings[name];
  for (const name of CHOSEN) drawMinutes(at(name), settings[name]);
  const texts = { ...settings, port: view.port };
  for (const name of [...TEXTS, "port"]) {
    if (document.activeElement !== at(name)) at(name).value = texts[name];
  }
  at("line").dataset.is = line.state;
  at("line").textContent = lineWords(line);
  at("version").textContent = view.version;
}

function lineWords(line) {
  if (line.state === "connected") return "Connected, and both sides have proven who they are.";
  if (line.state === "unpaired") return "Not paired yet: open the popup and type a pairing code.";
  if (line.refused) return "Not paired any more: open the popup and type a pairing code.";
  return line.words || "Looking for the relay…";
}

function drawMinutes(select, minutes) {
  const known = MINUTES.includes(minutes) ? MINUTES : [...MINUTES, minutes].sort((a, b) => a - b);
  select.replaceChildren(
    ...known.map((number) => option(number, number ? `${number} minutes` : "never")),
  );
  select.value = minutes;
}

function drawPlaces(scope) {
  at("window-row").hidden = scope !== "window";
  at("tab-row").hidden = scope !== "tab";
  const open = view.tabs.filter((tab) => !tab.closed);
  const windows = Map.groupBy(open, (tab) => tab.windowId);
  fill(
    at("window"),
    [...windows].map(([id, tabs]) => {
      const more = tabs.length > 1 ? ` and ${tabs.length - 1} more` : "";
      return [id, `${short(tabs[0].title)}${more}`];
    }),
    view.shareWindowId,
  );
  fill(
    at("tab"),
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

function narrow(share) {
  const first = view.tabs.find((tab) => !tab.closed);
  const tabId = view.shareTabId ?? first?.tabId ?? null;
  const windowId = view.shareWindowId ?? first?.windowId ?? null;
  port.postMessage({ wish: "narrow", share, tabId, windowId });
  say("Saved");
}

for (const radio of document.querySelectorAll("[name=scope]")) {
  radio.addEventListener("change", () => narrow(radio.value));
}
at("tab").addEventListener("change", ({ target }) => {
  port.postMessage({ wish: "narrow", share: "tab", tabId: Number(target.value) });
  say("Saved");
  target.blur();
});
at("window").addEventListener("change", ({ target }) => {
  port.postMessage({ wish: "narrow", share: "window", windowId: Number(target.value) });
  say("Saved");
  target.blur();
});
for (const name of SWITCHES) {
  at(name).addEventListener("change", ({ target }) => keep(name, target.checked));
}
for (const name of CHOSEN) {
  at(name).addEventListener("change", ({ target }) => keep(name, Number(target.value)));
}
for (const name of TEXTS) {
  at(name).addEventListener("change", ({ target }) => keep(name, target.value.trim() || USUAL[name]));
}
at("port").addEventListener("change", ({ target }) => {
  const number = Number(target.value);
  const good = Number.isInteger(number) && number > 0 && number < 65536;
  target.setAttribute("aria-invalid", String(!good));
  if (good) keep("port", number);
  else say("A port is 1 to 65535.");
});
connect();
