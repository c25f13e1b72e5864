"""What the walker saw, as a tree: lines of one frame become nodes, frames are put in their places.

Knows: the walker's lines. Must not know: how the tree is shown or where it came from.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import msgspec

__all__ = ["Node", "WalkedFrame", "parse_walk", "stitch"]


# A large page has tens of thousands: a struct is made in half the time of a dataclass, and a tree
# holds no cycles for the collector to look for.
class Node(msgspec.Struct, gc=False):
    """One node of the snapshot. `text` nodes have neither number nor children; one called `…`
    stands for so many that the walker only counted."""

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
        """This node and everything below it, in order."""
        waiting = [self]
        while waiting:
            node = waiting.pop()
            yield node
            if node.children:
                waiting += reversed(node.children)


class WalkedFrame(msgspec.Struct):
    """One frame, walked. `native`: Chrome tells names here. `slot` says which of how many frames in
    its parent it is, `slots` under which number each of those in it stands; None, or not there:
    that is not told so."""

    first: int
    native: bool
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
    """The tree of one frame; `prefix` stands before its refs."""
    head, _, body = text.partition("\n")
    first, native, number, slot, slot_count, *sizes, suspects, title, url = head.split("\t")
    width, height, x, y, all_width, all_height = map(int, sizes)
    roots: list[Node] = []
    frames: dict[int, Node] = {}
    slots: dict[int, int] = {}
    # The children to which a node of each depth belongs.
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
    walked: dict[str, WalkedFrame | str],
    owner: Callable[[str], tuple[str, int] | None],
    origins: dict[str, str],
) -> list[Node]:
    """The tree of a frame with every frame below it in its place.

    `walked` has a tree for each frame, or the reason why there is none; `owner` says in which frame
    and under which number a frame's element stands.
    """
    unplaced = False
    filled: set[int] = set()
    for inner, tree in walked.items():
        place = owner(inner)
        if inner == frame_id:
            continue
        if place is None:
            unplaced = True
            continue
        parent = walked.get(place[0])
        node = parent.frames.get(place[1]) if isinstance(parent, WalkedFrame) else None
        if node is None:
            continue  # not painted: the walker of the parent has passed it over
        origin = origins.get(inner, "")
        if origin not in (origins.get(place[0]), "null"):
            node.origin = origin
        filled.add(id(node))
        if isinstance(tree, WalkedFrame):
            node.children = tree.roots
        else:
            node.states = (*node.states, tree)
    if unplaced:
        _mark_unanswered(walked, filled)
    top = walked[frame_id]
    return top.roots if isinstance(top, WalkedFrame) else []


def _mark_unanswered(walked: dict[str, WalkedFrame | str], filled: set[int]) -> None:
    """A frame nobody knows the place of stands in one of the empty ones: none passes for empty."""
    for tree in walked.values():
        for node in tree.frames.values() if isinstance(tree, WalkedFrame) else ():
            if id(node) not in filled:
                node.states = (*node.states, "no-answer")
