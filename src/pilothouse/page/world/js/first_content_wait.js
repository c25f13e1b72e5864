// Waits until a new document has content: a snapshot of an empty document would show a page that nobody sees.
// Knows: how far a document has been parsed. Must not know: what is done with it.

const BEGUN_WITHIN_MS = 500;

export const isBegun = () => document.readyState !== "loading" || !!document.body?.firstChild;

// At most BEGUN_WITHIN_MS: a document that waits for a script is used as it is.
export const untilBegun = () =>
  /** @type {Promise<void>} */ (new Promise((resolve) => {
    const watcher = new MutationObserver(() => isBegun() && done());
    const done = () => {
      watcher.disconnect();
      document.removeEventListener("readystatechange", done);
      clearTimeout(timer);
      resolve();
    };
    const timer = setTimeout(done, BEGUN_WITHIN_MS);
    document.addEventListener("readystatechange", done);
    watcher.observe(document, { childList: true, subtree: true });
  }));
