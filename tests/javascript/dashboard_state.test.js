// What the dashboard's page knows, and how events change it.

import assert from "node:assert/strict";
import test from "node:test";

import { parseMessages } from "../../src/pilothouse/dashboard/event_stream.js";
import { applyEvent, isOfTab, modelOf, tabsByOwner } from "../../src/pilothouse/dashboard/state.js";

const TAB = { id: "1.t1", owner: "me", name: "main", url: "", title: "", browser: "", busy: "", last_action: "", state: "open" };
const DIALOG = { id: "1.d-1", tab: "1.t1", kind: "dialog", type: "alert", message: "", default_prompt: "", origin: "", opened_at: 0, answers: [], orphaned: "" };

function empty() {
  return modelOf({ version: "", tabs: [], interrupts: [], calls: [], viewers: 0, clients: [], last_event: "" });
}

test("tabs open, change and close", () => {
  const model = empty();
  applyEvent(model, { type: "tab_opened", tab: TAB }, 1);
  applyEvent(model, { type: "tab_changed", tab: { ...TAB, title: "B" } }, 2);
  assert.equal(model.tabs.get("1.t1")?.title, "B");
  assert.equal(model.touched.get("1.t1"), 2);
  applyEvent(model, { type: "tab_closed", id: "1.t1" }, 3);
  assert.equal(model.tabs.size, 0);
});

test("a dialog is announced when it opens, and who closed it", () => {
  const model = empty();
  applyEvent(model, { type: "interrupt_opened", interrupt: DIALOG }, 1);
  assert.equal(model.notice, "A dialog (alert) waits for an answer");
  applyEvent(model, { type: "interrupt_closed", id: "1.d-1", tab: "1.t1", closed_by: "human" }, 2);
  assert.equal(model.notice, "A dialog (alert) was closed by a person");
  assert.equal(model.interrupts.size, 0);
});

test("the end of a call takes the place of its start, and old calls are forgotten", () => {
  const model = empty();
  const call = { number: 1, at: 0, owner: "me", tab: "main", name: "click", on: "" };
  applyEvent(model, { type: "tab_opened", tab: TAB }, 0);
  applyEvent(model, { type: "call_started", ...call }, 1);
  applyEvent(model, { type: "call_finished", ...call, ms: 5 }, 2);
  assert.deepEqual(model.calls.map((one) => one.ms), [5]);
  assert.equal(model.touched.get("1.t1"), 2);
  for (let number = 2; number < 300; number += 1) applyEvent(model, { type: "call_started", ...call, number }, 3);
  assert.equal(model.calls.length, 200);
  assert.equal(model.calls[0]?.number, 100);
});

test("a call belongs to the tab that it names, by name or id", () => {
  const call = { number: 1, at: 0, owner: "me", tab: "main", name: "click", on: "" };
  assert.ok(isOfTab(call, TAB));
  assert.ok(isOfTab({ ...call, tab: "t1" }, TAB));
  assert.ok(!isOfTab({ ...call, owner: "you" }, TAB));
});

test("tabs are grouped by owner", () => {
  const model = empty();
  for (const [id, owner, name] of [["1.t1", "b", "z"], ["1.t2", "a", "x"], ["1.t3", "b", "y"]]) {
    applyEvent(model, { type: "tab_opened", tab: { ...TAB, id, owner, name } }, 1);
  }
  assert.deepEqual(tabsByOwner(model).map(([owner, tabs]) => [owner, tabs.map((tab) => tab.name)]), [["a", ["x"]], ["b", ["y", "z"]]]);
});

test("a stream is read in whole messages, and comments are left out", () => {
  const first = parseMessages('id: a-1\ndata: {"x":1}\n\n: still here\n\nid: a-2\nda');
  assert.deepEqual(first.messages, [{ id: "a-1", data: '{"x":1}' }]);
  assert.deepEqual(parseMessages(`${first.rest}ta: 2\n\n`), { messages: [{ id: "a-2", data: "2" }], rest: "" });
});
