// chrome.debugger and the tabs it is attached to. Knows: attach, detach, commands and their errors.
// Must not know: which tabs may be attached, or the relay.

import { messageOf } from "./error_text.js";
import { isOwnPage } from "./restrictions.js";

const PROTOCOL = "1.3";
const RETRY_MS = [150, 300, 700];
const ALREADY_ATTACHED = /already attached/i;
const SWITCHING_PROCESS = /Not attached to an active page/i;
const SWITCHING_PROCESS_MS = 10;
const SWITCHING_PROCESS_TRIES = 200;
const DETACHED = /Detached while handling command|Debugger is not attached|target closed/i;

/**
 * Return a CDP error. Chrome packs a command's error as JSON into a message; others are plain.
 * @param {unknown} error
 * @returns {ErrorReply}
 */
export function errorOf(error) {
  const text = messageOf(error);
  try {
    const { code, message, data } = JSON.parse(text);
    const more = typeof data === "string" ? { data } : {};
    if (typeof message === "string") return { code: Number(code) || -32000, message, ...more };
  } catch {
    // Plain text, such as the errors of attach().
  }
  return { code: -32000, message: text };
}

/**
 * Wait for some milliseconds.
 * @param {number} ms
 */
export const sleep = (ms) => new Promise((done) => setTimeout(done, ms));

/**
 * Send a command. Chrome's types know nothing about its results.
 * @param {chrome.debugger.Debuggee} debuggee
 * @param {string} method
 * @param {CdpParams} [params]
 * @returns {Promise<CdpParams>}
 */
const sendCommand = async (debuggee, method, params) =>
  (await chrome.debugger.sendCommand(debuggee, method, params)) ?? {};

// Commands that decide about a paused request.
const FETCH_DECISION = /^Fetch\.(continue|fulfill|fail)/;
const RUN = "Runtime.runIfWaitingForDebugger";
const INTERCEPT_CHOOSER = "Page.setInterceptFileChooserDialog";
// Leave a dialog that does not close within this time to the user.
const DISMISS_MS = 400;

/**
 * @param {number} epoch
 * @returns {Attachment}
 */
const newAttachment = (epoch) => ({
  targetId: "",
  targets: new Set(),
  dialog: false,
  pausedRequests: new Map(),
  waitingChildren: new Set(),
  pausedScripts: new Set(),
  interceptedChoosers: new Set(),
  epoch,
});

export class TabDebugger {
  /** @type {Map<number, Attachment>} */
  attached = new Map();
  // True while the user pauses all agents or no relay is connected: no page may wait for an agent.
  paused = false;
  /** @type {Map<number, Promise<TargetInfo>>} */
  #attaching = new Map();

  /**
   * Return whether a tab is attached.
   * @param {number} tabId
   */
  has(tabId) {
    return this.attached.has(tabId);
  }

  /**
   * Attach to a tab once; concurrent calls share the result. An attachment from an earlier epoch is
   * detached first: the new relay does not know what was set there, and Chrome repeats its events
   * only to a new attachment.
   * @param {number} tabId
   * @param {number} epoch
   * @returns {Promise<TargetInfo>}
   */
  attach(tabId, epoch) {
    let attaching = this.#attaching.get(tabId);
    if (!attaching) {
      attaching = this.#attach(tabId, epoch).finally(() => this.#attaching.delete(tabId));
      this.#attaching.set(tabId, attaching);
    }
    return attaching;
  }

