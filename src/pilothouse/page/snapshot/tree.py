"""The snapshot's tree: parses the walker's lines into nodes and joins the trees of frames.

Knows: the line format of js/tree_walker.js. Must not know: how the tree is shown or where it came
from.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from enum import StrEnum

import msgspec

__all__ = ["Absence", "Node", "WalkedFrame", "parse_walk", "stitch"]


# A large page has tens of thousands of nodes. A struct is created in half the time of a dataclass,
# and a tree has no cycles, so the garbage collector need not track it.
class Node(msgspec.Struct, gc=False):
    """One node of the snapshot. `text` nodes have neither ref nor children. A node with the role
    `…` stands for elements that the walker only counted; its name is their number."""

    role: str
    name: str = ""
    ref: str = ""
    acts: bool = False
    states: tuple[str, ...] = ()
    value: str = ""
    box: str = ""
    origin: str = ""
    children: list[Node] = msgspec.field(default_factory=list)

    def walk(self) -> Iterator[Node]:
        """Yield this node and everything below it, in document order."""
        waiting = [self]
        while waiting:
            node = waiting.pop()
            yield node
            if node.children:
                waiting += reversed(node.children)


class Absence(StrEnum):
    """Why there is no tree of a frame, as the snapshot says it."""

    GONE = "gone"
    NO_ANSWER = "no-answer"


class WalkedFrame(msgspec.Struct):
    """The walk of one frame.

    `slot` is the frame's index in its parent's `window.frames` and their number; None if it is not
    reported. `slots` maps the indexes of this document's own frames to their element numbers.
    `suspects` counts elements that may have a closed shadow root.
    """

    first: int
    has_computed_names: bool
    next_number: int
    slot: tuple[int, int] | None
    slot_count: int
    viewport: tuple[int, int]
    scroll: tuple[int, int, int, int]
    suspects: int
    title: str
    url: str
    roots: list[Node]
    frames: dict[int, Node]
    slots: dict[int, int]


def parse_walk(text: str, prefix: str = "") -> WalkedFrame:
    """Parse the walk of one frame; `prefix` is put before its refs (`f2` gives `f2e12`)."""
    head, _, body = text.partition("\n")
    first, native, number, slot, slot_count, *sizes, suspects, title, url = head.split("\t")
    width, height, x, y, all_width, all_height = map(int, sizes)
    roots: list[Node] = []
    frames: dict[int, Node] = {}
    slots: dict[int, int] = {}
    # open_at[depth] is the list of children that a node of that depth is appended to.
    open_at = [roots]
    ref = f"{prefix}e"
    for line in body.split("\n") if body else ():
        depth, role, name, number_, states, value, box = line.split("\t")
        level = int(depth)
        if role == "text":
            node = Node("text", name)
        elif role == "…":
            node = Node("…", name, ref + number_ if number_ else "")
        else:
            if role == "iframe" and value:
                slots[int(value)], value = int(number_), ""
            node = _node(role, name, ref + number_ if number_ else "", states, value, box)
            if role == "iframe":
                frames[int(number_)] = node
        if level + 1 < len(open_at):
            open_at[level + 1] = node.children
            del open_at[level + 2 :]
        else:
            while len(open_at) <= level:
                open_at.append(open_at[-1])
            open_at.append(node.children)
        open_at[level].append(node)
    among = [int(part) for part in slot.split()]
    return WalkedFrame(
        int(first),
        native == "1",
        int(number),
        (among[0], among[1]) if among else None,
        int(slot_count),
        (width, height),
        (x, y, all_width, all_height),
        int(suspects),
        title,
        url,
        roots,
        frames,
        slots,
    )


def _node(role: str, name: str, ref: str, states: str, value: str, box: str) -> Node:
    if not states:
        return Node(role, name, ref, False, (), value, box)
    if states == "ref":
        return Node(role, name, ref, True, (), value, box)
    words = states.split(" ")
    acts = words[-1] in ("ref", "covered")
    if words[-1] == "ref":
        words.pop()
    return Node(role, name, ref, acts, tuple(words), value, box)


def stitch(
    frame_id: str,
    walked: dict[str, WalkedFrame | Absence],
    locate: Callable[[str], tuple[str, int] | None],
    origins: dict[str, str],
) -> list[Node]:
    """Put the tree of every frame below its element in the parent's tree; return the top tree.

    `walked` has a tree for each frame, or the reason why there is none. `locate` returns a frame's
    parent and the number of its element there; None if that is unknown.
    """
    unplaced = False
    filled: set[int] = set()
    for inner, tree in walked.items():
        if inner == frame_id:
            continue
        position = locate(inner)
        if position is None:
            unplaced = True
            continue
        parent = walked.get(position[0])
        node = parent.frames.get(position[1]) if isinstance(parent, WalkedFrame) else None
        if node is None:
            continue  # the element is not rendered: the walk of the parent left it out
        origin = origins.get(inner, "")
        # Show the origin only where it changes; "null" is that of sandboxed frames.
        if origin not in (origins.get(position[0]), "null"):
            node.origin = origin
        filled.add(id(node))
        if isinstance(tree, WalkedFrame):
            node.children = tree.roots
        else:
            node.states = (*node.states, tree.value)
    if unplaced:
        _mark_unanswered(walked, filled)
    top = walked[frame_id]
    return top.roots if isinstance(top, WalkedFrame) else []


def _mark_unanswered(walked: dict[str, WalkedFrame | Absence], filled: set[int]) -> None:
    """Mark every iframe without content as `no-answer`: a frame of unknown position is in one of
    them, so none of them may pass for empty."""
    for tree in walked.values():
        for node in tree.frames.values() if isinstance(tree, WalkedFrame) else ():
            if id(node) not in filled:
                node.states = (*node.states, Absence.NO_ANSWER.value)
