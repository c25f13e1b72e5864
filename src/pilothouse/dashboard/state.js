// What the page knows of the daemon, and how an event changes it. Touches no element.

/** @typedef {import("./types.js").Tab} Tab */
/** @typedef {import("./types.js").Interrupt} Interrupt */
/** @typedef {import("./types.js").Call} Call */
/** @typedef {import("./types.js").State} State */
/** @typedef {import("./types.js").DaemonEvent} DaemonEvent */

const CALLS_KEPT = 200;

/** @typedef {{ tabs: Map<string, Tab>, interrupts: Map<string, Interrupt>, calls: Call[],
 *   viewers: number, touched: Map<string, number>, notice: string }} Model */

/** Make the model of a state that the daemon sent.
 * @param {State} state
 * @returns {Model} */
export function modelOf(state) {
  return {
    tabs: new Map(state.tabs.map((tab) => [tab.id, tab])),
    interrupts: new Map(state.interrupts.map((one) => [one.id, one])),
    calls: [...state.calls],
    viewers: state.viewers,
    touched: new Map(),
    notice: "",
  };
}

/** Change the model by an event; `now` says when its tab was touched last.
 * @param {Model} model
 * @param {DaemonEvent} event
 * @param {number} now */
export function applyEvent(model, event, now) {
  switch (event.type) {
    case "tab_opened":
    case "tab_changed":
      model.tabs.set(event.tab.id, event.tab);
      model.touched.set(event.tab.id, now);
      break;
    case "tab_closed":
      model.tabs.delete(event.id);
      model.touched.delete(event.id);
      break;
    case "interrupt_opened":
      model.interrupts.set(event.interrupt.id, event.interrupt);
      model.notice = `${describeInterrupt(event.interrupt)} waits for an answer`;
      break;
    case "interrupt_closed": {
      const closed = model.interrupts.get(event.id);
      model.interrupts.delete(event.id);
      if (closed) {
        const by = event.closed_by ? ` by ${byWhom(event.closed_by)}` : "";
        model.notice = `${describeInterrupt(closed)} was closed${by}`;
      }
      model.touched.set(event.tab, now);
      break;
    }
    case "call_started":
    case "call_finished":
      addCall(model, event, now);
      break;
    case "viewers_changed":
      model.viewers = event.viewers;
  }
}

/** @param {Model} model
 * @param {Call} call
 * @param {number} now */
function addCall(model, call, now) {
  const at = model.calls.findIndex((one) => one.number === call.number);
  if (at < 0) model.calls.push(call);
  else model.calls[at] = call;
  model.calls.splice(0, model.calls.length - CALLS_KEPT);
  for (const tab of model.tabs.values()) {
    if (isOfTab(call, tab)) model.touched.set(tab.id, now);
  }
}

/** Whether a call was made on a tab.
 * @param {Call} call
 * @param {Tab} tab */
export function isOfTab(call, tab) {
  const id = tab.id.slice(tab.id.indexOf(".") + 1);
  return call.owner === tab.owner && (call.tab === tab.name || call.tab === id);
}

/** The tabs by owner, owners and tabs in alphabetical order.
 * @param {Model} model
 * @returns {[string, Tab[]][]} */
export function tabsByOwner(model) {
  /** @type {Map<string, Tab[]>} */
  const owners = new Map();
  for (const tab of model.tabs.values()) {
    const mine = owners.get(tab.owner);
    if (mine) mine.push(tab);
    else owners.set(tab.owner, [tab]);
  }
  for (const mine of owners.values()) mine.sort((a, b) => a.name.localeCompare(b.name));
  return [...owners].sort(([a], [b]) => a.localeCompare(b));
}

/** Name an interrupt for people.
 * @param {Interrupt} one */
export function describeInterrupt(one) {
  /** @type {Record<string, string>} */
  const kinds = {
    auth: "A login",
    crashed: "A crashed page",
    download: "A download",
    fedcm: "An account chooser",
    file_chooser: "A file chooser",
    human: "An agent asks you",
    hung: "A page that does not respond",
    permission: "A permission request",
    print: "A print request",
  };
  if (one.kind === "dialog") return `A dialog (${one.type})`;
  return kinds[one.kind] ?? `An interrupt (${one.kind})`;
}

/** @param {string} closedBy */
function byWhom(closedBy) {
  if (closedBy === "human") return "a person";
  if (closedBy === "auto_policy") return "the dialog policy";
  return `the ${closedBy}`;
}

/** @param {string} url
 * @returns {string} */
export function shortUrl(url) {
  return url.replace(/^https?:\/\//, "");
}
