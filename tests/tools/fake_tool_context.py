"""A context without a daemon, for tests of single tools: calls are remembered and answered from a
table.

Knows: how a context is made. Must not know: any tool.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pilothouse.code.client import is_blocked
from pilothouse.tabs.tab_calls import PendingReport
from pilothouse.tools.context import DiffIf, ToolContext, ToolSession

__all__ = ["Daemon", "context_for"]


class Daemon:
    """Answers calls from a table; an exception in it is raised, a list gives one after another."""

    def __init__(self, **answers: Any) -> None:
        self.answers = answers
        self.calls: list[tuple[str, dict[str, Any]]] = []
        # What tools keep with blocked actions, by tab and action id.
        self.blocked: dict[str, dict[str, Any]] = {}

    async def call(self, method: str, params: dict[str, Any]) -> Any:
        """One call."""
        self.calls.append((method, params))
        answer = self.answers.get(method.replace(".", "_"))
        if isinstance(answer, list) and answer and method != "tabs":
            answer = answer.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return answer

    async def perform(
        self, owner: str, name: str, given: Mapping[str, Any], diff_if: DiffIf | None = None
    ) -> Any:
        """One call of a verb, from the same table as `tab.NAME`."""
        answer = await self.call(f"tab.{name}", dict(given))
        if name == "result" and not is_blocked(answer):
            del self.blocked[given["tab"]][given["action_id"]]
        return answer

    def pending(self, owner: str, name: str) -> PendingReport:
        """What is open at a tab, from the entry `pending`."""
        found = self.answers.get("pending")
        if isinstance(found, Exception):
            raise found
        return PendingReport(found or [], [])

    def tab_with_dialog(self, owner: str, name: str, dialog_id: str = "") -> str:
        """The tab itself."""
        return name

    def blocked_calls(self, owner: str, name: str) -> dict[str, Any]:
        """What tools kept with the blocked actions of a tab."""
        return dict(self.blocked.get(name, {}))

    def keep_with_blocked(self, owner: str, name: str, action_id: str, call: object) -> None:
        """Keep something with a blocked action."""
        of_tab = self.blocked.setdefault(name, {})
        of_tab[action_id] = call
        if call is None:
            del of_tab[action_id]

    def interrupt_ids(self, owner: str) -> set[str]:
        """Nothing is open."""
        return set()


def context_for(daemon: Daemon, folder: Path | None = None, **settings: Any) -> ToolContext:
    """A context whose daemon is the table."""
    own = {"outputs": str((folder or Path("/nowhere")) / "outputs"), **settings}
    return ToolContext(ToolSession("me"), daemon, daemon.call, settings=own)
