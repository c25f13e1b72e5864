// What an agent may do, judged by the user's settings. Pure; the relay judges by the same table
// (readonly.json), and neither trusts the other. What is not allowed by name is refused.

import { learn, reads } from "./readers.js";
import { FOR_AGENTS, PAUSED } from "./states.js";

export const REFUSED = -32000;
export const CLOSED = "pages of the browser, of extensions and of files are the user's alone";
export const READ_ONLY = "the user allows reading only (read only is on)";

// Without the table nothing is allowed. It is fetched, not imported: Chrome starts a worker that
// imports JSON only once, and never again after it was ended.
let table = null;

/** Read the table; nothing may be asked before. */
export async function loadTable() {
  const read = await fetched("readonly.json");
  learn(await fetched("readers.json"));
  // The installer writes it; one that was not installed so has no readers of ours.
  learn(await fetched("scripts.json").catch(() => ({})));
  table = {
    read: new Set(read.read),
    guarded: new Map(Object.entries(read.guarded)),
    navigates: new Set(read.navigates),
    own: new Set(read.own),
    never: new Map(Object.entries(read.never)),
  };
}

const fetched = async (name) => (await fetch(chrome.runtime.getURL(name))).json();

/** Chrome's Web Store, which Chrome keeps to itself, at its address of today and the old one. */
const STORES = ["chromewebstore.google.com", "chrome.google.com"];

/**
 * Whether an agent may be on such an address: an allow list, the same as the relay's. A tab without
 * an address is a new one.
 */
export function attachable(url) {
  if (url === "") return true;
  let at;
  try {
    at = new URL(url);
  } catch {
    return false;
  }
  switch (at.protocol) {
    case "http:":
    case "https:":
      return !STORES.includes(at.hostname.replace(/\.$/, ""));
    case "about:":
      // As it is spelled: Chrome reads about:BLANK as a page of its own.
      return at.pathname === "blank" || at.pathname === "srcdoc";
    case "data:":
      return true;
    case "blob:":
      if (at.pathname.startsWith("null/")) return true;
      return /^https?:/i.test(at.pathname) && attachable(at.pathname);
    default:
      return false;
  }
}

/** A page of our own: whoever holds one could change the settings and read the secret. */
export function isOwn(url) {
  return String(url ?? "").startsWith(chrome.runtime.getURL(""));
}

/** The site of an address, or "" where there is none to hold on to. */
export function siteOf(url) {
  try {
    const { origin, protocol } = new URL(url);
    return origin !== "null" ? origin : protocol === "file:" ? "file://" : "";
  } catch {
    return "";
  }
}

export function refusal(what, why, instead = "") {
  const rest = instead ? `; instead ${instead}` : "";
  return { code: REFUSED, message: `Pilothouse refuses ${what}: ${why}${rest}` };
}

function withInstructions(error, settings) {
  const words = settings.userInstructions.trim();
  return words ? { ...error, message: `${error.message} (the user says: ${words})` } : error;
}

/**
 * Why a CDP command on a tab is refused, or null. `tab` is {site, targets}: the site that the tab
 * is locked to, and the ids of targets that are its own.
 */
export function judge(method, params, settings, tab) {
  const error = judged(method, params ?? {}, settings, tab);
  return error && withInstructions(error, settings);
}

function judged(method, params, settings, tab) {
  if (!table) return refusal(method, "its rules are not read yet");
  if (table.never.has(method)) return refusal(method, table.never.get(method));
  if (table.own.has(method) && params.targetId && !tab.targets.has(params.targetId)) {
    return refusal(method, "that target is not this tab's", "ask for a tab that is shared");
  }
  if (method === "Page.navigate" && !attachable(String(params.url ?? ""))) {
    return refusal(method, CLOSED, "use a web address");
  }
  if (settings.lockUrl && table.navigates.has(method)) {
    const to = method === "Page.navigate" ? siteOf(String(params.url)) : "";
    if (tab.site && to !== tab.site) {
      return refusal(method, `the user locked this tab to ${tab.site}`, "stay on that site");
    }
  }
  if (!settings.readOnly || table.read.has(method)) return null;
  const demanded = table.guarded.get(method);
  if (!demanded) {
    return refusal(method, READ_ONLY, "use what only reads");
  }
  if (reads(method, params)) return null;
  for (const [name, value] of Object.entries(demanded)) {
    if (params[name] !== value) {
      const must = `${name}: ${JSON.stringify(value)}`;
      return refusal(method, READ_ONLY, `send it with ${must}`);
    }
  }
  return null;
}

/** Why no tab may be opened, or null. */
export function judgeOpening(url, settings, memory) {
  const error = judgedOpening(url, settings, memory);
  return error && withInstructions(error, settings);
}

function judgedOpening(url, settings, memory) {
  if (settings.paused) return refusal("createTab", ...FOR_AGENTS[PAUSED]);
  if (memory.stopped) return refusal("createTab", ...FOR_AGENTS[memory.stopped]);
  if (settings.readOnly) return refusal("createTab", READ_ONLY);
  if (settings.noNewTabs) {
    return refusal("createTab", "the user allows no new tabs", "use a tab that is shared");
  }
  if (settings.mode === "manual" || settings.share === "tab") {
    return refusal("createTab", "the user shares only the tabs they pick", "use one of them, or ask for one");
  }
  if (url && !attachable(url)) {
    return refusal("createTab", `no agent can work on ${url.slice(0, 80)}`, "use a web address");
  }
  return null;
}
