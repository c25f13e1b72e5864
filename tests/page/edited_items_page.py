"""A page of named items that is edited under the pointer, and that notes which item was clicked.

Knows: the ways in which pages change under an agent. Must not know: how targets are found. An item
is what a person reads on it at the moment of the click: a node that is used again for another
item is the other item from then on.
"""

from __future__ import annotations

__all__ = ["EDITS", "HTML"]

EDITS = (
    "nothing", "remove", "replace", "clone", "move", "rename", "swap", "overlay", "recycle",
    "reparent", "attributes", "insert", "reset", "rerender", "hide", "disable", "shift", "detach",
    "aria", "resize",
)  # fmt: skip

HTML = """<style>
  body { margin: 8px; font: 16px/1.4 sans-serif }
  button { display: inline-block; width: 140px; height: 36px; margin: 3px }
  .list { display: flex; flex-wrap: wrap; width: 620px }
  #over { position: fixed; inset: 0; background: #ddd }
</style>
<div id=a class=list></div><div id=b class=list></div><x-list id=s></x-list>
<script>
let clicked = [];
const said = (button) => button.getAttribute("aria-label") || button.textContent;
for (const type of ["click", "mousedown"])
  addEventListener(type, (event) => {
    const button = event.composedPath().find((node) => node.localName === "button");
    if (button) clicked.push([type, said(button)]);
    else if (event.target.id === "over") clicked.push([type, "over"]);
  });
const shadow = s.attachShadow({ mode: "open" });
shadow.innerHTML = "<style>button{width:140px;height:36px;margin:3px}</style><div></div>";
let count = 0;
function made(name) {
  const button = document.createElement("button");
  button.textContent = name;
  return button;
}
function reset() {
  clicked = [];
  document.getElementById("over")?.remove();
  for (const list of [a, b, shadow.querySelector("div")]) {
    list.removeAttribute("style");
    list.replaceChildren();
    for (let index = 0; index < 6; index++) list.append(made("Item " + ++count));
  }
  return [...every()].map(said);
}
const every = () => [a, b, shadow.querySelector("div")].flatMap((list) => [...list.children]);
const named = (name) => every().find((button) => said(button) === name);
const other = (button, pick) => {
  const others = every().filter((one) => one !== button);
  return others[pick % others.length];
};
const edits = {
  nothing() {},
  remove: (button) => button.remove(),
  replace: (button) => button.replaceWith(made("Other " + ++count)),
  clone: (button) => button.replaceWith(made(said(button))),
  move: (button, pick) => other(button, pick).before(button),
  rename: (button) => { button.textContent = "Renamed " + ++count; },
  swap(button, pick) {
    const second = other(button, pick);
    const name = said(button);
    button.textContent = said(second);
    second.textContent = name;
  },
  overlay() {
    const over = document.createElement("div");
    over.id = "over";
    over.textContent = "An overlay";
    document.body.append(over);
  },
  recycle(button) {
    // As a virtual list does: the nodes stay, all items move on by one.
    const list = [...button.parentNode.children];
    const names = list.map(said);
    list.forEach((one, index) => { one.textContent = names[index + 1] || "Item " + ++count; });
  },
  reparent: (button) => (button.parentNode === a ? b : a).prepend(button),
  attributes(button) { button.className = "x" + ++count; button.title = "tip"; },
  insert(button) { button.before(made("Inserted " + ++count)); },
  reset(button) { button.parentNode.innerHTML = button.parentNode.innerHTML; },
  rerender(button) {
    const list = button.parentNode;
    const names = [...list.children].map(said);
    list.replaceChildren(...names.reverse().map(made));
  },
  hide: (button) => { button.style.display = "none"; },
  disable: (button) => { button.disabled = true; },
  shift: (button) => { button.parentNode.style.transform = "translateX(150px)"; },
  detach(button) {
    const list = button.parentNode;
    button.remove();
    list.append(made("Late " + ++count));
  },
  aria: (button) => button.setAttribute("aria-label", "Labelled " + ++count),
  resize(button) {
    for (const one of button.parentNode.children) one.style.width = 60 + (++count % 5) * 30 + "px";
  },
};
// `after` null: now. What is edited is what has the name then.
function edit(kind, name, pick, after) {
  const work = () => { const button = named(name); if (button) edits[kind](button, pick); };
  if (after === null) work();
  else setTimeout(work, after);
}
</script>"""
