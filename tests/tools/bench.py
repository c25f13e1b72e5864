"""A context without a daemon, for tests of single tools: calls are remembered and answered from a
table.

Knows: how a context is made. Must not know: any tool.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from pilothouse.tools.context import ToolContext, ToolSession

__all__ = ["Daemon", "context_for"]


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


def context_for(daemon: Daemon, folder: Path | None = None, **settings: Any) -> ToolContext:
    """A context whose daemon is the table."""
    own = {"outputs": str((folder or Path("/nowhere")) / "outputs"), **settings}
    return ToolContext(ToolSession("me"), daemon.call, settings=own)
