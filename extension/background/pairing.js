// The secret by which this extension and the relay prove themselves to each other. It comes from
// pairing.json, which the installer writes into the extension's folder, or from a code that the
// user types.

const CODE = /^[A-Z0-9]{8}$/;

export class Pairing {
  /** @type {{install: string, secret: string} | null} */
  known = null;
  port = 0;
  // What the installer chose to share: "picked", "all", or "" to ask the user.
  share = "";
  // A code that the user typed, until the relay has answered.
  #code = "";
  #install = "";

  async load() {
    const [file, stored] = await Promise.all([
      readPairingFile(),
      chrome.storage.local.get("pairing"),
    ]);
    const pairing = /** @type {{install: string, secret: string, insteadOf: string} | undefined} */ (
      stored.pairing
    );
    this.port = file?.port ?? 0;
    this.share = file?.share ?? "";
    // A pairing by code is valid until the extension is installed again.
    const isCurrent = pairing && pairing.insteadOf === (file?.install ?? "");
    this.known = isCurrent ? { install: pairing.install, secret: pairing.secret } : file;
    this.#install = file?.install ?? "";
  }

  /** Return what the next connection proves itself with; null if not paired. */
  credentials() {
    if (this.#code) return { secret: this.#code, code: true };
    return this.known ? { secret: this.known.secret, code: false } : null;
  }

  get install() {
    return this.#code ? this.#newInstall : (this.known?.install ?? "");
  }

  #newInstall = "";

  /**
   * Use a typed code for the next connection. Returns false if it is not a code.
   * @param {string} text
   */
  tryCode(text) {
    const code = text.replace(/[\s-]/g, "").toUpperCase();
    if (!CODE.test(code)) return false;
    this.#code = code;
    this.#newInstall = crypto.randomUUID();
    return true;
  }

  /** Forget a code that failed or found no relay. */
  dropCode() {
    this.#code = "";
  }

  /**
   * Store the secret that the relay gave for a code.
   * @param {{secret: string, install?: string}} pairing
   */
  async save({ secret, install }) {
    const stored = { install: install ?? this.#newInstall, secret, insteadOf: this.#install };
    this.known = { install: stored.install, secret };
    this.#code = "";
    await chrome.storage.local.set({ pairing: stored });
  }
}

async function readPairingFile() {
  try {
    const file = await (await fetch(chrome.runtime.getURL("pairing.json"))).json();
    if (typeof file.secret === "string" && typeof file.install === "string") {
      const port = Number.isInteger(file.port) ? file.port : 0;
      const share = ["picked", "all"].includes(file.share) ? file.share : "";
      return { install: file.install, secret: file.secret, port, share };
    }
  } catch {
    // There is none: the user pairs by code.
  }
  return null;
}
