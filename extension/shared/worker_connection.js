// A page's connection to the worker. Knows: how to connect, and to connect again. Must not know:
// what a page shows.

import { byId } from "./own_page_elements.js";

/** @typedef {(action: string, more?: object) => void} SendAction */

/**
 * Connect this page to the worker. Returns the function that sends the user's actions.
 * @param {string} page
 * @param {(view: PageView) => void} draw called with every new view
 * @param {(problem: string) => void} showProblem called with what went wrong with an action
 * @returns {SendAction}
 */
export function connectPage(page, draw, showProblem) {
  /** @type {chrome.runtime.Port} */
  let port;
  const connect = () => {
    port = chrome.runtime.connect({ name: page });
    port.onMessage.addListener((message) => {
      if (message.problem) showProblem(message.problem);
      if (message.view) draw(message.view);
    });
    // The port ends with the worker. Connecting again wakes it.
    port.onDisconnect.addListener(() => setTimeout(connect, 300));
  };
  connect();
  return (action, more = {}) => port.postMessage({ action, ...more });
}

/** @type {ReturnType<typeof setTimeout> | undefined} */
let fading;

/**
 * Show a note for a moment, in the element `saved`.
 * @param {string} text
 */
export function showNote(text) {
  byId("saved").textContent = text;
  clearTimeout(fading);
  fading = setTimeout(() => (byId("saved").textContent = ""), 2500);
}
