// Globals of the page scripts that TypeScript's DOM library does not know.

interface Element {
  /** Chrome's accessible name and role; behind a flag that our browsers have. */
  readonly computedName?: string;
  readonly computedRole?: string;
}

declare namespace globalThis {
  /** What Python calls in our isolated world. */
  var ph: typeof import("./snapshot_calls.js") & {
    shared: typeof import("./exports_to_action_bundle.js");
    /** Sent only to documents that are asked for their article. */
    Readability?: new (document: Document, options: object) => { parse(): { content: Element; length: number } | null };
  };
}
