// A ProseMirror editor; #state shows its document, not the DOM.
import { baseKeymap, toggleMark } from "prosemirror-commands";
import { history, redo, undo } from "prosemirror-history";
import { keymap } from "prosemirror-keymap";
import { schema } from "prosemirror-schema-basic";
import { EditorState } from "prosemirror-state";
import { EditorView } from "prosemirror-view";

const app = document.getElementById("app");
const editor = app.appendChild(document.createElement("div"));
const shown = app.appendChild(Object.assign(document.createElement("pre"), { id: "state" }));

// As its own style sheet asks for: else spaces become other characters.
editor.style.whiteSpace = "break-spaces";

const first = schema.node("doc", null, [
  schema.node("heading", { level: 2 }, [schema.text("Old heading")]),
  schema.node("paragraph", null, [schema.text("old "), schema.text("bold", [schema.mark("strong")])]),
]);

const show = (state) => {
  const blocks = state.doc.content.content;
  shown.textContent = JSON.stringify({
    blocks: blocks.map((one) => one.textContent),
    bold: blocks.some((one) => one.content.content.some((part) => part.marks.some((mark) => mark.type.name === "strong"))),
  });
};

const state = EditorState.create({
  doc: first,
  plugins: [
    // Every change by itself: those within half a second would be undone together, typed and deleted
    // words alike, and whether they are depends on how fast the keys come.
    history({ newGroupDelay: -1 }),
    keymap({ "Mod-z": undo, "Mod-y": redo, "Mod-b": toggleMark(schema.marks.strong) }),
    keymap(baseKeymap),
  ],
});
const view = new EditorView(editor, {
  state,
  attributes: { "aria-label": "Story", role: "textbox", "aria-multiline": "true" },
  dispatchTransaction(transaction) {
    view.updateState(view.state.apply(transaction));
    show(view.state);
  },
});
show(view.state);
