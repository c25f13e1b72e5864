// The WebSocket to the relay: connect, prove the secret both ways, reconnect, notice a dead relay.
// Knows: the WebSocket and the handshake. Must not know: what the messages mean.

import { messageOf } from "./error_text.js";

// Both must match the relay's server/pairing_proofs_and_codes.py.
const WIRE_VERSION = 2;
const CODE_ITERATIONS = 100000;
const FIRST_RETRY_MS = 200;
const MAX_RETRY_MS = 3000;
const PROOF_WITHIN_MS = 10000;
// The relay says in its welcome how often it pings. After this many missed pings it is dead. A relay
// that does not say it is only checked by the alarm.
const MISSED_PINGS = 3;
const CHECK_MS = 500;
// Close code of a relay that does not accept the secret or the code.
const NOT_PAIRED = 4003;
const MAX_SILENCE_MS = 20000;
const MAX_QUEUED = 1000;
const MAX_QUEUED_CHARS = 4000000;

/**
 * Return the HMAC-SHA256 of a text, as hex.
 * @param {string} secret
 * @param {string} text
 */
export async function hmacProof(secret, text) {
  const bytes = new TextEncoder();
  const usage = { name: "HMAC", hash: "SHA-256" };
  const key = await crypto.subtle.importKey("raw", bytes.encode(secret), usage, false, ["sign"]);
  return hex(new Uint8Array(await crypto.subtle.sign("HMAC", key, bytes.encode(text))));
}

/**
 * Derive a key from a typed code with PBKDF2: the code alone is short enough to guess.
 * @param {string} code
 * @param {string} theirs
 * @param {string} mine
 */
async function deriveCodeKey(code, theirs, mine) {
  const bytes = new TextEncoder();
  const raw = bytes.encode(code);
  const key = await crypto.subtle.importKey("raw", raw, "PBKDF2", false, ["deriveBits"]);
  const salt = bytes.encode(`${theirs} ${mine}`);
  const algorithm = { name: "PBKDF2", hash: "SHA-256", salt, iterations: CODE_ITERATIONS };
  return hex(new Uint8Array(await crypto.subtle.deriveBits(algorithm, key, 256)));
}

/** @param {Uint8Array} bytes */
const hex = (bytes) => Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");

/**
 * Compare two texts in a time that does not depend on where they differ.
 * @param {unknown} one
 * @param {unknown} other
 * @returns {boolean}
 */
export function constantTimeEqual(one, other) {
  if (typeof one !== "string" || typeof other !== "string") return false;
  let difference = one.length ^ other.length;
  for (let at = 0; at < one.length; at++) {
    difference |= one.charCodeAt(at) ^ (other.charCodeAt(at % (other.length || 1)) || 0);
  }
  return difference === 0;
}

export function nonce() {
  return hex(crypto.getRandomValues(new Uint8Array(32)));
}

export class RelayConnection {
  state = "off";
  message = "";
  // Why the last typed code failed. Stays while the old secret is tried again.
  codeProblem = "";
  // The relay no longer accepts the secret: only a new one helps.
  refused = false;
  #generation = 0;
  /** @type {WebSocket | null} */
  #socket = null;
  #retryMs = FIRST_RETRY_MS;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #timer;
  #heardAt = 0;
  /** @type {ReturnType<typeof setInterval> | undefined} */
  #heartbeatTimer;
  #silentChecks = 0;
  /** @type {string[]} */
  #queued = [];
  #queuedChars = 0;
  #byCode = false;
  #callbacks;

  /**
   * @param {ConnectionCallbacks} callbacks
   */
  constructor(callbacks) {
    this.#callbacks = callbacks;
  }

  /** Connect if necessary. Safe to call at any time: there is only one attempt at once. */
  ensure() {
    if (this.state === "connected") {
      if (Date.now() - this.#heardAt < MAX_SILENCE_MS) return;
      this.#disconnect("The relay stopped answering.");
    } else if (this.state === "connecting" || this.#timer) {
      return;
    }
    this.#connect();
  }

  /** Connect anew at once, for example with another port or secret. */
  restart() {
    const was = this.state;
    this.#generation += 1;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#retryMs = FIRST_RETRY_MS;
    this.codeProblem = "";
    this.#close();
    if (was === "connected") {
      this.state = "waiting";
      this.#callbacks.onLost(0);
    }
    this.#connect();
  }

  #close() {
    const socket = this.#socket;
    this.#socket = null;
    clearInterval(this.#heartbeatTimer);
    if (!socket) return;
    socket.onopen = socket.onmessage = socket.onclose = null;
    socket.close();
  }

  /**
   * @param {string} state
   * @param {string} message
   */
  #setState(state, message) {
    if (this.state === state && this.message === message) return;
    this.state = state;
    this.message = message;
    this.#callbacks.onChange();
  }

