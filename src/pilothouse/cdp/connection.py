"""The connection to one browser: reader, deadlines, drops and reconnects.

Knows: transports, sessions, deadlines. Must not know: tabs, dialogs, tools.

The reader (`_on_message`) never awaits: it settles replies and calls listeners. A listener that
raises is logged and counted; the reader goes on. An *epoch* is the time between two drops: every
session and pending command belongs to one epoch and fails with it.
"""

from __future__ import annotations

import asyncio
import enum
import logging
import random
import sys
from collections.abc import Callable, Mapping
from time import monotonic
from types import FrameType
from typing import Any, TypeVar

from pilothouse.asyncio_tasks import Tasks
from pilothouse.cdp.awaitable_reply import PendingCommand, Reply, error_from_reply
from pilothouse.cdp.backoff import Backoff
from pilothouse.cdp.message import (
    WORKS_WHILE_CRASHED,
    Command,
    Envelope,
    Event,
    EventName,
    RawCommand,
    SessionId,
    encode_command,
    encode_envelope,
    encode_params,
    encode_raw_command,
    read_ends,
)
from pilothouse.cdp.read_coalescer import NO_PENDING_COMMAND
from pilothouse.cdp.receiver_and_interceptor import EpochReceiver, MessageInterceptor
from pilothouse.cdp.router import (
    IgnoredMessage,
    MessageCounts,
    ReplyReceived,
    Router,
    SessionsChanged,
    SourceLocation,
)
from pilothouse.cdp.session import (
    Listener,
    Listeners,
    Session,
    add_event_listener,
    add_listener,
    root_session_record,
    session_gone_error,
)
from pilothouse.cdp.targets import TargetDiscovery
from pilothouse.cdp.transport import (
    MAX_OUTBOUND_BYTES,
    MAX_UNSENT_BYTES,
    Dial,
    InProcessTransport,
    Transport,
)
from pilothouse.errors import CdpError, CommandTooLarge, ConnectionLost, TargetCrashed

__all__ = ["Connection", "Status"]

_log = logging.getLogger(__name__)

R = TypeVar("R")
P = TypeVar("P", bound=Mapping[str, Any])

_BROWSER_DOMAINS = ("Target.", "Browser.", "Storage.")


class Status(enum.Enum):
    """The status of a connection. `CLOSED` is final."""

    OPEN = "open"
    RECONNECTING = "reconnecting"
    CLOSED = "closed"


