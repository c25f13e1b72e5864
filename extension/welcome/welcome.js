// The welcome page: asks what to share, and whether the relay starts at login.

import { byId, radiosOf } from "../shared/element_lookup.js";

/** @type {chrome.runtime.Port} */
let port;
/** The last view; the page draws nothing before the first one. @type {PageView} */
let view;
/** @type {ReturnType<typeof setTimeout> | undefined} */
let fading;

function connect() {
  port = chrome.runtime.connect({ name: "welcome" });
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

/** @param {string} text */
function showNote(text) {
  byId("saved").textContent = text;
  clearTimeout(fading);
  fading = setTimeout(() => (byId("saved").textContent = ""), 2500);
}

function draw() {
  const { settings, connection } = view;
  const scope = settings.mode === "manual" ? "manual" : settings.share;
  for (const radio of radiosOf("scope")) radio.checked = radio.value === scope;
  const connected = connection.state === "connected";
  byId("autostart").checked = view.autostart;
  byId("autostart").disabled = !connected;
  byId("connection").dataset.is = connection.state;
  byId("connection").textContent = connected
    ? "Connected to the relay."
    : connection.message || "Looking for the relay…";
  byId("next").textContent = connected
    ? "Set up. Share a tab, and your agent finds it with browser_tabs or pilothouse open --target."
    : connection.state === "unpaired" || connection.refused
      ? "Run pilothouse extension pair, and type its code into the popup of the Pilothouse icon."
      : "Run pilothouse relay start in a terminal. This page continues by itself.";
}

for (const radio of radiosOf("scope")) {
  radio.addEventListener("change", async () => {
    const windowId = (await chrome.tabs.getCurrent())?.windowId;
    port.postMessage({ action: "narrow", share: radio.value, windowId });
    showNote("Saved");
  });
}
byId("autostart").addEventListener("change", () => {
  port.postMessage({ action: "autostart", on: byId("autostart").checked });
  showNote("Saved");
});
connect();
