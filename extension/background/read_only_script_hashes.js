// Scripts that only read a page: an allow list by the SHA-256 of their whole text. Pure. The relay
// has the same rules (security/read_only_script_hashes.py), and neither side trusts the other.
// read_only_scripts.json holds Playwright's scripts; scripts.json, which the installer writes, holds
// Pilothouse's own.

import { sha256 } from "./sha256.js";

/** @type {Record<string, string>} */
const SCRIPT_PARAMETER = {
  "Debugger.evaluateOnCallFrame": "expression",
  "Page.addScriptToEvaluateOnNewDocument": "source",
  "Runtime.callFunctionOn": "functionDeclaration",
  "Runtime.evaluate": "expression",
};
const UTILITY = "(utilityScript, ...args) => utilityScript.evaluate(...args)";
const CODE_KEYS = new Set(["callbackText", "functionText"]);
const LIBRARY = /^([^]*InjectedScript\(\)\)\(globalThis, )(\{[^{}]*\})(\);\s*\}\)\(\);\s*)$/;

/** @type {Record<"texts" | "lengths" | "alone" | "calls", Set<unknown>>} */
const known = { texts: new Set(), lengths: new Set(), alone: new Set(), calls: new Set() };

/**
 * Add a table of scripts.
 * @param {Partial<Record<keyof typeof known, unknown[]>>} table
 */
export function addReadOnlyScripts(table) {
  for (const name of /** @type {const} */ (["texts", "lengths", "alone", "calls"])) {
    for (const value of table[name] ?? []) known[name].add(value);
  }
}

/**
 * Return whether a command runs a script that is known to only read.
 * @param {string} method
 * @param {CdpParams} params
 */
export function isReadOnlyScript(method, params) {
  const text = Object.hasOwn(SCRIPT_PARAMETER, method) ? params[SCRIPT_PARAMETER[method]] : null;
  if (typeof text !== "string") return false;
  const given = Array.isArray(params.arguments) ? params.arguments : [];
  if (method === "Runtime.callFunctionOn" && text === UTILITY) {
    return [given[3]?.value, ...findCode(given.slice(5))].every(knownDigest);
  }
  const library = method === "Runtime.evaluate" && LIBRARY.exec(text);
  if (library) return knownDigest(library[1] + library[3]) && isPlainData(library[2]);
  const digest = knownDigest(text);
  return Boolean(digest) && (!known.alone.has(digest) || known.calls.has(given[0]?.value));
}

/**
 * Return the digest of a text on the list, else "". Hashes only texts of a known length.
 * @param {unknown} text
 */
function knownDigest(text) {
  if (typeof text !== "string" || !known.lengths.has(text.length)) return "";
  const digest = sha256(text);
  return known.texts.has(digest) ? digest : "";
}

/**
 * Yield every value under a key that carries code, at any depth.
 * @param {unknown} value
 * @returns {Generator<unknown>}
 */
function* findCode(value) {
  if (Array.isArray(value)) {
    for (const one of value) yield* findCode(one);
  } else if (value && typeof value === "object") {
    const tagged = /** @type {{k?: string, v?: unknown}} */ (value);
    if (tagged.k !== undefined && CODE_KEYS.has(tagged.k)) yield tagged.v;
    for (const [name, one] of Object.entries(value)) {
      if (CODE_KEYS.has(name)) yield one;
      yield* findCode(one);
    }
  }
}

/**
 * Return whether the library's options are plain data. A client's selector engines are code.
 * @param {string} text
 */
function isPlainData(text) {
  let options;
  try {
    options = JSON.parse(text);
  } catch {
    return false;
  }
  return Object.entries(options).every(
    ([name, value]) =>
      ["string", "number", "boolean"].includes(typeof value) ||
      (name === "customEngines" && Array.isArray(value) && !value.length),
  );
}
