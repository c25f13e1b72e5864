"""SnapshotOptions: which part of a page a snapshot shows, and how much of it."""

from __future__ import annotations

import re
from typing import Any

import msgspec

__all__ = ["BUDGET_TOKENS", "SnapshotOptions"]

BUDGET_TOKENS = 4000
# A short line has about TOKENS_A_LINE tokens; a container is walked for at least FEWEST_LINES.
TOKENS_A_LINE = 6
FEWEST_LINES = 100


class SnapshotOptions(msgspec.Struct, frozen=True):
    """Options of one snapshot. `root` is the ref of a subtree, `depth` 0 means no limit, `budget`
    is in tokens (0: no limit), `limit` is the number of matches of `find` to show (0: all),
    `diff` shows only what changed since the client's last snapshot."""

    interactive: bool = False
    depth: int = 0
    root: str = ""
    viewport: bool = False
    budget: int = BUDGET_TOKENS
    find: str | re.Pattern[str] = ""
    limit: int = 0
    diff: bool = False
    boxes: bool = False
    hidden: bool = False

    def max_lines(self) -> int:
        """Return how many lines of one container to walk: more than the budget can hold, or 0 for
        all, because a search must see every line."""
        if not self.budget or self.find:
            return 0
        lines = max(self.budget // TOKENS_A_LINE, FEWEST_LINES)
        return lines * 3 if self.interactive else lines

    def walk_options(self, number: int) -> dict[str, Any]:
        """Build the options of `ph.walk` (js/tree_walker.js); `number` is the subtree's root."""
        return {
            "boxes": self.boxes,
            "viewport": self.viewport,
            "all": self.hidden,
            "root": number,
            "most": self.max_lines(),
            # Repeat equal option lists: a search may not show the element where it stands first.
            "lists": bool(self.find),
        }
