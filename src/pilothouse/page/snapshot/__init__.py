"""Snapshots: a page as an indented text of roles, names and refs, for an agent to read.

    options.py            SnapshotOptions: what a client asks for
    snapshot.py           Snapshots.take() returns a Snapshot; remembers what each client saw
    frame_walker.py       FrameWalker: calls `ph.walk` in every frame and joins the trees
    walk_decisions.py     DocumentWalk: what happens next with a document; pure
    walk_cache.py         WalkCache: returns the last walk of a document that has not changed
    pointer_listeners.py  PointerListeners: plain elements that the page made clickable
    tree.py               parse_walk() turns a walk into Nodes; stitch() joins frames
    render.py             Nodes to lines within a token budget: tidy, find, fit
    diff.py               changed lines between two snapshots
    refs.py               Ref and Refs: `e12`, `f2e12`, and the frame each belongs to
    untrusted_markers.py  the markers around text that comes from a page

A snapshot goes SnapshotOptions -> FrameWalker -> one WalkedFrame per frame -> stitch -> list[Node]
-> fit -> lines -> (diff) -> wrap_untrusted -> Snapshot.text.
"""

from __future__ import annotations

from pilothouse.page.snapshot.diff import changed_lines
from pilothouse.page.snapshot.refs import Ref, Refs, parse_ref
from pilothouse.page.snapshot.snapshot import BUDGET_TOKENS, Snapshot, SnapshotOptions, Snapshots
from pilothouse.page.snapshot.tree import Node
from pilothouse.page.snapshot.untrusted_markers import (
    escape_markers,
    new_nonce,
    unwrap_untrusted,
    wrap_untrusted,
)

__all__ = [
    "BUDGET_TOKENS",
    "Node",
    "Ref",
    "Refs",
    "Snapshot",
    "SnapshotOptions",
    "Snapshots",
    "changed_lines",
    "escape_markers",
    "new_nonce",
    "parse_ref",
    "unwrap_untrusted",
    "wrap_untrusted",
]
