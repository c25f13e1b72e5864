"""A tree as text for an agent: short lines, a budget, and nothing lost without being counted.

    - navigation "Main":
      - link "Home" [ref=e1]
    - heading "Sign in" [level=1]
    - textbox "Email" [ref=e5] [required]: me@example.org
    - row: Apples | 3 | 1.20
    - … 83 more (61 link, 22 text) [expand=e40]

Knows: nodes. Must not know: pages or clients.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from pilothouse.page.nodes import Node

__all__ = [
    "CHARS_PER_TOKEN",
    "Line",
    "find",
    "fit",
    "only_acting",
    "render",
    "shallow",
    "tidy",
    "tokens",
]

CHARS_PER_TOKEN = 4

# Boxes that say something only through what is in them.
_HOLLOW_ROLES = (
    "list listitem table row rowgroup grid treegrid cell gridcell columnheader rowheader "
    "article main section group region form complementary contentinfo banner navigation "
    "search figure document application feed menu menubar toolbar tablist tabpanel tree "
    "radiogroup directory status log alert marquee timer math note paragraph"
)
_HOLLOW = frozenset(_HOLLOW_ROLES.split())
_CELLS = frozenset({"cell", "gridcell", "columnheader", "rowheader"})

# Children of a node: each try allows more than the one before, until the budget is spent.
_GROWTH = 1.4
_TEXT_LENGTHS = (200, 80, 30)
_DEPTHS = (99, 12, 8, 5, 3, 2)


@dataclass(frozen=True, slots=True)
class Line:
    """One line of the text."""

    depth: int
    text: str

    def __str__(self) -> str:
        return "  " * self.depth + self.text


@dataclass(slots=True)
class Fitted:
    """Lines within a budget, and how many nodes were left out."""

    lines: list[Line]
    cut: int = 0
    tokens: int = field(default=0)


def tokens(lines: Iterable[Line]) -> int:
    """About how many tokens the lines are."""
    return sum(2 * line.depth + len(line.text) + 1 for line in lines) // CHARS_PER_TOKEN


def tidy(nodes: list[Node]) -> list[Node]:
    """Drop what says nothing, lift what stands alone in its cell, join rows of plain text."""
    tidied: list[Node] = []
    for node in nodes:
        if node.children:
            node.children = tidy(node.children)
        if node.role in _HOLLOW:
            if not node.children and not node.name and not node.acts and not node.value:
                continue
            if node.role == "listitem" and len(node.children) == 1 and not node.name:
                tidied.append(node.children[0])
                continue
            if node.role == "row" and not node.acts:
                _join_cells(node)
        tidied.append(node)
    return tidied


def _join_cells(row: Node) -> None:
    texts = []
    for cell in row.children:
        if cell.role not in _CELLS or cell.acts or len(cell.children) > 1:
            break
        if cell.children and (cell.children[0].role != "text"):
            break
        texts.append(cell.children[0].name if cell.children else cell.name)
    else:
        if texts:
            row.children = [Node("text", " | ".join(texts))]
        return
    # A cell of one thing is that thing.
    row.children = [
        cell.children[0]
        if cell.role in _CELLS and not cell.acts and len(cell.children) == 1
        else cell
        for cell in row.children
    ]


def only_acting(nodes: list[Node]) -> list[Node]:
    """What can be acted on, with the landmarks, dialogs and frames around it."""
    kept: list[Node] = []
    for node in nodes:
        inner = only_acting(node.children)
        if node.acts or (inner and node.role in ("iframe", "dialog", "alertdialog", "navigation")):
            copy = _copy(node, inner)
            kept.append(copy)
        else:
            kept += inner
    return kept


def shallow(nodes: list[Node], depth: int) -> list[Node]:
    """The same down to a depth; what lies below is counted."""
    if depth <= 0:
        return []
    kept = []
    for node in nodes:
        inner = shallow(node.children, depth - 1)
        if node.children and not inner:
            inner = [_rest(node.children, node.ref)]
        kept.append(_copy(node, inner))
    return kept


def _copy(node: Node, children: list[Node]) -> Node:
    return Node(
        node.role,
        node.name,
        node.ref,
        node.acts,
        node.states,
        node.value,
        node.box,
        node.origin,
        children,
    )


def _rest(nodes: Sequence[Node], ref: str) -> Node:
    """One node that stands for many; its children are only counted when it is shown."""
    return Node("…", "", ref, children=list(nodes))


def render(nodes: list[Node], depth: int = 0, text_length: int = 1000) -> list[Line]:
    """Every node as a line."""
    lines: list[Line] = []
    _render(nodes, depth, text_length, lines.append)
    return lines


def _render(nodes: list[Node], depth: int, text_length: int, put: Callable[[Line], object]) -> None:
    for node in nodes:
        if node.role == "text":
            put(Line(depth, f"- text: {_clip(node.name, text_length)}"))
            continue
        if node.role == "…":
            put(Line(depth, _more(node)))
            continue
        text = _line(node)
        children = node.children
        if not children:
            put(Line(depth, text))
        elif len(children) == 1 and children[0].role == "text" and not node.value:
            put(Line(depth, f"{text}: {_clip(children[0].name, text_length)}"))
        else:
            put(Line(depth, f"{text}:" if not node.value else text))
            _render(children, depth + 1, text_length, put)


def _more(node: Node) -> str:
    kinds = Counter(inner.role for child in node.children for inner in child.walk())
    said = ", ".join(f"{number} {role}" for role, number in kinds.most_common(3))
    how = f" [expand={node.ref}]" if node.ref else ""
    return f"- … {kinds.total()} more ({said}){how}"


def _line(node: Node) -> str:
    parts = ["- ", node.role]
    if node.name:
        parts.append(f' "{_quoted(node.name)}"')
    if node.acts or node.role == "iframe":
        parts.append(f" [ref={node.ref}]")
    if node.states:
        parts.append(f" [{' '.join(node.states)}]")
    if node.box:
        parts.append(f" [box={node.box}]")
    if node.origin:
        parts.append(f" ({node.origin})")
    if node.value:
        parts.append(f": {node.value}")
    return "".join(parts)


def _quoted(name: str) -> str:
    return name.replace("\\", "\\\\").replace('"', '\\"')


def _clip(text: str, length: int) -> str:
    return text if len(text) <= length else f"{text[: length - 1]}…"


def fit(nodes: list[Node], budget: int, root: str = "") -> Fitted:
    """The lines of a tree within `budget` tokens; 0 is no limit. What is cut is counted, and can
    be had by the ref that stands beside the count."""
    if not budget:
        lines = render(nodes)
        return Fitted(lines, 0, tokens(lines))
    for depth in _DEPTHS:
        for length in _TEXT_LENGTHS:
            best = _widest(nodes, budget, root, depth, length)
            if best is not None:
                return best
    lines = render(_cut(nodes, root, 1, 1)[0])
    kept: list[Line] = []
    room = budget * CHARS_PER_TOKEN - 80
    for line in lines:
        room -= 2 * line.depth + len(line.text) + 1
        if room < 0:
            break
        kept.append(line)
    kept.append(Line(0, "- … ask for a part by ref, or with a larger budget"))
    return Fitted(kept, sum(1 for node in nodes for _ in node.walk()), tokens(kept))


def _widest(nodes: list[Node], budget: int, root: str, depth: int, length: int) -> Fitted | None:
    """As many children a node as the budget allows; None if not even a few fit."""
    best: Fitted | None = None
    most = 4.0
    while True:
        kept, dropped = _cut(nodes, root, int(most), depth)
        lines = render(kept, text_length=length)
        size = tokens(lines)
        if size > budget:
            return best
        best = Fitted(lines, sum(1 for node in dropped for _ in node.walk()), size)
        if not dropped:
            return best
        most *= _GROWTH


def _cut(nodes: list[Node], ref: str, most: int, depth: int) -> tuple[list[Node], list[Node]]:
    """The tree with at most so many children a node, and what was left out of it. The last of a
    long list is kept: it shows that the list goes on as it began."""
    if depth <= 0 and nodes:
        return [_rest(nodes, ref)], nodes
    if len(nodes) <= most:
        kept, left_out, tail = nodes, [], []
    else:
        kept, left_out, tail = nodes[: most - 1], nodes[most - 1 : -1], nodes[-1:]
    result: list[Node] = []
    dropped = list(left_out)
    for part in (kept, tail):
        if part is tail and left_out:
            result.append(_rest(left_out, ref))
        for node in part:
            if node.children:
                inner, gone = _cut(node.children, node.ref, most, depth - 1)
                dropped += gone
                node = _copy(node, inner) if inner is not node.children else node
            result.append(node)
    return result, dropped


def find(nodes: list[Node], wanted: str | re.Pattern[str]) -> tuple[list[Node], int]:
    """The nodes whose name or value has the text (or matches), with their ancestors, and how
    many there are."""
    if isinstance(wanted, str):
        folded = wanted.casefold()

        def matches(node: Node) -> bool:
            return folded in f"{node.name}\n{node.value}".casefold()
    else:
        pattern = wanted

        def matches(node: Node) -> bool:
            return bool(pattern.search(node.name) or pattern.search(node.value))

    count = 0

    def kept(node: Node) -> Node | None:
        nonlocal count
        inner = [found for child in node.children if (found := kept(child)) is not None]
        if matches(node):
            count += 1
            return _copy(node, inner or node.children[:3])
        return _copy(node, inner) if inner else None

    found = [result for node in nodes if (result := kept(node)) is not None]
    return found, count
