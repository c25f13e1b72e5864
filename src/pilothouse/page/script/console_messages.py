"""The console of a tab for agents: messages of its frames and workers, with a sequence number to
continue from.

Knows: how to query the supervisor's console log. Must not know: Chrome's events.
"""

from __future__ import annotations

from typing import Any

from pilothouse.errors import UsageError
from pilothouse.page.tab_context import TabContext
from pilothouse.supervisor.journal import LEVELS, LINES_KEPT_PER_TAB

__all__ = ["PageConsole"]


class PageConsole:
    """Reads the last console lines of one tab, which the supervisor has recorded."""

    def __init__(self, context: TabContext) -> None:
        self._context = context

    @property
    def next_seq(self) -> int:
        """The value of `since` that returns only lines logged from now on."""
        return self._context.supervisor.console.count(self._context.tab_id) + 1

    def entries(
        self, since: int | None = None, level: str = "debug", limit: int = 100
    ) -> dict[str, Any]:
        """Return lines of `level` or above: from number `since` on, or else the last ones.

        `next_seq` is the `since` of the next call; `dropped` counts requested lines that are no
        longer stored. Raises ToolError for an invalid level, limit or number.
        """
        if level not in LEVELS:
            raise UsageError(
                f"level: unknown value {level!r}; expected one of {', '.join(LEVELS)}",
                hint=f"use one of {', '.join(LEVELS)}",
            )
        if not 1 <= limit <= LINES_KEPT_PER_TAB:
            raise UsageError(
                f"limit: {limit} is out of range; expected 1 to {LINES_KEPT_PER_TAB}",
                hint="use 100",
            )
        if since is not None and since < 0:
            raise UsageError(
                f"since: {since} is negative; expected 0 or more",
                hint="use next_seq of the last call",
            )
        supervisor = self._context.supervisor
        found, next_seq, dropped = supervisor.console.lines(
            self._context.tab_id, since, level, limit
        )
        entries = [line | {"at": supervisor.clock + line["at"]} for line in found]
        return {"entries": entries, "next_seq": next_seq, "dropped": dropped}
