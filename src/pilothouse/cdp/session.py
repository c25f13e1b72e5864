"""One flat CDP session: send commands to a target, listen to its events, wait for one event."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

from pilothouse.cdp.armed_wait import ArmedWait
from pilothouse.cdp.awaitable_reply import Reply
from pilothouse.cdp.message import ROOT, Command, Event, EventName
from pilothouse.cdp.router import SessionRecord
from pilothouse.errors import CdpError, InterruptedByNavigation, SessionGone

if TYPE_CHECKING:
    from pilothouse.cdp.connection import Connection

__all__ = [
    "DEFAULT_DEADLINE_S",
    "EventWait",
    "Session",
    "add_event_listener",
    "add_listener",
    "root_session_record",
    "session_gone_error",
]

DEFAULT_DEADLINE_S = 30.0

R = TypeVar("R")
P = TypeVar("P", bound=Mapping[str, Any])

# A listener runs inside the reader and must return at once; start a task for anything slow.
Listener = Callable[[Event[Any]], object]

# Tuples, replaced on every change, so that dispatching iterates safely while listeners change.
Listeners = dict[str, tuple[Listener, ...]]


class Session:
    """A session of one epoch. After a drop it stays dead; attach again to get a new one."""

    def __init__(self, connection: Connection, record: SessionRecord, epoch: int) -> None:
        self.connection = connection
        self.id = record.id
        self.target_id = record.target_id
        self.target_type = record.target_type
        self.parent = record.parent
        self.waiting_for_debugger = record.waiting_for_debugger
        self.epoch = epoch
        self._record = record
        self._end_error: CdpError | None = None
        self._listeners: Listeners = {}
        self._waits: set[EventWait[Any]] = set()
        self._enabled: dict[str, Reply[Any]] = {}

    def __repr__(self) -> str:
        return f"<Session {self.target_type} {self.id or 'root'} {self.state}>"

    @property
    def alive(self) -> bool:
        """False once the session was detached or the connection dropped."""
        return self._end_error is None

    @property
    def crashed(self) -> bool:
        """True while the target's renderer is crashed."""
        return self._record.crashed

    @property
    def state(self) -> str:
        """`live`, `crashed` or `gone`."""
        return "gone" if self._end_error else "crashed" if self.crashed else "live"

    def send(self, command: Command[R], deadline: float = DEFAULT_DEADLINE_S) -> Reply[R]:
        """Send a command now and return its awaitable reply. Never retries.

        Raises, when awaited: ConnectionLost, SessionGone, TargetCrashed, CommandFailed,
        CommandTimeout; at once: CommandTooLarge.
        """
        return self.connection.send_on(self, command, deadline)

    async def read(self, command: Command[R], deadline: float = DEFAULT_DEADLINE_S) -> R:
        """Send a read-only command; retry once if a navigation interrupted it."""
        try:
            return await self.send(command, deadline)
        except InterruptedByNavigation:
            return await self.send(command, deadline)

    async def enable_domain(self, domain: str, deadline: float = DEFAULT_DEADLINE_S) -> None:
        """Send `<domain>.enable`, once per session however many callers ask. Some domains repeat
        all their events when they are enabled again. Raises like `send`; a call after a failure
        sends it again."""
        reply = self._enabled.get(domain)
        if reply is None or reply.failed:
            reply = self._enabled[domain] = self.send(Command(f"{domain}.enable"), deadline)
        await reply.wait_shared()

    def on(self, event: EventName[P], listener: Callable[[Event[P]], object]) -> Callable[[], None]:
        """Listen to an event of this session; the returned function removes the listener."""
        return add_event_listener(self._listeners, event.method, listener)

    def expect(
        self,
        event: EventName[P],
        predicate: Callable[[P], bool] | None = None,
        deadline: float = DEFAULT_DEADLINE_S,
    ) -> EventWait[P]:
        """Start waiting for an event. Call this *before* the action that causes it, then await
        it."""
        return EventWait(self, event, predicate, deadline)

    # Called by the connection only.

    def listeners(self, method: str) -> Sequence[Listener]:
        """The listeners of an event, as a tuple that does not change during dispatch."""
        return self._listeners.get(method, ())

    def send_error(self) -> CdpError | None:
        """The error for sending on this session now; None while it is alive."""
        return self._end_error

    def end(self, error: CdpError) -> None:
        """End the session and fail all waits for its events."""
        self._end_error = error
        for wait in list(self._waits):
            wait.fail(error)
        self._listeners.clear()


class EventWait(ArmedWait[P]):
    """A wait for one event of a session."""

    def __init__(
        self,
        session: Session,
        event: EventName[P],
        predicate: Callable[[P], bool] | None,
        deadline: float,
    ) -> None:
        super().__init__(predicate, deadline)
        self._name = event.method
        self._session = session
        self._unlisten = session.on(event, self._on_event)
        session._waits.add(self)
        if session._end_error is not None:
            self.fail(session._end_error)

    def fail(self, error: CdpError) -> None:
        """Fail the wait: the event will not come."""
        super().fail(type(error)(f"waiting for {self._name}: {error.message}"))

    def _on_event(self, event: Event[P]) -> None:
        self._offer(event.params)

    def _stop(self) -> None:
        super()._stop()
        self._unlisten()
        self._session._waits.discard(self)


def add_event_listener(table: Listeners, method: str, listener: Listener) -> Callable[[], None]:
    """Add a listener to a table; the returned function removes it again, once."""
    table[method] = (*table.get(method, ()), listener)

    def unlisten() -> None:
        left = list(table.get(method, ()))
        if listener in left:
            left.remove(listener)
            table[method] = tuple(left)
        if not left:
            table.pop(method, None)

    return unlisten


def add_listener(listeners: list[Any], listener: Any) -> Callable[[], None]:
    """Add a listener to a list; the returned function removes it again, once."""
    listeners.append(listener)

    def remove() -> None:
        if listener in listeners:
            listeners.remove(listener)

    return remove


def root_session_record() -> SessionRecord:
    """Return the record of the browser's own session, which has no id and no target."""
    return SessionRecord(ROOT, target_id="", target_type="browser", parent=ROOT)


def session_gone_error(why: str) -> SessionGone:
    """Return the error for a session that ended."""
    return SessionGone(why, hint="attach to the target again, or to another one")
