"""An agent at the context of a real daemon, as tests need it.

Knows: how tools are called. Must not know: what is asserted.
"""

from __future__ import annotations

from typing import Any

from pilothouse.code.client.daemon_connection import DaemonClient

__all__ = ["EVERY", "Agent"]

EVERY = ("browser", "browser-data", "web", "code")


class Agent:
    """Calls tools as one owner; the code tools are named, so they are on."""

    def __init__(self, line: DaemonClient, toolsets: tuple[str, ...] = EVERY, **more: Any) -> None:
        self.line = line
        self._more = {**more, "toolsets": list(toolsets)}

    def use(self, name: str, /, **arguments: Any) -> dict[str, Any]:
        """The answer, whatever it is."""
        answer: dict[str, Any] = self.line.call(
            "tool", name=name, arguments=arguments, **self._more
        )
        return answer

    def ok(self, name: str, /, **arguments: Any) -> dict[str, Any]:
        """The answer of a call that must do."""
        answer = self.use(name, **arguments)
        assert answer["success"], answer
        return answer

    def refused(self, name: str, /, **arguments: Any) -> tuple[str, str]:
        """Error and hint of a call that must not do."""
        answer = self.use(name, **arguments)
        assert answer["success"] is False, answer
        assert "blocked_by" not in answer, answer
        return answer["error"], answer["hint"]

    def blocked(self, name: str, /, **arguments: Any) -> dict[str, Any]:
        """The answer of a call that something must block."""
        answer = self.use(name, **arguments)
        assert answer["success"] is False, answer
        assert answer["blocked_by"], answer
        return answer
