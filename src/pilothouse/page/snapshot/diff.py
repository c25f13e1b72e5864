"""What changed between two texts of a snapshot: lines that came, lines that went, and where.

Knows: lines, and the nodes they are made of. Must not know: pages or clients.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from difflib import SequenceMatcher

from msgspec.structs import replace

from pilothouse.page.snapshot.render import SnapshotLine, render
from pilothouse.page.snapshot.tree import Node

__all__ = ["diff", "news"]

# Beyond this many lines that differ, matching takes longer than reading the whole is worth.
LONGEST = 1000
# Of what has changed by the way no more lines are said than these: what is new comes first.
MOST_CAME = 24
MOST_GONE = 8
LONGEST_NEWS = 160
# A change inside of these is told with the line that says which one it is.
_ITEM = re.compile(r"- (?:row|listitem|article|treeitem|dialog|alertdialog|iframe)\b")
_REF = re.compile(r" \[ref=(\w+)\]")
# Who has the focus is told in its own words; what is covered has not changed itself.
_BY_THE_WAY = frozenset({"focused", "covered"})


def diff(before: Sequence[SnapshotLine], after: Sequence[SnapshotLine]) -> list[str] | None:
    """The changes as text, each under its ancestors; None if the whole is no longer than that.

    `+` lines are new, `-` lines are gone, `… 12 same` stands for lines of both texts: so the old
    text and the changes make the new one. The others are ancestors, which only say where.
    """
    old, new = [str(line) for line in before], [str(line) for line in after]
    if old == new:
        return []
    first, last = _ends(old, new)
    if max(len(old), len(new)) - first - last > LONGEST:
        return None
    matcher = SequenceMatcher(
        None, old[first : len(old) - last], new[first : len(new) - last], autojunk=False
    )
    changes: list[str] = []
    shown: set[int] = set()
    same = first
    for kind, from_, to, start, end in matcher.get_opcodes():
        if kind == "equal":
            same += end - start
            continue
        if same:
            changes.append(f"  … {same} same")
            same = 0
        gone, came = before[first + from_ : first + to], after[first + start : first + end]
        depth = min(line.depth for line in (came or gone))
        for at in _ancestors(after, first + start, depth):
            if at not in shown:
                shown.add(at)
                changes.append(f"  {after[at]}")
        changes += [f"- {line}" for line in gone]
        changes += [f"+ {line}" for line in came]
        shown.update(range(first + start, first + end))
    length = sum(len(line) + 1 for line in changes)
    return changes if length < sum(len(line) + 1 for line in new) else None


def news(before: list[Node], after: list[Node]) -> list[str]:
    """The lines that came (`+`) and went (`-`) between two looks. What is new comes first, with
    the row or item it stands in; how many more, if many."""
    old, new = _said(before), _said(after)
    was, now = [line.text for line in old], [line.text for line in new]
    first, last = _ends(was, now)
    gone, came = was[first : len(was) - last], now[first : len(now) - last]
    if len(gone) + len(came) > LONGEST:
        return [*_told(new, range(first, len(new) - last)), f"… {len(gone)} lines are gone"]
    added: list[int] = []
    removed: list[int] = []
    for kind, from_, to, start, end in SequenceMatcher(
        None, gone, came, autojunk=False
    ).get_opcodes():
        if kind != "equal":
            removed += range(first + from_, first + to)
            added += range(first + start, first + end)
    # What only stands elsewhere now is neither new nor gone.
    moved = Counter(was[at] for at in removed) & Counter(now[at] for at in added)
    added, removed = _without(now, added, moved), _without(was, removed, moved)
    # Of an element that reads otherwise it is said how it reads now.
    here = {ref for at in added for ref in _REF.findall(now[at])}
    removed = [at for at in removed if not here.intersection(_REF.findall(was[at]))]
    changes = _told(new, added)
    changes += [f"- {was[at][2:]}" for at in removed[:MOST_GONE]]
    if len(removed) > MOST_GONE:
        changes.append(f"… {len(removed) - MOST_GONE} more are gone")
    if moved:
        changes.append(f"… {moved.total()} lines stand elsewhere now")
    return changes


def _without(lines: list[str], at: list[int], moved: Counter[str]) -> list[int]:
    left = moved.copy()
    kept = []
    for index in at:
        if left[lines[index]]:
            left[lines[index]] -= 1
        else:
            kept.append(index)
    return kept


def _told(lines: list[SnapshotLine], added: Sequence[int]) -> list[str]:
    """The new lines, each below the item it stands in, as far as there is room."""
    new = set(added)
    said: list[str] = []
    shown: set[int] = set()
    for count, at in enumerate(added):
        if len(said) >= MOST_CAME:
            said.append(f"… {len(added) - count} more are new: take a snapshot")
            break
        above = _ancestors(lines, at, lines[at].depth)
        if lines[at].text.startswith("- invalid "):
            item = above[-1] if above else None
        else:
            item = next((up for up in reversed(above) if _ITEM.match(lines[up].text)), None)
        if item is not None and item not in new and item not in shown:
            shown.add(item)
            said.append(f"  {lines[item].text[2:]}")
        outer = [up for up in above if up in new or up in shown]
        indent = "  " * (lines[at].depth - lines[outer[0]].depth) if outer else ""
        said.append(f"+ {indent}{lines[at].text[2:]}")
    return said


def _said(nodes: list[Node]) -> list[SnapshotLine]:
    """The lines without what changes by the way."""
    anywhere = any(_BY_THE_WAY.intersection(node.states) for top in nodes for node in top.walk())
    shown = [_at_rest(node) for node in nodes] if anywhere else nodes
    return render(shown, text_length=LONGEST_NEWS)


def _at_rest(node: Node) -> Node:
    states = tuple(state for state in node.states if state not in _BY_THE_WAY)
    return replace(node, states=states, children=[_at_rest(inner) for inner in node.children])


def _ends(old: list[str], new: list[str]) -> tuple[int, int]:
    """How many lines are the same at the beginning and at the end: mostly nearly all."""
    shorter = min(len(old), len(new))
    first = 0
    while first < shorter and old[first] == new[first]:
        first += 1
    last = 0
    while last < shorter - first and old[-1 - last] == new[-1 - last]:
        last += 1
    return first, last


def _ancestors(lines: Sequence[SnapshotLine], at: int, depth: int) -> list[int]:
    """The lines that a line at `at` stands under, outermost first."""
    found: list[int] = []
    for index in range(at - 1, -1, -1):
        if lines[index].depth < depth:
            found.append(index)
            depth = lines[index].depth
        if not depth:
            break
    return found[::-1]
