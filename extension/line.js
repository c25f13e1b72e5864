// The one line to the relay: connect, prove, be proven to, stay alive. Knows: the WebSocket and
// the challenge. Must not know: what the messages mean.

// Both change together with the relay's pairing.py.
const WIRE_VERSION = 2;
const CODE_ROUNDS = 100000;
const FIRST_MS = 200;
const LONGEST_MS = 3000;
const PROOF_WITHIN_MS = 10000;
// A relay says in its welcome how often it pings; after this many it is dead. One that says
// nothing is looked at by the alarm only.
const MISSED_PINGS = 3;
const LOOK_MS = 500;
// How a relay closes that does not accept the secret, or the code.
const NOT_PAIRED = 4003;
const SILENT_MS = 20000;
const KEPT_EVENTS = 1000;
const KEPT_CHARS = 4000000;

/** HMAC-SHA256 of a text, as hex. */
export async function proofOf(secret, text) {
  const bytes = new TextEncoder();
  const usage = { name: "HMAC", hash: "SHA-256" };
  const key = await crypto.subtle.importKey("raw", bytes.encode(secret), usage, false, ["sign"]);
  return hex(new Uint8Array(await crypto.subtle.sign("HMAC", key, bytes.encode(text))));
}

/** The key of a code that a person typed, stretched: a code alone could be guessed. */
async function keyOfCode(code, theirs, mine) {
  const bytes = new TextEncoder();
  const key = await crypto.subtle.importKey("raw", bytes.encode(code), "PBKDF2", false, ["deriveBits"]);
  const salt = bytes.encode(`${theirs} ${mine}`);
  const way = { name: "PBKDF2", hash: "SHA-256", salt, iterations: CODE_ROUNDS };
  return hex(new Uint8Array(await crypto.subtle.deriveBits(way, key, 256)));
}

const hex = (bytes) => Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");

/** Whether two texts are the same, in a time that tells nothing of where they differ. */
export function same(one, other) {
  if (typeof one !== "string" || typeof other !== "string") return false;
  let differing = one.length ^ other.length;
  for (let at = 0; at < one.length; at++) {
    differing |= one.charCodeAt(at) ^ (other.charCodeAt(at % (other.length || 1)) || 0);
  }
  return differing === 0;
}

export function nonce() {
  return hex(crypto.getRandomValues(new Uint8Array(32)));
}

export class Line {
  state = "off";
  words = "";
  // Why the code that the user typed last was no good; it stays while an old secret is tried.
  codeProblem = "";
  // Whether the relay does not accept the secret any more: only another one helps.
  refused = false;
  #generation = 0;
  #socket = null;
  #waits = FIRST_MS;
  #timer = 0;
  #heardAt = 0;
  #looks = 0;
  #quiet = 0;
  #kept = [];
  #keptChars = 0;
  #byCode = false;
  #ask;

  /**
   * `ask` is {port(), secret() -> {secret, code}, hello() -> params, heard(message),
   * welcomed(params) -> whether what was kept is still good, lost(closeCode), codeFailed(words),
   * refused() -> once another secret was looked for, changed()}.
   */
  constructor(ask) {
    this.#ask = ask;
  }

  /** Make sure that somebody tries. Safe to call at any time: one attempt lives at once. */
  ensure() {
    if (this.state === "connected") {
      if (Date.now() - this.#heardAt < SILENT_MS) return;
      this.#drop("The relay fell silent.");
    } else if (this.state === "connecting" || this.#timer) {
      return;
    }
    this.#connect();
  }

  /** Start over at once: another port, another secret. */
  restart() {
    const was = this.state;
    this.#generation += 1;
    clearTimeout(this.#timer);
    this.#timer = 0;
    this.#waits = FIRST_MS;
    this.codeProblem = "";
    this.#close();
    if (was === "connected") {
      this.state = "waiting";
      this.#ask.lost(0);
    }
    this.#connect();
  }

  #close() {
    const socket = this.#socket;
    this.#socket = null;
    clearInterval(this.#looks);
    if (!socket) return;
    socket.onopen = socket.onmessage = socket.onclose = null;
    socket.close();
  }

  #become(state, words) {
    if (this.state === state && this.words === words) return;
    this.state = state;
    this.words = words;
    this.#ask.changed();
  }

  #drop(words, code = 0) {
    const was = this.state;
    this.#close();
    // A code is good for one visit: tried again and again it would use up its tries.
    if (was === "connecting" && this.#byCode) {
      this.codeProblem = words;
      this.#ask.codeFailed(words);
    } else this.refused = code === NOT_PAIRED;
    this.#byCode = false;
    this.#become("waiting", words);
    if (was === "connected") this.#ask.lost(code);
    if (this.#timer) return;
    const generation = this.#generation;
    const wait = this.#waits * (0.75 + Math.random() / 2);
    this.#waits = Math.min(this.#waits * 1.7, LONGEST_MS);
    this.#timer = setTimeout(async () => {
      if (this.refused) await this.#ask.refused();
      if (generation !== this.#generation) return;
      this.#timer = 0;
      this.#connect();
    }, wait);
  }

