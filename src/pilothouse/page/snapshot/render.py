"""Renders a tree as text for an agent: short lines within a token budget. What is left out is
counted, and can be expanded.

    - navigation "Main":
      - link "Home" [ref=e1]
    - heading "Sign in" [level=1]
    - textbox "Email" [ref=e5] [required]: me@example.org
    - combobox "Size" [ref=e6]: S (or M | L)
    - combobox "Other size" [ref=e7]: L (or …)        the same list as one above
    - row: Apples | 3 | 1.20
    - row: Pears | 4 | 1.10
      - button "Delete" [ref=e9]
    - … 83 more (61 link, 22 text) [expand=e40]

Knows: nodes. Must not know: pages or clients.
"""

from __future__ import annotations

import re
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from itertools import islice
from typing import NamedTuple

import msgspec

from pilothouse.page.snapshot.tree import Node

__all__ = [
    "CHARS_PER_TOKEN",
    "FittedLines",
    "SnapshotLine",
    "find",
    "fit",
    "limit_depth",
    "only_acting",
    "render",
    "tidy",
    "tokens",
]

CHARS_PER_TOKEN = 4

# Containers that are dropped when they are empty.
_CONTAINER_ROLES = (
    "list listitem table row rowgroup grid treegrid cell gridcell columnheader rowheader "
    "article main section group region form complementary contentinfo banner navigation "
    "search figure document application feed menu menubar toolbar tablist tabpanel tree "
    "radiogroup directory status log alert marquee timer math note paragraph caption"
)
_CONTAINERS = frozenset(_CONTAINER_ROLES.split())
_CELLS = frozenset({"cell", "gridcell", "columnheader", "rowheader"})

# The first text in one of these stands on its line, even if more follows.
_ITEMS = frozenset({"row", "listitem", "alert", "status", *_CELLS})
# A search that matches a part of one of these shows all of it, with the buttons that act on it,
# unless it has more than _ITEM_NODES nodes: then it is a layout table rather than an item.
_WHOLE = frozenset({"row", "listitem", "article", "treeitem"})
_ITEM_NODES = 40
# How many interactive elements directly after a match are shown with it.
_BESIDE = 3
# How much of the surrounding text tells an element from others of the same name.
_AROUND = 120
# Live regions are never cut for standing late in a page.
_LIVE = frozenset({"alert", "status", "alertdialog"})
_MOST_LIVE = 10
_MOST_HEADINGS = 30

# `fit` tries ever more children per node, by this factor, until the budget is spent.
_GROWTH = 1.4
_WHOLE_TEXT = 1000
_TEXT_LENGTHS = (200, 80, 30)
_DEPTHS = (99, 12, 8, 5, 3, 2)
# Stands for a `… 83 more (...)` line while sizes are estimated; no real one is longer, except for
# its ref.
_LONGEST_MORE = "…" * 90


class SnapshotLine(NamedTuple):
    """One line of a snapshot."""

    depth: int
    text: str

    def __str__(self) -> str:
        return "  " * self.depth + self.text


class FittedLines(msgspec.Struct):
    """Lines within a budget, and how many nodes were left out."""

    lines: list[SnapshotLine]
    cut: int = 0
    tokens: int = 0


def tokens(lines: Iterable[SnapshotLine]) -> int:
    """Estimate the number of tokens of these lines."""
    return sum(2 * line.depth + len(line.text) + 1 for line in lines) // CHARS_PER_TOKEN


def tidy(nodes: list[Node]) -> list[Node]:
    """Drop empty containers, replace list items and cells by the only thing in them, and join rows
    of plain text into one line."""
    tidied: list[Node] = []
    for node in nodes:
        if node.children:
            node.children = tidy(node.children)
        if node.role in _CONTAINERS:
            if node.role == "row":
                _join_cells(node)
            # An empty cell stays: it keeps the others in their columns. `_join_cells` decides.
            if _is_empty(node) and node.role not in _CELLS:
                continue
            if node.role == "listitem" and _is_wrapper(node):
                tidied.append(node.children[0])
                continue
        tidied.append(node)
    return tidied


