"""`Journal`: a bounded, redacted record of one browser's CDP messages and events.

Knows: what to record, what must not be written down, and how to replay it. The events alone
determine the states (`replay`); the CDP messages show where the events came from. An exported
journal is a transcript of JSON lines:

    {"t": 0.0123, "d": "send" | "receive", "m": {...}}       a raw, cut and redacted
    {"t": 0.0124, "d": "event", "m": {"event": "DialogAnswered", ...}}  what `step` was given
    {"t": 0.0, "d": "state", "clock": 1.7e9, "m": {...}}      the state before (first line); what
                                                              to add to times for wall time

Secrets are replaced before an entry is stored: typed and pasted text, answers, passwords, cookies,
headers, bodies, scripts. The text of an answered prompt is part of the state; the journal keeps it
for `replay` and leaves it out of an export.
"""

from __future__ import annotations

import json
import re
from collections import deque
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec.structs import fields, replace

from pilothouse.cdp.message import decode_envelope
from pilothouse.private_files import write_atomically
from pilothouse.security.redaction import strip_userinfo
from pilothouse.supervisor.journal.journal_text import JournalLine, describe_event
from pilothouse.supervisor.model import DECODED_METHODS, Effect, Policy, State, TabKey, step
from pilothouse.supervisor.model import events as ev

if TYPE_CHECKING:
    from pilothouse.supervisor.supervisor import Supervisor

__all__ = [
    "HIDDEN",
    "Journal",
    "JournalEntry",
    "RecordedJournal",
    "describe_journal",
    "event_from_json",
    "event_to_json",
    "read_journal",
    "replay",
]

LIMIT_BYTES = 4 * 1024**2
MAX_AGE_S = 3600.0

HIDDEN = "(hidden)"

# Longer values (scripts, images, data: URLs) say nothing about what happened.
LONGEST_VALUE = 500
LONGEST_MESSAGE = 256 * 1024

# Fields that may hold secrets of a user or a page, in any command.
_SECRET_FIELDS = frozenset(
    {
        "arguments",
        "binaryResponseHeaders",
        "body",
        "cookies",
        "data",
        "expression",
        "files",
        "functionDeclaration",
        "headers",
        "password",
        "postData",
        "postDataEntries",
        "promptText",
        "responseHeaders",
        "source",
        "text",
        "unmodifiedText",
        "userInput",
        "username",
        "value",
    }
)
_KEPT_METHODS = DECODED_METHODS | {"Fetch.requestPaused", "Debugger.paused", "Target.targetCreated"}
_METHOD_PREFIX = re.compile(rb'\{"method":"([A-Za-z.]+)"')
_SECRET_FIELDS_BY_METHOD = {"Input.dispatchKeyEvent": ("key", "code")}

_EVENTS: dict[str, type[ev.Event]] = {
    name: getattr(ev, name) for name in ev.__all__ if isinstance(getattr(ev, name), type)
}


class JournalEntry(msgspec.Struct, frozen=True):
    """One entry: an event of ours, or (`message`) a CDP message."""

    at: float
    direction: str
    event: ev.Event | None = None
    message: bytes = b""

    @property
    def size(self) -> int:
        """The bytes it counts against the limit."""
        return len(self.message) if self.event is None else len(msgspec.json.encode(self.event))


class RecordedJournal(msgspec.Struct, frozen=True):
    """A journal read from a file."""

    base: State
    entries: tuple[JournalEntry, ...]
    # Offset from the entries' times to wall time.
    clock: float = 0.0


