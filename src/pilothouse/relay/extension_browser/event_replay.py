"""What a page has said and a newcomer must hear again: worlds, load states, scripts, sheets. Pure.

Knows: which events make and unmake what. Must not know: sessions.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from pilothouse.relay.extension_browser.types import decode_object, encode

__all__ = ["CONTEXTS_CLEARED", "LIFECYCLE", "MAX_SCRIPTS", "REPLAYED_DOMAINS", "EventHistory"]

# Of the newest scripts; a page that makes scripts without end must not fill our memory.
MAX_SCRIPTS = 2000

# Domains whose past a newcomer is told, and what turns the telling of load states on.
REPLAYED_DOMAINS = frozenset({"CSS", "Debugger", "Runtime"})
LIFECYCLE = "Page.setLifecycleEventsEnabled"

ReplayedEvent = tuple[str, msgspec.Raw]

_CONTEXT = "Runtime.executionContextCreated"
_LIFECYCLE = "Page.lifecycleEvent"
_SCRIPT = "Debugger.scriptParsed"
_SHEET = "CSS.styleSheetAdded"
_PAUSED = "Debugger.paused"


# What a fresh debugger is told of the past, and what of it carries the time at which it was said.
_REPEATED = frozenset({_CONTEXT, _LIFECYCLE, _SCRIPT, _SHEET})
_TIMED = frozenset({"Log.entryAdded", "Runtime.consoleAPICalled", "Runtime.exceptionThrown"})


class _LogEntry(msgspec.Struct, gc=False):
    timestamp: float = 0.0


class _TimedEvent(msgspec.Struct, gc=False):
    timestamp: float = 0.0
    entry: _LogEntry | None = None


_timed = msgspec.json.Decoder(_TimedEvent)


class EventHistory:
    """The state of one page, frame or worker, as its events tell it. `until` is when the last of
    the messages was said that have been told before."""

    def __init__(self, until: float = 0.0) -> None:
        self._until = until
        self.latest = until
        self.contexts: dict[int, msgspec.Raw] = {}
        self._frames: dict[str, dict[str, msgspec.Raw]] = {}
        self._scripts: dict[str, tuple[int, msgspec.Raw]] = {}
        self._sheets: dict[str, msgspec.Raw] = {}
        self._paused: msgspec.Raw | None = None

    def record(self, method: str, raw: msgspec.Raw) -> None:
        """An event came."""
        read = _RECORDERS.get(method)
        if read is not None:
            # A copy: the frame that it points into may be large, and it is kept for long.
            read(self, decode_object(raw), msgspec.Raw(bytes(raw)))
        elif method in _TIMED:
            self.latest = max(self.latest, _time_of(raw))

    def is_repeat(self, method: str, raw: msgspec.Raw) -> bool:
        """Whether a fresh debugger says what sessions have heard, or will hear of when all is as
        it was."""
        return method in _REPEATED or (method in _TIMED and _time_of(raw) <= self._until)

    def replay(self, what: str) -> list[ReplayedEvent]:
        """What somebody who turns a domain on now would have been told."""
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
        """A domain was turned off: what it said is no longer kept up to date."""
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
        """Whether a debugger statement or breakpoint holds it."""
        return self._paused is not None

    # One small method for each event that is kept or that ends something kept.

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
            # Of a new document; its own `init` may have come before this.
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
        told = _timed.decode(raw)
    except msgspec.DecodeError:
        return 0.0
    return told.entry.timestamp if told.entry is not None else told.timestamp


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
