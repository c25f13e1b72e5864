"""The last console errors and uncaught exceptions of each tab: a bounded recorder.

Chatty by nature, so it stays out of the state: an event costs one append, and is read only when
someone asks.
"""

from __future__ import annotations

from collections import deque
from typing import Any

from pilothouse.cdp import Event

__all__ = ["Console"]

KEPT = 50
ARGUMENTS_SHOWN = 8
TEXT_SHOWN = 1000

METHODS = frozenset({"Runtime.consoleAPICalled", "Runtime.exceptionThrown", "Log.entryAdded"})


class Console:
    """What one browser's pages and workers complained about."""

    def __init__(self) -> None:
        self._errors: deque[tuple[float, str, Event[Any]]] = deque(maxlen=KEPT)

    def note(self, event: Event[Any], tab: str, at: float) -> None:
        """Keep the event if it is a complaint."""
        if event.method != "Runtime.exceptionThrown" and not _is_error(event):
            return
        self._errors.append((at, tab, event))

    def errors(self, tab: str | None = None, clock: float = 0.0) -> list[dict[str, Any]]:
        """The complaints of a tab, or of all, the newest last."""
        return [
            {"at": clock + at, "tab": of, **_describe(event)}
            for at, of, event in self._errors
            if tab in (None, of)
        ]


def _is_error(event: Event[Any]) -> bool:
    # A look at the raw bytes first: most console traffic is no error and is never decoded.
    raw = bytes(event.raw)
    if b'"error"' not in raw and b'"assert"' not in raw:
        return False
    if event.method == "Log.entryAdded":
        return bool(event.params["entry"].get("level") == "error")
    return event.params.get("type") in ("error", "assert")


def _describe(event: Event[Any]) -> dict[str, Any]:
    params = event.params
    match event.method:
        case "Runtime.consoleAPICalled":
            shown = [_value(argument) for argument in params.get("args", ())[:ARGUMENTS_SHOWN]]
            return {"source": "console", "text": " ".join(shown)[:TEXT_SHOWN]}
        case "Runtime.exceptionThrown":
            details = params["exceptionDetails"]
            thrown = details.get("exception") or {}
            text = thrown.get("description") or _value(thrown) or details.get("text", "")
            return {
                "source": "exception",
                "text": text[:TEXT_SHOWN],
                "url": details.get("url", ""),
                "line": details.get("lineNumber", 0) + 1,
            }
    entry = params["entry"]
    return {
        "source": entry.get("source", "log"),
        "text": entry.get("text", "")[:TEXT_SHOWN],
        "url": entry.get("url", ""),
    }


def _value(argument: dict[str, Any]) -> str:
    if "value" in argument:
        return str(argument["value"])
    return str(argument.get("unserializableValue") or argument.get("description") or "")
