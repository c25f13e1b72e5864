"""What changed between two texts of a snapshot: lines that came, lines that went, and where.

Knows: lines, and the nodes they are made of. Must not know: pages or clients.
"""

from __future__ import annotations

from collections.abc import Sequence
from difflib import SequenceMatcher

from msgspec.structs import replace

from pilothouse.page.nodes import Node
from pilothouse.page.render import Line, render

__all__ = ["diff", "news"]

# Beyond this many lines that differ, matching takes longer than reading the whole is worth.
LONGEST = 1000
# Of what has changed by the way no more is said than this.
MOST_NEWS = 8
LONGEST_NEWS = 160


def diff(before: Sequence[Line], after: Sequence[Line]) -> list[str] | None:
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
    """The lines that went and came between two looks, without where; how many more, if many."""
    old, new = _said(before), _said(after)
    first, last = _ends(old, new)
    gone, came = old[first : len(old) - last], new[first : len(new) - last]
    if len(gone) + len(came) > LONGEST:
        return [f"… {len(came)} lines are new"]
    changes: list[str] = []
    for kind, from_, to, start, end in SequenceMatcher(
        None, gone, came, autojunk=False
    ).get_opcodes():
        if kind != "equal":
            changes += [f"- {line[2:]}" for line in gone[from_:to]]
            changes += [f"+ {line[2:]}" for line in came[start:end]]
    if len(changes) > MOST_NEWS:
        changes[MOST_NEWS - 1 :] = [f"… {len(changes) - MOST_NEWS + 1} more"]
    return changes


def _said(nodes: list[Node]) -> list[str]:
    """The lines, but for who has the focus: that is told in its own words."""
    anywhere = any("focused" in node.states for top in nodes for node in top.walk())
    shown = [_without_focus(node) for node in nodes] if anywhere else nodes
    return [line.text for line in render(shown, text_length=LONGEST_NEWS)]


def _without_focus(node: Node) -> Node:
    states = tuple(state for state in node.states if state != "focused")
    return replace(node, states=states, children=[_without_focus(n) for n in node.children])


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


def _ancestors(lines: Sequence[Line], at: int, depth: int) -> list[int]:
    """The lines that a line at `at` stands under, outermost first."""
    found: list[int] = []
    for index in range(at - 1, -1, -1):
        if lines[index].depth < depth:
            found.append(index)
            depth = lines[index].depth
        if not depth:
            break
    return found[::-1]
