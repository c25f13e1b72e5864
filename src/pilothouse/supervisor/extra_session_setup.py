"""Extra setup that parts of a page want on every session of their tab.

A hook applies to the present sessions of a tab and to each later one before its target runs. It
ends with its tab or when it is removed. All `Fetch` patterns of a session go into one
`Fetch.enable`, because the last one replaces the others.

Knows: which tab has which hooks. Must not know: what they are for.
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

__all__ = ["SessionHook", "SessionHooks"]

# A blocked renderer handles queued commands when it resumes; do not wait longer for that.
SEND_WITHIN_S = 2.0


def _nothing(_: Session) -> Sequence[Command[Any]]:
    return ()


class SessionHook(msgspec.Struct, frozen=True):
    """Extra setup for each session of a tab.

    `commands` is called once for every session. `patterns` are the requests to pause; `handle` is
    called for each and returns whether it will answer it. An unhandled request continues.
    """

    commands: Callable[[Session], Sequence[Command[Any]]] = _nothing
    patterns: tuple[Mapping[str, str], ...] = ()
    handle: Callable[[Event[Any]], bool] | None = None


class SessionHooks:
    """The hooks of all tabs of one supervisor, by tab and name."""

    def __init__(self, supervisor: Supervisor) -> None:
        self._supervisor = supervisor
        self._hooks: dict[str, dict[str, SessionHook]] = {}

    async def put(self, tab: str, name: str, hook: SessionHook) -> None:
        """Add to a tab, in place of what had this name. Raises ToolError for a tab that is not
        there, CdpError if a session of it refuses; then nothing has this name."""
        top = self._supervisor.session(tab)
        wanted = self._hooks.setdefault(tab, {})
        before = wanted.get(name)
        wanted[name] = hook
        fetches = hook.patterns or (before is not None and before.patterns)
        try:
            await self._send(
                top,
                lambda session: [
                    *hook.commands(session),
                    *(self._fetch(session, tab) if fetches else ()),
                ],
            )
        except CdpError:
            # Sessions to come would refuse it as well.
            wanted.pop(name, None)
            raise

    async def remove(self, tab: str, name: str) -> None:
        """Take a hook back; what it sent by `commands` stays. Harmless when it is gone."""
        removed = self._hooks.get(tab, {}).pop(name, None)
        there = self._supervisor.state.tabs.get(tab)
        top = self._supervisor.connection.sessions.get(there.session) if there else None
        if removed is not None and removed.patterns and top is not None:
            await self._send(top, lambda session: self._fetch(session, tab))

    async def apply_url_policy(self, tab: str) -> None:
        """Pause the requests that a tab's URL policy must check, now that its owner is known.
        Raises CdpError if a session refuses."""
        if self._supervisor.url_policy.policy_for(
            self._supervisor.state.tabs.get(tab)
        ).is_restrictive:
            top = self._supervisor.session(tab)
            await self._send(top, lambda session: self._fetch(session, tab))

    async def apply_own_ports(self, tab: str) -> None:
        """Pause requests to the ports of `Options.own_ports`, which have changed. Raises CdpError
        if a session refuses."""
        top = self._supervisor.session(tab)
        await self._send(top, lambda session: self._fetch(session, tab))

    def retain_tabs(self, tabs: Container[str]) -> None:
        """Remove the hooks of all tabs but these."""
        for tab in [tab for tab in self._hooks if tab not in tabs]:
            del self._hooks[tab]

    def commands(self, tab: str, session: Session) -> list[Command[Any]]:
        """Return the hooks' commands for a new session of a tab."""
        wanted = self._hooks.get(tab)
        return [c for a in wanted.values() for c in a.commands(session)] if wanted else []

    def patterns(self, tab: str) -> list[Mapping[str, str]]:
        """Return the request patterns of a tab's hooks."""
        wanted = self._hooks.get(tab)
        return [p for a in wanted.values() for p in a.patterns] if wanted else []

    def intercept_patterns(self, tab: str) -> list[Mapping[str, str]]:
        """Return all request patterns of a tab: those of its URL policy and of its hooks."""
        return [*self._supervisor.url_policy.intercept_patterns(tab), *self.patterns(tab)]

    def handles(self, tab: str, event: Event[Any]) -> bool:
        """Return whether a hook will answer this paused request."""
        wanted = self._hooks.get(tab, {})
        return any(a.handle is not None and a.handle(event) for a in wanted.values())

    def _fetch(self, session: Session, tab: str) -> Sequence[Command[Any]]:
        kind = session.target_type
        return fetch_command(kind, self._supervisor.setup, self.intercept_patterns(tab))

    async def _send(
        self, top: Session, commands: Callable[[Session], Sequence[Command[Any]]]
    ) -> None:
        connection, state = self._supervisor.connection, self._supervisor.state
        family = [connection.sessions.get(member) for member in state.session_subtree(top.id)]
        replies = [
            (session is top, session.send(command, SEND_WITHIN_S))
            for session in family
            if session is not None
            for command in commands(session)
        ]
        for own, reply in replies:
            try:
                await reply
            except CommandTimeout:
                continue  # It is in the target's queue and takes effect when the target resumes.
            except (SessionGone, TargetCrashed):
                # A frame or worker that ended meanwhile needs no setup.
                if own:
                    raise