  #connect() {
    const secret = this.#ask.secret();
    if (!secret) {
      this.#become("unpaired", this.words);
      return;
    }
    const generation = ++this.#generation;
    clearTimeout(this.#timer);
    this.#timer = 0;
    this.#close();
    this.state = "connecting";
    this.#byCode = secret.code;
    const port = this.#ask.port();
    let socket;
    try {
      socket = new WebSocket(`ws://127.0.0.1:${port}/extension`);
    } catch (error) {
      this.#drop(error.message);
      return;
    }
    this.#socket = socket;
    const visit = { generation, secret, port, key: "", mine: nonce(), theirs: "", opened: false };
    const limit = setTimeout(() => {
      if (generation === this.#generation && this.state === "connecting") {
        this.#drop(`Port ${port} does not answer like a relay.`);
      }
    }, PROOF_WITHIN_MS);
    socket.onopen = () => {
      visit.opened = true;
    };
    socket.onclose = (event) => {
      clearTimeout(limit);
      if (generation !== this.#generation) return;
      this.#drop(this.#whyClosed(event, visit, port), event.code);
    };
    // Messages are taken strictly in turn: a proof takes its time, and what follows must wait.
    let turn = null;
    socket.onmessage = (event) => {
      if (generation !== this.#generation) return;
      if (this.state === "connected" && turn === null) {
        this.#take(event.data);
        return;
      }
      turn = (turn ?? Promise.resolve()).then(async () => {
        if (generation !== this.#generation) return;
        if (this.state === "connected") this.#take(event.data);
        else await this.#prove(event.data, visit);
      });
      const mine = turn;
      mine.then(() => {
        if (turn === mine) turn = null;
      });
    };
  }

  #whyClosed(event, visit, port) {
    if (event.code === NOT_PAIRED && !this.#byCode) return "The relay does not know this extension any more.";
    if (this.state === "connected") return event.reason || "The relay hung up.";
    if (visit.theirs) return event.reason || "The relay does not accept this extension: pair again.";
    return visit.opened ? event.reason || "The relay hung up." : `No relay answers on port ${port}.`;
  }

  #take(text) {
    this.#heardAt = Date.now();
    this.#quiet = 0;
    let message;
    try {
      message = JSON.parse(text);
    } catch {
      this.#drop("The relay said something that is no JSON.");
      return;
    }
    if (message.method === "ping" && message.id === undefined) this.tell("pong", message.params);
    else this.#ask.heard(message);
  }

  /** Before both sides have proven themselves nothing but the challenge and the welcome counts. */
  async #prove(text, visit) {
    let message = null;
    try {
      message = JSON.parse(text);
    } catch {
      message = null;
    }
    const { method, params } = message ?? {};
    if (method === "challenge" && !visit.theirs && typeof params?.nonce === "string") {
      if (params.version !== WIRE_VERSION) {
        this.#drop("The relay has another version: run pilothouse extension install, then reload.");
        return;
      }
      visit.theirs = params.nonce;
      const { port, mine, theirs } = visit;
      const { secret, code } = visit.secret;
      visit.key = code ? await keyOfCode(secret, theirs, mine) : secret;
      // The port is part of the proof: nobody passes it on to a relay at another port.
      const proof = await proofOf(visit.key, `extension ${port} ${theirs} ${mine}`);
      const hello = await this.#ask.hello();
      if (visit.generation !== this.#generation) return;
      const proven = code ? { codeProof: proof } : { proof };
      const said = { ...hello, wire: WIRE_VERSION, port, nonce: mine, ...proven };
      this.#write({ method: "hello", params: said });
    } else if (method === "welcome" && visit.theirs) {
      const due = await proofOf(visit.key, `relay ${visit.port} ${visit.mine} ${visit.theirs}`);
      if (visit.generation !== this.#generation) return;
      if (same(params?.proof, due)) this.#welcome(params);
      else this.#drop("Whoever answers there could not prove to be your relay.");
    } else {
      this.#drop("Whoever answers there does not speak like a relay.");
    }
  }

  #welcome(params) {
    this.#waits = FIRST_MS;
    this.#heardAt = Date.now();
    this.state = "connected";
    this.words = "";
    this.codeProblem = "";
    this.refused = false;
    const kept = this.#kept;
    this.#kept = [];
    this.#keptChars = 0;
    if (this.#ask.welcomed(params)) kept.forEach((text) => this.#socket.send(text));
    this.#listen(params.heartbeat);
    this.#ask.changed();
  }

  /**
   * A relay whose process is stopped leaves its socket open: silence is all there is to notice.
   * Looks are counted, not time: where this worker itself stood still, nobody was silent.
   */
  #listen(heartbeat) {
    this.#quiet = 0;
    if (!Number.isInteger(heartbeat) || heartbeat < LOOK_MS) return;
    const most = Math.ceil((heartbeat * MISSED_PINGS) / LOOK_MS);
    this.#looks = setInterval(() => {
      this.#quiet += 1;
      if (this.#quiet > most) this.#drop("The relay does not answer.");
    }, LOOK_MS);
  }

  #write(message) {
    this.#socket?.send(JSON.stringify(message));
  }

  answer(id, result) {
    if (this.state === "connected") this.#write({ id, result: result ?? {} });
  }

  fail(id, error) {
    if (this.state === "connected") this.#write({ id, error });
  }

  /** Say that something happened. `keep`: a short break of the line must not lose it. */
  tell(method, params, keep = false) {
    const text = JSON.stringify(params === undefined ? { method } : { method, params });
    // A socket that is on its way down takes messages and loses them.
    if (this.state === "connected" && this.#socket.readyState === WebSocket.OPEN) {
      this.#socket.send(text);
    } else if (keep && this.#kept.length < KEPT_EVENTS && this.#keptChars < KEPT_CHARS) {
      this.#kept.push(text);
      this.#keptChars += text.length;
    }
  }
}
