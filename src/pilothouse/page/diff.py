"""What changed between two texts of a snapshot: lines that came, lines that went, and where.

Knows: lines. Must not know: pages or clients.
"""

from __future__ import annotations

from collections.abc import Sequence
from difflib import SequenceMatcher

from pilothouse.page.render import Line

__all__ = ["diff"]

# Beyond this many lines that differ, matching takes longer than reading the whole is worth.
LONGEST = 1000


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
