"""A second wire that only holds: it keeps dialogs answerable when the first one drops.

Chrome tells a dialog to sessions that had `Page` enabled when it opened, and takes the answer
from those alone. So a browser reached over a network gets one more socket, which attaches to the
same tabs, enables `Page`, and is used for nothing else until it is needed.
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

__all__ = ["Holder"]

HOLD_WITHIN_S = 10.0


class Holder:
    """The holding wire of one supervisor."""

    def __init__(self, connection: Connection) -> None:
        self.connection = connection
        self._supervisor: Supervisor | None = None
        self._sessions: dict[str, SessionId] = {}

    async def start(self, supervisor: Supervisor) -> None:
        """Work for this supervisor from now on."""
        self._supervisor = supervisor
        self.connection.on(Page.javascriptDialogOpening, self._on_dialog)
        self.connection.on(Page.javascriptDialogClosed, self._on_dialog)
        self.connection.on_status(self._on_status)

    async def close(self) -> None:
        """Let go of everything."""
        await self.connection.close()

    async def hold(self, target_id: str) -> None:
        """Attach to a tab's target and be there when its next dialog opens."""
        if self._supervisor is None or self._live(target_id):
            return
        try:
            attached = await self.connection.send(
                Target.attachToTarget(targetId=target_id, flatten=True), HOLD_WITHIN_S
            )
            self._sessions[target_id] = SessionId(attached["sessionId"])
            await self.session(target_id).send(Page.enable(), HOLD_WITHIN_S)
        except CdpError:
            self._tell(target_id, holds=False)
        else:
            self._tell(target_id, holds=True)

    def session(self, target_id: str) -> Session:
        """The holding session of a target. Raises ConnectionLost if there is none."""
        session = self._live(target_id)
        if session is None:
            raise ConnectionLost(f"nobody holds target {target_id}", hint="reload the tab")
        return session

    def _live(self, target_id: str) -> Session | None:
        return self.connection.sessions.get(self._sessions.get(target_id, SessionId("-")))

    def _tell(self, target_id: str, *, holds: bool) -> None:
        if self._supervisor is not None:
            self._supervisor.feed(ev.HolderHolds(self._supervisor.now(), target_id, holds))

    def _on_dialog(self, event: Event[Any]) -> None:
        session = self.connection.sessions.get(event.session_id)
        if session is None or self._supervisor is None:
            return
        ours = decode(event.method, event.params, event.session_id, self._supervisor.now())
        if isinstance(ours, ev.DialogOpened | ev.DialogClosed):
            self._supervisor.feed(ev.held(ours, session.target_id))

    def _on_status(self, status: Status) -> None:
        supervisor = self._supervisor
        if supervisor is None:
            return
        targets = list(self._sessions)
        if status is not Status.OPEN:
            for target_id in targets:
                self._tell(target_id, holds=False)
            return
        self._sessions.clear()
        for tab in supervisor.state.tabs.values():
            supervisor.tasks.start(self.hold(tab.target_id), "hold a tab again")
