/** Of the command line API, which Chrome adds for `Runtime.evaluate` with `includeCommandLineAPI`. */
declare function getEventListeners(node: Node): Record<string, unknown[]>;
