"""What the parts of a page want on every session of their tab, beside what all sessions get.

Knows: which tab wants what, and that some domains have one owner per session. Must not know: what
it is wanted for. An addition reaches the sessions that are there, and each one to come before its
target runs; it ends with its tab, or when it is removed.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import msgspec

from pilothouse.cdp import Command, Event, Session
from pilothouse.errors import CdpError, CommandTimeout, SessionGone, TargetCrashed
from pilothouse.supervisor.session_setup import fetch_command

if TYPE_CHECKING:
    from pilothouse.supervisor.supervisor import Supervisor

__all__ = ["Addition", "Additions"]

# A renderer that waits for an answer takes the rest when it goes on; nobody waits for that.
ADDED_WITHIN_S = 2.0


def _nothing(_: Session) -> Sequence[Command[Any]]:
    return ()


class Addition(msgspec.Struct, frozen=True):
    """What one part wants of each session of its tab.

    `commands` is asked once for every session. `patterns` are requests to stop, of which `take`
    says whether it will answer them; what nobody takes goes on.
    """

    commands: Callable[[Session], Sequence[Command[Any]]] = _nothing
    patterns: tuple[Mapping[str, str], ...] = ()
    take: Callable[[Event[Any]], bool] | None = None


class Additions:
    """The additions of all tabs of one supervisor, by tab and name."""

    def __init__(self, supervisor: Supervisor) -> None:
        self._supervisor = supervisor
        self._wanted: dict[str, dict[str, Addition]] = {}

    async def put(self, tab: str, name: str, addition: Addition) -> None:
        """Add to a tab, in place of what had this name. Raises ToolError for a tab that is not
        there, CdpError if a session of it refuses; then nothing has this name."""
        top = self._supervisor.session(tab)
        wanted = self._wanted.setdefault(tab, {})
        before = wanted.get(name)
        wanted[name] = addition
        fetches = addition.patterns or (before is not None and before.patterns)
        try:
            await self._send(
                top,
                lambda session: [
                    *addition.commands(session),
                    *(self._fetch(session, tab) if fetches else ()),
                ],
            )
        except CdpError:
            # Sessions to come would refuse it as well.
            wanted.pop(name, None)
            raise

    async def remove(self, tab: str, name: str) -> None:
        """Take an addition back; what it sent by `commands` stays. Harmless when it is gone."""
        removed = self._wanted.get(tab, {}).pop(name, None)
        there = self._supervisor.state.tabs.get(tab)
        top = self._supervisor.connection.sessions.get(there.session) if there else None
        if removed is not None and removed.patterns and top is not None:
            await self._send(top, lambda session: self._fetch(session, tab))

    async def fence_in(self, tab: str) -> None:
        """Stop what the fence of a tab wants stopped, now that its owner is known. Raises CdpError
        if a session of it refuses."""
        if self._supervisor.fences.of(self._supervisor.state.tabs.get(tab)).walls:
            top = self._supervisor.session(tab)
            await self._send(top, lambda session: self._fetch(session, tab))

    def keep(self, tabs: Container[str]) -> None:
        """Forget all but these tabs."""
        for tab in [tab for tab in self._wanted if tab not in tabs]:
            del self._wanted[tab]

    def commands(self, tab: str, session: Session) -> list[Command[Any]]:
        """What a fresh session of a tab is sent for all of them."""
        wanted = self._wanted.get(tab)
        return [c for a in wanted.values() for c in a.commands(session)] if wanted else []

    def patterns(self, tab: str) -> list[Mapping[str, str]]:
        """Which requests of a tab are stopped for them."""
        wanted = self._wanted.get(tab)
        return [p for a in wanted.values() for p in a.patterns] if wanted else []

    def stopped(self, tab: str) -> list[Mapping[str, str]]:
        """The same, and what is stopped for the tab's fence."""
        return [*self._supervisor.fences.patterns(tab), *self.patterns(tab)]

    def takes(self, tab: str, event: Event[Any]) -> bool:
        """Whether somebody will answer this stopped request."""
        wanted = self._wanted.get(tab, {})
        return any(a.take is not None and a.take(event) for a in wanted.values())

    def _fetch(self, session: Session, tab: str) -> Sequence[Command[Any]]:
        kind = session.target_type
        return fetch_command(kind, self._supervisor.setup, self.stopped(tab))

    async def _send(
        self, top: Session, commands: Callable[[Session], Sequence[Command[Any]]]
    ) -> None:
        connection, state = self._supervisor.connection, self._supervisor.state
        family = [connection.sessions.get(member) for member in state.family(top.id)]
        replies = [
            (session is top, session.send(command, ADDED_WITHIN_S))
            for session in family
            if session is not None
            for command in commands(session)
        ]
        for own, reply in replies:
            try:
                await reply
            except CommandTimeout:
                continue  # It is in the target's queue and holds once the target goes on.
            except (SessionGone, TargetCrashed):
                # A frame or worker that went meanwhile needs nothing any more.
                if own:
                    raise
