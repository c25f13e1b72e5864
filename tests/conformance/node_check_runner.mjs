// Runs named checks of a client's API one after the other and says as JSON lines what each gave.
//
//     node SCRIPT '{"endpoint": …, "site": …, "sockets": …, "rooms": "own"|"shared", …}'
//
// Knows: order, limits, plain values. Must not know: any client.

/** What the runner asked for. */
export const wish = JSON.parse(process.argv[2] ?? "{}");

/** How long a client is to wait for something, in milliseconds. */
export const patience = wish.patience ?? 40_000;
const LIMIT_MS = patience + 50_000;

/** The address of a page under one of the site's names. */
export function url(path, host = "127.0.0.1") {
  const site = new URL(wish.site);
  return `http://${host}:${site.port}${path}`;
}

/** A value without what differs from run to run: ports, ids, folders. */
export function plain(value) {
  const text = JSON.stringify(value === undefined ? null : value);
  return JSON.parse(normal(text));
}

function normal(text) {
  let out = text;
  if (wish.scratch) out = out.split(wish.scratch).join("SCRATCH");
  return out
    .replace(/(127\.0\.0\.1|localhost):\d+/g, "$1:PORT")
    .replace(/playwright-artifacts-\w+/g, "playwright-artifacts")
    .replace(/\b[0-9A-F]{32}\b/g, "ID")
    .replace(/\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/g, "UUID");
}

/** The first line of what went wrong. */
export function words(error) {
  return normal(String(error?.message ?? error).split("\n")[0].trim());
}

/** What a promise fails with; the check is wrong if it does not fail. */
export async function failure(promise) {
  try {
    await promise;
  } catch (error) {
    return words(error);
  }
  throw new Error("it was to fail and did not");
}

/** Ask until the answer is true: for facts that no event tells of. */
export async function until(ask, what = "it") {
  const end = performance.now() + patience;
  while (performance.now() < end) {
    const answer = await ask();
    if (answer) return answer;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  throw new Error(`${what} did not come true`);
}

/** The next event of an emitter. */
export function next(emitter, event) {
  return new Promise((resolve) => emitter.once(event, resolve));
}

async function limited(promise) {
  let timer;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error("no end within the limit")), LIMIT_MS);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** Run all checks of some tables, in order. `open` gives each its stage, `close` clears it. */
export async function runAll(tables, { open, close }) {
  process.on("unhandledRejection", (error) => say({ stray: words(error) }));
  const wanted = wish.only ? new Set(wish.only) : null;
  for (const [name, check] of Object.entries(Object.assign({}, ...tables))) {
    if (wanted && !wanted.has(name)) continue;
    const started = performance.now();
    const told = { name };
    let stage;
    try {
      stage = await limited(open());
      told.value = plain(await limited(check(stage)));
    } catch (error) {
      told.error = words(error);
      if (wish.loud) told.stack = String(error?.stack ?? "");
    }
    try {
      if (stage) await limited(close(stage));
    } catch (error) {
      told.left = words(error);
    }
    told.ms = Math.round(performance.now() - started);
    say(told);
  }
}

function say(line) {
  process.stdout.write(`${JSON.stringify(line)}\n`);
}
