// Which scripts only read a page: an allow list by SHA-256 of their whole text. Pure; the relay has
// the same rules (security/read_only_scripts.py), and neither trusts the other. readers.json holds what
// Playwright sends; scripts.json, which the installer writes, holds Pilothouse's own.

import { sha256 } from "./sha256.js";

const TEXT_OF = {
  "Debugger.evaluateOnCallFrame": "expression",
  "Page.addScriptToEvaluateOnNewDocument": "source",
  "Runtime.callFunctionOn": "functionDeclaration",
  "Runtime.evaluate": "expression",
};
const UTILITY = "(utilityScript, ...args) => utilityScript.evaluate(...args)";
const CODE_KEYS = new Set(["callbackText", "functionText"]);
const LIBRARY = /^([^]*InjectedScript\(\)\)\(globalThis, )(\{[^{}]*\})(\);\s*\}\)\(\);\s*)$/;

const known = { texts: new Set(), lengths: new Set(), alone: new Set(), calls: new Set() };

/** Add a table of readers. */
export function learn(table) {
  for (const [name, values] of Object.entries(known)) {
    for (const value of table[name] ?? []) values.add(value);
  }
}

/** Whether a command runs a script that is known to read only. */
export function reads(method, params) {
  const text = Object.hasOwn(TEXT_OF, method) ? params[TEXT_OF[method]] : null;
  if (typeof text !== "string") return false;
  const given = Array.isArray(params.arguments) ? params.arguments : [];
  if (method === "Runtime.callFunctionOn" && text === UTILITY) {
    return [given[3]?.value, ...codeIn(given.slice(5))].every(isKnown);
  }
  const library = method === "Runtime.evaluate" && LIBRARY.exec(text);
  if (library) return isKnown(library[1] + library[3]) && plainOptions(library[2]);
  const digest = isKnown(text);
  return Boolean(digest) && (!known.alone.has(digest) || known.calls.has(given[0]?.value));
}

/** The digest of a text that is on the list; "" if it is not. Long texts are not hashed in vain. */
function isKnown(text) {
  if (typeof text !== "string" || !known.lengths.has(text.length)) return "";
  const digest = sha256(text);
  return known.texts.has(digest) ? digest : "";
}

/** Whatever stands under a name by which code is given, however deep. */
function* codeIn(value) {
  if (Array.isArray(value)) {
    for (const one of value) yield* codeIn(one);
  } else if (value && typeof value === "object") {
    if (CODE_KEYS.has(value.k)) yield value.v;
    for (const [name, one] of Object.entries(value)) {
      if (CODE_KEYS.has(name)) yield one;
      yield* codeIn(one);
    }
  }
}

/** Whether the library's options are data alone: selector engines of a client are code. */
function plainOptions(text) {
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
