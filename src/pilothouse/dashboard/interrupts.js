// A card for each thing that waits for an answer, with the buttons that answer it.

import { make } from "./elements.js";
import { request } from "./session.js";
import { describeInterrupt } from "./state.js";

/** @typedef {import("./types.js").Interrupt} Interrupt */
/** @typedef {import("./types.js").Tab} Tab */

/** @type {Record<string, string>} */
const LABELS = {
  accept: "Accept",
  dismiss: "Dismiss",
  provide: "Sign in",
  cancel: "Cancel",
  deny: "Deny",
  reload: "Reload the page",
  close: "Close the tab",
  terminate: "Stop its script",
  done: "Done",
  answer: "Send the answer",
  refuse: "Refuse",
};
// Answers that need the browser's own window or the user's settings.
const ELSEWHERE = new Set(["grant", "upload", "select"]);

/** Make the card of an interrupt.
 * @param {Interrupt} one
 * @param {Tab | undefined} tab
 * @returns {HTMLElement} */
export function interruptCard(one, tab) {
  const problem = make("p", { class: "problem", role: "alert" });
  /** @type {HTMLInputElement[]} */
  const fields = [];
  const form = make("form", { class: "interrupt", "aria-label": describeInterrupt(one) });
  const where = tab ? `${tab.owner} · ${tab.name}` : "";
  form.append(
    make("p", { class: "interrupt-head" }, make("strong", {}, describeInterrupt(one)), ` ${where}`),
  );
  if (one.origin) form.append(make("p", { class: "soft small" }, one.origin));
  if (one.message) form.append(make("p", { class: "words" }, one.message));
  if (one.orphaned) form.append(make("p", { class: "problem" }, `Cannot be answered: ${one.orphaned}`));
  if (one.type === "prompt") fields.push(field("text", "Answer", "text", one.default_prompt));
  if (one.kind === "human") fields.push(field("text", "Your answer, or why you refuse", "text"));
  if (one.kind === "auth") {
    fields.push(field("username", "User name", "text"), field("password", "Password", "password"));
  }
  for (const input of fields) form.append(/** @type {Node} */ (input.parentElement));

  /** @param {string} action
   * @param {string} [choice] what the person chose, in place of what they typed */
  const answer = async (action, choice) => {
    problem.textContent = "";
    setBusy(form, true);
    const body = choice === undefined ? bodyOf(action, fields) : { action, text: choice };
    try {
      await request(`/api/interrupts/${encodeURIComponent(one.id)}`, { body });
    } catch (error) {
      problem.textContent = error instanceof Error ? error.message : String(error);
      setBusy(form, false);
    }
  };
  const actions = one.answers.filter((action) => !ELSEWHERE.has(action));
  const buttons = actions.map((action, at) =>
    make(
      "button",
      { type: at ? "button" : "submit", class: at ? "" : "main", ...(at ? { onclick: () => answer(action) } : {}) },
      label(one, action),
    ),
  );
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    // Enter in the field of a request sends what the person typed.
    const typed = one.kind === "human" && fields.some((input) => input.value.trim());
    const first = typed ? "answer" : actions[0];
    if (first) answer(first);
  });
  const choices = one.choices.map((choice) =>
    make("button", { type: "button", onclick: () => answer("answer", choice) }, choice),
  );
  if (choices.length) form.append(make("div", { class: "row" }, ...choices));
  form.append(make("div", { class: "row" }, ...buttons), problem);
  return form;
}

/** @param {Interrupt} one
 * @param {string} action */
function label(one, action) {
  if (one.type === "beforeunload") return action === "accept" ? "Leave the page" : "Stay";
  return LABELS[action] ?? action;
}

/** @param {string} name
 * @param {string} words
 * @param {string} type
 * @param {string} [value]
 * @returns {HTMLInputElement} */
function field(name, words, type, value = "") {
  const input = make("input", { name, type, value, autocomplete: "off", spellcheck: "false" });
  make("label", { class: "field" }, make("span", { class: "small soft" }, words), input);
  return input;
}

/** @param {string} action
 * @param {HTMLInputElement[]} fields */
function bodyOf(action, fields) {
  const given = Object.fromEntries(fields.map((input) => [input.name, input.value]));
  if ("text" in given) return { action, text: given["text"] };
  return { action, detail: action === "provide" ? given : {} };
}

/** @param {HTMLFormElement} form
 * @param {boolean} busy */
function setBusy(form, busy) {
  for (const one of form.elements) /** @type {HTMLButtonElement} */ (one).disabled = busy;
}
