// Web storage: page/world/js/storage.js.

import assert from "node:assert/strict";
import { test } from "node:test";
import { useStorage } from "../../src/pilothouse/page/world/js/storage.js";

/** A Storage that refuses what does not fit. */
class FakeStorage {
  constructor(most = 1000) {
    this.most = most;
    this.items = new Map();
  }
  get length() { return this.items.size; }
  key(index) { return [...this.items.keys()][index] ?? null; }
  getItem(key) { return this.items.get(key) ?? null; }
  setItem(key, value) {
    if (key.length + value.length > this.most) throw Object.assign(new Error("too much"), { name: "QuotaExceededError" });
    this.items.set(key, value);
  }
  removeItem(key) { this.items.delete(key); }
  clear() { this.items.clear(); }
}

function fresh(most) {
  globalThis.localStorage = new FakeStorage(most);
  globalThis.sessionStorage = new FakeStorage(most);
  return globalThis.localStorage;
}

test("entries are set, read, listed, removed and counted", () => {
  fresh();
  assert.deepEqual(useStorage("local", "set", "a", "1"), { value: "1" });
  assert.deepEqual(useStorage("local", "get", "a", ""), { value: "1" });
  assert.deepEqual(useStorage("local", "get", "b", ""), { value: null });
  assert.deepEqual(useStorage("local", "list", "", ""), { value: '[["a","1"]]' });
  assert.deepEqual(useStorage("local", "remove", "a", ""), { value: true });
  assert.deepEqual(useStorage("local", "remove", "a", ""), { value: false });
  assert.deepEqual(useStorage("local", "clear", "", ""), { value: 0 });
});

test("session and local storage are separate", () => {
  fresh();
  useStorage("session", "set", "a", "1");
  assert.deepEqual(useStorage("local", "get", "a", ""), { value: null });
});

test("replacing is all or nothing", () => {
  const store = fresh(10);
  store.setItem("old", "1");
  assert.deepEqual(useStorage("local", "replace", "", '[["new","2"]]'), { value: 1 });
  const { refused } = useStorage("local", "replace", "", '[["x","1"],["y","far too long"]]');
  assert.equal(refused, "QuotaExceededError: too much");
  assert.deepEqual([...store.items], [["new", "2"]]);
});

test("a rehearsal uses session storage only, and leaves nothing there", () => {
  const store = fresh();
  assert.deepEqual(useStorage("local", "rehearse", "", '[["a","1"],["b","2"]]'), { value: 2 });
  assert.equal(store.length, 0);
  assert.equal(globalThis.sessionStorage.length, 0);
});

test("storage that may not be touched is refused with its reason", () => {
  Object.defineProperty(globalThis, "localStorage", {
    configurable: true,
    get() { throw Object.assign(new Error("opaque origin"), { name: "SecurityError" }); },
  });
  assert.deepEqual(useStorage("local", "list", "", ""), { refused: "SecurityError: opaque origin" });
  delete globalThis.localStorage;
  fresh();
  assert.deepEqual(useStorage("local", "burn", "", ""), { refused: "no action burn" });
});
