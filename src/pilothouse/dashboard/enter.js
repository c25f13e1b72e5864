// Turns the secret of a one-time link, which stands after `#`, into a session.

import { keepSession } from "./session.js";

const state = /** @type {HTMLElement} */ (document.getElementById("state"));

async function enter() {
  const secret = location.hash.slice(1);
  // Neither the history nor a copied address keeps the secret.
  history.replaceState(null, "", "/enter");
  if (!secret) {
    state.textContent = "This link is not complete. Run `pilothouse dashboard` for a new one.";
    return;
  }
  const reply = await fetch("/api/enter", {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ secret }),
  });
  const said = await reply.json();
  if (!reply.ok) {
    state.textContent = String(said.error);
    return;
  }
  keepSession(said.csrf);
  location.replace("/");
}

enter().catch((error) => {
  state.textContent = `The daemon did not answer: ${error}`;
});
