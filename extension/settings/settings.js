// The settings page: shows the settings and saves every change at once.

import { byId, radiosOf } from "../shared/own_page_elements.js";
import { DEFAULTS, normalize, scopeOf } from "../shared/user_settings.js";
import { connectPage, showNote } from "../shared/worker_connection.js";

const MINUTES = [0, 5, 10, 15, 30, 60];
/** @type {("readOnly" | "lockUrl" | "noNewTabs" | "mayClose")[]} */
const SWITCHES = ["readOnly", "lockUrl", "noNewTabs", "mayClose"];
/** @type {("autoDetachMinutes" | "autoCloseMinutes")[]} */
const CHOSEN = ["autoDetachMinutes", "autoCloseMinutes"];
/** @type {("userInstructions" | "profile")[]} */
const TEXTS = ["userInstructions", "profile"];

/** The last view; the page draws nothing before the first one. @type {PageView} */
let view;
const send = connectPage("settings", draw, showNote);
/**
 * @param {keyof UserSettings} name
 * @param {UserSettings[keyof UserSettings]} value
 */
async function save(name, value) {
  if (view?.settings[name] === value) return;
  await chrome.storage.local.set({ [name]: normalize(name, value) });
  showNote("Saved");
}

/**
 * @param {string | number} value
 * @param {string} text
 */
const option = (value, text) => {
  const made = document.createElement("option");
  made.value = String(value);
  made.textContent = text;
  return made;
};

/** @param {PageView} next */
function draw(next) {
  view = next;
  const { settings, connection } = view;
  const scope = scopeOf(settings);
  for (const radio of radiosOf("scope")) radio.checked = radio.value === scope;
  drawScopeSelects(scope);
  for (const name of SWITCHES) byId(name).checked = settings[name];
  for (const name of CHOSEN) drawMinutes(byId(name), settings[name]);
  const texts = { ...settings, port: view.port };
  for (const name of /** @type {const} */ (["userInstructions", "profile", "port"])) {
    if (document.activeElement !== byId(name)) byId(name).value = String(texts[name]);
  }
  byId("connection").dataset.is = connection.state;
  byId("connection").textContent = describeConnection(connection);
  byId("version").textContent = view.version;
}

/** @param {PageView["connection"]} connection */
function describeConnection(connection) {
  if (connection.state === "connected") return "Connected. Both sides have proven who they are.";
  if (connection.state === "unpaired") return "Not paired yet: open the popup and type a pairing code.";
  if (connection.refused) return "No longer paired: open the popup and type a pairing code.";
  return connection.message || "Looking for the relay…";
}

/**
 * @param {import("../shared/own_page_elements.js").PageElement} select
 * @param {number} minutes
 */
function drawMinutes(select, minutes) {
  const known = MINUTES.includes(minutes) ? MINUTES : [...MINUTES, minutes].sort((a, b) => a - b);
  select.replaceChildren(
    ...known.map((number) => option(number, number ? `${number} minutes` : "never")),
  );
  select.value = String(minutes);
}

/** @param {string} scope */
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

/** @param {string} text */
const short = (text) => (text.length > 60 ? `${text.slice(0, 59)}…` : text);

/**
 * @param {import("../shared/own_page_elements.js").PageElement} select
 * @param {[number, string][]} rows
 * @param {number | null} chosen
 */
function fill(select, rows, chosen) {
  if (document.activeElement === select) return;
  const none = rows.some(([id]) => id === chosen) ? [] : [option("", "choose one: nothing is shared")];
  select.replaceChildren(...none, ...rows.map(([id, text]) => option(id, text)));
  select.value = none.length ? "" : String(chosen);
}

/** @param {string} share */
function setScope(share) {
  const first = view.tabs.find((tab) => !tab.closed);
  const tabId = view.shareTabId ?? first?.tabId ?? null;
  const windowId = view.shareWindowId ?? first?.windowId ?? null;
  send("narrow", { share, tabId, windowId });
  showNote("Saved");
}

for (const radio of radiosOf("scope")) {
  radio.addEventListener("change", () => setScope(radio.value));
}
byId("tab").addEventListener("change", () => {
  send("narrow", { share: "tab", tabId: Number(byId("tab").value) });
  showNote("Saved");
  byId("tab").blur();
});
byId("window").addEventListener("change", () => {
  send("narrow", { share: "window", windowId: Number(byId("window").value) });
  showNote("Saved");
  byId("window").blur();
});
for (const name of SWITCHES) {
  byId(name).addEventListener("change", () => save(name, byId(name).checked));
}
for (const name of CHOSEN) {
  byId(name).addEventListener("change", () => save(name, Number(byId(name).value)));
}
for (const name of TEXTS) {
  byId(name).addEventListener("change", () => save(name, byId(name).value.trim() || DEFAULTS[name]));
}
byId("port").addEventListener("change", () => {
  const number = Number(byId("port").value);
  const good = Number.isInteger(number) && number > 0 && number < 65536;
  byId("port").setAttribute("aria-invalid", String(!good));
  if (good) save("port", number);
  else showNote("port: expected 1 to 65535.");
});
