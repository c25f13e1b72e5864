// How elements are found and named: query.js, names_content.js, element_states_and_value.js, shown_on_focus.js
// in page/world/js.

import "./page_globals.js";
import assert from "node:assert/strict";
import { test } from "node:test";

const SCRIPTS = "../../src/pilothouse/page/world/js";
const { closeness } = await import(`${SCRIPTS}/query.js`);
const { pairs } = await import(`${SCRIPTS}/names_content.js`);
const { levelOf } = await import(`${SCRIPTS}/element_states_and_value.js`);
const { unfocused } = await import(`${SCRIPTS}/shown_on_focus.js`);

test("an equal text is closer than one in another case, and that is closer than a part", () => {
  const ranks = ["Save", "SAVE", "Save all", "Cancel"].map((text) => closeness(text, "Save", false));
  assert.deepEqual(ranks, [...ranks].sort((one, other) => other - one));
  assert.equal(new Set(ranks).size, 4);
  assert.equal(ranks.at(-1), 0);
});

test("an exact search accepts equal texts only, whatever their spacing", () => {
  assert.ok(closeness("  Save\n all ", "Save all", true) > 0);
  assert.equal(closeness("SAVE ALL", "Save all", true), 0);
  assert.equal(closeness("Save all now", "Save all", true), 0);
});

test("an element without the attribute matches nothing", () => {
  assert.equal(closeness(null, "x", false), 0);
  assert.equal(closeness(undefined, "x", false), 0);
});

test("CSS counters are read with their numbers, or with the usual one", () => {
  assert.deepEqual(pairs("none"), []);
  assert.deepEqual(pairs(""), []);
  assert.deepEqual(pairs("chapter 2 section -1 item"), [["chapter", 2], ["section", -1], ["item", 0]]);
  assert.deepEqual(pairs("item", 1), [["item", 1]]);
});

test("the level of a heading is a number from 1 to 99", () => {
  assert.equal(levelOf("h3", null), 3);
  assert.equal(levelOf("h3", "5"), 5);
  assert.equal(levelOf("div", null), 2);
  assert.equal(levelOf("div", "focused ref"), 2);
  assert.equal(levelOf("div", "1000"), 99);
  assert.equal(levelOf("div", "-4"), 1);
});

test("a selector loses its focus part, and still selects the same element", () => {
  for (const [selector, left] of [
    [".skip:focus", ".skip"], [":focus", "*"], ["a:focus-visible", "a"], [".bar > :focus", ".bar > *"],
    [".skip:not(:focus)", ".skip"], [".bar:focus-within a", ".bar a"], ["a:focusable", "a:focusable"],
  ]) assert.equal(unfocused(selector), left, selector);
});
