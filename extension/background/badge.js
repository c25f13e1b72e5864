// The badge of the toolbar icon: the state at a glance. Must not know: how it came about.

/** @type {Record<string, [text: string, color: string, title: string]>} */
const BADGES = {
  stopped: ["!", "#b3261e", "stopped: you stopped all agents"],
  cancelled: ["!", "#b3261e", "cancelled: you pressed Cancel on Chrome's bar"],
  paused: ["II", "#8a6100", "paused: no agent can do anything"],
  unpaired: ["?", "#5f6368", "not paired"],
  waiting: ["", "#5f6368", "no relay"],
  idle: ["", "#0b6e63", "connected, nothing attached"],
};

let shown = "";

/**
 * Show the state: {stopped, paused, connection, attached}.
 * @param {{stopped: Stopped, paused: boolean, connection: string, attached: number}} state
 */
export function showBadge({ stopped, paused, connection, attached }) {
  let name = "idle";
  if (stopped) name = stopped;
  else if (paused) name = "paused";
  else if (connection === "unpaired") name = "unpaired";
  else if (connection !== "connected") name = "waiting";
  const [symbol, color, meaning] = BADGES[name];
  let [text, title] = [symbol, meaning];
  if (name === "idle" && attached) {
    text = String(attached);
    title = `agents use ${attached} ${attached === 1 ? "tab" : "tabs"}`;
  }
  const wanted = `${name} ${attached}`;
  if (wanted === shown) return;
  shown = wanted;
  chrome.action.setBadgeText({ text });
  chrome.action.setBadgeBackgroundColor({ color });
  chrome.action.setBadgeTextColor({ color: "#ffffff" });
  chrome.action.setTitle({ title: `Pilothouse: ${title}` });
}
