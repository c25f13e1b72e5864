// A Lexical editor; #state shows its own state, not the DOM.
import { $createHeadingNode, HeadingNode, QuoteNode, registerRichText } from "@lexical/rich-text";
import { createEmptyHistoryState, registerHistory } from "@lexical/history";
import { $createParagraphNode, $createTextNode, $getRoot, createEditor } from "lexical";

const app = document.getElementById("app");
const box = app.appendChild(document.createElement("div"));
for (const [name, value] of Object.entries({ contenteditable: "true", role: "textbox", "aria-label": "Story", "aria-multiline": "true" }))
  box.setAttribute(name, value);
const shown = app.appendChild(Object.assign(document.createElement("pre"), { id: "state" }));

const editor = createEditor({
  namespace: "story",
  nodes: [HeadingNode, QuoteNode],
  onError(error) {
    throw error;
  },
});
editor.setRootElement(box);
registerRichText(editor);
registerHistory(editor, createEmptyHistoryState(), 0);
editor.registerUpdateListener(({ editorState }) => {
  editorState.read(() => {
    const blocks = $getRoot().getChildren();
    shown.textContent = JSON.stringify({
      // A soft line break is a line like any other here.
      blocks: blocks.flatMap((one) => one.getTextContent().split("\n")),
      bold: $getRoot().getAllTextNodes().some((one) => one.hasFormat("bold")),
    });
  });
});
editor.update(() => {
  const bold = $createTextNode("bold");
  bold.toggleFormat("bold");
  $getRoot().append(
    $createHeadingNode("h2").append($createTextNode("Old heading")),
    $createParagraphNode().append($createTextNode("old "), bold),
  );
});
