// The welcome page: asks what to share, and whether the relay starts at login.

import { byId, radiosOf } from "../shared/own_page_elements.js";
import { scopeOf } from "../shared/user_settings.js";
import { connectPage, showNote } from "../shared/worker_connection.js";

const send = connectPage("welcome", draw, showNote);

/** @param {PageView} view */
function draw({ settings, connection, autostart }) {
  const scope = scopeOf(settings);
  for (const radio of radiosOf("scope")) radio.checked = radio.value === scope;
  const connected = connection.state === "connected";
  byId("autostart").checked = autostart;
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
    send("narrow", { share: radio.value, windowId });
    showNote("Saved");
  });
}
byId("autostart").addEventListener("change", () => {
  send("autostart", { on: byId("autostart").checked });
  showNote("Saved");
});
