// What was thrown, as text. Anything can be thrown, not only errors.

/** @param {unknown} error */
export const messageOf = (error) => (error instanceof Error ? error.message : String(error));
