"""The recorder of complaints."""

from __future__ import annotations

import json
from typing import Any

import msgspec

from pilothouse.cdp.message import Event, SessionId
from pilothouse.supervisor.journal.console_log import (
    ERRORS_KEPT,
    LINES_KEPT_PER_TAB,
    TEXT_SHOWN,
    ConsoleLog,
)


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
    console = ConsoleLog()
    for noted in (logged("log", "error"), logged("error", "a", 1), logged("assert", "b")):
        console.record(noted, "t1", 2.0)
    assert console.errors(clock=10) == [
        {"at": 12.0, "tab": "t1", "source": "console", "text": "a 1"},
        {"at": 12.0, "tab": "t1", "source": "console", "text": "b"},
    ]


def test_exception_says_what_and_where() -> None:
    console = ConsoleLog()
    thrown: dict[str, Any] = {"exception": {"description": "Error: x"}, "url": "u"}
    thrown |= {"lineNumber": 4}
    console.record(event("Runtime.exceptionThrown", {"exceptionDetails": thrown}), "t1", 0)
    bare = {"exceptionDetails": {"text": "Uncaught"}}
    console.record(event("Runtime.exceptionThrown", bare), "t1", 0)
    first, second = console.errors()
    assert (first["text"], first["url"], first["line"]) == ("Error: x", "u", 5)
    assert second["text"] == "Uncaught"


def test_browsers_own_errors_are_kept() -> None:
    console = ConsoleLog()
    for level in ("error", "warning"):
        entry = {"level": level, "source": "network", "text": f'404 {level} "error"', "url": "u"}
        console.record(event("Log.entryAdded", {"entry": entry}), "t1", 0)
    assert [e["source"] for e in console.errors()] == ["network"]


def test_values_that_json_cannot_say_are_described() -> None:
    console = ConsoleLog()
    arguments = [{"unserializableValue": "NaN"}, {"description": "Array(2)"}, {}]
    console.record(event("Runtime.consoleAPICalled", {"type": "error", "args": arguments}), "t1", 0)
    assert console.errors()[0]["text"] == "NaN Array(2) "


def test_only_the_last_are_kept_and_can_be_asked_for_by_tab() -> None:
    console = ConsoleLog()
    for n in range(ERRORS_KEPT + 2):
        console.record(logged("error", n), f"t{n % 2}", n)
    assert len(console.errors()) == ERRORS_KEPT
    assert {e["tab"] for e in console.errors("t1")} == {"t1"}


def texts(console: ConsoleLog, tab: str = "t1", **asked: Any) -> list[str]:
    return [line["text"] for line in console.lines(tab, **asked)[0]]


def test_chatter_does_not_push_complaints_out() -> None:
    console = ConsoleLog()
    console.record(logged("error", "early"), "t1", 0)
    for n in range(LINES_KEPT_PER_TAB):
        console.record(logged("log", n), "t1", 1)
    assert [e["text"] for e in console.errors()] == ["early"]
    found, go_on, lost = console.lines("t1", since=1, limit=LINES_KEPT_PER_TAB)
    assert (len(found), go_on, lost) == (LINES_KEPT_PER_TAB, LINES_KEPT_PER_TAB + 2, 1)


def test_lines_are_read_on_from_a_number_or_backwards_from_the_end() -> None:
    console = ConsoleLog()
    for n in range(6):
        console.record(logged("warning" if n % 2 else "log", n), "t1", n)
    assert texts(console, limit=2) == ["4", "5"]
    assert texts(console, level="warning", limit=2) == ["3", "5"]
    found, go_on, lost = console.lines("t1", since=2, level="warning", limit=1)
    assert ([line["text"] for line in found], go_on, lost) == (["1"], 4, 0)
    assert console.lines("t1", since=go_on, level="warning")[1] == 7
    assert console.lines("nobody") == ([], 1, 0)
    assert (console.count("t1"), console.count("nobody")) == (6, 0)


def test_line_says_where_it_comes_from() -> None:
    console = ConsoleLog()
    frame = {"functionName": "f", "url": "u", "lineNumber": 4, "columnNumber": 0}
    for kind in ("log", "error"):
        params: dict[str, Any] = {"type": kind, "args": [], "stackTrace": {"callFrames": [frame]}}
        console.record(event("Runtime.consoleAPICalled", params), "t1", 0, "worker")
    quiet, loud = console.lines("t1")[0]
    assert (quiet["where"], quiet["url"], quiet["line"], "stack" in quiet) == (
        "worker",
        "u",
        5,
        False,
    )
    assert loud["stack"] == [{"function": "f", "url": "u", "line": 5, "column": 1}]


def test_what_a_worker_says_is_not_kept_twice() -> None:
    console = ConsoleLog()
    console.record(logged("error", "mine"), "t1", 0, "worker")
    entry = {"source": "worker", "level": "error", "text": "mine", "workerId": "W"}
    console.record(event("Log.entryAdded", {"entry": entry}), "t1", 0, "page")
    assert texts(console) == [e["text"] for e in console.errors()] == ["mine"]


def test_huge_lines_are_put_into_words_at_once() -> None:
    console = ConsoleLog()
    huge = logged("error", "x" * 1_000_000)
    console.record(huge, "t1", 0)
    assert len(texts(console)[0]) == TEXT_SHOWN
    assert len(console.errors()[0]["text"]) == 1000


def test_tabs_that_are_gone_are_forgotten() -> None:
    console = ConsoleLog()
    for tab in ("t1", "t2"):
        console.record(logged("error", tab), tab, 0)
    console.retain_tabs({"t2"})
    assert (texts(console, "t1"), texts(console, "t2")) == ([], ["t2"])
    assert len(console.errors()) == 2
