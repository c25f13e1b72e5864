"""A second connection that keeps dialogs answerable when the first one drops.

Chrome reports a dialog only to sessions that had `Page` enabled when it opened, and accepts the
answer only from those. So a browser reached over a network gets a second socket. It attaches to the
same tabs, enables `Page`, and stays idle until the first connection drops.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pilothouse.cdp import Connection, Event, Session, SessionId, Status
from pilothouse.cdp.protocol import Page, Target
from pilothouse.errors import CdpError, ConnectionLost
from pilothouse.supervisor.model import decode
from pilothouse.supervisor.model import events as ev

if TYPE_CHECKING:
    from pilothouse.supervisor.supervisor import Supervisor

__all__ = ["StandbyConnection"]

ATTACH_WITHIN_S = 10.0


class StandbyConnection:
    """The standby connection of one supervisor."""

    def __init__(self, connection: Connection) -> None:
        self.connection = connection
        self._supervisor: Supervisor | None = None
        self._sessions: dict[str, SessionId] = {}

    async def start(self, supervisor: Supervisor) -> None:
        """Start listening for this supervisor."""
        self._supervisor = supervisor
        self.connection.on(Page.javascriptDialogOpening, self._on_dialog)
        self.connection.on(Page.javascriptDialogClosed, self._on_dialog)
        self.connection.on_status(self._on_status)

    async def close(self) -> None:
        """Close the connection."""
        await self.connection.close()

    async def attach(self, target_id: str) -> None:
        """Attach to a tab's target, so that its next dialog is reported here too."""
        if self._supervisor is None or self._live_session(target_id):
            return
        try:
            attached = await self.connection.send(
                Target.attachToTarget(targetId=target_id, flatten=True), ATTACH_WITHIN_S
            )
            self._sessions[target_id] = SessionId(attached["sessionId"])
            await self.session(target_id).send(Page.enable(), ATTACH_WITHIN_S)
        except CdpError:
            self._report(target_id, is_standby=False)
        else:
            self._report(target_id, is_standby=True)

    def session(self, target_id: str) -> Session:
        """Return the standby session of a target. Raises ConnectionLost if there is none."""
        session = self._live_session(target_id)
        if session is None:
            raise ConnectionLost(
                f"no standby session for target {target_id}", hint="reload the tab"
            )
        return session

    def _live_session(self, target_id: str) -> Session | None:
        return self.connection.sessions.get(self._sessions.get(target_id, SessionId("-")))

    def _report(self, target_id: str, *, is_standby: bool) -> None:
        if self._supervisor is not None:
            self._supervisor.feed(ev.StandbyChanged(self._supervisor.now(), target_id, is_standby))

    def _on_dialog(self, event: Event[Any]) -> None:
        session = self.connection.sessions.get(event.session_id)
        if session is None or self._supervisor is None:
            return
        ours = decode(event.method, event.params, event.session_id, self._supervisor.now())
        if isinstance(ours, ev.DialogOpened | ev.DialogClosed):
            self._supervisor.feed(ev.from_standby(ours, session.target_id))

    def _on_status(self, status: Status) -> None:
        supervisor = self._supervisor
        if supervisor is None:
            return
        targets = list(self._sessions)
        if status is not Status.OPEN:
            for target_id in targets:
                self._report(target_id, is_standby=False)
            return
        self._sessions.clear()
        for tab in supervisor.state.tabs.values():
            supervisor.tasks.start(self.attach(tab.target_id), "hold a tab again")