  /**
   * @param {number} tabId
   * @param {number} epoch
   * @returns {Promise<TargetInfo>}
   */
  async #attach(tabId, epoch) {
    const attachment = this.attached.get(tabId);
    if (attachment?.epoch === epoch) return this.#getTargetInfo(tabId);
    if (attachment) {
      await this.#dismissDialog(tabId, attachment);
      this.attached.delete(tabId);
      await chrome.debugger.detach({ tabId }).catch(() => {});
    }
    for (const pause of [...RETRY_MS, null]) {
      try {
        await this.#attachNow(tabId, epoch);
        await this.#refuseOwnPages(tabId);
        return await this.#getTargetInfo(tabId);
      } catch (error) {
        this.attached.delete(tabId);
        // Retry only if Chrome replaced the page meanwhile.
        if (pause === null || !DETACHED.test(messageOf(error))) throw error;
        await sleep(pause);
      }
    }
    throw new Error("Detached while handling command.");
  }

  /**
   * @param {number} tabId
   * @param {number} epoch
   */
  async #attachNow(tabId, epoch) {
    try {
      await chrome.debugger.attach({ tabId }, PROTOCOL);
    } catch (error) {
      if (!ALREADY_ATTACHED.test(messageOf(error))) throw error;
      // We may have attached before the worker was restarted. If it was someone else, this fails.
      await sendCommand({ tabId }, "Target.getTargetInfo").catch(() => {
        throw error;
      });
    }
    if (!this.attached.has(tabId)) this.attached.set(tabId, newAttachment(epoch));
  }

  /**
   * Refuse a tab with our own pages in its history: an agent could go back to them.
   * @param {number} tabId
   */
  async #refuseOwnPages(tabId) {
    const history = await this.#getHistory(tabId);
    if (!history.entries.some(({ url }) => isOwnPage(url))) return;
    await chrome.debugger.detach({ tabId }).catch(() => {});
    throw new Error("Pilothouse refuses attachTab: this tab has shown Pilothouse's own pages");
  }

  /**
   * Get the history. A popup that is switching its process has no page for a moment: retry.
   * @param {number} tabId
   * @returns {Promise<NavigationHistory>}
   */
  async #getHistory(tabId) {
    for (let left = SWITCHING_PROCESS_TRIES; ; left--) {
      try {
        const history = await sendCommand({ tabId }, "Page.getNavigationHistory");
        return /** @type {NavigationHistory} */ (history);
      } catch (error) {
        if (!left || !SWITCHING_PROCESS.test(messageOf(error))) throw error;
        await sleep(SWITCHING_PROCESS_MS);
      }
    }
  }

  /**
   * @param {number} tabId
   * @returns {Promise<TargetInfo>}
   */
  async #getTargetInfo(tabId) {
    const { targetInfo } = await sendCommand({ tabId }, "Target.getTargetInfo");
    const attachment = this.attached.get(tabId);
    if (!attachment) throw new Error("Detached while handling command.");
    attachment.targetId = targetInfo.targetId;
    attachment.targets.add(targetInfo.targetId);
    return targetInfo;
  }

  /** Return the ids of tabs that are attached or being attached. */
  attachedOrAttaching() {
    return [...new Set([...this.attached.keys(), ...this.#attaching.keys()])];
  }

  /**
   * Detach from a tab. Returns whether it was attached; a closed tab is no error.
   * @param {number} tabId
   */
  async detach(tabId) {
    await this.#attaching.get(tabId)?.catch(() => {});
    if (!this.attached.delete(tabId)) return false;
    await chrome.debugger.detach({ tabId }).catch(() => {});
    return true;
  }

  /**
   * Dismiss a tab's dialog, which only a debugger can do, then detach.
   * @param {number} tabId
   */
  async release(tabId) {
    await this.#attaching.get(tabId)?.catch(() => {});
    const attachment = this.attached.get(tabId);
    if (attachment) await this.#dismissDialog(tabId, attachment);
    return this.detach(tabId);
  }

  /**
   * Send a command without awaiting anything first, so that commands stay in order.
   * @param {number} tabId
   * @param {string | undefined} childSessionId
   * @param {string} method
   * @param {CdpParams | undefined} params
   */
  send(tabId, childSessionId, method, params) {
    const child = childSessionId ?? "";
    const attachment = this.attached.get(tabId);
    if (attachment && FETCH_DECISION.test(method)) {
      attachment.pausedRequests.delete(params?.requestId);
    } else if (attachment && method === RUN) attachment.waitingChildren.delete(child);
    else if (attachment && method === INTERCEPT_CHOOSER) {
      if (params?.enabled === true) attachment.interceptedChoosers.add(child);
      else attachment.interceptedChoosers.delete(child);
    }
    const debuggee = child ? { tabId, sessionId: child } : { tabId };
    return sendCommand(debuggee, method, params ?? {});
  }

  /**
   * Track an event. Returns true if it was handled here and must not reach the relay.
   * @param {number} tabId
   * @param {string} child
   * @param {string} method
   * @param {CdpParams} params
   */
  handleEvent(tabId, child, method, params) {
    const attachment = this.attached.get(tabId);
    if (!attachment) return false;
    if (method === "Page.javascriptDialogOpening") attachment.dialog = true;
    else if (method === "Page.javascriptDialogClosed") attachment.dialog = false;
    else if (method === "Target.attachedToTarget") {
      attachment.targets.add(params.targetInfo.targetId);
      if (params.waitingForDebugger) attachment.waitingChildren.add(params.sessionId);
    } else if (method === "Target.detachedFromTarget") {
      const { waitingChildren, pausedScripts, interceptedChoosers } = attachment;
      for (const sessions of [waitingChildren, pausedScripts, interceptedChoosers]) {
        sessions.delete(params.sessionId);
      }
    } else if (method === "Fetch.requestPaused" || method === "Fetch.authRequired") {
      const auth = method === "Fetch.authRequired";
      attachment.pausedRequests.set(params.requestId, { child, auth });
      if (this.paused) this.#releaseWaiting(tabId, attachment);
      return this.paused;
    } else if (method === "Debugger.paused") attachment.pausedScripts.add(child);
    else if (method === "Debugger.resumed") attachment.pausedScripts.delete(child);
    if (this.paused) this.#releaseWaiting(tabId, attachment);
    return false;
  }

  /**
   * Pause or resume agents. While paused, whatever waits for an agent continues without one.
   * @param {boolean} paused
   */
  setPaused(paused) {
    if (this.paused === paused) return;
    this.paused = paused;
    for (const [tabId, attachment] of this.attached) {
      for (const child of attachment.interceptedChoosers) {
        this.#sendIgnoringErrors(tabId, child, INTERCEPT_CHOOSER, { enabled: !paused });
      }
      if (!paused) continue;
      this.#releaseWaiting(tabId, attachment);
      // After a restart of the worker we do not know whether a script is at a breakpoint. If none
      // is, this fails.
      this.#sendIgnoringErrors(tabId, "", "Debugger.resume", {});
    }
  }

  /**
   * @param {number} tabId
   * @param {Attachment} attachment
   */
  #releaseWaiting(tabId, attachment) {
    for (const [requestId, { child, auth }] of attachment.pausedRequests) {
      attachment.pausedRequests.delete(requestId);
      // "Default" is Chrome's own password box.
      const authChallengeResponse = { response: "Default" };
      const [method, params] = auth
        ? ["Fetch.continueWithAuth", { requestId, authChallengeResponse }]
        : ["Fetch.continueRequest", { requestId }];
      this.#sendIgnoringErrors(tabId, child, method, params);
    }
    for (const child of attachment.pausedScripts) {
      this.#sendIgnoringErrors(tabId, child, "Debugger.resume", {});
    }
    attachment.pausedScripts.clear();
    for (const child of attachment.waitingChildren) this.#sendIgnoringErrors(tabId, child, RUN, {});
    attachment.waitingChildren.clear();
  }

  /**
   * Send a command, best effort: an error means that it has already continued.
   * @param {number} tabId
   * @param {string} child
   * @param {string} method
   * @param {CdpParams} params
   */
  #sendIgnoringErrors(tabId, child, method, params) {
    const debuggee = child ? { tabId, sessionId: child } : { tabId };
    sendCommand(debuggee, method, params).catch(() => {});
  }

  /**
   * Close the page of an attached tab. Dismiss its dialog first: closing while one is open in a
   * cross-site frame crashes the whole browser. Returns false if it must be closed another way.
   * @param {number} tabId
   * @returns {Promise<boolean>}
   */
  async close(tabId) {
    const attachment = this.attached.get(tabId);
    if (!attachment) return false;
    await this.#dismissDialog(tabId, attachment);
    if (!attachment.targetId) return false;
    try {
      await this.send(tabId, "", "Target.closeTarget", { targetId: attachment.targetId });
      return true;
    } catch (error) {
      // A page that is gone sends no reply.
      return DETACHED.test(messageOf(error));
    }
  }

  /**
   * Return whether a dialog is open in an attached tab.
   * @param {number} tabId
   */
  hasDialog(tabId) {
    return this.attached.get(tabId)?.dialog === true;
  }

  /**
   * @param {number} tabId
   * @param {Attachment} attachment
   */
  async #dismissDialog(tabId, attachment) {
    if (!attachment.dialog) return;
    const answer = this.send(tabId, "", "Page.handleJavaScriptDialog", { accept: false });
    await Promise.race([answer.catch(() => {}), sleep(DISMISS_MS)]);
  }

  /**
   * After a restart of the worker, find out which of its tabs are still attached.
   * @param {number[]} tabIds
   */
  async recover(tabIds) {
    await Promise.all(
      tabIds.map(async (tabId) => {
        if (this.attached.has(tabId)) return;
        try {
          this.attached.set(tabId, newAttachment(0));
          await this.#getTargetInfo(tabId);
        } catch {
          this.attached.delete(tabId);
        }
      }),
    );
  }
}
