"""A tree as text for an agent: short lines, a budget, and nothing lost without being counted.

    - navigation "Main":
      - link "Home" [ref=e1]
    - heading "Sign in" [level=1]
    - textbox "Email" [ref=e5] [required]: me@example.org
    - combobox "Size" [ref=e6]: S (or M | L)
    - combobox "Other size" [ref=e7]: L (or …)        the same list as one above
    - row: Apples | 3 | 1.20
    - … 83 more (61 link, 22 text) [expand=e40]

Knows: nodes. Must not know: pages or clients.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from itertools import islice
from typing import NamedTuple

import msgspec

from pilothouse.page.nodes import Node

__all__ = [
    "CHARS_PER_TOKEN",
    "Fitted",
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
# No line that counts is longer, but for its ref.
_LONGEST_MORE = "…" * 90


class Line(NamedTuple):
    """One line of the text."""

    depth: int
    text: str

    def __str__(self) -> str:
        return "  " * self.depth + self.text


class Fitted(msgspec.Struct):
    """Lines within a budget, and how many nodes were left out."""

    lines: list[Line]
    cut: int = 0
    tokens: int = 0


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
            if node.role == "row":
                _join_cells(node)
            # An empty cell keeps the others in their columns; its row decides.
            if _says_nothing(node) and node.role not in _CELLS:
                continue
            if node.role == "listitem" and len(node.children) == 1 and _is_bare(node):
                tidied.append(node.children[0])
                continue
        tidied.append(node)
    return tidied


def _is_bare(node: Node, name: str = "") -> bool:
    """Whether a node says nothing of its own; its name may be that of what is in it."""
    own = node.acts or node.value or node.states or node.box
    return not own and node.name in ("", name)


def _says_nothing(node: Node) -> bool:
    return not (node.children or node.name or node.acts or node.value)


def _join_cells(row: Node) -> None:
    cells = row.children
    if all(_says_nothing(cell) for cell in cells):
        row.children = []
    elif all(_is_plain(cell) for cell in cells):
        texts = [cell.children[0].name if cell.children else cell.name for cell in cells]
        row.children = [Node("text", " | ".join(texts))]
    else:
        # A cell of one thing is that thing.
        row.children = [_only(cell) for cell in cells if not _says_nothing(cell)]


def _only(cell: Node) -> Node:
    if cell.role not in _CELLS or len(cell.children) != 1:
        return cell
    inner = cell.children[0]
    return inner if _is_bare(cell, inner.name) else cell


def _is_plain(cell: Node) -> bool:
    """Whether a cell is nothing but a text."""
    if cell.role not in _CELLS or len(cell.children) > 1:
        return False
    if not cell.children:
        return _is_bare(cell, cell.name)
    return cell.children[0].role == "text" and _is_bare(cell, cell.children[0].name)


def only_acting(nodes: list[Node]) -> list[Node]:
    """What can be acted on, with the dialogs, frames and navigations around it. What has no name
    of its own keeps its text."""
    kept: list[Node] = []
    for node in nodes:
        inner = only_acting(node.children)
        if node.acts:
            if not node.name and not inner:
                inner = [child for child in node.children if child.role == "text"]
            kept.append(_copy(node, inner))
        elif node.role == "iframe" and node.states:
            kept.append(node)  # it did not answer: nobody knows what is in it
        elif inner and node.role in ("iframe", "dialog", "alertdialog", "navigation"):
            kept.append(_copy(node, inner))
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
    _render(nodes, depth, text_length, lines.append, _more)
    return lines


def _render(
    nodes: list[Node],
    depth: int,
    text_length: int,
    put: Callable[[Line], object],
    more: Callable[[Node], str],
) -> None:
    for node in nodes:
        if node.role == "text":
            put(Line(depth, f"- text: {_clip(node.name, text_length)}"))
            continue
        if node.role == "…":
            put(Line(depth, more(node)))
            continue
        text = _line(node)
        children = node.children
        if not children:
            put(Line(depth, text))
        elif len(children) == 1 and children[0].role == "text" and not node.value:
            put(Line(depth, f"{text}: {_clip(children[0].name, text_length)}"))
        else:
            put(Line(depth, f"{text}:" if not node.value else text))
            _render(children, depth + 1, text_length, put, more)


def _hidden(node: Node) -> Counter[str]:
    """What a node of many stands for, by role."""
    kinds: Counter[str] = Counter()
    waiting = [node]
    while waiting:
        inner = waiting.pop()
        if inner.role != "…":
            kinds[inner.role] += 1
        elif inner.name:
            kinds["element"] += int(inner.name)
        waiting += inner.children
    return kinds


def _more(node: Node) -> str:
    kinds = _hidden(node)
    said = ", ".join(f"{number} {role}" for role, number in kinds.most_common(3))
    how = f" [expand={node.ref}]" if node.ref else ""
    return f"- … {kinds.total()} more ({said}){how}"


def _line(node: Node) -> str:
    name = node.name
    if name and ('"' in name or "\\" in name):
        name = name.replace("\\", "\\\\").replace('"', '\\"')
    if name and node.acts and not (node.states or node.box or node.origin or node.value):
        return f'- {node.role} "{name}" [ref={node.ref}]'
    parts = ["- ", node.role]
    if name:
        parts.append(f' "{name}"')
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


def _clip(text: str, length: int) -> str:
    return text if len(text) <= length else f"{text[: length - 1]}…"


def fit(nodes: list[Node], budget: int, root: str = "") -> Fitted:
    """The lines of a tree within `budget` tokens; 0 is no limit. What is cut is counted, and can
    be had by the ref that stands beside the count."""
    if not budget:
        return _fitted(nodes, 1000)
    # Most pages fit as they are; one with more nodes than tokens does not.
    if len(list(islice((n for node in nodes for n in node.walk()), budget))) < budget:
        whole = _fitted(nodes, _TEXT_LENGTHS[0])
        if whole.tokens <= budget:
            return whole
    for depth in _DEPTHS:
        for length in _TEXT_LENGTHS:
            best = _widest(nodes, budget, root, depth, length)
            if best is not None:
                return _fitted(best, length)
    return _barest(nodes, budget)


def _fitted(nodes: list[Node], length: int) -> Fitted:
    lines = render(nodes, text_length=length)
    return Fitted(lines, _left_out(nodes), tokens(lines))


def _left_out(nodes: list[Node]) -> int:
    cut = 0
    waiting = [*nodes]
    while waiting:
        node = waiting.pop()
        if node.role == "…":
            cut += _hidden(node).total()
        elif node.children:
            waiting += node.children
    return cut


def _barest(nodes: list[Node], budget: int) -> Fitted:
    """A budget for which even a few are too many: what fits of the outermost, and a count."""
    every = _hidden(Node("…", children=nodes)).total()
    outermost = [_copy(node, []) if node.role != "…" else node for node in nodes]
    lines: list[Line] = []
    room = budget * CHARS_PER_TOKEN - len(_too_small(every)) - 1
    kept = 0
    for node in outermost:
        (line,) = render([node], text_length=_TEXT_LENGTHS[-1])
        room -= len(line.text) + 1
        if room < 0:
            break
        kept += node.role != "…"
        lines.append(line)
    lines.append(Line(0, _too_small(every - kept)))
    return Fitted(lines, every - kept, tokens(lines))


def _too_small(cut: int) -> str:
    return f"- … {cut} more: ask for more tokens, or with find"


def _widest(
    nodes: list[Node], budget: int, root: str, depth: int, length: int
) -> list[Node] | None:
    """As many children a node as the budget allows; None if not even a few fit."""
    best: list[Node] | None = None
    most = 4.0
    while True:
        kept, wider = _cut(nodes, root, int(most), depth)
        if tokens(_lines(kept, length)) > budget:
            return best
        best = kept
        if not wider:
            return best
        most *= _GROWTH


def _lines(nodes: list[Node], length: int) -> list[Line]:
    """The lines without counting what is left out: a count takes as long as a page is large."""
    lines: list[Line] = []
    _render(nodes, 0, length, lines.append, lambda node: _LONGEST_MORE + node.ref)
    return lines


def _cut(nodes: list[Node], ref: str, most: int, depth: int) -> tuple[list[Node], bool]:
    """The tree with at most so many children a node, and whether there were more. The last of a
    long list is kept: it shows that the list goes on as it began."""
    if depth <= 0:
        return [_rest(nodes, ref)], False
    wider = len(nodes) > most
    kept = [*nodes[: most - 1], _rest(nodes[most - 1 : -1], ref), nodes[-1]] if wider else nodes
    result: list[Node] = []
    for node in kept:
        if node.children and node.role != "…":
            inner, more = _cut(node.children, node.ref, most, depth - 1)
            wider = wider or more
            node = _copy(node, inner)
        result.append(node)
    return result, wider


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
            return _copy(node, inner or _first(node))
        return _copy(node, inner) if inner else None

    found = [result for node in nodes if (result := kept(node)) is not None]
    return found, count


def _first(node: Node) -> list[Node]:
    """The first few things in a node; the others are counted."""
    few = node.children[:3]
    others = node.children[3:]
    return [*few, _rest(others, node.ref)] if others else few
