// chrome.debugger, and which tabs we hold with it. Knows: attach, detach, commands, their errors.
// Must not know: who may hold what, or the relay.

import { isOwn } from "./restrictions.js";

const PROTOCOL = "1.3";
const RETRY_MS = [150, 300, 700];
const OURS_ALREADY = /already attached/i;
const MOVING = /Not attached to an active page/i;
const MOVING_MS = 10;
const MOVING_TRIES = 200;
const SWAPPED = /Detached while handling command|Debugger is not attached|target closed/i;

/** Chrome packs the error of a command as JSON into a message; other errors are plain words. */
export function errorOf(error) {
  const words = String(error?.message ?? error);
  try {
    const { code, message, data } = JSON.parse(words);
    const more = typeof data === "string" ? { data } : {};
    if (typeof message === "string") return { code: Number(code) || -32000, message, ...more };
  } catch {
    // Plain words, such as those of attach().
  }
  return { code: -32000, message: words };
}

/** Some time. */
export const wait = (ms) => new Promise((done) => setTimeout(done, ms));

// What answers a request that waits for somebody's decision.
const DECIDES = /^Fetch\.(continue|fulfill|fail)/;
const RUN = "Runtime.runIfWaitingForDebugger";
const CHOOSER = "Page.setInterceptFileChooserDialog";
// A dialog that does not close within this time is left to the user.
const DISMISS_MS = 400;

const fresh = (visit) => ({
  targetId: "",
  targets: new Set(),
  dialog: false,
  waiting: new Map(),
  children: new Set(),
  stopped: new Set(),
  choosers: new Set(),
  visit,
});

export class Debugging {
  // tabId -> {targetId, targets: ids that are its own, dialog: is one open,
  //           waiting: paused requests, requestId -> {child, auth}; `child` is their session,
  //           children: sessions of frames and workers that wait for the debugger,
  //           stopped: sessions whose script stands at a breakpoint,
  //           choosers: sessions that intercept file choosers,
  //           visit: on which visit to a relay it was attached}
  held = new Map();
  // True while the user pauses all agents or no relay is there: no page may wait for an agent.
  paused = false;
  #coming = new Map();

  /** Whether a tab is held. */
  has(tabId) {
    return this.held.has(tabId);
  }

  /**
   * Hold a tab, once; who asks meanwhile gets the same answer. One that is held from an earlier
   * visit is let go first: whoever asks for it again knows nothing of what was set there, and
   * Chrome would not tell it anew.
   */
  attach(tabId, visit) {
    let coming = this.#coming.get(tabId);
    if (!coming) {
      coming = this.#attach(tabId, visit).finally(() => this.#coming.delete(tabId));
      this.#coming.set(tabId, coming);
    }
    return coming;
  }