def _is_wrapper(item: Node) -> bool:
    """Whether a list item only wraps one element. A single text stays in its item: otherwise it
    would look like a text of the list itself."""
    return len(item.children) == 1 and item.children[0].role != "text" and _is_bare(item)


def _is_bare(node: Node, name: str = "") -> bool:
    """Whether a node has no information of its own; `name` is the name of its content."""
    own = node.acts or node.value or node.states or node.box
    return not own and node.name in ("", name)


def _is_empty(node: Node) -> bool:
    return not (node.children or node.name or node.acts or node.value)


def _join_cells(row: Node) -> None:
    cells = row.children
    if all(_is_empty(cell) for cell in cells):
        row.children = []
    elif all(_is_plain(cell) for cell in cells):
        texts = [cell.children[0].name if cell.children else cell.name for cell in cells]
        row.children = [Node("text", " | ".join(texts).rstrip(" |") or "|")]
    else:
        # Replace a cell by the only thing in it, and join adjacent texts.
        row.children = []
        for cell in cells:
            if _is_empty(cell):
                continue
            last = row.children[-1] if row.children else None
            inner = _unwrap_cell(cell)
            if _is_plain(cell):
                inner = Node("text", cell.children[0].name if cell.children else cell.name)
            if inner.role == "text" and last is not None and last.role == "text":
                last.name = f"{last.name} | {inner.name}"
            else:
                row.children.append(inner)


def _unwrap_cell(cell: Node) -> Node:
    """Return the only thing in a cell, or the cell itself."""
    if cell.role not in _CELLS or len(cell.children) != 1:
        return cell
    inner = cell.children[0]
    return inner if _is_bare(cell, inner.name) else cell


def _is_plain(cell: Node) -> bool:
    """Whether a cell contains nothing but a text."""
    if cell.role not in _CELLS or len(cell.children) > 1:
        return False
    if not cell.children:
        return _is_bare(cell, cell.name)
    return cell.children[0].role == "text" and _is_bare(cell, cell.children[0].name)


def only_acting(nodes: list[Node]) -> list[Node]:
    """Keep interactive elements, the dialogs, frames and navigations around them, and live regions
    (alerts, status). An element without a name keeps its text; one that shares its name with
    others keeps the text of its row or item."""
    names = Counter((node.role, node.name) for top in nodes for node in top.walk() if node.acts)
    return _acting(nodes, names)


def _acting(nodes: list[Node], names: Counter[tuple[str, str]]) -> list[Node]:
    kept: list[Node] = []
    for node in nodes:
        inner = _acting(node.children, names)
        if node.acts:
            if not node.name and not inner:
                inner = [child for child in node.children if child.role == "text"]
            complaints = [child for child in node.children if child.role == "invalid"]
            kept.append(_copy(node, [*complaints, *inner]))
        elif node.role == "iframe" and node.states:
            kept.append(node)  # the frame did not answer: there may be something in it
        elif (node.role in _LIVE and not _is_empty(node)) or (
            inner and node.role in ("dialog", "alertdialog")
        ):
            kept.append(_copy(node, [*_texts(node), *inner]))
        elif inner and node.role in ("iframe", "navigation"):
            kept.append(_copy(node, inner))
        elif node.role in _WHOLE and any(names[one.role, one.name] > 1 for one in inner):
            kept.append(_copy(node, [*_texts(node), *inner]))
        else:
            kept += inner
    return kept


def _texts(node: Node) -> list[Node]:
    """Join the texts in a node, _AROUND characters at most, without interactive elements."""
    parts: list[str] = []
    room = _AROUND
    waiting = [*reversed(node.children)]
    while waiting and room > 0:
        inner = waiting.pop()
        if inner.acts:
            continue
        text = inner.name if inner.role != "…" else ""
        if text:
            parts.append(_clip(text, room))
            room -= len(text) + 3
        if inner.role != "heading":  # its name is its text already
            waiting += reversed(inner.children)
    return [Node("text", " | ".join(parts))] if parts else []


