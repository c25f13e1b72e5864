// Reads the daemon's events. EventSource cannot send the session's proof, so the stream is read with fetch.

import { request } from "./session.js";

/** @typedef {import("./types.js").DaemonEvent} DaemonEvent */

const RETRY_MS = [500, 1000, 2000, 5000];
// The daemon sends something every 15 s; a stream that is silent for longer is dead.
const SILENT_MS = 40_000;

/** Split what has arrived of a stream into whole messages and the rest.
 * @param {string} text
 * @returns {{ messages: { id: string, data: string }[], rest: string }} */
export function parseMessages(text) {
  const blocks = text.split("\n\n");
  const rest = blocks.pop() ?? "";
  const messages = [];
  for (const block of blocks) {
    const fields = { id: "", data: "" };
    for (const line of block.split("\n")) {
      if (line.startsWith("id: ")) fields.id = line.slice(4);
      if (line.startsWith("data: ")) fields.data += line.slice(6);
    }
    if (fields.data) messages.push(fields);
  }
  return { messages, rest };
}

/** Follow the events after `lastId` for as long as the page is open.
 * @param {string} lastId
 * @param {(event: DaemonEvent) => void} onEvent
 * @param {(isLive: boolean) => void} onLive */
export async function followEvents(lastId, onEvent, onLive) {
  for (let failures = 0; ; failures += 1) {
    const stop = new AbortController();
    try {
      const headers = { "Last-Event-ID": lastId };
      const reply = await request("/api/events", { headers, signal: stop.signal });
      onLive(true);
      failures = 0;
      for await (const message of readMessages(reply, stop)) {
        lastId = message.id || lastId;
        onEvent(JSON.parse(message.data));
      }
    } catch (error) {
      console.info(`the stream of events ended: ${error}`);
    }
    onLive(false);
    await pause(RETRY_MS[Math.min(failures, RETRY_MS.length - 1)] ?? 0);
  }
}

/** @param {Response} reply
 * @param {AbortController} stop */
async function* readMessages(reply, stop) {
  if (!reply.body) return;
  const reader = reply.body.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  for (;;) {
    const timer = setTimeout(() => stop.abort(), SILENT_MS);
    const { value, done } = await reader.read();
    clearTimeout(timer);
    if (done) return;
    const { messages, rest } = parseMessages(text + value);
    text = rest;
    yield* messages;
  }
}

/** @param {number} ms */
function pause(ms) {
  return new Promise((done) => {
    setTimeout(done, ms);
  });
}
