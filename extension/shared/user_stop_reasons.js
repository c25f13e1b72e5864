// How the user stops agents: one name, one reason and one hint for each way. The relay has the same
// ones (relay/extension_browser/user_stop_reasons.py). Must not know: how it came about.

export const PAUSED = "paused";
export const STOPPED = "stopped";
export const CANCELLED = "cancelled";
export const TAKEN_BACK = "taken back";

// For agents: the reason, and what they can do.
/** @type {Record<string, [reason: string, instead: string]>} */
export const AGENT_MESSAGES = {
  [PAUSED]: ["the user paused all agents", "wait, or ask the user to press Go on in the popup"],
  [STOPPED]: [
    "the user stopped all agents",
    "ask the user to press Allow agents again in the popup",
  ],
  [CANCELLED]: [
    "the user pressed Cancel on Chrome's debugging bar",
    "ask the user to press Allow agents again in the popup",
  ],
  [TAKEN_BACK]: [
    "the user took this tab back",
    "ask the user to share it again: in that tab the Pilothouse icon, then Share",
  ],
};

// For the user, in the popup.
/** @type {Record<string, string>} */
export const USER_MESSAGES = {
  [PAUSED]: "Paused. No agent can do anything until you press Go on.",
  [STOPPED]: "Stopped. You stopped all agents; no tab is shared.",
  [CANCELLED]: "Cancelled. You pressed Cancel on Chrome's bar; no tab is shared.",
};