  /**
   * @param {string} message
   * @param {number} code
   */
  #disconnect(message, code = 0) {
    const was = this.state;
    this.#close();
    // Use a code for one attempt only: retries would use up the tries the relay allows.
    if (was === "connecting" && this.#byCode) {
      this.codeProblem = message;
      this.#callbacks.onCodeFailed(message);
    } else this.refused = code === NOT_PAIRED;
    this.#byCode = false;
    this.#setState("waiting", message);
    if (was === "connected") this.#callbacks.onLost(code);
    if (this.#timer) return;
    const generation = this.#generation;
    const delayMs = this.#retryMs * (0.75 + Math.random() / 2);
    this.#retryMs = Math.min(this.#retryMs * 1.7, MAX_RETRY_MS);
    this.#timer = setTimeout(async () => {
      if (this.refused) await this.#callbacks.reloadPairing();
      if (generation !== this.#generation) return;
      this.#timer = undefined;
      this.#connect();
    }, delayMs);
  }

  #connect() {
    const credentials = this.#callbacks.credentials();
    if (!credentials) {
      this.#setState("unpaired", this.message);
      return;
    }
    const generation = ++this.#generation;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#close();
    this.state = "connecting";
    this.#byCode = credentials.code;
    const port = this.#callbacks.port();
    let socket;
    try {
      socket = new WebSocket(`ws://127.0.0.1:${port}/extension`);
    } catch (error) {
      this.#disconnect(messageOf(error));
      return;
    }
    this.#socket = socket;
    const attempt = { generation, credentials, port, key: "", theirs: "", mine: nonce(), opened: false };
    const limit = setTimeout(() => {
      if (generation === this.#generation && this.state === "connecting") {
        this.#disconnect(`What answers on port ${port} is not a Pilothouse relay.`);
      }
    }, PROOF_WITHIN_MS);
    socket.onopen = () => {
      attempt.opened = true;
    };
    socket.onclose = (event) => {
      clearTimeout(limit);
      if (generation !== this.#generation) return;
      this.#disconnect(this.#closeReason(event, attempt, port), event.code);
    };
    // Handle messages strictly in order: a proof is asynchronous, and later messages must wait.
    /** @type {Promise<void> | null} */
    let turn = null;
    socket.onmessage = (event) => {
      if (generation !== this.#generation) return;
      if (this.state === "connected" && turn === null) {
        this.#receive(event.data);
        return;
      }
      turn = (turn ?? Promise.resolve()).then(async () => {
        if (generation !== this.#generation) return;
        if (this.state === "connected") this.#receive(event.data);
        else await this.#handshake(event.data, attempt);
      });
      const mine = turn;
      mine.then(() => {
        if (turn === mine) turn = null;
      });
    };
  }

  /**
   * @param {CloseEvent} event
   * @param {ConnectionAttempt} attempt
   * @param {number} port
   * @returns {string}
   */
  #closeReason(event, attempt, port) {
    if (event.code === NOT_PAIRED && !this.#byCode) {
      return "The relay no longer knows this extension.";
    }
    if (this.state === "connected") return event.reason || "The relay closed the connection.";
    if (attempt.theirs) {
      return event.reason || "The relay does not accept this extension. Pair it again.";
    }
    if (!attempt.opened) return `No relay answers on port ${port}.`;
    return event.reason || "The relay closed the connection.";
  }

  /** @param {string} text */
  #receive(text) {
    this.#heardAt = Date.now();
    this.#silentChecks = 0;
    let message;
    try {
      message = JSON.parse(text);
    } catch {
      this.#disconnect("The relay sent a message that is not JSON.");
      return;
    }
    if (message.method === "ping" && message.id === undefined) this.notify("pong", message.params);
    else this.#callbacks.onMessage(message);
  }

  /**
   * Handle a message of the handshake. Before its end only challenge and welcome are allowed.
   * @param {string} text
   * @param {ConnectionAttempt} attempt
   */
  async #handshake(text, attempt) {
    let message;
    try {
      message = JSON.parse(text);
    } catch {
      message = null;
    }
    const { method, params } = message ?? {};
    if (method === "challenge" && !attempt.theirs && typeof params?.nonce === "string") {
      if (params.version !== WIRE_VERSION) {
        this.#disconnect(
          "The relay has another version. Run pilothouse extension install, then reload the extension.",
        );
        return;
      }
      attempt.theirs = params.nonce;
      const { port, mine, theirs } = attempt;
      const { secret, code } = attempt.credentials;
      attempt.key = code ? await deriveCodeKey(secret, theirs, mine) : secret;
      // The port is part of the proof, so that nobody can forward it to a relay on another port.
      const proof = await hmacProof(attempt.key, `extension ${port} ${theirs} ${mine}`);
      const hello = await this.#callbacks.hello();
      if (attempt.generation !== this.#generation) return;
      const proofField = code ? { codeProof: proof } : { proof };
      const helloParams = { ...hello, wire: WIRE_VERSION, port, nonce: mine, ...proofField };
      this.#write({ method: "hello", params: helloParams });
    } else if (method === "welcome" && attempt.theirs) {
      const { port, mine, theirs } = attempt;
      const expected = await hmacProof(attempt.key, `relay ${port} ${mine} ${theirs}`);
      if (attempt.generation !== this.#generation) return;
      if (constantTimeEqual(params?.proof, expected)) this.#welcome(params);
      else this.#disconnect("What answers there could not prove that it is your relay.");
    } else {
      this.#disconnect("What answers there is not a Pilothouse relay.");
    }
  }

  /** @param {CdpParams} params */
  #welcome(params) {
    this.#retryMs = FIRST_RETRY_MS;
    this.#heardAt = Date.now();
    this.state = "connected";
    this.message = "";
    this.codeProblem = "";
    this.refused = false;
    const queued = this.#queued;
    this.#queued = [];
    this.#queuedChars = 0;
    if (this.#callbacks.onWelcome(params)) queued.forEach((text) => this.#socket?.send(text));
    this.#watchHeartbeat(params.heartbeat);
    this.#callbacks.onChange();
  }

  /**
   * Disconnect from a silent relay. A suspended process leaves its socket open, so silence is the
   * only sign. Count checks instead of time: if this worker was suspended, the relay was not silent.
   * @param {unknown} heartbeat
   */
  #watchHeartbeat(heartbeat) {
    this.#silentChecks = 0;
    if (typeof heartbeat !== "number" || !Number.isInteger(heartbeat) || heartbeat < CHECK_MS) return;
    const maxSilentChecks = Math.ceil((heartbeat * MISSED_PINGS) / CHECK_MS);
    this.#heartbeatTimer = setInterval(() => {
      this.#silentChecks += 1;
      if (this.#silentChecks > maxSilentChecks) this.#disconnect("The relay does not answer.");
    }, CHECK_MS);
  }

  /** @param {object} message */
  #write(message) {
    this.#socket?.send(JSON.stringify(message));
  }

  /**
   * @param {number | string} id
   * @param {unknown} result
   */
  reply(id, result) {
    if (this.state === "connected") this.#write({ id, result: result ?? {} });
  }

  /**
   * @param {number | string} id
   * @param {ErrorReply} error
   */
  fail(id, error) {
    if (this.state === "connected") this.#write({ id, error });
  }

  /**
   * Send a notification. With `keep` it is queued while disconnected, so that no event is lost.
   * @param {string} method
   * @param {object | undefined} params
   */
  notify(method, params, keep = false) {
    const text = JSON.stringify(params === undefined ? { method } : { method, params });
    // A closing socket still accepts messages, and loses them.
    if (this.state === "connected" && this.#socket?.readyState === WebSocket.OPEN) {
      this.#socket.send(text);
    } else if (keep && this.#queued.length < MAX_QUEUED && this.#queuedChars < MAX_QUEUED_CHARS) {
      this.#queued.push(text);
      this.#queuedChars += text.length;
    }
  }
}
