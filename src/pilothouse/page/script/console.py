"""The console of a tab, for agents: what its frames and workers said, with a place to go on from.

Knows: how to ask the supervisor's recorder. Must not know: Chrome's events.
"""

from __future__ import annotations

from typing import Any

from pilothouse.errors import ToolError
from pilothouse.page.tab_context import TabContext
from pilothouse.supervisor.journal import LINES_KEPT_PER_TAB, LEVELS

__all__ = ["Console"]


class Console:
    """The last lines of one tab. Everything it says was recorded already."""

    def __init__(self, context: TabContext) -> None:
        self._context = context

    @property
    def next_seq(self) -> int:
        """`since` for what is said after now."""
        return self._context.supervisor.console.count(self._context.tab_id) + 1

    def entries(
        self, since: int | None = None, level: str = "debug", limit: int = 100
    ) -> dict[str, Any]:
        """Lines of `level` or worse: from number `since` on, else the last ones.

        `next_seq` is the `since` of the next call; `dropped` counts lines that were asked for and
        are no longer kept. Raises ToolError for a level, a limit or a number that is none.
        """
        if level not in LEVELS:
            raise ToolError(f"level: {level!r} is none", hint=f"one of {', '.join(LEVELS)}")
        if not 1 <= limit <= LINES_KEPT_PER_TAB:
            raise ToolError(f"limit: {limit} is not 1 to {LINES_KEPT_PER_TAB}", hint="100 is usual")
        if since is not None and since < 0:
            raise ToolError(f"since: {since} is less than 0", hint="use next_seq of the last call")
        supervisor = self._context.supervisor
        found, next_seq, dropped = supervisor.console.lines(
            self._context.tab_id, since, level, limit
        )
        entries = [line | {"at": supervisor.clock + line["at"]} for line in found]
        return {"entries": entries, "next_seq": next_seq, "dropped": dropped}