def limit_depth(nodes: list[Node], depth: int) -> list[Node]:
    """Cut the tree at a depth; what is below is counted."""
    if depth <= 0:
        return []
    kept = []
    for node in nodes:
        inner = limit_depth(node.children, depth - 1)
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
    """Make one node that stands for many; rendering counts them."""
    return Node("…", "", ref, children=list(nodes))


def render(nodes: list[Node], depth: int = 0, text_length: int = 1000) -> list[SnapshotLine]:
    """Render every node as a line."""
    lines: list[SnapshotLine] = []
    _render(nodes, depth, text_length, lines.append, _more)
    return lines


def _render(
    nodes: list[Node],
    depth: int,
    text_length: int,
    put: Callable[[SnapshotLine], object],
    more: Callable[[Node], str],
) -> None:
    for node in nodes:
        if node.role == "text":
            put(SnapshotLine(depth, f"- text: {_clip(node.name, text_length)}"))
            continue
        if node.role == "…":
            put(SnapshotLine(depth, more(node)))
            continue
        text = _line(node)
        children = node.children
        if not children:
            put(SnapshotLine(depth, text))
        elif children[0].role == "text" and not node.value and _has_inline_text(node):
            put(SnapshotLine(depth, f"{text}: {_clip(children[0].name, text_length)}"))
            if len(children) > 1:
                _render(children[1:], depth + 1, text_length, put, more)
        else:
            # No colon before complaints about a field: they are no content of it.
            no_colon = node.value or all(child.role == "invalid" for child in children)
            put(SnapshotLine(depth, text if no_colon else f"{text}:"))
            _render(children, depth + 1, text_length, put, more)


def _has_inline_text(node: Node) -> bool:
    """Whether the first text in a node stands on the node's line."""
    return len(node.children) == 1 or node.role in _ITEMS


def _hidden(node: Node) -> Counter[str]:
    """Count what a `…` node stands for, by role."""
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
    top = ", ".join(f"{number} {role}" for role, number in kinds.most_common(3))
    expand = f" [expand={node.ref}]" if node.ref else ""
    return f"- … {kinds.total()} more ({top}){expand}"


def _line(node: Node) -> str:
    name = node.name
    if name and ('"' in name or "\\" in name):
        name = name.replace("\\", "\\\\").replace('"', '\\"')
    if name and node.acts and not (node.states or node.box or node.origin or node.value):
        return f'- {node.role} "{name}" [ref={node.ref}]'
    role, states = node.role, node.states
    if "file-input" in states:
        role, states = "file input", tuple(state for state in states if state != "file-input")
    parts = ["- ", role]
    if name:
        parts.append(f' "{name}"')
    if node.acts or node.role == "iframe":
        parts.append(f" [ref={node.ref}]")
    if states:
        parts.append(f" [{' '.join(states)}]")
    if node.box:
        parts.append(f" [box={node.box}]")
    if node.origin:
        parts.append(f" ({node.origin})")
    if node.value:
        parts.append(f": {node.value}")
    return "".join(parts)


def _clip(text: str, length: int) -> str:
    return text if len(text) <= length else f"{text[: length - 1]}…"


def fit(nodes: list[Node], budget: int, root: str = "") -> FittedLines:
    """Render a tree within `budget` tokens (0: no limit). What is cut is counted; a snapshot with
    the ref beside the count as its root shows it.

    Tries in this order: everything; then, from generous to strict, less depth and shorter texts
    with as many children per node as fit; then without headings and live regions; and at last the
    outermost nodes only.
    """
    if not budget:
        return _fitted(nodes, 1000)
    budget = min(budget, sys.maxsize)
    # Most pages fit whole. A page with more nodes than the budget has tokens cannot.
    if len(list(islice((n for node in nodes for n in node.walk()), budget))) < budget:
        for length in (_WHOLE_TEXT, _TEXT_LENGTHS[0]):
            whole = _fitted(nodes, length)
            if whole.tokens <= budget:
                return whole
    live, headings = _find_landmarks(nodes)
    for kept in (live | headings, live, frozenset[int]()):
        for depth in _DEPTHS:
            for length in _TEXT_LENGTHS:
                best = _widest(nodes, budget, _Cut(root, depth, kept), length)
                if best is not None:
                    return _fitted(best, length)
        if not kept:
            break
    return _fit_outermost(nodes, budget)


