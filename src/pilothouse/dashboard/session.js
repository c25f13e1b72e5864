// The session of this browser: its proof, and requests with it. The cookie alone is not enough, because
// a browser sends cookies to every port of this machine; other ports cannot read what is stored here.

const KEY = "pilothouse-session";

/** @type {() => void} */
let ended = () => {};

/** Store the proof of a new session.
 * @param {string} csrf */
export function keepSession(csrf) {
  localStorage.setItem(KEY, csrf);
}

/** Whether this browser has entered before. */
export function hasSession() {
  return localStorage.getItem(KEY) !== null;
}

/** Call this when the daemon says that the session has ended.
 * @param {() => void} then */
export function onSessionEnd(then) {
  ended = then;
}

/** Send a request of this session. Throws an Error with the daemon's reason if it is refused.
 * @param {string} path
 * @param {{ body?: unknown, signal?: AbortSignal, headers?: Record<string, string> }} [options]
 * @returns {Promise<Response>} */
export async function request(path, options = {}) {
  const posts = options.body !== undefined;
  const reply = await fetch(path, {
    method: posts ? "POST" : "GET",
    headers: {
      "Pilothouse-Session": localStorage.getItem(KEY) ?? "",
      ...(posts ? { "Content-Type": "application/json" } : {}),
      ...options.headers,
    },
    ...(posts ? { body: JSON.stringify(options.body) } : {}),
    ...(options.signal ? { signal: options.signal } : {}),
  });
  if (reply.ok) return reply;
  if (reply.status === 401) {
    localStorage.removeItem(KEY);
    ended();
  }
  let reason = `the daemon answered ${reply.status}`;
  if (reply.headers.get("content-type")?.startsWith("application/json")) {
    const said = await reply.json();
    reason = said.hint ? `${said.error}: ${said.hint}` : String(said.error);
  }
  throw new Error(reason);
}
