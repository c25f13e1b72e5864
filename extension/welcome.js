// The first page: asks what is shared, and whether the relay starts with the session.

const at = (id) => document.getElementById(id);
let port = null;
let view = null;
let fading = 0;

function connect() {
  port = chrome.runtime.connect({ name: "welcome" });
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

function draw() {
  const { settings, line } = view;
  const scope = settings.mode === "manual" ? "manual" : settings.share;
  for (const radio of document.querySelectorAll("[name=scope]")) radio.checked = radio.value === scope;
  const connected = line.state === "connected";
  at("autostart").checked = view.autostart;
  at("autostart").disabled = !connected;
  at("line").dataset.is = line.state;
  at("line").textContent = connected ? "Connected to the relay." : line.words || "Looking for the relay…";
  at("next").textContent = connected
    ? "Set up. Share a tab, and your agent finds it with browser_tabs or pilothouse open --target."
    : line.state === "unpaired" || line.refused
      ? "Run pilothouse extension pair, and type its code into the popup of the Pilothouse icon."
      : "Run pilothouse relay start in a terminal. This page goes on by itself.";
}

for (const radio of document.querySelectorAll("[name=scope]")) {
  radio.addEventListener("change", async () => {
    const { windowId } = await chrome.tabs.getCurrent();
    port.postMessage({ wish: "narrow", share: radio.value, windowId });
    say("Saved");
  });
}
at("autostart").addEventListener("change", ({ target }) => {
  port.postMessage({ wish: "autostart", on: target.checked });
  say("Saved");
});
connect();
