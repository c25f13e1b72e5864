"""`ResumeGate`: lets others hold a new target before its first script runs.

A page or worker starts at the first `Runtime.runIfWaitingForDebugger` of any of its sessions. The
relay's clients also want to set targets up. For a held session we send all setup commands except
that one; the holder calls `release` later.

Knows: which sessions are held. Must not know: for whom. A module of its own because the relay's hub
is its only user.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from pilothouse.cdp import Command, Connection, SessionId
from pilothouse.supervisor.session_setup import RESUME

__all__ = ["HoldDecision", "ResumeGate"]

HoldDecision = Callable[[SessionId], bool]


class ResumeGate:
    """Decides whether a target that is set up may run."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._decisions: list[HoldDecision] = []

    def hold(self, decides: HoldDecision) -> Callable[[], None]:
        """Hold every waiting session for which `decides` returns True; that caller must `release`
        it. The returned function removes `decides`."""
        self._decisions.append(decides)
        return lambda: self._decisions.remove(decides)

    def filter_commands(
        self, session: SessionId, waiting: bool, commands: Sequence[Command[Any]]
    ) -> Sequence[Command[Any]]:
        """Return the setup commands to send now: all, or without the resume if it is held."""
        if not waiting or not any(decides(session) for decides in self._decisions):
            return commands
        return [command for command in commands if command is not RESUME]

    def release(self, session: SessionId) -> None:
        """Let a held target run. Does nothing if it is gone or runs already."""
        kept = self._connection.sessions.get(session)
        if kept is not None:
            kept.send(RESUME)
