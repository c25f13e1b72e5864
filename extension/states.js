// What the user did to stop agents: one name and one sentence for each. The relay has the same
// names (relay/extension_browser/user_stops.py). Must not know: how it came about.

export const PAUSED = "paused";
export const STOPPED = "stopped";
export const CANCELLED = "cancelled";
export const TAKEN_BACK = "taken back";

/** What an agent is told, and what it can do. */
export const FOR_AGENTS = {
  [PAUSED]: ["the user paused all agents", "wait, or ask the user to press Go on in the popup"],
  [STOPPED]: ["the user stopped all agents", "ask the user to press Allow agents again in the popup"],
  [CANCELLED]: [
    "the user pressed Cancel on Chrome's debugging bar",
    "ask the user to press Allow agents again in the popup",
  ],
  [TAKEN_BACK]: [
    "the user took this tab back",
    "ask the user to share it again: in that tab the Pilothouse icon, then Share",
  ],
};

/** What the user is told. */
export const FOR_YOU = {
  [PAUSED]: "Paused. No agent can do anything until you press Go on.",
  [STOPPED]: "Stopped. You stopped all agents; no tab is shared.",
  [CANCELLED]: "Cancelled. You pressed Cancel on Chrome's bar; no tab is shared.",
};
