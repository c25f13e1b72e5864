// The globals that page scripts read while they are evaluated, as far as their pure functions need them: Node.js
// has no DOM. Import this before a module of page/world/js.

class FakeNode {
  get parentNode() { return null; }
  get nextSibling() { return null; }
  get firstChild() { return null; }
  get childNodes() { return []; }
}
class FakeElement extends FakeNode {
  get assignedSlot() { return null; }
  get attributes() { return []; }
}
class FakeForm extends FakeElement {
  get elements() { return []; }
}

Object.assign(globalThis, {
  Node: FakeNode,
  Element: FakeElement,
  HTMLFormElement: FakeForm,
  addEventListener() {},
  document: { addEventListener() {}, readyState: "complete", getElementById: () => null },
  location: { href: "https://a.test/page#top" },
});

// The action bundle's modules read this when they are evaluated.
globalThis.ph = {};
globalThis.ph.shared = await import("../../src/pilothouse/page/world/js/exports_to_action_bundle.js");