class Journal:
    """Records one supervisor until `close`: its events and, with `messages`, the CDP messages."""

    def __init__(
        self,
        supervisor: Supervisor,
        limit_bytes: int = LIMIT_BYTES,
        max_age_s: float = MAX_AGE_S,
        messages: bool = True,
    ) -> None:
        self.base = supervisor.state
        self.bytes = 0
        self._supervisor = supervisor
        self._limit_bytes = limit_bytes
        self._max_age_s = max_age_s
        self._entries: deque[tuple[JournalEntry, int]] = deque()
        self._unlisten = [supervisor.observe(self._on_event)]
        if messages:
            self._unlisten.append(supervisor.connection.trace(self._on_message))

    @property
    def entries(self) -> tuple[JournalEntry, ...]:
        """The entries, the oldest first."""
        return tuple(entry for entry, _ in self._entries)

    def close(self) -> None:
        """Stop recording; keep the entries."""
        for unlisten in self._unlisten:
            unlisten()
        self._unlisten.clear()

    def export(self, path: Path, clean: Callable[[Any], Any] = lambda value: value) -> None:
        """Write a transcript that only this user can read. `clean` may redact more in each
        message, event and state."""
        start = self._entries[0][0].at if self._entries else 0.0
        base = clean(_state_to_json(_without_texts(self.base)))
        lines = [_format_line(0.0, "state", base, clock=self._supervisor.clock)]
        for entry, _ in self._entries:
            message = clean(_entry_to_json(entry))
            lines.append(_format_line(entry.at - start, entry.direction, message))
        path.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(path, "".join(f"{line}\n" for line in lines).encode("utf-8", "replace"))

    def _on_message(self, direction: str, raw: bytes) -> None:
        if direction == "receive" and not _should_keep(raw):
            return
        self._keep(JournalEntry(self._supervisor.now(), direction, message=_redact(raw)))

    def _on_event(self, event: ev.Event, state: State, effects: list[Effect]) -> None:
        self._keep(JournalEntry(event.at, "event", _without_secrets(event)))

    def _keep(self, entry: JournalEntry) -> None:
        size = entry.size
        self._entries.append((entry, size))
        self.bytes += size
        oldest = entry.at - self._max_age_s
        while self._entries and (self.bytes > self._limit_bytes or self._entries[0][0].at < oldest):
            forgotten, size = self._entries.popleft()
            self.bytes -= size
            if forgotten.event is not None:
                # What is forgotten still happened: the record begins after it.
                self.base, _ = step(self.base, forgotten.event)


def replay(journal: Journal | RecordedJournal) -> list[State]:
    """Replay the events and return the states: the first one, then one per event."""
    states = [journal.base]
    for entry in journal.entries:
        if entry.event is not None:
            states.append(step(states[-1], entry.event)[0])
    return states


def describe_journal(journal: Journal | RecordedJournal) -> list[JournalLine]:
    """Replay the events and return the lines that describe them, for people."""
    state, lines = journal.base, list[JournalLine]()
    for entry in journal.entries:
        if entry.event is not None:
            before = state
            state, effects = step(before, entry.event)
            lines += describe_event(entry.event, effects, before, state)
    return lines


def read_journal(path: Path) -> RecordedJournal:
    """Read an exported journal. Raises ValueError for an invalid line."""
    base, clock, entries = State(), 0.0, []
    for number, text in enumerate(path.read_text("utf-8").splitlines(), start=1):
        try:
            line = msgspec.json.decode(text)
            at, direction, message = float(line["t"]), line["d"], line["m"]
            if direction == "state":
                base, clock = _state_from_json(message), float(line.get("clock", 0.0))
            elif direction == "event":
                event = event_from_json(message)
                entries.append(JournalEntry(event.at, direction, event))
            else:
                entries.append(JournalEntry(at, direction, message=msgspec.json.encode(message)))
        except (msgspec.MsgspecError, LookupError, TypeError, ValueError) as error:
            raise ValueError(f"{path.name}:{number} is no journal line: {error}") from error
    return RecordedJournal(base, tuple(entries), clock)


# Events and states as JSON.


def event_to_json(event: ev.Event) -> dict[str, Any]:
    """Return an event as JSON; fields at their default are omitted."""
    said: dict[str, Any] = {"event": type(event).__name__}
    for field in fields(event):
        value = getattr(event, field.name)
        made = field.default_factory is not msgspec.NODEFAULT
        if value != field.default and not (made and not value):
            said[field.name] = msgspec.to_builtins(value)
    return said


