"""One flat CDP session: the face through which a target is commanded and heard."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Generator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from pilothouse.cdp.message import ROOT, Command, Event, EventName
from pilothouse.cdp.reply import Reply
from pilothouse.cdp.router import SessionRecord
from pilothouse.errors import CdpError, CommandTimeout, Navigated, SessionGone

if TYPE_CHECKING:
    from pilothouse.cdp.connection import Connection

__all__ = [
    "DEFAULT_DEADLINE_S",
    "Expectation",
    "Session",
    "listen",
    "root_record",
    "session_gone",
]

DEFAULT_DEADLINE_S = 30.0

R = TypeVar("R")
P = TypeVar("P", bound=Mapping[str, Any])

# A listener may look at the event and return; whatever takes time belongs in a task of its own.
Listener = Callable[[Event[Any]], object]

# Tuples, replaced on every change: an event that is being told walks an old one unharmed.
Listeners = dict[str, tuple[Listener, ...]]


class Session:
    """A session of one epoch. After a drop it is dead for good; attach anew to get another."""

    def __init__(self, connection: Connection, record: SessionRecord, epoch: int) -> None:
        self.connection = connection
        self.id = record.id
        self.target_id = record.target_id
        self.target_type = record.target_type
        self.parent = record.parent
        self.waiting_for_debugger = record.waiting_for_debugger
        self.epoch = epoch
        self._record = record
        self._ended: CdpError | None = None
        self._listeners: Listeners = {}
        self._expectations: set[Expectation[Any]] = set()
        self._enabled: dict[str, Reply[Any]] = {}

    def __repr__(self) -> str:
        return f"<Session {self.target_type} {self.id or 'root'} {self.state}>"

    @property
    def alive(self) -> bool:
        """False once the session was detached or its wire dropped."""
        return self._ended is None

    @property
    def crashed(self) -> bool:
        """True while the renderer behind it is dead."""
        return self._record.crashed

    @property
    def state(self) -> str:
        """`live`, `crashed` or `gone`."""
        return "gone" if self._ended else "crashed" if self.crashed else "live"

    def send(self, command: Command[R], deadline: float = DEFAULT_DEADLINE_S) -> Reply[R]:
        """Send now; await the reply whenever you like. Nothing is ever sent twice.

        Raises, when awaited: ConnectionLost, SessionGone, TargetCrashed, CommandFailed,
        CommandTimeout; at once: CommandTooLarge.
        """
        return self.connection.post(self, command, deadline)

    async def read(self, command: Command[R], deadline: float = DEFAULT_DEADLINE_S) -> R:
        """Send a command that only reads, and once more if the page navigated under it."""
        try:
            return await self.send(command, deadline)
        except Navigated:
            return await self.send(command, deadline)

    async def enable_domain(self, domain: str, deadline: float = DEFAULT_DEADLINE_S) -> None:
        """Send `<domain>.enable`, once in the life of the session however many ask. Some domains
        tell everything again when they are enabled again. Raises as `send`; who asks after a
        failure sends it again."""
        reply = self._enabled.get(domain)
        if reply is None or reply.failed:
            reply = self._enabled[domain] = self.send(Command(f"{domain}.enable"), deadline)
        await reply.shared()

    def on(self, event: EventName[P], listener: Callable[[Event[P]], object]) -> Callable[[], None]:
        """Hear an event of this session until the returned function is called."""
        return listen(self._listeners, event.method, listener)

    def expect(
        self,
        event: EventName[P],
        predicate: Callable[[P], bool] | None = None,
        deadline: float = DEFAULT_DEADLINE_S,
    ) -> Expectation[P]:
        """Arm a wait for an event *before* the action that causes it, then await it."""
        return Expectation(self, event, predicate, deadline)

    # For the connection alone.

    def listeners(self, method: str) -> Sequence[Listener]:
        """Who hears this event: a value that does not change while it is walked."""
        return self._listeners.get(method, ())

    def refuses(self, method: str) -> CdpError | None:
        """Why a command cannot be sent on this session now, if so."""
        return self._ended

    def end(self, error: CdpError) -> None:
        """The session is over; who waits for its events learns it now."""
        self._ended = error
        for expectation in list(self._expectations):
            expectation.fail(error)
        self._listeners.clear()


class Expectation(Generic[P]):
    """A wait for one event, armed when it is made."""

    def __init__(
        self,
        session: Session,
        event: EventName[P],
        predicate: Callable[[P], bool] | None,
        deadline: float,
    ) -> None:
        loop = asyncio.get_running_loop()
        self._future: asyncio.Future[P] = loop.create_future()
        self._name = event.method
        self._predicate = predicate
        self._session = session
        self._unlisten = session.on(event, self._heard)
        self._timer = loop.call_later(deadline, self._expire, deadline)
        session._expectations.add(self)
        if session._ended is not None:
            self.fail(session._ended)

    def __await__(self) -> Generator[Any, None, P]:
        try:
            return (yield from self._future)
        finally:
            self.cancel()

    def done(self) -> bool:
        """Whether the event has come, or never will."""
        return self._future.done()

    def cancel(self) -> None:
        """Stop waiting. Harmless when it is over."""
        self._unlisten()
        self._timer.cancel()
        self._session._expectations.discard(self)
        self._future.cancel()

    def fail(self, error: CdpError) -> None:
        """The event will not come."""
        if not self._future.done():
            self._future.set_exception(type(error)(f"waiting for {self._name}: {error.message}"))
            self._future.exception()

    def _heard(self, event: Event[P]) -> None:
        if self._future.done():
            return
        try:
            matches = self._predicate is None or self._predicate(event.params)
        except Exception as error:  # noqa: BLE001 - the caller's own code; it hears of it here
            self._future.set_exception(error)
        else:
            if not matches:
                return
            self._future.set_result(event.params)
        self._unlisten()

    def _expire(self, deadline: float) -> None:
        if not self._future.done():
            self.fail(CommandTimeout(f"it did not come within {deadline:g} s"))
            self._unlisten()


def listen(table: Listeners, method: str, listener: Listener) -> Callable[[], None]:
    """Add a listener to a table; the returned function takes it out again, once."""
    table[method] = (*table.get(method, ()), listener)

    def unlisten() -> None:
        left = list(table.get(method, ()))
        if listener in left:
            left.remove(listener)
            table[method] = tuple(left)
        if not left:
            table.pop(method, None)

    return unlisten


def root_record() -> SessionRecord:
    """The browser's own session, which has no id and no target."""
    return SessionRecord(ROOT, target_id="", target_type="browser", parent=ROOT)


def session_gone(why: str) -> SessionGone:
    """The error for a session that ended."""
    return SessionGone(why, hint="attach to the target again, or to another one")
