"""A desk without a house, for tests of single tools: calls are remembered and answered from a
table.

Knows: how a desk is made. Must not know: any tool.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from pilothouse.tools.context import Desk, Seat

__all__ = ["House", "desk_at"]


class House:
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


def desk_at(house: House, folder: Path | None = None, **settings: Any) -> Desk:
    """A desk whose house is the table."""
    own = {"outputs": str((folder or Path("/nowhere")) / "outputs"), **settings}
    return Desk(Seat("me"), house.call, settings=own)
