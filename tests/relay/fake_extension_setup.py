"""A lent Chrome on a stage: the fake extension, `Lent`, and a connection to it."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from pilothouse.cdp import Command, Connection, Event, Session, SessionId
from pilothouse.relay.extension.transport import ExtensionTransport
from tests.relay.fake_extension import FakeExtension, FakeTab

__all__ = ["Stage", "open_stage"]


@dataclass
class Stage:
    """What a test works with."""

    extension: FakeExtension
    lent: ExtensionTransport
    connection: Connection
    events: list[Event[Any]] = field(default_factory=list)

    async def send(self, method: str, session: Session | None = None, **params: Any) -> Any:
        """Send a command and wait for the answer."""
        return await (session or self.connection.root).send(Command(method, params), 5.0)

    async def attach(self, tab: FakeTab, on: Session | None = None) -> Session:
        """A new session on a tab."""
        answer = await self.send("Target.attachToTarget", on, targetId=tab.frame_id, flatten=True)
        return self.connection.sessions[SessionId(answer["sessionId"])]

    async def browser(self) -> Session:
        """A new session of the browser itself."""
        answer = await self.send("Target.attachToBrowserTarget")
        return self.connection.sessions[SessionId(answer["sessionId"])]

    def heard(self, method: str, session: Session | None = None) -> list[dict[str, Any]]:
        """The params of every event of this name, on one session or on all."""
        return [
            event.params
            for event in self.events
            if event.method == method and (session is None or event.session_id == session.id)
        ]

    async def settle(self) -> None:
        """Until everything that was said has been heard, both ways: a command goes there and
        back."""
        await self.send("Browser.getWindowForTarget", targetId=self._any_target())

    def _any_target(self) -> str:
        return next(iter(self.extension.tabs.values())).frame_id

    async def until(self, question: Callable[[], Any]) -> None:
        """Wait until something is true; it is asked again after every message."""
        await self.extension.until(question)


@asynccontextmanager
async def open_stage(extension: FakeExtension, **times: Any) -> AsyncIterator[Stage]:
    """Come up, connect, and go down again."""
    lent = ExtensionTransport(extension.hello, **times)
    extension.joins(lent)
    connection = await Connection.open(lent.dial, name="lent")
    stage = Stage(extension, lent, connection)
    connection.on_any_event(stage.events.append)
    try:
        yield stage
    finally:
        await connection.close()
        lent.close()