def _find_landmarks(nodes: list[Node]) -> tuple[frozenset[int], frozenset[int]]:
    """Return the ids (`id()`) of live regions and of headings, each with all its ancestors: they
    are not cut for standing late in a page."""
    live: set[int] = set()
    headings: set[int] = set()
    room = {"live": _MOST_LIVE, "headings": _MOST_HEADINGS}
    path: list[int] = []

    def visit(node: Node) -> None:
        path.append(id(node))
        if node.role in _LIVE and room["live"] and not _is_empty(node):
            room["live"] -= 1
            live.update(path)
        elif node.role == "heading" and room["headings"] and node.name:
            room["headings"] -= 1
            headings.update(path)
        for child in node.children:
            if child.role != "text":
                visit(child)
        path.pop()

    for node in nodes:
        visit(node)
    return frozenset(live), frozenset(headings)


def _fitted(nodes: list[Node], length: int) -> FittedLines:
    lines = render(nodes, text_length=length)
    return FittedLines(lines, _left_out(nodes), tokens(lines))


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


def _fit_outermost(nodes: list[Node], budget: int) -> FittedLines:
    """Render as many of the outermost nodes as fit, and a count, for a very small budget."""
    every = _hidden(Node("…", children=nodes)).total()
    outermost = [_copy(node, []) if node.role != "…" else node for node in nodes]
    lines: list[SnapshotLine] = []
    room = budget * CHARS_PER_TOKEN - len(_too_small(every)) - 1
    kept = 0
    for node in outermost:
        (line,) = render([node], text_length=_TEXT_LENGTHS[-1])
        room -= len(line.text) + 1
        if room < 0:
            break
        kept += node.role != "…"
        lines.append(line)
    lines.append(SnapshotLine(0, _too_small(every - kept)))
    return FittedLines(lines, every - kept, tokens(lines))


def _too_small(cut: int) -> str:
    return f"- … {cut} more: ask for more tokens, or with find"


class _Cut(NamedTuple):
    """How to cut a tree: the ref of its container, the depth, and the ids of nodes to keep."""

    ref: str
    depth: int
    kept: frozenset[int]


def _widest(nodes: list[Node], budget: int, cut: _Cut, length: int) -> list[Node] | None:
    """Keep as many children per node as the budget allows; None if not even 4 fit."""
    best: list[Node] | None = None
    most = 4.0
    while True:
        kept, wider = _cut(nodes, cut, int(most))
        if tokens(_lines(kept, length)) > budget:
            return best
        best = kept
        if not wider:
            return best
        most *= _GROWTH


def _lines(nodes: list[Node], length: int) -> list[SnapshotLine]:
    """Render lines without counting what is left out: a count takes time linear in the page."""
    lines: list[SnapshotLine] = []
    _render(nodes, 0, length, lines.append, lambda node: _LONGEST_MORE + node.ref)
    return lines


def _cut(nodes: list[Node], cut: _Cut, most: int) -> tuple[list[Node], bool]:
    """Keep at most `most` children per node; also return whether there were more. The last child
    of a long list stays: it shows that the list ends as it began."""
    if cut.depth <= 0:
        return _collapse(nodes, cut), False
    wider = len(nodes) > most
    shown = [*nodes[: most - 1], nodes[-1]] if wider else nodes
    result: list[Node] = []
    for node in shown:
        if node.children and node.role != "…":
            inner, more = _cut(node.children, _Cut(node.ref, cut.depth - 1, cut.kept), most)
            wider = wider or more
            node = _copy(node, inner)
        result.append(node)
    if len(nodes) > most:
        result[-1:-1] = _collapse(nodes[most - 1 : -1], cut)
    return result, wider


