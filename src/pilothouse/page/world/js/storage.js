// Local and session storage of a frame, read and written in one call each.
//
// Knows: the Storage interface, and that touching it may be refused (opaque origins, blocked
// storage, a full quota). Answers {value} or {refused}; it never throws.

/** @param {string} kind */
function storageOf(kind) {
  return kind === "session" ? sessionStorage : localStorage;
}

/**
 * @param {Storage} store
 * @returns {[string, string][]}
 */
function storageEntries(store) {
  /** @type {[string, string][]} */
  const entries = [];
  for (let index = 0; index < store.length; index++) {
    const key = store.key(index) ?? "";
    entries.push([key, store.getItem(key) ?? ""]);
  }
  return entries;
}

/**
 * Try whether it all fits in session storage first, which no other page sees: pages of the origin in other
 * processes see every step of a change of local storage, even one that is undone.
 * @param {[string, string][]} entries
 */
function storageRehearse(entries) {
  sessionStorage.clear();
  for (const [key, value] of entries) sessionStorage.setItem(key, value);
  sessionStorage.clear();
  return entries.length;
}

/**
 * @param {Storage} store
 * @param {[string, string][]} entries
 */
function storageReplace(store, entries) {
  const before = storageEntries(store);
  try {
    store.clear();
    for (const [key, value] of entries) store.setItem(key, value);
  } catch (error) {
    // All or nothing: restore what was there, which fits.
    store.clear();
    for (const [key, value] of before) store.setItem(key, value);
    throw error;
  }
  return entries.length;
}

/**
 * @param {string} kind
 * @param {string} action
 * @param {string} key
 * @param {string} value
 */
export const useStorage = (kind, action, key, value) => {
  try {
    const store = storageOf(kind);
    switch (action) {
      case "list":
        return { value: JSON.stringify(storageEntries(store)) };
      case "get":
        return { value: store.getItem(key) };
      case "set":
        store.setItem(key, value);
        return { value: store.getItem(key) };
      case "remove": {
        const had = store.getItem(key) !== null;
        store.removeItem(key);
        return { value: had };
      }
      case "clear": {
        const count = store.length;
        store.clear();
        return { value: count };
      }
      case "rehearse":
        return { value: storageRehearse(JSON.parse(value)) };
      case "replace":
        return { value: storageReplace(store, JSON.parse(value)) };
    }
    return { refused: `no action ${action}` };
  } catch (error) {
    const { name, message } = /** @type {DOMException} */ (error);
    return { refused: `${name}: ${message}` };
  }
};
