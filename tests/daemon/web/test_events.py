"""Events between two views, and what a call's answer says in a few lines."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from pilothouse.daemon.web.events import (
    DaemonView,
    InterruptEnded,
    InterruptShown,
    InterruptView,
    TabChanged,
    TabClosed,
    TabOpened,
    TabView,
    compare,
    summarize_answer,
)

ONE = TabView("1.t1", "me", "main", "http://a.test/", "A")
MOVED = TabView("1.t1", "me", "main", "http://a.test/2", "A2")
TWO = TabView("1.t2", "me", "other")
DIALOG = InterruptView("1.d-1", "1.t1", "dialog", "alert", "hello")


def view(*tabs: TabView, waits: tuple[InterruptView, ...] = (), **closed_by: str) -> DaemonView:
    closed = {key.replace("_", "."): by for key, by in closed_by.items()}
    return DaemonView({t.id: t for t in tabs}, {one.id: one for one in waits}, closed)


def test_equal_views_tell_nothing() -> None:
    assert compare(view(ONE, waits=(DIALOG,)), view(ONE, waits=(DIALOG,))) == []


def test_tabs_that_open_change_and_close_are_told() -> None:
    assert compare(view(), view(ONE)) == [TabOpened(ONE)]
    assert compare(view(ONE), view(MOVED)) == [TabChanged(MOVED)]
    assert compare(view(ONE, TWO), view(ONE)) == [TabClosed("1.t2")]


def test_a_dialog_is_told_with_who_closed_it() -> None:
    waits = view(ONE, waits=(DIALOG,))
    assert compare(view(ONE), waits) == [InterruptShown(DIALOG)]
    after = DaemonView({ONE.id: ONE}, {}, {"1.d-1": "human"})
    assert compare(waits, after) == [InterruptEnded("1.d-1", "1.t1", "human")]
    # A tab that opens with a dialog opens first; one that closes with one closes last.
    assert compare(view(), waits) == [TabOpened(ONE), InterruptShown(DIALOG)]
    assert compare(waits, view()) == [InterruptEnded("1.d-1", "1.t1"), TabClosed("1.t1")]


def test_each_event_names_its_type() -> None:
    sent = msgspec.json.decode(msgspec.json.encode(TabOpened(ONE)))
    assert sent["type"] == "tab_opened"
    assert sent["tab"]["title"] == "A"


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        (None, ("", ())),
        ({"success": True, "changes": ["url: /a", "+ button"]}, ("", ("url: /a", "+ button"))),
        (
            {"success": False, "error": "x", "blocked_by": [{"kind": "dialog", "id": "d-1"}]},
            ("", ("blocked by dialog d-1",)),
        ),
        ({"success": False, "error": "no such ref"}, ("no such ref", ())),
        ({"action": "click", "text": "clicked\nopened tab b"}, ("", ("clicked", "opened tab b"))),
        ({"text": "what a page says", "url": "http://a/"}, ("", ("http://a/",))),
        ({"changes": ["x" * 500]}, ("", ("x" * 199 + "…",))),
    ],
)
def test_an_answer_is_told_in_a_few_lines_without_the_words_of_pages(
    answer: Any, expected: tuple[str, tuple[str, ...]]
) -> None:
    assert summarize_answer(answer) == expected


def test_a_long_receipt_is_cut() -> None:
    _, lines = summarize_answer({"changes": [str(n) for n in range(50)]})
    assert len(lines) == 6
