"""Differences between two snapshots: which lines came, which went, and where.

Knows: lines, and the nodes they are made of. Must not know: pages or clients.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from difflib import SequenceMatcher

from msgspec.structs import replace

from pilothouse.errors import plural
from pilothouse.page.snapshot.render import SnapshotLine, render
from pilothouse.page.snapshot.tree import Node

__all__ = ["changed_lines", "diff"]

# With more differing lines than this, matching costs more than showing the whole snapshot.
LONGEST = 1000
# How many changed lines a receipt shows: new lines first.
MOST_CAME = 24
MOST_GONE = 8
LONGEST_CHANGED_TEXT = 160
# A changed line inside one of these is shown below the line of the item, to tell which one it is.
_ITEM = re.compile(r"- (?:row|listitem|article|treeitem|dialog|alertdialog|iframe)\b")
_REF = re.compile(r" \[ref=(\w+)\]")
# States that are no change of the element: receipts report the focus separately, and an element
# that got covered has not changed itself.
_IGNORED_STATES = frozenset({"focused", "covered"})


def diff(before: Sequence[SnapshotLine], after: Sequence[SnapshotLine]) -> list[str] | None:
    """Format the changes, each below its ancestors; None if the whole new text is shorter.

    `+` lines are new, `-` lines are gone, `… 12 same` stands for unchanged lines, so the old text
    and the changes yield the new text. Lines without a sign are ancestors that show the position.
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


def changed_lines(before: list[Node], after: list[Node]) -> list[str]:
    """List the lines that came (`+`) and went (`-`) between two walks, for a receipt.

    New lines come first, below the row or item they are in. A last line counts what was left out.
    """
    old, new = _comparable_lines(before), _comparable_lines(after)
    was, now = [line.text for line in old], [line.text for line in new]
    first, last = _ends(was, now)
    gone, came = was[first : len(was) - last], now[first : len(now) - last]
    if len(gone) + len(came) > LONGEST:
        return [
            *_format_added(new, range(first, len(new) - last)),
            f"… {plural(len(gone), 'line is', 'lines are')} gone",
        ]
    added: list[int] = []
    removed: list[int] = []
    for kind, from_, to, start, end in SequenceMatcher(
        None, gone, came, autojunk=False
    ).get_opcodes():
        if kind != "equal":
            removed += range(first + from_, first + to)
            added += range(first + start, first + end)
    # A line that only moved is neither new nor gone.
    moved = Counter(was[at] for at in removed) & Counter(now[at] for at in added)
    added, removed = _without(now, added, moved), _without(was, removed, moved)
    # For an element whose line changed, show the new line only.
    here = {ref for at in added for ref in _REF.findall(now[at])}
    removed = [at for at in removed if not here.intersection(_REF.findall(was[at]))]
    changes = _format_added(new, added)
    changes += [f"- {was[at][2:]}" for at in removed[:MOST_GONE]]
    if len(removed) > MOST_GONE:
        changes.append(f"… {len(removed) - MOST_GONE} more are gone")
    if moved:
        number = plural(moved.total(), "line stands", "lines stand")
        changes.append(f"… {number} elsewhere now")
    return changes


def _without(lines: list[str], at: list[int], moved: Counter[str]) -> list[int]:
    """Drop the indexes of lines that moved, each as often as it moved."""
    left = moved.copy()
    kept = []
    for index in at:
        if left[lines[index]]:
            left[lines[index]] -= 1
        else:
            kept.append(index)
    return kept


def _format_added(lines: list[SnapshotLine], added: Sequence[int]) -> list[str]:
    """Format new lines, each below the item it is in, MOST_CAME at most."""
    new = set(added)
    text: list[str] = []
    shown: set[int] = set()
    for count, at in enumerate(added):
        if len(text) >= MOST_CAME:
            text.append(f"… {len(added) - count} more are new: take a snapshot")
            break
        above = _ancestors(lines, at, lines[at].depth)
        # A complaint about a field is shown below its field.
        if lines[at].text.startswith("- invalid "):
            item = above[-1] if above else None
        else:
            item = next((up for up in reversed(above) if _ITEM.match(lines[up].text)), None)
        if item is not None and item not in new and item not in shown:
            shown.add(item)
            text.append(f"  {lines[item].text[2:]}")
        outer = [up for up in above if up in new or up in shown]
        indent = "  " * (lines[at].depth - lines[outer[0]].depth) if outer else ""
        text.append(f"+ {indent}{lines[at].text[2:]}")
    return text


def _comparable_lines(nodes: list[Node]) -> list[SnapshotLine]:
    """Render nodes without _IGNORED_STATES."""
    found = any(_IGNORED_STATES.intersection(node.states) for top in nodes for node in top.walk())
    shown = [_without_states(node) for node in nodes] if found else nodes
    return render(shown, text_length=LONGEST_CHANGED_TEXT)


def _without_states(node: Node) -> Node:
    states = tuple(state for state in node.states if state not in _IGNORED_STATES)
    children = [_without_states(inner) for inner in node.children]
    return replace(node, states=states, children=children)


def _ends(old: list[str], new: list[str]) -> tuple[int, int]:
    """Count equal lines at the beginning and at the end: usually nearly all of them are."""
    shorter = min(len(old), len(new))
    first = 0
    while first < shorter and old[first] == new[first]:
        first += 1
    last = 0
    while last < shorter - first and old[-1 - last] == new[-1 - last]:
        last += 1
    return first, last


def _ancestors(lines: Sequence[SnapshotLine], at: int, depth: int) -> list[int]:
    """Return the indexes of the ancestors of line `at`, outermost first."""
    found: list[int] = []
    for index in range(at - 1, -1, -1):
        if lines[index].depth < depth:
            found.append(index)
            depth = lines[index].depth
        if not depth:
            break
    return found[::-1]
