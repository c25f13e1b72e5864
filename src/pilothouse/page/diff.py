"""What changed between two texts of a snapshot: lines that came, lines that went, and where.

Knows: lines. Must not know: pages or clients.
"""

from __future__ import annotations

from collections.abc import Sequence
from difflib import SequenceMatcher

from pilothouse.page.render import Line

__all__ = ["diff"]

# Beyond this many lines matching takes longer than reading the whole is worth.
LONGEST = 3000


def diff(before: Sequence[Line], after: Sequence[Line]) -> list[str] | None:
    """The changes as text, each under its ancestors; None if the whole is no longer than that.

    `+` lines are new, `-` lines are gone, the others only say where.
    """
    if len(before) > LONGEST or len(after) > LONGEST:
        return None
    matcher = SequenceMatcher(
        None, [str(line) for line in before], [str(line) for line in after], autojunk=False
    )
    changes: list[str] = []
    shown: set[int] = set()
    for kind, from_, to, start, end in matcher.get_opcodes():
        if kind == "equal":
            continue
        depth = min(line.depth for line in (after[start:end] or before[from_:to]))
        for at in _ancestors(after, start, depth):
            if at not in shown:
                shown.add(at)
                changes.append(f"  {after[at]}")
        changes += [f"- {line}" for line in before[from_:to]]
        changes += [f"+ {line}" for line in after[start:end]]
        shown.update(range(start, end))
    length = sum(len(line) + 1 for line in changes)
    return changes if length < sum(len(str(line)) + 1 for line in after) else None


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
