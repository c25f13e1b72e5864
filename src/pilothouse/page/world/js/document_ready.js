// A document that has only just come to be: there is nothing of it to be seen yet, and to say so would
// be to speak of a page that nobody ever sees.
// Knows: how far a document has been read. Must not know: what is done with it.

const BEGUN_WITHIN_MS = 500;

const isBegun = () => document.readyState !== "loading" || !!document.body?.firstChild;

// Soon: a document that waits for a script is looked at as it is.
const untilBegun = () =>
  new Promise((resolve) => {
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
  });
