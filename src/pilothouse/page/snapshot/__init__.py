"""TODO-MAP page/snapshot."""

from __future__ import annotations

from pilothouse.page.snapshot.refs import Ref, Refs, parse_ref
from pilothouse.page.snapshot.snapshot import BUDGET_TOKENS, Snapshot, SnapshotOptions, Snapshots
from pilothouse.page.snapshot.tree import Node
from pilothouse.page.snapshot.untrusted_markers import (
    between,
    escape_markers,
    new_word,
    unwrap_untrusted,
)

__all__ = [
    "BUDGET_TOKENS",
    "Node",
    "Ref",
    "Refs",
    "Snapshot",
    "SnapshotOptions",
    "Snapshots",
    "between",
    "escape_markers",
    "new_word",
    "parse_ref",
    "unwrap_untrusted",
]