  async #attach(tabId, visit) {
    const held = this.held.get(tabId);
    if (held?.visit === visit) return this.#info(tabId);
    if (held) {
      await this.#dismiss(tabId, held);
      this.held.delete(tabId);
      await chrome.debugger.detach({ tabId }).catch(() => {});
    }
    for (const pause of [...RETRY_MS, null]) {
      try {
        await this.#take(tabId, visit);
        await this.#check(tabId);
        return await this.#info(tabId);
      } catch (error) {
        this.held.delete(tabId);
        // Only a page that was swapped out under our hands is worth another try.
        if (pause === null || !SWAPPED.test(error.message)) throw error;
        await wait(pause);
      }
    }
  }

  async #take(tabId, visit) {
    try {
      await chrome.debugger.attach({ tabId }, PROTOCOL);
    } catch (error) {
      if (!OURS_ALREADY.test(error.message)) throw error;
      // It may be ourselves, from before the worker was ended; if not, this fails.
      await chrome.debugger.sendCommand({ tabId }, "Target.getTargetInfo").catch(() => {
        throw error;
      });
    }
    if (!this.held.has(tabId)) this.held.set(tabId, fresh(visit));
  }

  /** A way back to a page of our own is a way to its rights: such a tab is not held. */
  async #check(tabId) {
    const history = await this.#history(tabId);
    if (!history.entries.some(({ url }) => isOwn(url))) return;
    await chrome.debugger.detach({ tabId }).catch(() => {});
    throw new Error("Pilothouse refuses attachTab: this tab has shown Pilothouse's own pages");
  }

  /** A popup that is on its way to another site's process has none to tell, for a moment. */
  async #history(tabId) {
    for (let left = MOVING_TRIES; ; left--) {
      try {
        return await chrome.debugger.sendCommand({ tabId }, "Page.getNavigationHistory");
      } catch (error) {
        if (!left || !MOVING.test(error.message)) throw error;
        await wait(MOVING_MS);
      }
    }
  }

  async #info(tabId) {
    const { targetInfo } = await chrome.debugger.sendCommand({ tabId }, "Target.getTargetInfo");
    const held = this.held.get(tabId);
    if (!held) throw new Error("Detached while handling command.");
    held.targetId = targetInfo.targetId;
    held.targets.add(targetInfo.targetId);
    return targetInfo;
  }

  /** The tabs that are held, and those that are being attached. */
  all() {
    return [...new Set([...this.held.keys(), ...this.#coming.keys()])];
  }

  /** Detach from a tab; that it is gone already is fine. True if it was held. */
  async detach(tabId) {
    await this.#coming.get(tabId)?.catch(() => {});
    if (!this.held.delete(tabId)) return false;
    await chrome.debugger.detach({ tabId }).catch(() => {});
    return true;
  }

  /** Detach from a tab and leave nothing open in it that only a debugger could close. */
  async free(tabId) {
    await this.#coming.get(tabId)?.catch(() => {});
    const held = this.held.get(tabId);
    if (held) await this.#dismiss(tabId, held);
    return this.detach(tabId);
  }

  /** Send a command now: what is sent in order arrives in order. */
  send(tabId, childSessionId, method, params) {
    const child = childSessionId ?? "";
    const held = this.held.get(tabId);
    if (held && DECIDES.test(method)) held.waiting.delete(params?.requestId);
    else if (held && method === RUN) held.children.delete(child);
    else if (held && method === CHOOSER) {
      if (params?.enabled === true) held.choosers.add(child);
      else held.choosers.delete(child);
    }
    const debuggee = child ? { tabId, sessionId: child } : { tabId };
    return chrome.debugger.sendCommand(debuggee, method, params ?? {});
  }

  /** Take in an event. True if it was answered here, so that nobody else needs to hear of it. */
  note(tabId, child, method, params) {
    const held = this.held.get(tabId);
    if (!held) return false;
    if (method === "Page.javascriptDialogOpening") held.dialog = true;
    else if (method === "Page.javascriptDialogClosed") held.dialog = false;
    else if (method === "Target.attachedToTarget") {
      held.targets.add(params.targetInfo.targetId);
      if (params.waitingForDebugger) held.children.add(params.sessionId);
    } else if (method === "Target.detachedFromTarget") {
      for (const sessions of [held.children, held.stopped, held.choosers]) {
        sessions.delete(params.sessionId);
      }
    } else if (method === "Fetch.requestPaused" || method === "Fetch.authRequired") {
      held.waiting.set(params.requestId, { child, auth: method === "Fetch.authRequired" });
      if (this.paused) this.#goOn(tabId, held);
      return this.paused;
    } else if (method === "Debugger.paused") held.stopped.add(child);
    else if (method === "Debugger.resumed") held.stopped.delete(child);
    if (this.paused) this.#goOn(tabId, held);
    return false;
  }

  /** Hands off, or on again: whatever waits for an agent goes on without one. */
  pause(paused) {
    if (this.paused === paused) return;
    this.paused = paused;
    for (const [tabId, held] of this.held) {
      for (const child of held.choosers) this.#let(tabId, child, CHOOSER, { enabled: !paused });
      if (!paused) continue;
      this.#goOn(tabId, held);
      // The worker may have been ended since: nothing tells whether a script stands at a
      // breakpoint. Where none does, this fails.
      this.#let(tabId, "", "Debugger.resume", {});
    }
  }

  #goOn(tabId, held) {
    for (const [requestId, { child, auth }] of held.waiting) {
      held.waiting.delete(requestId);
      // "Default" is Chrome's own password box.
      const authChallengeResponse = { response: "Default" };
      if (auth) this.#let(tabId, child, "Fetch.continueWithAuth", { requestId, authChallengeResponse });
      else this.#let(tabId, child, "Fetch.continueRequest", { requestId });
    }
    for (const child of held.stopped) this.#let(tabId, child, "Debugger.resume", {});
    held.stopped.clear();
    for (const child of held.children) this.#let(tabId, child, RUN, {});
    held.children.clear();
  }

  /** Best effort: what has gone on already says so by an error. */
  #let(tabId, child, method, params) {
    const debuggee = child ? { tabId, sessionId: child } : { tabId };
    chrome.debugger.sendCommand(debuggee, method, params).catch(() => {});
  }

  /**
   * Close the page of a held tab. A dialog is dismissed first: closing over an open one in a frame
   * of another site ends the whole browser. False where it must be closed another way.
   */
  async close(tabId) {
    const held = this.held.get(tabId);
    if (!held) return false;
    await this.#dismiss(tabId, held);
    if (!held.targetId) return false;
    try {
      await this.send(tabId, "", "Target.closeTarget", { targetId: held.targetId });
      return true;
    } catch (error) {
      // The reply of a page that is gone never comes.
      return SWAPPED.test(error.message);
    }
  }

  /** Whether a dialog is open in a held tab. */
  asks(tabId) {
    return this.held.get(tabId)?.dialog === true;
  }

  async #dismiss(tabId, held) {
    if (!held.dialog) return;
    const answer = this.send(tabId, "", "Page.handleJavaScriptDialog", { accept: false });
    await Promise.race([answer.catch(() => {}), wait(DISMISS_MS)]);
  }

  /** After the worker came back: which of the tabs that it held are still ours. */
  async recall(tabIds) {
    await Promise.all(
      tabIds.map(async (tabId) => {
        if (this.held.has(tabId)) return;
        try {
          this.held.set(tabId, fresh(0));
          await this.#info(tabId);
        } catch {
          this.held.delete(tabId);
        }
      }),
    );
  }
}
