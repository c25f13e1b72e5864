"""A tree as text for an agent: short lines, a budget, and nothing lost without being counted.

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
    "radiogroup directory status log alert marquee timer math note paragraph caption"
)
_HOLLOW = frozenset(_HOLLOW_ROLES.split())
_CELLS = frozenset({"cell", "gridcell", "columnheader", "rowheader"})

# One line says what these are about, whatever else is in them.
_ITEMS = frozenset({"row", "listitem", "alert", "status", *_CELLS})
# What belongs together: who finds a part of it wants all of it.
_WHOLE = frozenset({"row", "listitem", "article", "treeitem"})
_ITEM_NODES = 40
_BESIDE = 3
# So much of the text around an element tells it from others of its name.
_AROUND = 120
# Told to everybody as soon as it is there, and never cut for being late in a page.
_LIVE = frozenset({"alert", "status", "alertdialog"})
_MOST_LIVE = 10
_MOST_HEADINGS = 30

# Children of a node: each try allows more than the one before, until the budget is spent.
_GROWTH = 1.4
_WHOLE_TEXT = 1000
_TEXT_LENGTHS = (200, 80, 30)
_DEPTHS = (99, 12, 8, 5, 3, 2)
# No line that counts is longer, but for its ref.
_LONGEST_MORE = "…" * 90


class SnapshotLine(NamedTuple):
    """One line of the text."""

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
            if node.role == "listitem" and _is_lifted(node):
                tidied.append(node.children[0])
                continue
        tidied.append(node)
    return tidied


def _is_lifted(item: Node) -> bool:
    """Whether a list item is no more than the one thing in it; a text alone would look like one
    that belongs to the list itself."""
    return len(item.children) == 1 and item.children[0].role != "text" and _is_bare(item)


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
        row.children = [Node("text", " | ".join(texts).rstrip(" |") or "|")]
    else:
        # A cell of one thing is that thing; texts side by side are one.
        row.children = []
        for cell in cells:
            if _says_nothing(cell):
                continue
            last = row.children[-1] if row.children else None
            inner = _only(cell)
            if _is_plain(cell):
                inner = Node("text", cell.children[0].name if cell.children else cell.name)
            if inner.role == "text" and last is not None and last.role == "text":
                last.name = f"{last.name} | {inner.name}"
            else:
                row.children.append(inner)


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
    """What can be acted on, with the dialogs, frames and navigations around it, and what is told
    to everybody (alerts, status). What has no name of its own keeps its text; what shares its name
    with others keeps that of the row or item it stands in."""
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
            kept.append(node)  # it did not answer: nobody knows what is in it
        elif (node.role in _LIVE and not _says_nothing(node)) or (
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
    """What can be read in a node, as one text; not what can be acted on in it."""
    said: list[str] = []
    room = _AROUND
    waiting = [*reversed(node.children)]
    while waiting and room > 0:
        inner = waiting.pop()
        if inner.acts:
            continue
        text = inner.name if inner.role != "…" else ""
        if text:
            said.append(_clip(text, room))
            room -= len(text) + 3
        if inner.role != "heading":  # it is its name
            waiting += reversed(inner.children)
    return [Node("text", " | ".join(said))] if said else []


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


def render(nodes: list[Node], depth: int = 0, text_length: int = 1000) -> list[SnapshotLine]:
    """Every node as a line."""
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
        elif children[0].role == "text" and not node.value and _begins(node):
            put(SnapshotLine(depth, f"{text}: {_clip(children[0].name, text_length)}"))
            if len(children) > 1:
                _render(children[1:], depth + 1, text_length, put, more)
        else:
            only_said = node.value or all(child.role == "invalid" for child in children)
            put(SnapshotLine(depth, text if only_said else f"{text}:"))
            _render(children, depth + 1, text_length, put, more)


def _begins(node: Node) -> bool:
    """Whether the first text in a node stands in its own line."""
    return len(node.children) == 1 or node.role in _ITEMS


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
    """The lines of a tree within `budget` tokens; 0 is no limit. What is cut is counted, and can
    be had by the ref that stands beside the count."""
    if not budget:
        return _fitted(nodes, 1000)
    budget = min(budget, sys.maxsize)
    # Most pages fit as they are; one with more nodes than tokens does not.
    if len(list(islice((n for node in nodes for n in node.walk()), budget))) < budget:
        for length in (_WHOLE_TEXT, _TEXT_LENGTHS[0]):
            whole = _fitted(nodes, length)
            if whole.tokens <= budget:
                return whole
    live, headings = _outstanding(nodes)
    for kept in (live | headings, live, frozenset[int]()):
        for depth in _DEPTHS:
            for length in _TEXT_LENGTHS:
                best = _widest(nodes, budget, _Cut(root, depth, kept), length)
                if best is not None:
                    return _fitted(best, length)
        if not kept:
            break
    return _barest(nodes, budget)


def _outstanding(nodes: list[Node]) -> tuple[frozenset[int], frozenset[int]]:
    """What is never cut for standing late in a page, with all that it stands in: alerts and
    status; headings."""
    live: set[int] = set()
    headings: set[int] = set()
    room = {"live": _MOST_LIVE, "headings": _MOST_HEADINGS}
    path: list[int] = []

    def look(node: Node) -> None:
        path.append(id(node))
        if node.role in _LIVE and room["live"] and not _says_nothing(node):
            room["live"] -= 1
            live.update(path)
        elif node.role == "heading" and room["headings"] and node.name:
            room["headings"] -= 1
            headings.update(path)
        for child in node.children:
            if child.role != "text":
                look(child)
        path.pop()

    for node in nodes:
        look(node)
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


def _barest(nodes: list[Node], budget: int) -> FittedLines:
    """A budget for which even a few are too many: what fits of the outermost, and a count."""
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
    """How a tree is cut: the ref of what it is in, how deep it may be, and what is kept in any
    case."""

    ref: str
    depth: int
    kept: frozenset[int]


def _widest(nodes: list[Node], budget: int, cut: _Cut, length: int) -> list[Node] | None:
    """As many children a node as the budget allows; None if not even a few fit."""
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
    """The lines without counting what is left out: a count takes as long as a page is large."""
    lines: list[SnapshotLine] = []
    _render(nodes, 0, length, lines.append, lambda node: _LONGEST_MORE + node.ref)
    return lines


def _cut(nodes: list[Node], cut: _Cut, most: int) -> tuple[list[Node], bool]:
    """The tree with at most so many children a node, and whether there were more. The last of a
    long list is kept: it shows that the list goes on as it began."""
    if cut.depth <= 0:
        return _rested(nodes, cut), False
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
        result[-1:-1] = _rested(nodes[most - 1 : -1], cut)
    return result, wider


def _rested(nodes: Sequence[Node], cut: _Cut) -> list[Node]:
    """What stands for many: how many they are, and what of them is kept in any case."""
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
            inner = _rested(node.children, _Cut(node.ref or cut.ref, 0, cut.kept))
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
    """The nodes whose name or value has the text (or matches), with their ancestors, and how
    many there are. A row or list item that has it is shown whole: with it come the elements that
    act on it. At most `limit` are shown, if it is not 0; all are counted."""
    sought = _Sought(_matcher(wanted), limit)
    return sought.among(nodes)[0], sought.count


def _matcher(wanted: str | re.Pattern[str]) -> Callable[[str], bool]:
    if isinstance(wanted, str):
        folded = " ".join(wanted.casefold().split())
        return lambda text: folded in " ".join(text.casefold().split())
    return lambda text: bool(wanted.search(text))


class _Sought:
    """One search of a tree."""

    def __init__(self, matches: Callable[[str], bool], limit: int) -> None:
        self._matches = matches
        self._limit = limit
        self.count = 0

    def among(self, nodes: list[Node]) -> tuple[list[Node], bool]:
        """What is found of these, and whether a whole item is among it."""
        kept: list[Node] = []
        whole = False
        beside = 0  # of what follows a match, so many elements that may act on it
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
            if inner or self.count > before or self._matches(_read(node)):
                self.count = before
                return self._counted(node), True
            return None, False
        if self._matches(f"{node.name}\n{node.value}"):
            return self._counted(_copy(node, inner or _first(node))), whole
        return (_copy(node, inner) if inner else None), whole

    def _counted(self, node: Node) -> Node | None:
        self.count += 1
        return node if not self._limit or self.count <= self._limit else None


def _read(node: Node) -> str:
    """All that is said in a node, as a person would read it."""
    return " ".join(
        f"{inner.name} {inner.value}".replace(" | ", " ")
        for inner in node.walk()
        if inner.role != "…"
    )


def _is_small(node: Node) -> bool:
    """Whether a node is an item, not a page laid out as a table."""
    return len(list(islice(node.walk(), _ITEM_NODES + 1))) <= _ITEM_NODES


def _first(node: Node) -> list[Node]:
    """The first few things in a node; the others are counted."""
    few = node.children[:3]
    others = node.children[3:]
    return [*few, _rest(others, node.ref)] if others else few
