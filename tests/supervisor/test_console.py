"""The recorder of complaints."""

from __future__ import annotations

import json
from typing import Any

import msgspec

from pilothouse.cdp.message import Event, SessionId
from pilothouse.supervisor.console import ERRORS_KEPT, Console


def event(method: str, params: dict[str, Any]) -> Event[Any]:
    """As the wire brings it."""
    return Event(
        method, SessionId("s"), msgspec.Raw(json.dumps(params, separators=(",", ":")).encode())
    )


def logged(kind: str, *values: object) -> Event[Any]:
    """`console.kind(...)`."""
    arguments = [{"type": "string", "value": value} for value in values]
    return event("Runtime.consoleAPICalled", {"type": kind, "args": arguments})


def test_errors_and_failed_assertions_are_kept_and_chatter_is_not() -> None:
    console = Console()
    for noted in (logged("log", "error"), logged("error", "a", 1), logged("assert", "b")):
        console.note(noted, "t1", 2.0)
    assert console.errors(clock=10) == [
        {"at": 12.0, "tab": "t1", "source": "console", "text": "a 1"},
        {"at": 12.0, "tab": "t1", "source": "console", "text": "b"},
    ]


def test_exception_says_what_and_where() -> None:
    console = Console()
    thrown: dict[str, Any] = {"exception": {"description": "Error: x"}, "url": "u"}
    thrown |= {"lineNumber": 4}
    console.note(event("Runtime.exceptionThrown", {"exceptionDetails": thrown}), "t1", 0)
    bare = {"exceptionDetails": {"text": "Uncaught"}}
    console.note(event("Runtime.exceptionThrown", bare), "t1", 0)
    first, second = console.errors()
    assert (first["text"], first["url"], first["line"]) == ("Error: x", "u", 5)
    assert second["text"] == "Uncaught"


def test_browsers_own_errors_are_kept() -> None:
    console = Console()
    for level in ("error", "warning"):
        entry = {"level": level, "source": "network", "text": f'404 {level} "error"', "url": "u"}
        console.note(event("Log.entryAdded", {"entry": entry}), "t1", 0)
    assert [e["source"] for e in console.errors()] == ["network"]


def test_values_that_json_cannot_say_are_described() -> None:
    console = Console()
    arguments = [{"unserializableValue": "NaN"}, {"description": "Array(2)"}, {}]
    console.note(event("Runtime.consoleAPICalled", {"type": "error", "args": arguments}), "t1", 0)
    assert console.errors()[0]["text"] == "NaN Array(2) "


def test_only_the_last_are_kept_and_can_be_asked_for_by_tab() -> None:
    console = Console()
    for n in range(ERRORS_KEPT + 2):
        console.note(logged("error", n), f"t{n % 2}", n)
    assert len(console.errors()) == ERRORS_KEPT
    assert {e["tab"] for e in console.errors("t1")} == {"t1"}
