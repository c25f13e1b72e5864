"""The one wire to a browser, with everything that travels on it.

Knows: transports, sessions, deadlines, drops and reconnects.
Must not know: tabs, dialogs, tools. The reader (`on_frame`) never waits for anything: it
settles replies and calls listeners, and a listener that raises is isolated and counted.
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

from pilothouse.cdp.backoff import Backoff
from pilothouse.cdp.message import Command, Event, EventName, SessionId, encode_command
from pilothouse.cdp.read_coalescing import NOBODY_WAITS
from pilothouse.cdp.receiver import Diversion, EpochReceiver
from pilothouse.cdp.reply import PendingCommand, Reply, failure
from pilothouse.cdp.router import Counts, Ignored, Place, Routed, Router, Settled
from pilothouse.cdp.session import Listener, Listeners, Session, listen, root_record, session_gone
from pilothouse.cdp.targets import Targets
from pilothouse.cdp.transport import MAX_OUTBOUND_BYTES, MAX_UNSENT_BYTES, Dial, Transport
from pilothouse.errors import CdpError, CommandTooLarge, ConnectionLost, TargetCrashed
from pilothouse.tasks import Tasks

__all__ = ["Connection", "Status"]

_log = logging.getLogger(__name__)

R = TypeVar("R")
P = TypeVar("P", bound=Mapping[str, Any])

# What the browser process answers for a target whose renderer is dead. Everything else on that
# session would hang until the target is reloaded.
_WORKS_WHILE_CRASHED = frozenset(
    {
        "Page.reload",
        "Page.navigate",
        "Page.navigateToHistoryEntry",
        "Page.getNavigationHistory",
        "Page.close",
        "Inspector.enable",
    }
)
_BROWSER_DOMAINS = ("Target.", "Browser.", "Storage.")


class Status(enum.Enum):
    """The life of a connection. `CLOSED` is final."""

    OPEN = "open"
    RECONNECTING = "reconnecting"
    CLOSED = "closed"


class Connection:
    """One browser, one wire. Make it with `Connection.open`."""

    def __init__(self, dial: Dial, *, reconnects: bool, name: str) -> None:
        self.name = name
        self.status = Status.RECONNECTING
        self.epoch = 0
        self.root = Session(self, root_record(), epoch=0)
        self.sessions: dict[SessionId, Session] = {}
        self.closed_because = ""
        self._dial = dial
        self._reconnects = reconnects
        self._router: Router[Reply[Any]] = Router()
        self._transport: Transport | None = None
        # Who takes frames that are not for us: the clients of a relay.
        self.diversion: Diversion | None = None
        self._receiver: EpochReceiver | None = None
        self._backoff = Backoff()
        self._worked = False
        self._tasks = Tasks()
        # The browser's targets as they come and go, for who starts it.
        self.targets = Targets(self, self._tasks)
        self._listeners: Listeners = {}
        self._taps: Listeners = {}
        self._traces: list[Callable[[str, bytes], object]] = []
        self._status_listeners: list[Callable[[Status], object]] = []
        self._settled = asyncio.Event()
        self._alarm: asyncio.TimerHandle | None = None
        self.asked_at = NOBODY_WAITS
        self._loop = asyncio.get_running_loop()

    @classmethod
    async def open(
        cls, dial: Dial, *, reconnects: bool = False, name: str = "browser"
    ) -> Connection:
        """Dial once and return the open connection. Raises ConnectionLost if that fails."""
        connection = cls(dial, reconnects=reconnects, name=name)
        await connection._connect()
        return connection

    async def __aenter__(self) -> Connection:
        return self

    async def __aexit__(self, *exc: object) -> None:
        await self.close()

    @property
    def counts(self) -> Counts:
        """Odd messages and failing listeners, by reason."""
        return self._router.counts

    def pending(self) -> list[PendingCommand]:
        """What hangs, the longest first."""
        now = self._loop.time()
        waiting = [
            PendingCommand(p.id, p.method, p.session_id, now - p.sent_at, p.origin)
            for p in self._router.pending.values()
        ]
        return sorted(waiting, key=lambda p: -p.waiting_s)

    async def close(self) -> None:
        """Give the wire up. What waits fails at once; the browser is left alone."""
        self._end("the connection was closed by us")
        await self._tasks.close()

    async def wait_open(self, deadline: float) -> None:
        """Wait until the wire is up again. Raises ConnectionLost if it stays down."""
        try:
            async with asyncio.timeout(deadline):
                while self.status is Status.RECONNECTING:
                    self._settled.clear()
                    await self._settled.wait()
        except TimeoutError:
            raise ConnectionLost(f"{self.name}: still reconnecting after {deadline:g} s") from None
        if self.status is Status.CLOSED:
            raise self._lost()

    # Commands.

    def send(self, command: Command[R], deadline: float = 30.0) -> Reply[R]:
        """Send to the browser itself; see `Session.send`."""
        return self.post(self.root, command, deadline)

    def post(self, session: Session, command: Command[R], deadline: float) -> Reply[R]:
        """Send on a session; see `Session.send`."""
        sent_at, forget = self._loop.time(), self._router.abandon
        future = self._loop.create_future()
        reply: Reply[R] = Reply(
            command.method, session.id, sent_at, _origin(), deadline, forget, future
        )
        refusal = self._refusal(session, command.method)
        if refusal is not None:
            reply.fail(refusal)
            return reply
        frame = encode_command(
            self._router.enrol(reply), command.method, command.params, session.id
        )
        if len(frame) > MAX_OUTBOUND_BYTES:
            self._router.abandon(reply.id)
            raise CommandTooLarge(
                f"{command.method} is {len(frame) / 1e6:.1f} MB; "
                f"commands over {MAX_OUTBOUND_BYTES // 1024**2} MB stall Chrome",
                hint="send it in parts, or let the page fetch the data itself",
            )
        self.write(frame)
        self._wake_by(sent_at + deadline)
        return reply

    def reserve_id(self) -> int:
        """An id that no command of ours will have, for a frame that is written whole."""
        return self._router.reserve()

    def write(self, frame: bytes) -> None:
        """Send a whole frame. Raises ConnectionLost while the wire is down."""
        if self._transport is None:
            raise self._lost()
        for trace in self._traces:
            trace("send", frame)
        self.asked_at = monotonic()
        self._transport.write(frame)
        if self._transport.unsent() > MAX_UNSENT_BYTES:
            self._on_lost("the browser stopped reading what it is sent")

    def _refusal(self, session: Session, method: str) -> CdpError | None:
        if self.status is not Status.OPEN:
            return self._lost()
        if session.crashed and not _works_while_crashed(method):
            return _crashed(method)
        return session.refuses(method)

    def _wake_by(self, due: float) -> None:
        """One alarm serves all deadlines: a timer per command would cost as much as the rest
        of sending it, and nearly none of them would ever ring."""
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

    # Listening.

    def on(self, event: EventName[P], listener: Callable[[Event[P]], object]) -> Callable[[], None]:
        """Hear an event of any session until the returned function is called."""
        return listen(self._listeners, event.method, listener)

    def tap(self, listener: Listener) -> Callable[[], None]:
        """Hear every event of every session, before all other listeners."""
        return listen(self._taps, "*", listener)

    def trace(self, listener: Callable[[str, bytes], object]) -> Callable[[], None]:
        """See every frame: ("send" | "receive", bytes)."""
        return _enlist(self._traces, listener)

    def on_status(self, listener: Callable[[Status], object]) -> Callable[[], None]:
        """Hear when the wire drops, is restored or is given up."""
        return _enlist(self._status_listeners, listener)

    # The reader.

    def _on_frame(self, frame: bytes) -> None:
        for trace in self._traces:
            self._isolated(trace, "receive", frame)
        if self.diversion is not None and self.diversion.takes(frame):
            return
        outcome = self._router.receive(frame)
        if type(outcome) is Event:
            self._tell(outcome)
        elif type(outcome) is Settled:
            self._worked = True
            if outcome.error is None:
                if outcome.pending.heard_by is not None:
                    self._isolated(outcome.pending.heard_by, outcome.result)
                outcome.pending.settle(outcome.result)
            else:
                outcome.pending.fail(failure(outcome.pending.method, outcome.error))
        elif type(outcome) is Routed:
            self._on_lifecycle(outcome)
        elif type(outcome) is Ignored:
            _log.debug("%s: ignored a message (%s): %.200r", self.name, outcome.reason, frame)

    def _tell(self, event: Event[Any]) -> None:
        session = self.sessions.get(event.session_id, self.root)
        own = session.listeners(event.method)
        if self._taps or self._listeners:
            everywhere = (*self._taps.get("*", ()), *self._listeners.get(event.method, ()))
            for listener in everywhere:
                self._isolated(listener, event)
        # As `_isolated`, without its call: this is the hottest loop of a flood.
        for listener in own:
            try:
                listener(event)
            except Exception:  # noqa: BLE001 - see there
                self._listener_failed()

    def _on_lifecycle(self, routed: Routed[Reply[Any]]) -> None:
        if routed.born is not None:
            self.sessions[routed.born.id] = Session(self, routed.born, self.epoch)
        self._tell(routed.event)
        for record in routed.gone:
            self.sessions.pop(record.id).end(
                session_gone(f"the {record.target_type} target detached or closed")
            )
        for reply in routed.doomed:
            if routed.gone:
                reply.fail(session_gone(f"{reply.method}: the target went away before it answered"))
            else:
                reply.fail(_crashed(reply.method))

    def _isolated(self, listener: Callable[..., object], *args: object) -> None:
        try:
            listener(*args)
        except Exception:  # noqa: BLE001 - a listener is someone else's code; the reader must live
            self._listener_failed()

    def _listener_failed(self) -> None:
        self._router.counts.listener_errors += 1
        _log.exception("%s: a listener failed", self.name)

    # The life of the wire.

    async def _connect(self) -> None:
        receiver = EpochReceiver(self, self.epoch)
        self._receiver = receiver
        self._transport = await self._dial(receiver)
        self._worked = False
        self.root = Session(self, root_record(), self.epoch)
        self._set_status(Status.OPEN)

    def _on_lost(self, reason: str) -> None:
        if self.status is Status.CLOSED:
            return
        self._backoff = self._backoff.after_drop(worked=self._worked)
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
        self.closed_because = reason
        self._drop(self._lost())
        self._set_status(Status.CLOSED)

    def _drop(self, error: ConnectionLost) -> None:
        """Everything from before the drop is stale: fail it, and open a new epoch."""
        self.epoch += 1
        transport, self._transport = self._transport, None
        if transport is not None:
            transport.close()
        if self._alarm is not None:
            self._alarm.cancel()
            self._alarm = None
        doomed, _ = self._router.reset()
        sessions = [*self.sessions.values(), self.root]
        self.sessions.clear()
        for session in sessions:
            session.end(error)
        if self.diversion is not None:
            self.diversion.dropped(error.message)
        for reply in doomed:
            # Which command it was is in the error's note: whoever asked for a click reads this.
            reply.fail(ConnectionLost(error.message, hint=error.hint, terminal=error.terminal))

    def _lost(self) -> ConnectionLost:
        if self.status is Status.RECONNECTING:
            return ConnectionLost(
                f"{self.name}: the connection was lost and is being restored",
                hint="try again in a moment",
            )
        return ConnectionLost(
            f"{self.name}: the connection is closed: {self.closed_because}",
            hint="acquire the browser again",
            terminal=True,
        )

    def _set_status(self, status: Status) -> None:
        self.status = status
        self._settled.set()
        for listener in list(self._status_listeners):
            self._isolated(listener, status)


def _works_while_crashed(method: str) -> bool:
    return method in _WORKS_WHILE_CRASHED or method.startswith(_BROWSER_DOMAINS)


def _crashed(method: str) -> TargetCrashed:
    return TargetCrashed(f"{method}: the page's renderer crashed", hint="reload the page")


def _enlist(listeners: list[Any], listener: Any) -> Callable[[], None]:
    listeners.append(listener)

    def leave() -> None:
        if listener in listeners:
            listeners.remove(listener)

    return leave


def _origin() -> Place | str:
    """Where, outside this package, the command is being sent."""
    frame: FrameType | None = sys._getframe(2)
    while frame is not None and frame.f_globals.get("__package__") == __package__:
        frame = frame.f_back
    return (frame.f_code, frame.f_lineno) if frame is not None else "?"
