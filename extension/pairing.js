// The secret that proves this extension to the relay and the relay to it. It comes in
// pairing.json, which the installer writes beside this file, or by a code that the user types.

const CODE = /^[A-Z0-9]{8}$/;

export class Pairing {
  // {install, secret} or null.
  known = null;
  port = 0;
  // What the installer chose to share: "picked", "all", or "" for the user to be asked.
  share = "";
  // A code that the user has just typed, until the relay answers.
  #code = "";
  #install = "";

  async load() {
    const [file, { pairing }] = await Promise.all([
      fromFile(),
      chrome.storage.local.get("pairing"),
    ]);
    this.port = file?.port ?? 0;
    this.share = file?.share ?? "";
    // A pairing by code holds until the extension is installed anew.
    const stands = pairing && pairing.insteadOf === (file?.install ?? "");
    this.known = stands ? { install: pairing.install, secret: pairing.secret } : file;
    this.#install = file?.install ?? "";
  }

  /** What the next visit proves itself with. */
  secret() {
    if (this.#code) return { secret: this.#code, code: true };
    return this.known ? { secret: this.known.secret, code: false } : null;
  }

  get install() {
    return this.#code ? this.#newInstall : this.known.install;
  }

  #newInstall = "";

  /** The user typed a code. False if it cannot be one. */
  tryCode(text) {
    const code = text.replace(/[\s-]/g, "").toUpperCase();
    if (!CODE.test(code)) return false;
    this.#code = code;
    this.#newInstall = crypto.randomUUID();
    return true;
  }

  /** The code was no good, or nobody was there to take it. */
  dropCode() {
    this.#code = "";
  }

  /** The relay took the code and gave a secret for all later visits. */
  async paired({ secret, install }) {
    const kept = { install: install ?? this.#newInstall, secret, insteadOf: this.#install };
    this.known = { install: kept.install, secret };
    this.#code = "";
    await chrome.storage.local.set({ pairing: kept });
  }
}

async function fromFile() {
  try {
    const file = await (await fetch(chrome.runtime.getURL("pairing.json"))).json();
    if (typeof file.secret === "string" && typeof file.install === "string") {
      const port = Number.isInteger(file.port) ? file.port : 0;
      const share = ["picked", "all"].includes(file.share) ? file.share : "";
      return { install: file.install, secret: file.secret, port, share };
    }
  } catch {
    // It came without one: the user pairs it by a code.
  }
  return null;
}
