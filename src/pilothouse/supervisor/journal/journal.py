"""A bounded, redacted record of one browser: what was said on the wire, and what it meant.

Knows: how to listen to a supervisor, what must not be written down, and how to live it again. The
events alone decide the states (`replay`); the frames beside them tell where the events came from.
An exported journal is a transcript: JSON lines, one thing that happened each.

    {"t": 0.0123, "d": "send" | "receive", "m": {...}}       a frame, cut and redacted
    {"t": 0.0124, "d": "event", "m": {"event": "DialogAnswered", ...}}  what `step` was given
    {"t": 0.0, "d": "state", "m": {...}}                      what was true before (first line)

Secrets never get in: what is typed, pasted, answered or sent along (passwords, cookies, headers,
bodies, scripts) is replaced before it is kept. The text a prompt ended with is in the state as
well; it is kept for `replay` and left out of an export.
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
from pilothouse.paths import write_atomically
from pilothouse.security.redaction import strip_userinfo
from pilothouse.supervisor.model import FOLLOWED, Effect, State, step
from pilothouse.supervisor.model import events as ev

if TYPE_CHECKING:
    from pilothouse.supervisor.supervisor import Supervisor

__all__ = ["HIDDEN", "Entry", "Journal", "Record", "event_from", "event_json", "read", "replay"]

LIMIT_BYTES = 4 * 1024**2
MAX_AGE_S = 3600.0

HIDDEN = "(hidden)"

# Longer values tell nothing about what happened: scripts, pictures, data: addresses.
LONGEST_VALUE = 500
LONGEST_FRAME = 256 * 1024

# Whatever the command: what a person or a page would not want to be read by others.
_SECRET = frozenset(
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
_KEPT_METHODS = FOLLOWED | {"Fetch.requestPaused", "Debugger.paused", "Target.targetCreated"}
_METHOD = re.compile(rb'\{"method":"([A-Za-z.]+)"')
_KEY = {"Input.dispatchKeyEvent": ("key", "code")}

_EVENTS: dict[str, type[ev.Event]] = {
    name: getattr(ev, name) for name in ev.__all__ if isinstance(getattr(ev, name), type)
}


class Entry(msgspec.Struct, frozen=True):
    """One thing that happened: an event of ours, or (`frame`) a message on the wire."""

    at: float
    direction: str
    event: ev.Event | None = None
    frame: bytes = b""

    @property
    def size(self) -> int:
        """What it counts against the limit."""
        return len(self.frame) if self.event is None else len(msgspec.json.encode(self.event))


class Record(msgspec.Struct, frozen=True):
    """A journal that was read from a file."""

    base: State
    entries: tuple[Entry, ...]


class Journal:
    """The record of one supervisor, from now until `close`."""

    def __init__(
        self,
        supervisor: Supervisor,
        limit_bytes: int = LIMIT_BYTES,
        max_age_s: float = MAX_AGE_S,
        enabled: bool = True,
    ) -> None:
        self.base = supervisor.state
        self.bytes = 0
        self._supervisor = supervisor
        self._limit_bytes = limit_bytes
        self._max_age_s = max_age_s
        self._entries: deque[tuple[Entry, int]] = deque()
        self._leave: list[Callable[[], None]] = []
        if enabled:
            self._leave = [
                supervisor.connection.trace(self._on_frame),
                supervisor.observe(self._on_event),
            ]

    @property
    def entries(self) -> tuple[Entry, ...]:
        """What is held, the oldest first."""
        return tuple(entry for entry, _ in self._entries)

    def close(self) -> None:
        """Listen no longer; what is held stays."""
        for leave in self._leave:
            leave()
        self._leave.clear()

    def export(self, path: Path, clean: Callable[[str], str] = lambda text: text) -> None:
        """Write a transcript. `clean` may blot out more in a line."""
        start = self._entries[0][0].at if self._entries else 0.0
        lines = [_line(0.0, "state", _state_json(_without_texts(self.base)))]
        lines += [_entry_line(entry, start) for entry, _ in self._entries]
        path.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(path, "".join(f"{clean(line)}\n" for line in lines).encode("utf-8"), 0o666)

    def _on_frame(self, direction: str, frame: bytes) -> None:
        if direction == "receive" and not _is_kept(frame):
            return
        self._keep(Entry(self._supervisor.now(), direction, frame=_redacted(frame)))

    def _on_event(self, event: ev.Event, state: State, effects: list[Effect]) -> None:
        self._keep(Entry(event.at, "event", _without_secrets(event)))

    def _keep(self, entry: Entry) -> None:
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


def replay(journal: Journal | Record) -> list[State]:
    """The states that were lived through: the one before the record, then one per event."""
    states = [journal.base]
    for entry in journal.entries:
        if entry.event is not None:
            states.append(step(states[-1], entry.event)[0])
    return states


def read(path: Path) -> Record:
    """An exported journal. Raises ValueError for a line that is none."""
    base, entries = State(), []
    for number, text in enumerate(path.read_text("utf-8").splitlines(), start=1):
        try:
            line = msgspec.json.decode(text)
            at, direction, message = float(line["t"]), line["d"], line["m"]
            if direction == "state":
                base = _state_from(message)
            elif direction == "event":
                event = event_from(message)
                entries.append(Entry(event.at, direction, event))
            else:
                entries.append(Entry(at, direction, frame=msgspec.json.encode(message)))
        except (msgspec.MsgspecError, LookupError, TypeError, ValueError) as error:
            raise ValueError(f"{path.name}:{number} is no journal line: {error}") from error
    return Record(base, tuple(entries))


# Events and states as JSON.


def event_json(event: ev.Event) -> dict[str, Any]:
    """An event as JSON says it; fields at their default are left out."""
    said: dict[str, Any] = {"event": type(event).__name__}
    for field in fields(event):
        value = getattr(event, field.name)
        made = field.default_factory is not msgspec.NODEFAULT
        if value != field.default and not (made and not value):
            said[field.name] = msgspec.to_builtins(value)
    return said


def event_from(said: dict[str, Any]) -> ev.Event:
    """The event that `event_json` wrote. Raises KeyError or ValidationError if it is none."""
    given = {key: value for key, value in said.items() if key != "event"}
    return msgspec.convert(given, _EVENTS[said["event"]])


def _state_json(state: State) -> dict[str, Any]:
    # JSON has no pairs as keys.
    worlds = [[*key, world] for key, world in state.contexts.items()]
    said: dict[str, Any] = msgspec.to_builtins(replace(state, contexts={}))
    return {**said, "contexts": worlds}


def _state_from(said: dict[str, Any]) -> State:
    state = msgspec.convert({**said, "contexts": {}}, State)
    return replace(state, contexts={(s, f): world for s, f, world in said["contexts"]})


def _line(at: float, direction: str, message: Any) -> str:
    entry = {"t": round(at, 4), "d": direction, "m": message}
    return json.dumps(entry, separators=(",", ":"), ensure_ascii=False)


def _entry_line(entry: Entry, start: float) -> str:
    if entry.event is None:
        return _line(entry.at - start, entry.direction, json.loads(entry.frame))
    return _line(entry.at - start, "event", event_json(_without_text(entry.event)))


# Redaction.


def _is_kept(frame: bytes) -> bool:
    """Events we follow, failures and frame trees; not the floods, nor what commands returned."""
    found = _METHOD.match(frame)
    if found is not None:
        return found[1].decode() in _KEPT_METHODS
    return b'"error":{' in frame[:60] or b'"frameTree":{' in frame[:60]


def _redacted(frame: bytes) -> bytes:
    if len(frame) > LONGEST_FRAME:
        return _outside(frame)
    message = json.loads(frame)
    hidden = _SECRET.union(_KEY.get(message.get("method", ""), ()))
    for part in ("params", "result"):
        if part in message:
            message[part] = _clean(message[part], hidden)
    text = json.dumps(message, separators=(",", ":"), ensure_ascii=False)
    return text.encode("utf-8", "replace")


def _outside(frame: bytes) -> bytes:
    """What a huge frame is, without reading what is in it."""
    envelope = decode_envelope(frame)
    said = {"id": envelope.id, "method": envelope.method} if envelope is not None else {}
    return msgspec.json.encode({**said, "params": {"bytes": len(frame)}})


def _clean(value: Any, hidden: frozenset[str]) -> Any:
    match value:
        case dict():
            return {
                key: HIDDEN if key in hidden and part else _clean(part, hidden)
                for key, part in value.items()
            }
        case list():
            return [_clean(part, hidden) for part in value]
        case str():
            shown = strip_userinfo(value)
            if len(shown) <= LONGEST_VALUE:
                return shown
            return f"{shown[:LONGEST_VALUE]}... ({len(shown)} characters)"
    return value


def _without_secrets(event: ev.Event) -> ev.Event:
    """The same event without what only the page was to know; no state depends on it."""
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
