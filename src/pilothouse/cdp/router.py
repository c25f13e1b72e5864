"""Decide what one inbound message means.

Knows: message ids, flat sessions, which command waits for which reply.
Must not know: sockets, futures, clocks, or any page-level meaning of an event.

A message is exactly one of:

    ReplyReceived    the reply to a pending command
    Event            an event
    SessionsChanged  an event that attaches, detaches, crashes or revives sessions
    IgnoredMessage   anything else; it is only counted

The router adds and removes sessions itself, on `Target.attachedToTarget` and
`Target.detachedFromTarget`. A listener that receives the event therefore finds the session.
Orders that Chromium really produces:

    attachedToTarget -> events of the session -> reply to Target.attachToTarget
    detachedFromTarget(parent) without one for its children: they end with it
    targetCrashed with commands in flight: their replies never come
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator, Sequence
from types import CodeType
from typing import Any, Generic, TypeVar

import msgspec

from pilothouse.cdp.message import (
    ROOT,
    Envelope,
    ErrorBody,
    Event,
    SessionId,
    decode_envelope,
)

__all__ = [
    "IgnoredMessage",
    "MessageCounts",
    "ReplyReceived",
    "Router",
    "SentCommand",
    "SessionRecord",
    "SessionsChanged",
    "SourceLocation",
]

# Ids of commands that timed out or were cancelled. A reply to one counts as "late", not "unknown".
ABANDONED_IDS_KEPT = 10_000

_SESSION_EVENTS = frozenset(
    {
        "Inspector.targetCrashed",
        "Inspector.targetReloadedAfterCrash",
        "Target.attachedToTarget",
        "Target.detachedFromTarget",
        "Target.targetCrashed",
    }
)


# Code object and line. Formatted only when read, because every command stores one.
SourceLocation = tuple[CodeType, int]


class SentCommand:
    """A command that waits for its reply. `Reply` subclasses it to add a future."""

    __slots__ = ("_origin", "id", "method", "sent_at", "session_id")

    def __init__(
        self, method: str, session_id: SessionId, sent_at: float, origin: SourceLocation | str
    ) -> None:
        self.id = 0
        self.method = method
        self.session_id = session_id
        self.sent_at = sent_at
        self._origin = origin

    @property
    def origin(self) -> str:
        """Where the command was sent from: file:line and function."""
        if isinstance(self._origin, str):
            return self._origin
        code, line = self._origin
        return f"{code.co_filename}:{line} in {code.co_name}"


P = TypeVar("P", bound=SentCommand)


class SessionRecord(msgspec.Struct):
    """What the router knows about one attached session."""

    id: SessionId
    target_id: str
    target_type: str
    parent: SessionId
    waiting_for_debugger: bool = False
    crashed: bool = False


class MessageCounts(msgspec.Struct):
    """Messages that were counted instead of handled, by reason."""

    late: int = 0
    duplicate: int = 0
    unknown_id: int = 0
    unknown_session: int = 0
    malformed: int = 0
    listener_errors: int = 0


class ReplyReceived(msgspec.Struct, Generic[P]):
    """The reply to `pending`. `result` is valid only when `error` is None."""

    pending: P
    result: msgspec.Raw
    error: ErrorBody | None


class IgnoredMessage(msgspec.Struct, frozen=True):
    """A message to ignore; `reason` names the counter that was raised."""

    reason: str


class SessionsChanged(msgspec.Struct, Generic[P]):
    """An event, the sessions it attached or detached, and the commands it left without reply."""

    event: Event[Any]
    attached: SessionRecord | None = None
    detached: Sequence[SessionRecord] = ()
    lost_commands: Sequence[P] = ()


class Router(Generic[P]):
    """The state of one connection: pending commands, attached sessions, counters."""

    def __init__(self) -> None:
        self.counts = MessageCounts()
        self.sessions: dict[SessionId, SessionRecord] = {}
        self.pending: dict[int, P] = {}
        self._last_id = 0
        self._abandoned: OrderedDict[int, None] = OrderedDict()

    # Outbound commands.

    def register(self, pending: P) -> int:
        """Give a command its id. One counter serves all sessions of the connection, so that an id
        is unique in logs."""
        pending.id = self.reserve_id()
        self.pending[pending.id] = pending
        return pending.id

    def reserve_id(self) -> int:
        """Take the next id, for a caller that handles the reply itself."""
        self._last_id += 1
        return self._last_id

    def abandon(self, message_id: int) -> bool:
        """Stop waiting for a reply. Returns False if it had come already."""
        if self.pending.pop(message_id, None) is None:
            return False
        self._abandoned[message_id] = None
        if len(self._abandoned) > ABANDONED_IDS_KEPT:
            self._abandoned.popitem(last=False)
        return True

    def reset(self) -> tuple[list[P], list[SessionRecord]]:
        """Forget everything after a drop; return the pending commands and the sessions."""
        lost_commands, detached = list(self.pending.values()), list(self.sessions.values())
        self.pending.clear()
        self.sessions.clear()
        self._abandoned.clear()
        return lost_commands, detached

    # Inbound messages.

    def receive(
        self, message: bytes
    ) -> ReplyReceived[P] | Event[Any] | SessionsChanged[P] | IgnoredMessage:
        """Classify one message. Never raises, whatever Chrome sends."""
        envelope = decode_envelope(message)
        return self.count_malformed() if envelope is None else self.receive_envelope(envelope)

    def receive_envelope(
        self, envelope: Envelope
    ) -> ReplyReceived[P] | Event[Any] | SessionsChanged[P] | IgnoredMessage:
        """Classify one decoded message. Never raises."""
        if envelope.id is not None:
            pending = self.pending.pop(envelope.id, None)
            if pending is None:
                return self._count_unexpected(envelope.id)
            return ReplyReceived(pending, envelope.result, envelope.error)
        if envelope.method is None:
            return self.count_malformed()
        session_id = envelope.sessionId
        if session_id and session_id not in self.sessions:
            self.counts.unknown_session += 1
            return IgnoredMessage("unknown_session")
        event: Event[Any] = Event(envelope.method, session_id, envelope.params)
        return self._change_sessions(event) if envelope.method in _SESSION_EVENTS else event

    def _change_sessions(self, event: Event[Any]) -> SessionsChanged[P] | IgnoredMessage:
        """Apply an event that attaches, detaches, crashes or revives sessions."""
        session = self.sessions.get(event.session_id)
        match event.method:
            case "Target.attachedToTarget":
                return self._attach(event)
            case "Target.detachedFromTarget":
                return self._detach(event)
            case "Inspector.targetCrashed":
                return self._crash(event, [session] if session else [])
            case "Target.targetCrashed":
                target_id = _string(event, "targetId")
                return self._crash(
                    event, [s for s in self.sessions.values() if s.target_id == target_id]
                )
        if session is not None:
            session.crashed = False
        return SessionsChanged(event)

    def count_malformed(self) -> IgnoredMessage:
        """Count a message that is not a CDP message."""
        self.counts.malformed += 1
        return IgnoredMessage("malformed")

    def _count_unexpected(self, message_id: int) -> IgnoredMessage:
        if message_id in self._abandoned:
            del self._abandoned[message_id]
            self.counts.late += 1
            return IgnoredMessage("late")
        if 0 < message_id <= self._last_id:
            self.counts.duplicate += 1
            return IgnoredMessage("duplicate")
        self.counts.unknown_id += 1
        return IgnoredMessage("unknown_id")

    def _attach(self, event: Event[Any]) -> SessionsChanged[P] | IgnoredMessage:
        session_id = _string(event, "sessionId")
        info = event.params.get("targetInfo")
        if not session_id or not isinstance(info, dict):
            return self.count_malformed()
        record = SessionRecord(
            SessionId(session_id),
            target_id=str(info.get("targetId", "")),
            target_type=str(info.get("type", "")),
            parent=event.session_id,
            waiting_for_debugger=event.params.get("waitingForDebugger") is True,
        )
        self.sessions[record.id] = record
        return SessionsChanged(event, attached=record)

    def _detach(self, event: Event[Any]) -> SessionsChanged[P]:
        detached = list(self._subtree(SessionId(_string(event, "sessionId"))))
        for record in detached:
            del self.sessions[record.id]
        return SessionsChanged(event, detached=detached, lost_commands=self._take_pending(detached))

    def _crash(self, event: Event[Any], crashed: list[SessionRecord]) -> SessionsChanged[P]:
        # Chrome reports a crash twice (Inspector and Target). Commands sent after the first report
        # are reloads of the crashed target: do not fail them.
        fresh = [record for record in crashed if not record.crashed]
        for record in fresh:
            record.crashed = True
        return SessionsChanged(event, lost_commands=self._take_pending(fresh))

    def _subtree(self, session_id: SessionId) -> Iterator[SessionRecord]:
        """The session and its descendants, children first."""
        record = self.sessions.get(session_id)
        if record is None:
            return
        for child in [s for s in self.sessions.values() if s.parent == session_id]:
            yield from self._subtree(child.id)
        yield record

    def _take_pending(self, sessions: list[SessionRecord]) -> list[P]:
        ids = {record.id for record in sessions} - {ROOT}
        lost_commands = [p for p in self.pending.values() if p.session_id in ids]
        for pending in lost_commands:
            self.abandon(pending.id)
        return lost_commands


def _string(event: Event[Any], key: str) -> str:
    value: Any = event.params.get(key, "")
    return value if isinstance(value, str) else ""
