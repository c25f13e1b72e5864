"""A desk without a daemon, for tests of single tools: calls are remembered and answered from a
table.

Knows: how a desk is made. Must not know: any tool.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from pilothouse.tools.context import Desk, Seat

__all__ = ["Daemon", "desk_at"]


class Daemon:
    """Answers calls from a table; an exception in it is raised, a list gives one after another."""

    def __init__(self, **answers: Any) -> None:
        self.answers = answers
        self.calls: list[tuple[str, dict[str, Any]]] = []

    async def call(self, method: str, params: dict[str, Any]) -> Any:
        """One call."""
        self.calls.append((method, params))
        answer = self.answers.get(method.replace(".", "_"))
        if isinstance(answer, list) and answer and method != "tabs":
            answer = answer.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return answer


def desk_at(daemon: Daemon, folder: Path | None = None, **settings: Any) -> Desk:
    """A desk whose daemon is the table."""
    own = {"outputs": str((folder or Path("/nowhere")) / "outputs"), **settings}
    return Desk(Seat("me"), daemon.call, settings=own)
