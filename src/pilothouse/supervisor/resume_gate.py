"""Who else has a word before a fresh target runs.

Knows: that sessions may be kept waiting. Must not know: for whom. A page or worker may run at the
first `Runtime.runIfWaitingForDebugger` of any of its sessions: so whoever wants to prepare it
beside us has us send everything but that, and lets it go later.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from pilothouse.cdp import Command, Connection, SessionId
from pilothouse.supervisor.session_setup import RUN

__all__ = ["Keeper", "Turnstile"]

Keeper = Callable[[SessionId], bool]


class Turnstile:
    """The gate between a target that is set up and one that runs."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._keepers: list[Keeper] = []

    def keep(self, keeper: Keeper) -> Callable[[], None]:
        """Ask `keeper` about every waiting session until the returned function is called. It must
        let go each one that it says yes to."""
        self._keepers.append(keeper)
        return lambda: self._keepers.remove(keeper)

    def pass_through(
        self, session: SessionId, waiting: bool, commands: Sequence[Command[Any]]
    ) -> Sequence[Command[Any]]:
        """What to send a fresh session now: all of it, or all but what lets it run."""
        if not waiting or not any(keeper(session) for keeper in self._keepers):
            return commands
        return [command for command in commands if command is not RUN]

    def release(self, session: SessionId) -> None:
        """Let a target run whose session was kept. Harmless when it is gone or runs."""
        kept = self._connection.sessions.get(session)
        if kept is not None:
            kept.send(RUN)