def event_from_json(said: dict[str, Any]) -> ev.Event:
    """Return the event that `event_to_json` wrote. Raises KeyError or ValidationError."""
    given = {key: value for key, value in said.items() if key != "event"}
    return msgspec.convert(given, _EVENTS[said["event"]])


def _state_to_json(state: State) -> dict[str, Any]:
    # JSON keys cannot be pairs.
    worlds = [[*key, world] for key, world in state.contexts.items()]
    policies = [msgspec.to_builtins(pair) for pair in state.policies.items()]
    said: dict[str, Any] = msgspec.to_builtins(replace(state, contexts={}, policies={}))
    return {**said, "contexts": worlds, "policies": policies}


def _state_from_json(said: dict[str, Any]) -> State:
    state = msgspec.convert({**said, "contexts": {}, "policies": {}}, State)
    policies = msgspec.convert(said["policies"], list[tuple[TabKey, Policy]])
    worlds = {(s, f): world for s, f, world in said["contexts"]}
    return replace(state, contexts=worlds, policies=dict(policies))


def _format_line(at: float, direction: str, message: Any, **more: float) -> str:
    entry = {"t": round(at, 4), "d": direction, **more, "m": message}
    return json.dumps(entry, separators=(",", ":"), ensure_ascii=False)


def _entry_to_json(entry: JournalEntry) -> Any:
    if entry.event is None:
        return json.loads(entry.message)
    return event_to_json(_without_text(entry.event))


# Redaction.


def _should_keep(raw: bytes) -> bool:
    """Return whether to record a received message: decoded events, errors and frame trees, but no
    other events or results."""
    found = _METHOD_PREFIX.match(raw)
    if found is not None:
        return found[1].decode() in _KEPT_METHODS
    return b'"error":{' in raw[:60] or b'"frameTree":{' in raw[:60]


def _redact(raw: bytes) -> bytes:
    if len(raw) > LONGEST_MESSAGE:
        return _summarize(raw)
    message = json.loads(raw)
    hidden = _SECRET_FIELDS.union(_SECRET_FIELDS_BY_METHOD.get(message.get("method", ""), ()))
    for part in ("params", "result"):
        if part in message:
            message[part] = _redact_value(message[part], hidden)
    text = json.dumps(message, separators=(",", ":"), ensure_ascii=False)
    return text.encode("utf-8", "replace")


def _summarize(raw: bytes) -> bytes:
    """Return the id and method of a huge message without decoding the rest."""
    envelope = decode_envelope(raw)
    said = {"id": envelope.id, "method": envelope.method} if envelope is not None else {}
    return msgspec.json.encode({**said, "params": {"bytes": len(raw)}})


def _redact_value(value: Any, hidden: frozenset[str]) -> Any:
    match value:
        case dict():
            return {
                key: HIDDEN if key in hidden and part else _redact_value(part, hidden)
                for key, part in value.items()
            }
        case list():
            return [_redact_value(part, hidden) for part in value]
        case str():
            shown = strip_userinfo(value)
            if len(shown) <= LONGEST_VALUE:
                return shown
            return f"{shown[:LONGEST_VALUE]}... ({len(shown)} characters)"
    return value


def _without_secrets(event: ev.Event) -> ev.Event:
    """Hide what only the page should get; the state does not depend on it."""
    match event:
        case ev.DialogAnswered(text=str()):
            return replace(event, text=HIDDEN)
        case ev.InterruptAnswered():
            return replace(event, detail=dict.fromkeys(event.detail, HIDDEN))
    return event


def _without_text(event: ev.Event) -> ev.Event:
    match event:
        case ev.AnswerDelivered() | ev.DialogClosed() if event.text:
            return replace(event, text=HIDDEN)
    return event


def _without_texts(state: State) -> State:
    recent = tuple(
        replace(closed, text=HIDDEN) if closed.text else closed for closed in state.recent_dialogs
    )
    return replace(state, recent_dialogs=recent)
