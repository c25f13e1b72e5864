"""What of a page is wanted."""

from __future__ import annotations

import re
from typing import Any

import msgspec

__all__ = ["BUDGET_TOKENS", "SnapshotOptions"]

BUDGET_TOKENS = 4000
# A short line is about so many tokens; a container gets at least so many of them.
TOKENS_A_LINE = 6
FEWEST_LINES = 100


class SnapshotOptions(msgspec.Struct, frozen=True):
    """What of the page is wanted."""

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

    def most(self) -> int:
        """How many lines of one container are worth walking: more than the budget can hold, or all
        (0) where every line counts."""
        if not self.budget or self.find:
            return 0
        lines = max(self.budget // TOKENS_A_LINE, FEWEST_LINES)
        return lines * 3 if self.interactive else lines

    def options(self, number: int) -> dict[str, Any]:
        """What the walker is told (scripts/walk.js); `number` is that of the subtree."""
        return {
            "boxes": self.boxes,
            "viewport": self.viewport,
            "all": self.hidden,
            "root": number,
            "most": self.most(),
            # Whoever looks for something may not see where a list was said first.
            "lists": bool(self.find),
        }
