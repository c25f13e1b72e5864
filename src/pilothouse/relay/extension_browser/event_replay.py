"""Past events that a session must get when it enables a domain late. Pure.

Keeps execution contexts, lifecycle states, scripts and style sheets. Knows: which events create and
end them. Must not know: sessions.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from pilothouse.relay.extension_browser.tab_and_message_types import decode_object, encode

__all__ = ["CONTEXTS_CLEARED", "LIFECYCLE", "MAX_SCRIPTS", "REPLAYED_DOMAINS", "EventHistory"]

# Keep at most this many scripts: a page that creates scripts without end must not fill memory.
MAX_SCRIPTS = 2000

# Domains whose past events are replayed, and the command that enables lifecycle events.
REPLAYED_DOMAINS = frozenset({"CSS", "Debugger", "Runtime"})
LIFECYCLE = "Page.setLifecycleEventsEnabled"

ReplayedEvent = tuple[str, msgspec.Raw]

_CONTEXT = "Runtime.executionContextCreated"
_LIFECYCLE = "Page.lifecycleEvent"
_SCRIPT = "Debugger.scriptParsed"
_SHEET = "CSS.styleSheetAdded"
_PAUSED = "Debugger.paused"


# Events that Chrome repeats to a new debugger, and repeated events that carry a timestamp.
_REPEATED = frozenset({_CONTEXT, _LIFECYCLE, _SCRIPT, _SHEET})
_TIMED = frozenset({"Log.entryAdded", "Runtime.consoleAPICalled", "Runtime.exceptionThrown"})


class _LogEntry(msgspec.Struct, gc=False):
    timestamp: float = 0.0


class _TimedEvent(msgspec.Struct, gc=False):
    timestamp: float = 0.0
    entry: _LogEntry | None = None


_timed = msgspec.json.Decoder(_TimedEvent)


class EventHistory:
    """The current state of one page, frame or worker, as its events described it. `until` is the
    timestamp of the newest console message that sessions already have."""

    def __init__(self, until: float = 0.0) -> None:
        self._until = until
        self.latest = until
        self.contexts: dict[int, msgspec.Raw] = {}
        self._frames: dict[str, dict[str, msgspec.Raw]] = {}
        self._scripts: dict[str, tuple[int, msgspec.Raw]] = {}
        self._sheets: dict[str, msgspec.Raw] = {}
        self._paused: msgspec.Raw | None = None

    def record(self, method: str, raw: msgspec.Raw) -> None:
        """Record an event."""
        read = _RECORDERS.get(method)
        if read is not None:
            # Copy it: the message that `raw` points into may be large, and this is kept for long.
            read(self, decode_object(raw), msgspec.Raw(bytes(raw)))
        elif method in _TIMED:
            self.latest = max(self.latest, _time_of(raw))

    def is_repeat(self, method: str, raw: msgspec.Raw) -> bool:
        """Return whether an event of a new debugger repeats what sessions have, or will get when
        the state is restored."""
        return method in _REPEATED or (method in _TIMED and _time_of(raw) <= self._until)

    def replay(self, what: str) -> list[ReplayedEvent]:
        """Return the events that Chrome would send to a session that enables a domain now."""
        match what:
            case "Runtime":
                return [(_CONTEXT, raw) for raw in self.contexts.values()]
            case "Page.setLifecycleEventsEnabled":
                return [(_LIFECYCLE, r) for seen in self._frames.values() for r in seen.values()]
            case "Debugger":
                paused = [(_PAUSED, self._paused)] if self._paused is not None else []
                return [*((_SCRIPT, raw) for _, raw in self._scripts.values()), *paused]
            case "CSS":
                return [(_SHEET, raw) for raw in self._sheets.values()]
        return []

    def forget(self, domain: str) -> None:
        """Drop the events of a disabled domain: they are no longer kept up to date."""
        match domain:
            case "Runtime":
                self.contexts.clear()
            case "Debugger":
                self._scripts.clear()
                self._paused = None
            case "CSS":
                self._sheets.clear()
            case "Page":
                self._frames.clear()

    def is_paused(self) -> bool:
        """Return whether a breakpoint or `debugger` statement has stopped it."""
        return self._paused is not None

    # One method for each event that is kept or that ends something kept.

    def _context_created(self, params: Mapping[str, Any], raw: msgspec.Raw) -> None:
        number = params.get("context", {}).get("id")
        if isinstance(number, int):
            self.contexts[number] = raw

    def _context_destroyed(self, params: Mapping[str, Any], _: msgspec.Raw) -> None:
        number = params.get("executionContextId")
        self.contexts.pop(number, None)  # type: ignore[arg-type]
        for script in [s for s, (context, _) in self._scripts.items() if context == number]:
            del self._scripts[script]

    def _contexts_cleared(self, _: Mapping[str, Any], __: msgspec.Raw) -> None:
        self.contexts.clear()
        self._scripts.clear()

    def _lifecycle(self, params: Mapping[str, Any], raw: msgspec.Raw) -> None:
        frame, name = str(params.get("frameId", "")), str(params.get("name", ""))
        if name == "init":
            self._frames.pop(frame, None)
        self._frames.setdefault(frame, {})[name] = raw

    def _frame_detached(self, params: Mapping[str, Any], _: msgspec.Raw) -> None:
        self._frames.pop(str(params.get("frameId", "")), None)

    def _frame_navigated(self, params: Mapping[str, Any], _: msgspec.Raw) -> None:
        frame = params.get("frame", {})
        if not frame.get("parentId"):
            # A new document. Its own `init` may have come before this event, so keep that frame.
            kept = str(frame.get("id", ""))
            self._frames = {f: seen for f, seen in self._frames.items() if f == kept}

    def _script(self, params: Mapping[str, Any], raw: msgspec.Raw) -> None:
        context = params.get("executionContextId")
        number = context if isinstance(context, int) else -1
        self._scripts[str(params.get("scriptId", ""))] = (number, raw)
        if len(self._scripts) > MAX_SCRIPTS:
            del self._scripts[next(iter(self._scripts))]

    def _pause(self, _: Mapping[str, Any], raw: msgspec.Raw) -> None:
        self._paused = raw

    def _resumed(self, _: Mapping[str, Any], __: msgspec.Raw) -> None:
        self._paused = None

    def _sheet_added(self, params: Mapping[str, Any], raw: msgspec.Raw) -> None:
        self._sheets[str(params.get("header", {}).get("styleSheetId", ""))] = raw

    def _sheet_changed(self, params: Mapping[str, Any], _: msgspec.Raw) -> None:
        self._sheets.pop(str(params.get("styleSheetId", "")), None)


def _time_of(raw: msgspec.Raw) -> float:
    try:
        event = _timed.decode(raw)
    except msgspec.DecodeError:
        return 0.0
    return event.entry.timestamp if event.entry is not None else event.timestamp


_RECORDERS = {
    _CONTEXT: EventHistory._context_created,
    "Runtime.executionContextDestroyed": EventHistory._context_destroyed,
    "Runtime.executionContextsCleared": EventHistory._contexts_cleared,
    _LIFECYCLE: EventHistory._lifecycle,
    "Page.frameDetached": EventHistory._frame_detached,
    "Page.frameNavigated": EventHistory._frame_navigated,
    _SCRIPT: EventHistory._script,
    _PAUSED: EventHistory._pause,
    "Debugger.resumed": EventHistory._resumed,
    _SHEET: EventHistory._sheet_added,
    "CSS.styleSheetRemoved": EventHistory._sheet_changed,
}

CONTEXTS_CLEARED: ReplayedEvent = ("Runtime.executionContextsCleared", msgspec.Raw(encode({})))
