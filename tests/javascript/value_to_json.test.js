// Values of agents' code as JSON: page/world/js/main_world/value_to_json.js.

import assert from "node:assert/strict";
import { test } from "node:test";
import readValue from "../../src/pilothouse/page/world/js/main_world/value_to_json.js";

const read = (value, limit = 10_000) => readValue(value, limit);

test("plain values stay as they are", () => {
  const value = { a: [1, "two", true, null], b: { c: "d" } };
  assert.deepEqual(read(value).value, value);
  assert.equal(read(value).type, "object");
  assert.equal(read([]).type, "array");
});

test("what JSON cannot represent is described", () => {
  assert.deepEqual(read(NaN).value, { type: "number", description: "NaN" });
  assert.deepEqual(read(-0).value, { type: "number", description: "-0" });
  assert.deepEqual(read(10n).value, { type: "bigint", description: "10n" });
  assert.equal(read(new Map([["a", 1]])).value.description, "Map(1)");
  assert.deepEqual(read(new Set([1])).value.preview, [1]);
  assert.equal(read(new Date(0)).value.description, "1970-01-01T00:00:00.000Z");
});

test("a circle is described once and does not recurse", () => {
  const circle = { name: "a" };
  circle.self = circle;
  assert.equal(read(circle).value.self.type, "circular");
});

test("typed arrays show their first numbers, a DataView shows none", () => {
  assert.deepEqual(read(new Uint8Array([1, 2])).value.preview, [1, 2]);
  assert.deepEqual(read(new DataView(new ArrayBuffer(4))).value.preview, []);
});

test("a value over the limit is cut, and the rest is counted", () => {
  const { value, cut } = read("x".repeat(100), 10);
  assert.equal(value, "x".repeat(10) + "…");
  assert.equal(cut, 90);
});

test("an own property called __proto__ stays a property", () => {
  const { value } = read(JSON.parse('{"__proto__": {"polluted": 1}}'));
  assert.equal(value.polluted, undefined);
  assert.deepEqual(Object.keys(value), ["__proto__"]);
});

test("a getter that throws is described, and the others are read", () => {
  const value = { get bad() { throw new Error("no"); }, good: 1 };
  assert.equal(read(value).value.good, 1);
  assert.equal(read(value).value.bad.type, "error");
});