class Connection:
    """A connection to one browser. Create it with `Connection.open`."""

    def __init__(self, dial: Dial, *, reconnects: bool, name: str) -> None:
        self.name = name
        self.status = Status.RECONNECTING
        self.epoch = 0
        self.root = Session(self, root_session_record(), epoch=0)
        self.sessions: dict[SessionId, Session] = {}
        self.close_reason = ""
        self._dial = dial
        self._reconnects = reconnects
        self._router: Router[Reply[Any]] = Router()
        self._transport: Transport | None = None
        # The same transport if its browser is in this process; then nothing is encoded.
        self._in_process: InProcessTransport | None = None
        # Takes messages before the router does: the relay, for its clients.
        self.interceptor: MessageInterceptor | None = None
        self._receiver: EpochReceiver | None = None
        self._backoff = Backoff()
        self._got_reply = False
        self._tasks = Tasks()
        # Optional target discovery; call `targets.start()` to use it.
        self.targets = TargetDiscovery(self, self._tasks)
        self._listeners: Listeners = {}
        self._any_event_listeners: Listeners = {}
        self._traces: list[Callable[[str, bytes], object]] = []
        self._ends_traces: list[Callable[[str, bytes, bytes, int], object]] = []
        self._status_listeners: list[Callable[[Status], object]] = []
        self._status_changed = asyncio.Event()
        self._alarm: asyncio.TimerHandle | None = None
        self.last_sent_at = NO_PENDING_COMMAND
        self._loop = asyncio.get_running_loop()

    @classmethod
    async def open(
        cls, dial: Dial, *, reconnects: bool = False, name: str = "browser"
    ) -> Connection:
        """Dial once and return the open connection. Raises ConnectionLost if dialling fails."""
        connection = cls(dial, reconnects=reconnects, name=name)
        await connection._connect()
        return connection

    async def __aenter__(self) -> Connection:
        return self

    async def __aexit__(self, *exc: object) -> None:
        await self.close()

    @property
    def counts(self) -> MessageCounts:
        """Ignored messages and failed listeners, by reason."""
        return self._router.counts

    def pending(self) -> list[PendingCommand]:
        """List the commands without a reply, the oldest first."""
        now = self._loop.time()
        waiting = [
            PendingCommand(p.id, p.method, p.session_id, now - p.sent_at, p.origin)
            for p in self._router.pending.values()
        ]
        return sorted(waiting, key=lambda p: -p.waiting_s)

    async def close(self) -> None:
        """Close the connection. Pending commands fail at once; the browser keeps running."""
        self._end("the connection was closed by us")
        await self._tasks.close()

    async def wait_open(self, deadline: float) -> None:
        """Wait until a dropped connection is open again. Raises ConnectionLost if it stays down."""
        try:
            async with asyncio.timeout(deadline):
                while self.status is Status.RECONNECTING:
                    self._status_changed.clear()
                    await self._status_changed.wait()
        except TimeoutError:
            raise ConnectionLost(f"{self.name}: still reconnecting after {deadline:g} s") from None
        if self.status is Status.CLOSED:
            raise self._lost_error()

    # Commands.

    def send(self, command: Command[R], deadline: float = 30.0) -> Reply[R]:
        """Send to the browser itself; see `Session.send`."""
        return self.send_on(self.root, command, deadline)

    def send_on(self, session: Session, command: Command[R], deadline: float) -> Reply[R]:
        """Send on a session; see `Session.send`."""
        sent_at, abandon = self._loop.time(), self._router.abandon
        future = self._loop.create_future()
        reply: Reply[R] = Reply(
            command.method, session.id, sent_at, _caller_location(), deadline, abandon, future
        )
        error = self._send_error(session, command.method)
        if error is not None:
            reply.fail(error)
            return reply
        number = self._router.register(reply)
        if self._in_process is None:
            message = encode_command(number, command.method, command.params, session.id)
            self._check_size(reply, len(message))
            self.write(message)
        else:
            params = encode_params(command.params)
            self._check_size(reply, len(params))
            self.write_command(RawCommand(number, command.method, params, session.id))
        self._wake_by(sent_at + deadline)
        return reply

    def _check_size(self, reply: Reply[Any], size: int) -> None:
        if size > MAX_OUTBOUND_BYTES:
            self._router.abandon(reply.id)
            raise CommandTooLarge(
                f"{reply.method} is {size / 1e6:.1f} MB; "
                f"commands over {MAX_OUTBOUND_BYTES // 1024**2} MB stall Chrome",
                hint="send it in parts, or let the page fetch the data itself",
            )

    def reserve_id(self) -> int:
        """Reserve an id that no command of ours gets, for a message passed to `write_command`."""
        return self._router.reserve_id()

    def write(self, message: bytes) -> None:
        """Send an encoded message. Raises ConnectionLost while disconnected."""
        if self._transport is None:
            raise self._lost_error()
        for trace in self._traces:
            trace("send", message)
        if self._ends_traces:
            self._trace_ends("send", message)
        self.last_sent_at = monotonic()
        self._transport.write(message)
        if self._transport.unsent() > MAX_UNSENT_BYTES:
            self._on_lost("the browser stopped reading")

    def write_command(self, command: RawCommand) -> None:
        """Send a command with undecoded params; it is encoded only if the browser is in another
        process. Raises ConnectionLost while disconnected."""
        transport = self._in_process
        if transport is None:
            self.write(encode_raw_command(command))
            return
        for trace in self._traces:
            trace("send", encode_raw_command(command))
        if self._ends_traces:
            self._trace_ends("send", command)
        self.last_sent_at = monotonic()
        transport.write_command(command)
        if transport.unsent() > MAX_UNSENT_BYTES:
            self._on_lost("the browser stopped reading")

    def _send_error(self, session: Session, method: str) -> CdpError | None:
        if self.status is not Status.OPEN:
            return self._lost_error()
        if session.crashed and not _works_while_crashed(method):
            return _crashed_error(method)
        return session.send_error()

    def _wake_by(self, due: float) -> None:
        """Make sure the timer fires by `due`. One timer serves all deadlines: a timer per command
        would cost as much as the rest of sending it, and almost none would ever fire."""
        if self._alarm is not None:
            if self._alarm.when() <= due:
                return
            self._alarm.cancel()
        self._alarm = self._loop.call_at(due, self._expire_due)

    def _expire_due(self) -> None:
        self._alarm = None
        now = self._loop.time()
        for reply in list(self._router.pending.values()):
            if reply.due <= now:
                reply.expire()
        waiting = self._router.pending.values()
        if waiting:
            self._wake_by(min(reply.due for reply in waiting))

    # Listeners.

    def on(self, event: EventName[P], listener: Callable[[Event[P]], object]) -> Callable[[], None]:
        """Listen to an event of any session; the returned function removes the listener."""
        return add_event_listener(self._listeners, event.method, listener)

    def on_any_event(self, listener: Listener) -> Callable[[], None]:
        """Listen to every event of every session, before all other listeners."""
        return add_event_listener(self._any_event_listeners, "*", listener)

    def trace(self, listener: Callable[[str, bytes], object]) -> Callable[[], None]:
        """Listen to every raw message: ("send" | "receive", bytes)."""
        return add_listener(self._traces, listener)

    def trace_ends(
        self, listener: Callable[[str, bytes, bytes, int], object]
    ) -> Callable[[], None]:
        """Listen to ("send" | "receive", first bytes, last bytes, size) of every message. Unlike
        `trace`, it makes no message be encoded."""
        return add_listener(self._ends_traces, listener)

    def on_status(self, listener: Callable[[Status], object]) -> Callable[[], None]:
        """Listen to status changes: dropped, restored, closed."""
        return add_listener(self._status_listeners, listener)

    # The reader.

    def _on_message(self, message: bytes) -> None:
        for trace in self._traces:
            self._call_listener(trace, "receive", message)
        if self._ends_traces:
            self._trace_ends("receive", message)
        if self.interceptor is None or not self.interceptor.intercept(message):
            self._handle(self._router.receive(message), message)

    def _on_envelope(self, message: Envelope) -> None:
        for trace in self._traces:
            self._call_listener(trace, "receive", encode_envelope(message))
        if self._ends_traces:
            self._trace_ends("receive", message)
        if self.interceptor is None or not self.interceptor.intercept_envelope(message):
            self._handle(self._router.receive_envelope(message), message)

    def _trace_ends(self, direction: str, message: bytes | RawCommand | Envelope) -> None:
        head, tail, size = read_ends(message)
        for trace in self._ends_traces:
            self._call_listener(trace, direction, head, tail, size)

    def _handle(
        self,
        outcome: ReplyReceived[Reply[Any]]
        | Event[Any]
        | SessionsChanged[Reply[Any]]
        | IgnoredMessage,
        message: bytes | Envelope,
    ) -> None:
        if type(outcome) is Event:
            self._dispatch(outcome)
        elif type(outcome) is ReplyReceived:
            self._got_reply = True
            if outcome.error is None:
                if outcome.pending.result_listener is not None:
                    self._call_listener(outcome.pending.result_listener, outcome.result)
                outcome.pending.set_result(outcome.result)
            else:
                outcome.pending.fail(error_from_reply(outcome.pending.method, outcome.error))
        elif type(outcome) is SessionsChanged:
            self._on_sessions_changed(outcome)
        elif type(outcome) is IgnoredMessage:
            _log.debug("%s: ignored a message (%s): %.200r", self.name, outcome.reason, message)

    def _dispatch(self, event: Event[Any]) -> None:
        session = self.sessions.get(event.session_id, self.root)
        own = session.listeners(event.method)
        if self._any_event_listeners or self._listeners:
            everywhere = (
                *self._any_event_listeners.get("*", ()),
                *self._listeners.get(event.method, ()),
            )
            for listener in everywhere:
                self._call_listener(listener, event)
        # `_call_listener` inlined: this is the hottest loop during a flood of events.
        for listener in own:
            try:
                listener(event)
            except Exception:  # noqa: BLE001 - see `_call_listener`
                self._listener_failed()

    def _on_sessions_changed(self, changed: SessionsChanged[Reply[Any]]) -> None:
        if changed.attached is not None:
            self.sessions[changed.attached.id] = Session(self, changed.attached, self.epoch)
        self._dispatch(changed.event)
        for record in changed.detached:
            self.sessions.pop(record.id).end(
                session_gone_error(f"the {record.target_type} target detached or closed")
            )
        for reply in changed.lost_commands:
            if changed.detached:
                reply.fail(
                    session_gone_error(f"{reply.method}: the target went away before it answered")
                )
            else:
                reply.fail(_crashed_error(reply.method))

    def _call_listener(self, listener: Callable[..., object], *args: object) -> None:
        try:
            listener(*args)
        except Exception:  # noqa: BLE001 - a failing listener must not stop the reader
            self._listener_failed()

    def _listener_failed(self) -> None:
        self._router.counts.listener_errors += 1
        _log.exception("%s: a listener failed", self.name)

    # Connecting, dropping, reconnecting.

    async def _connect(self) -> None:
        receiver = EpochReceiver(self, self.epoch)
        self._receiver = receiver
        self._transport = transport = await self._dial(receiver)
        self._in_process = transport if isinstance(transport, InProcessTransport) else None
        self._got_reply = False
        self.root = Session(self, root_session_record(), self.epoch)
        self._set_status(Status.OPEN)

    def _on_lost(self, reason: str) -> None:
        if self.status is Status.CLOSED:
            return
        self._backoff = self._backoff.after_drop(worked=self._got_reply)
        if not self._reconnects or self._backoff.exhausted:
            self._end(reason)
            return
        self._drop(ConnectionLost(f"{self.name}: the connection was lost: {reason}"))
        self._set_status(Status.RECONNECTING)
        self._tasks.start(self._reconnect(reason), f"reconnect {self.name}")

    async def _reconnect(self, reason: str) -> None:
        while not self._backoff.exhausted:
            await asyncio.sleep(self._backoff.delay(random.random()))
            try:
                await self._connect()
            except CdpError as error:
                self._backoff = self._backoff.after_failure()
                reason = error.message
                _log.info("%s: try %d failed: %s", self.name, self._backoff.failures, reason)
            else:
                return
        self._end(f"gave up after {self._backoff.failures} tries: {reason}")

    def _end(self, reason: str) -> None:
        if self.status is Status.CLOSED:
            return
        self.close_reason = reason
        self._drop(self._lost_error())
        self._set_status(Status.CLOSED)

    def _drop(self, error: ConnectionLost) -> None:
        """Fail everything that belongs to the present epoch and begin the next one."""
        self.epoch += 1
        transport, self._transport, self._in_process = self._transport, None, None
        if transport is not None:
            transport.close()
        if self._alarm is not None:
            self._alarm.cancel()
            self._alarm = None
        lost_commands, _ = self._router.reset()
        sessions = [*self.sessions.values(), self.root]
        self.sessions.clear()
        for session in sessions:
            session.end(error)
        if self.interceptor is not None:
            self.interceptor.on_connection_lost(error.message)
        for reply in lost_commands:
            # A user who asked for a click reads this text; the CDP method is in the error's note.
            reply.fail(ConnectionLost(error.message, hint=error.hint, terminal=error.terminal))

    def _lost_error(self) -> ConnectionLost:
        if self.status is Status.RECONNECTING:
            return ConnectionLost(
                f"{self.name}: the connection was lost and is being restored",
                hint="try again in a moment",
            )
        return ConnectionLost(
            f"{self.name}: the connection is closed: {self.close_reason}",
            hint="open the browser again",
            terminal=True,
        )

    def _set_status(self, status: Status) -> None:
        self.status = status
        self._status_changed.set()
        for listener in list(self._status_listeners):
            self._call_listener(listener, status)


def _works_while_crashed(method: str) -> bool:
    return method in WORKS_WHILE_CRASHED or method.startswith(_BROWSER_DOMAINS)


def _crashed_error(method: str) -> TargetCrashed:
    return TargetCrashed(f"{method}: the page's renderer crashed", hint="reload the page")


def _caller_location() -> SourceLocation | str:
    """Find the nearest caller outside this package, for `SentCommand.origin`."""
    frame: FrameType | None = sys._getframe(2)
    while frame is not None and frame.f_globals.get("__package__") == __package__:
        frame = frame.f_back
    return (frame.f_code, frame.f_lineno) if frame is not None else "?"
