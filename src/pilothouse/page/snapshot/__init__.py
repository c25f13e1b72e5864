"""TODO-MAP page/snapshot."""

from __future__ import annotations

from pilothouse.page.snapshot.refs import Ref, Refs, parse_ref
from pilothouse.page.snapshot.snapshot import BUDGET_TOKENS, Look, Snapshot, Snapshots
from pilothouse.page.snapshot.tree import Node
from pilothouse.page.snapshot.untrusted_markers import between, new_word, unwrapped, without_marks

__all__ = [
    "BUDGET_TOKENS",
    "Look",
    "Node",
    "Ref",
    "Refs",
    "Snapshot",
    "Snapshots",
    "between",
    "new_word",
    "parse_ref",
    "unwrapped",
    "without_marks",
]
