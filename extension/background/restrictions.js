// What agents may do, according to the user's settings. Pure. The relay uses the same table
// (read_only_methods.json), and neither side trusts the other. What the table does not allow by
// name is refused.

import { addReadOnlyScripts, isReadOnlyScript } from "./read_only_script_hashes.js";
import { AGENT_MESSAGES, PAUSED } from "../shared/user_stop_reasons.js";

export const REFUSED = -32000;
export const PAGE_NOT_ALLOWED =
  "pages of the browser, of extensions and of files are the user's alone";
export const READ_ONLY = "the user allows reading only (read only is on)";

// Without the table nothing is allowed. It is fetched, not imported: Chrome starts a worker that
// imports JSON once, and never again after it has ended.
/** @type {ReadOnlyTable | null} */
let table = null;

/**
 * @typedef {object} ReadOnlyTable
 * @property {Set<string>} read methods that only read
 * @property {Map<string, CdpParams>} guarded methods that only read with these parameters
 * @property {Set<string>} navigates
 * @property {Set<string>} own methods whose target must be the tab's own
 * @property {Map<string, string>} never method -> why
 */

/** Load the table. Everything is refused before. */
export async function loadTable() {
  const read = await fetchJson("background/read_only_methods.json");
  addReadOnlyScripts(await fetchJson("background/read_only_scripts.json"));
  // The installer writes it. Without the installer none of our own scripts is known.
  addReadOnlyScripts(await fetchJson("scripts.json").catch(() => ({})));
  table = {
    read: new Set(read.read),
    guarded: new Map(Object.entries(read.guarded)),
    navigates: new Set(read.navigates),
    own: new Set(read.own),
    never: new Map(Object.entries(read.never)),
  };
}

/** @param {string} name */
const fetchJson = async (name) => (await fetch(chrome.runtime.getURL(name))).json();

// Chrome's Web Store, at its current and its old address. Chrome allows no debugger there.
const WEB_STORES = ["chromewebstore.google.com", "chrome.google.com"];

/**
 * Return whether an agent may use a URL. This is an allow list, the same as the relay's. An empty
 * URL is a new tab's.
 * @param {string} url
 * @returns {boolean}
 */
export function isAttachable(url) {
  if (url === "") return true;
  let parsed;
  try {
    parsed = new URL(url);
  } catch {
    return false;
  }
  switch (parsed.protocol) {
    case "http:":
    case "https:":
      return !WEB_STORES.includes(parsed.hostname.replace(/\.$/, ""));
    case "about:":
      // Case-sensitive: Chrome treats about:BLANK as a page of its own.
      return parsed.pathname === "blank" || parsed.pathname === "srcdoc";
    case "data:":
      return true;
    case "blob:":
      if (parsed.pathname.startsWith("null/")) return true;
      return /^https?:/i.test(parsed.pathname) && isAttachable(parsed.pathname);
    default:
      return false;
  }
}

/**
 * Return whether it is our own page. An agent there could change the settings, read the secret.
 * @param {string | undefined} url
 */
export function isOwnPage(url) {
  return String(url ?? "").startsWith(chrome.runtime.getURL(""));
}

/**
 * Return the origin of a URL, or "" if it has none that a tab could be locked to.
 * @param {string} url
 */
export function siteOf(url) {
  try {
    const { origin, protocol } = new URL(url);
    return origin !== "null" ? origin : protocol === "file:" ? "file://" : "";
  } catch {
    return "";
  }
}

/**
 * @param {string} what
 * @param {string} why
 * @param {string} instead
 * @returns {ErrorReply}
 */
export function refusal(what, why, instead = "") {
  const rest = instead ? `; instead ${instead}` : "";
  return { code: REFUSED, message: `Pilothouse refuses ${what}: ${why}${rest}` };
}

/**
 * @param {ErrorReply} error
 * @param {UserSettings} settings
 */
function withInstructions(error, settings) {
  const instructions = settings.userInstructions.trim();
  if (!instructions) return error;
  return { ...error, message: `${error.message} (the user says: ${instructions})` };
}

/**
 * Return why a CDP command on a tab is refused, or null. `tab` is {site, targets}: the site that
 * the tab is locked to, and the ids of its own targets.
 * @param {string} method
 * @param {CdpParams | undefined} params
 * @param {UserSettings} settings
 * @param {LockedTab} tab
 * @returns {ErrorReply | null}
 */
export function checkCommand(method, params, settings, tab) {
  const error = checkRules(method, params ?? {}, settings, tab);
  return error && withInstructions(error, settings);
}

/**
 * @param {string} method
 * @param {CdpParams} params
 * @param {UserSettings} settings
 * @param {LockedTab} tab
 * @returns {ErrorReply | null}
 */
function checkRules(method, params, settings, tab) {
  if (!table) return refusal(method, "the extension is still starting", "try again");
  if (table.never.has(method)) return refusal(method, table.never.get(method) ?? "");
  if (table.own.has(method) && params.targetId && !tab.targets.has(params.targetId)) {
    return refusal(method, "that target is not this tab's", "ask for a tab that is shared");
  }
  if (method === "Page.navigate" && !isAttachable(String(params.url ?? ""))) {
    return refusal(method, PAGE_NOT_ALLOWED, "use a web address");
  }
  if (settings.lockUrl && table.navigates.has(method)) {
    const to = method === "Page.navigate" ? siteOf(String(params.url)) : "";
    if (tab.site && to !== tab.site) {
      return refusal(method, `the user locked this tab to ${tab.site}`, "stay on that site");
    }
  }
  if (!settings.readOnly || table.read.has(method)) return null;
  const required = table.guarded.get(method);
  if (!required) {
    return refusal(method, READ_ONLY, "use a method that only reads");
  }
  if (isReadOnlyScript(method, params)) return null;
  for (const [name, value] of Object.entries(required)) {
    if (params[name] !== value) {
      const parameter = `${name}: ${JSON.stringify(value)}`;
      return refusal(method, READ_ONLY, `send it with ${parameter}`);
    }
  }
  return null;
}

/**
 * Return why no tab may be opened, or null.
 * @param {string} url
 * @param {UserSettings} settings
 * @param {StoredData} stored
 * @returns {ErrorReply | null}
 */
export function checkOpenTab(url, settings, stored) {
  const error = checkOpenTabRules(url, settings, stored);
  return error && withInstructions(error, settings);
}

/**
 * @param {string} url
 * @param {UserSettings} settings
 * @param {StoredData} stored
 * @returns {ErrorReply | null}
 */
function checkOpenTabRules(url, settings, stored) {
  if (settings.paused) return refusal("createTab", ...AGENT_MESSAGES[PAUSED]);
  if (stored.stopped) return refusal("createTab", ...AGENT_MESSAGES[stored.stopped]);
  if (settings.readOnly) return refusal("createTab", READ_ONLY);
  if (settings.noNewTabs) {
    return refusal("createTab", "the user allows no new tabs", "use a tab that is shared");
  }
  if (settings.mode === "manual" || settings.share === "tab") {
    const hint = "use one of them, or ask for one";
    return refusal("createTab", "the user shares only the tabs they pick", hint);
  }
  if (url && !isAttachable(url)) {
    return refusal("createTab", `no agent can work on ${url.slice(0, 80)}`, "use a web address");
  }
  return null;
}