def _collapse(nodes: Sequence[Node], cut: _Cut) -> list[Node]:
    """Replace runs of nodes by `…` nodes, except those in `cut.kept`."""
    result: list[Node] = []
    run: list[Node] = []
    for node in nodes:
        if id(node) not in cut.kept:
            run.append(node)
            continue
        if run:
            result.append(_rest(run, cut.ref))
            run = []
        if node.role not in _LIVE and node.role != "heading":
            inner = _collapse(node.children, _Cut(node.ref or cut.ref, 0, cut.kept))
            node = _copy(node, inner)
        elif not _is_small(node):
            node = _copy(node, _first(node))
        result.append(node)
    if run:
        result.append(_rest(run, cut.ref))
    return result


def find(
    nodes: list[Node], wanted: str | re.Pattern[str], limit: int = 0
) -> tuple[list[Node], int]:
    """Find nodes whose name or value contains the text (or matches), with their ancestors; also
    return how many there are. A row or list item with a match is shown whole, with the elements
    that act on it. `limit` restricts what is shown (0: all), not the count."""
    search = _Search(_matcher(wanted), limit)
    return search.among(nodes)[0], search.count


def _matcher(wanted: str | re.Pattern[str]) -> Callable[[str], bool]:
    if isinstance(wanted, str):
        folded = " ".join(wanted.casefold().split())
        return lambda text: folded in " ".join(text.casefold().split())
    return lambda text: bool(wanted.search(text))


class _Search:
    """One search of a tree; `count` is the number of matches so far."""

    def __init__(self, matches: Callable[[str], bool], limit: int) -> None:
        self._matches = matches
        self._limit = limit
        self.count = 0

    def among(self, nodes: list[Node]) -> tuple[list[Node], bool]:
        """Return the matches among these nodes, and whether one of them is a whole item."""
        kept: list[Node] = []
        whole = False
        beside = 0  # how many more interactive elements after a match to show with it
        for node in nodes:
            found, item = self._in(node)
            whole = whole or item
            if found is not None:
                kept.append(found)
                beside = 0 if found.acts or item or found.children else _BESIDE
            elif beside and node.acts:
                kept.append(_copy(node, []))
                beside -= 1
            elif node.role != "text":
                beside = 0
        return kept, whole

    def _in(self, node: Node) -> tuple[Node | None, bool]:
        before = self.count
        inner, whole = self.among(node.children)
        if node.role in _WHOLE and not whole and _is_small(node):
            if inner or self.count > before or self._matches(_all_text(node)):
                self.count = before  # a whole item counts as one match
                return self._count(node), True
            return None, False
        if self._matches(f"{node.name}\n{node.value}"):
            return self._count(_copy(node, inner or _first(node))), whole
        return (_copy(node, inner) if inner else None), whole

    def _count(self, node: Node) -> Node | None:
        """Count a match; None if it is beyond the limit."""
        self.count += 1
        return node if not self._limit or self.count <= self._limit else None


def _all_text(node: Node) -> str:
    """Join all names and values in a node, as a person would read them."""
    return " ".join(
        f"{inner.name} {inner.value}".replace(" | ", " ")
        for inner in node.walk()
        if inner.role != "…"
    )


def _is_small(node: Node) -> bool:
    """Whether a node is small enough for an item, not a page laid out as a table."""
    return len(list(islice(node.walk(), _ITEM_NODES + 1))) <= _ITEM_NODES


def _first(node: Node) -> list[Node]:
    """Return the first three children of a node and a count of the others."""
    few = node.children[:3]
    others = node.children[3:]
    return [*few, _rest(others, node.ref)] if others else few
