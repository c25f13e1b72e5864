"""Decide what one inbound frame means.

Knows: message ids, flat sessions, which command waits for which reply.
Must not know: sockets, futures, clocks, or any page-level meaning of an event.

A frame is exactly one of: the reply to a command that waits (`Settled`), an event (`Event`, or
`Routed` when it changes sessions), or something to count and forget (`Ignored`). Sessions are born
and removed here, on `Target.attachedToTarget` and `Target.detachedFromTarget`, so that whoever
hears the event already finds the session. Orders that Chromium really produces:

    attachedToTarget -> events of the session -> reply to Target.attachToTarget
    detachedFromTarget(parent) with no word about its children: they end with it
    targetCrashed with commands in flight: those replies never come
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator, Sequence
from types import CodeType
from typing import Any, Generic, TypeVar

import msgspec

from pilothouse.cdp.message import ROOT, ErrorBody, Event, SessionId, decode_envelope

__all__ = [
    "Counts",
    "Ignored",
    "Pending",
    "Place",
    "Routed",
    "Router",
    "SessionRecord",
    "Settled",
]

# Ids whose command was given up (deadline, cancelled): a reply to one is "late", not "unknown".
ABANDONED_REMEMBERED = 10_000

_LIFECYCLE = frozenset(
    {
        "Inspector.targetCrashed",
        "Inspector.targetReloadedAfterCrash",
        "Target.attachedToTarget",
        "Target.detachedFromTarget",
        "Target.targetCrashed",
    }
)


# A place in the source, put into words only when someone asks: every command has one.
Place = tuple[CodeType, int]


class Pending:
    """A command that waits for its reply. The shell may subclass it to add a future."""

    __slots__ = ("_origin", "id", "method", "sent_at", "session_id")

    def __init__(
        self, method: str, session_id: SessionId, sent_at: float, origin: Place | str
    ) -> None:
        self.id = 0
        self.method = method
        self.session_id = session_id
        self.sent_at = sent_at
        self._origin = origin

    @property
    def origin(self) -> str:
        """Where the command was sent: file:line and function."""
        if isinstance(self._origin, str):
            return self._origin
        code, line = self._origin
        return f"{code.co_filename}:{line} in {code.co_name}"


P = TypeVar("P", bound=Pending)


class SessionRecord(msgspec.Struct):
    """What the router knows about one attached session."""

    id: SessionId
    target_id: str
    target_type: str
    parent: SessionId
    waiting_for_debugger: bool = False
    crashed: bool = False


class Counts(msgspec.Struct):
    """Messages that were counted instead of handled, by reason."""

    late: int = 0
    duplicate: int = 0
    unknown_id: int = 0
    unknown_session: int = 0
    malformed: int = 0
    listener_errors: int = 0


class Settled(msgspec.Struct, Generic[P]):
    """The reply to `pending` came: `error` is None exactly when `result` counts."""

    pending: P
    result: msgspec.Raw
    error: ErrorBody | None


class Ignored(msgspec.Struct, frozen=True):
    """Nothing to do; `reason` names the counter that was raised."""

    reason: str


class Routed(msgspec.Struct, Generic[P]):
    """An event, with the sessions it started or ended and the commands it doomed."""

    event: Event[Any]
    born: SessionRecord | None = None
    gone: Sequence[SessionRecord] = ()
    doomed: Sequence[P] = ()


class Router(Generic[P]):
    """The state of one wire: what waits, what is attached, what was odd."""

    def __init__(self) -> None:
        self.counts = Counts()
        self.sessions: dict[SessionId, SessionRecord] = {}
        self.pending: dict[int, P] = {}
        self._last_id = 0
        self._abandoned: OrderedDict[int, None] = OrderedDict()

    # Commands going out.

    def enrol(self, pending: P) -> int:
        """Give a command its id; one counter serves all sessions of the wire."""
        pending.id = self.reserve()
        self.pending[pending.id] = pending
        return pending.id

    def reserve(self) -> int:
        """The next id, for whoever deals with the reply itself."""
        self._last_id += 1
        return self._last_id

    def abandon(self, message_id: int) -> bool:
        """Nobody waits for this reply any more. False if it was already settled."""
        if self.pending.pop(message_id, None) is None:
            return False
        self._abandoned[message_id] = None
        if len(self._abandoned) > ABANDONED_REMEMBERED:
            self._abandoned.popitem(last=False)
        return True

    def reset(self) -> tuple[list[P], list[SessionRecord]]:
        """The wire is gone: everything that waited or was attached is handed back."""
        doomed, gone = list(self.pending.values()), list(self.sessions.values())
        self.pending.clear()
        self.sessions.clear()
        self._abandoned.clear()
        return doomed, gone

    # Frames coming in.

    def receive(self, frame: bytes) -> Settled[P] | Event[Any] | Routed[P] | Ignored:
        """Say what one frame means. Never raises: Chrome's bytes are not ours to trust."""
        envelope = decode_envelope(frame)
        if envelope is None:
            return self.malformed()
        if envelope.id is not None:
            pending = self.pending.pop(envelope.id, None)
            if pending is None:
                return self._unexpected(envelope.id)
            return Settled(pending, envelope.result, envelope.error)
        if envelope.method is None:
            return self.malformed()
        session_id = envelope.sessionId
        if session_id and session_id not in self.sessions:
            self.counts.unknown_session += 1
            return Ignored("unknown_session")
        event: Event[Any] = Event(envelope.method, session_id, envelope.params)
        return self._lifecycle(event) if envelope.method in _LIFECYCLE else event

    def _lifecycle(self, event: Event[Any]) -> Routed[P] | Ignored:
        """An event that starts, ends, kills or revives sessions."""
        session = self.sessions.get(event.session_id)
        match event.method:
            case "Target.attachedToTarget":
                return self._attached(event)
            case "Target.detachedFromTarget":
                return self._detached(event)
            case "Inspector.targetCrashed":
                return self._crashed(event, [session] if session else [])
            case "Target.targetCrashed":
                target_id = _text(event, "targetId")
                return self._crashed(
                    event, [s for s in self.sessions.values() if s.target_id == target_id]
                )
        if session is not None:
            session.crashed = False
        return Routed(event)

    def malformed(self) -> Ignored:
        """Count a frame that is no CDP message at all."""
        self.counts.malformed += 1
        return Ignored("malformed")

    def _unexpected(self, message_id: int) -> Ignored:
        if message_id in self._abandoned:
            del self._abandoned[message_id]
            self.counts.late += 1
            return Ignored("late")
        if 0 < message_id <= self._last_id:
            self.counts.duplicate += 1
            return Ignored("duplicate")
        self.counts.unknown_id += 1
        return Ignored("unknown_id")

    def _attached(self, event: Event[Any]) -> Routed[P] | Ignored:
        session_id = _text(event, "sessionId")
        info = event.params.get("targetInfo")
        if not session_id or not isinstance(info, dict):
            return self.malformed()
        record = SessionRecord(
            SessionId(session_id),
            target_id=str(info.get("targetId", "")),
            target_type=str(info.get("type", "")),
            parent=event.session_id,
            waiting_for_debugger=event.params.get("waitingForDebugger") is True,
        )
        self.sessions[record.id] = record
        return Routed(event, born=record)

    def _detached(self, event: Event[Any]) -> Routed[P]:
        gone = list(self._family(SessionId(_text(event, "sessionId"))))
        for record in gone:
            del self.sessions[record.id]
        return Routed(event, gone=gone, doomed=self._take_pending(gone))

    def _crashed(self, event: Event[Any], crashed: list[SessionRecord]) -> Routed[P]:
        # Chrome tells a crash twice; what was sent in between was sent to a crashed target.
        fresh = [record for record in crashed if not record.crashed]
        for record in fresh:
            record.crashed = True
        return Routed(event, doomed=self._take_pending(fresh))

    def _family(self, session_id: SessionId) -> Iterator[SessionRecord]:
        """The session and all below it, children first."""
        record = self.sessions.get(session_id)
        if record is None:
            return
        for child in [s for s in self.sessions.values() if s.parent == session_id]:
            yield from self._family(child.id)
        yield record

    def _take_pending(self, sessions: list[SessionRecord]) -> list[P]:
        ids = {record.id for record in sessions} - {ROOT}
        doomed = [p for p in self.pending.values() if p.session_id in ids]
        for pending in doomed:
            self.abandon(pending.id)
        return doomed


def _text(event: Event[Any], key: str) -> str:
    value: Any = event.params.get(key, "")
    return value if isinstance(value, str) else ""
