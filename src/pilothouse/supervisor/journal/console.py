"""What the pages and workers of each tab said on their consoles: a bounded recorder.

Knows: Chrome's three kinds of console event, how to put them into words, and what to forget. Chatty
by nature, so it stays out of the state: an event costs two appends, and is read only when someone
asks. Complaints are kept apart as well, so that chatter cannot push them out.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Container
from typing import Any

from pilothouse.cdp import Event
from pilothouse.supervisor.journal.remote_values import described, in_words

__all__ = ["LEVELS", "METHODS", "Console"]

ERRORS_KEPT = 50
KEPT_OF_A_TAB = 500
ERROR_TEXT_SHOWN = 1000
TEXT_SHOWN = 8 * 1024
STACK_SHOWN = 10

# What is larger is put into words at once: 500 pages of text are not kept for one that is read.
LONGEST_RAW = 32 * 1024

METHODS = frozenset({"Runtime.consoleAPICalled", "Runtime.exceptionThrown", "Log.entryAdded"})

# From least to most; a level means itself and what is worse.
LEVELS = ("debug", "info", "warning", "error")

# What a worker says, once more on its page's session and in fewer words.
_ECHO = b'{"entry":{"source":"worker"'

_LEVEL_OF = {"assert": "error", "verbose": "debug"} | {level: level for level in LEVELS}


class _Ring:
    """The last lines of one tab, counted from 1."""

    __slots__ = ("count", "lines")

    def __init__(self) -> None:
        self.count = 0
        self.lines: deque[tuple[float, str, Event[Any] | dict[str, Any]]] = deque(
            maxlen=KEPT_OF_A_TAB
        )


class Console:
    """What one browser's pages and workers said."""

    def __init__(self) -> None:
        self._errors: deque[tuple[float, str, Event[Any] | dict[str, Any]]] = deque(
            maxlen=ERRORS_KEPT
        )
        self._rings: dict[str, _Ring] = {}

    def note(self, event: Event[Any], tab: str, at: float, kind: str = "page") -> None:
        """Keep the event; `kind` is that of the session which told it."""
        raw = bytes(event.raw)
        if raw.startswith(_ECHO):
            return
        complaint = _is_complaint(event, raw)
        kept = event if len(raw) <= LONGEST_RAW else _describe(event)
        ring = self._rings.get(tab)
        if ring is None:
            ring = self._rings[tab] = _Ring()
        ring.count += 1
        ring.lines.append((at, kind, kept))
        if complaint:
            self._errors.append((at, tab, kept))

    def keep(self, tabs: Container[str]) -> None:
        """Forget what was said in all tabs but these, complaints apart."""
        for tab in [tab for tab in self._rings if tab not in tabs]:
            del self._rings[tab]

    def errors(self, tab: str | None = None, clock: float = 0.0) -> list[dict[str, Any]]:
        """The complaints of a tab, or of all, the newest last."""
        found = []
        for at, of, kept in self._errors:
            if tab in (None, of):
                said = _said(kept)
                line = {"at": clock + at, "tab": of, "source": said["source"]}
                line["text"] = said["text"][:ERROR_TEXT_SHOWN]
                found.append(line | {key: said[key] for key in ("url", "line") if key in said})
        return found

    def count(self, tab: str) -> int:
        """How many lines a tab has said so far; the next one has this number plus one."""
        ring = self._rings.get(tab)
        return ring.count if ring is not None else 0

    def lines(
        self, tab: str, since: int | None = None, level: str = "debug", limit: int = 100
    ) -> tuple[list[dict[str, Any]], int, int]:
        """Lines of a tab of at least this level, where to go on, and how many are lost.

        From number `since` on, the oldest first; without it the last ones there are.
        """
        ring = self._rings.get(tab)
        if ring is None:
            return [], max(since or 1, 1), 0
        wanted = LEVELS[LEVELS.index(level) :]
        first = ring.count - len(ring.lines) + 1
        start = first if since is None else max(since, first)
        lost = max(0, first - (since or 1))
        found: list[dict[str, Any]] = []
        go_on = max(since or 1, ring.count + 1)
        # Without `since` read backwards: what is not shown is not put into words either.
        numbers = range(start, ring.count + 1)
        for number in reversed(numbers) if since is None else numbers:
            at, kind, kept = ring.lines[number - first]
            said = _said(kept)
            if said["level"] not in wanted:
                continue
            if len(found) == limit:
                go_on = number if since is not None else go_on
                break
            found.append({"seq": number, "at": at, "where": kind, **said})
        return (found[::-1] if since is None else found), go_on, lost


def _is_complaint(event: Event[Any], raw: bytes) -> bool:
    # A look at the raw bytes first: most console traffic is no error and is never decoded.
    if event.method == "Runtime.exceptionThrown":
        return True
    if b'"error"' not in raw and b'"assert"' not in raw:
        return False
    if event.method == "Log.entryAdded":
        return bool(event.params["entry"].get("level") == "error")
    return event.params.get("type") in ("error", "assert")


def _said(kept: Event[Any] | dict[str, Any]) -> dict[str, Any]:
    return kept if isinstance(kept, dict) else _describe(kept)


def _describe(event: Event[Any]) -> dict[str, Any]:
    params = event.params
    match event.method:
        case "Runtime.consoleAPICalled":
            kind = str(params.get("type", "log"))
            text = in_words(params.get("args", ()), TEXT_SHOWN)
            said = {"level": _LEVEL_OF.get(kind, "info"), "source": "console", "text": text}
            frames = _stack(params.get("stackTrace"))
            told = ("error", "warning", "assert", "trace")
            return said | _place(frames, shown=kind in told)
        case "Runtime.exceptionThrown":
            details = params["exceptionDetails"]
            thrown = details.get("exception") or {}
            text = described(thrown) if thrown else ""
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


def _place(frames: list[dict[str, Any]], *, shown: bool) -> dict[str, Any]:
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
