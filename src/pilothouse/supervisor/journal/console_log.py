"""`ConsoleLog`: the last console messages of each tab's pages and workers.

Knows: Chrome's three kinds of console events and how to format them. Console events are frequent,
so they stay out of the state: recording one costs two appends, and it is formatted only when read.
Errors are also kept in a list of their own, so that other output cannot push them out.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Container
from typing import Any

from pilothouse.cdp import Event
from pilothouse.supervisor.journal.remote_values import describe_value, format_console_call

__all__ = ["LEVELS", "METHODS", "ConsoleLog"]

ERRORS_KEPT = 50
LINES_KEPT_PER_TAB = 500
ERROR_TEXT_SHOWN = 1000
TEXT_SHOWN = 8 * 1024
STACK_SHOWN = 10

# Format larger events at once: keeping 500 raw ones would cost too much memory.
LONGEST_RAW = 32 * 1024

METHODS = frozenset({"Runtime.consoleAPICalled", "Runtime.exceptionThrown", "Log.entryAdded"})

# In order of severity; asking for a level includes the more severe ones.
LEVELS = ("debug", "info", "warning", "error")

# Chrome repeats a worker's messages on its page's session with less detail.
_WORKER_ECHO = b'{"entry":{"source":"worker"'

_LEVEL_OF = {"assert": "error", "verbose": "debug"} | {level: level for level in LEVELS}


class _LineBuffer:
    """The last console lines of one tab, numbered from 1."""

    __slots__ = ("count", "lines")

    def __init__(self) -> None:
        self.count = 0
        self.lines: deque[tuple[float, str, Event[Any] | dict[str, Any]]] = deque(
            maxlen=LINES_KEPT_PER_TAB
        )


class ConsoleLog:
    """The console lines of one browser, by tab."""

    def __init__(self) -> None:
        self._errors: deque[tuple[float, str, Event[Any] | dict[str, Any]]] = deque(
            maxlen=ERRORS_KEPT
        )
        self._buffers: dict[str, _LineBuffer] = {}

    def record(self, event: Event[Any], tab: str, at: float, kind: str = "page") -> None:
        """Record a console event; `kind` is the target type of its session."""
        raw = bytes(event.raw)
        if raw.startswith(_WORKER_ECHO):
            return
        is_error = _is_error(event, raw)
        kept = event if len(raw) <= LONGEST_RAW else _describe(event)
        buffer = self._buffers.get(tab)
        if buffer is None:
            buffer = self._buffers[tab] = _LineBuffer()
        buffer.count += 1
        buffer.lines.append((at, kind, kept))
        if is_error:
            self._errors.append((at, tab, kept))

    def retain_tabs(self, tabs: Container[str]) -> None:
        """Forget the lines of all tabs but these; errors stay."""
        for tab in [tab for tab in self._buffers if tab not in tabs]:
            del self._buffers[tab]

    def errors(self, tab: str | None = None, clock: float = 0.0) -> list[dict[str, Any]]:
        """Return the errors of a tab, or of all tabs, the newest last."""
        found = []
        for at, of, kept in self._errors:
            if tab in (None, of):
                said = _as_dict(kept)
                line = {"at": clock + at, "tab": of, "source": said["source"]}
                line["text"] = said["text"][:ERROR_TEXT_SHOWN]
                found.append(line | {key: said[key] for key in ("url", "line") if key in said})
        return found

    def count(self, tab: str) -> int:
        """Return how many lines a tab has logged so far."""
        buffer = self._buffers.get(tab)
        return buffer.count if buffer is not None else 0

    def lines(
        self, tab: str, since: int | None = None, level: str = "debug", limit: int = 100
    ) -> tuple[list[dict[str, Any]], int, int]:
        """Return lines of at least this level, the number to continue from, and how many were lost.

        With `since`, from that number on, the oldest first; without it, the last lines.
        """
        buffer = self._buffers.get(tab)
        if buffer is None:
            return [], max(since or 1, 1), 0
        wanted = LEVELS[LEVELS.index(level) :]
        first = buffer.count - len(buffer.lines) + 1
        start = first if since is None else max(since, first)
        lost = max(0, first - (since or 1))
        found: list[dict[str, Any]] = []
        go_on = max(since or 1, buffer.count + 1)
        # Without `since` read backwards, so that lines beyond the limit are never formatted.
        numbers = range(start, buffer.count + 1)
        for number in reversed(numbers) if since is None else numbers:
            at, kind, kept = buffer.lines[number - first]
            said = _as_dict(kept)
            if said["level"] not in wanted:
                continue
            if len(found) == limit:
                go_on = number if since is not None else go_on
                break
            found.append({"seq": number, "at": at, "where": kind, **said})
        return (found[::-1] if since is None else found), go_on, lost


def _is_error(event: Event[Any], raw: bytes) -> bool:
    # Check the raw bytes first: most console events are not errors and are never decoded.
    if event.method == "Runtime.exceptionThrown":
        return True
    if b'"error"' not in raw and b'"assert"' not in raw:
        return False
    if event.method == "Log.entryAdded":
        return bool(event.params["entry"].get("level") == "error")
    return event.params.get("type") in ("error", "assert")


def _as_dict(kept: Event[Any] | dict[str, Any]) -> dict[str, Any]:
    return kept if isinstance(kept, dict) else _describe(kept)


def _describe(event: Event[Any]) -> dict[str, Any]:
    params = event.params
    match event.method:
        case "Runtime.consoleAPICalled":
            kind = str(params.get("type", "log"))
            text = format_console_call(params.get("args", ()), TEXT_SHOWN)
            said = {"level": _LEVEL_OF.get(kind, "info"), "source": "console", "text": text}
            frames = _stack(params.get("stackTrace"))
            told = ("error", "warning", "assert", "trace")
            return said | _location(frames, shown=kind in told)
        case "Runtime.exceptionThrown":
            details = params["exceptionDetails"]
            thrown = details.get("exception") or {}
            text = describe_value(thrown) if thrown else ""
            frames = _stack(details.get("stackTrace"))
            at = {"url": details.get("url", ""), "line": details.get("lineNumber", 0) + 1}
            text = (text or str(details.get("text", "")))[:TEXT_SHOWN]
            return {"level": "error", "source": "exception", "text": text} | (
                at | {"stack": frames} if frames else at
            )
    entry = params["entry"]
    return {
        "level": _LEVEL_OF.get(entry.get("level", ""), "info"),
        "source": str(entry.get("source", "log")),
        "text": str(entry.get("text", ""))[:TEXT_SHOWN],
        "url": str(entry.get("url", "")),
    }


def _location(frames: list[dict[str, Any]], *, shown: bool) -> dict[str, Any]:
    if not frames:
        return {}
    place = {"url": frames[0]["url"], "line": frames[0]["line"]}
    return place | {"stack": frames} if shown else place


def _stack(trace: dict[str, Any] | None) -> list[dict[str, Any]]:
    return [
        {
            "function": frame.get("functionName", ""),
            "url": frame.get("url", ""),
            "line": frame.get("lineNumber", 0) + 1,
            "column": frame.get("columnNumber", 0) + 1,
        }
        for frame in (trace or {}).get("callFrames", ())[:STACK_SHOWN]
    ]
