"""Answers in words."""

from __future__ import annotations

from typing import Any

import pytest

from pilothouse.cli.output.text import (
    answer_commands,
    blocked_hint,
    blocked_text,
    format_result,
    interrupts_text,
    opened_text,
    printable,
    value_text,
)

PROMPT = {"id": "d-1", "origin": "x", "kind": "dialog", "type": "prompt", "message": "name?"}
AUTH = {"id": "i-1", "origin": "x", "kind": "auth", "answers": ["provide", "cancel"], "realm": "R"}
PROVIDE = (
    """pilothouse answer i-1 provide --detail '{"username": "NAME", "password": "PASSWORD"}'"""
)


def test_page_text_cannot_steer_the_terminal() -> None:
    assert printable("a\x1b[31mb\nc\td\x07\u202e") == "a·[31mb\nc    d··"
    assert "\x1b" not in value_text({"a": "\x1b[2J"})


def test_a_receipt_is_a_sentence() -> None:
    receipt = {"action": "clicked", "changed": True, "text": 'clicked button "Go"; page changed'}
    assert format_result(receipt) == 'Clicked button "Go"; page changed'


@pytest.mark.parametrize(
    ("more", "says"),
    [
        ({}, "At http://a/ (200): T"),
        ({"status": 0, "error": "net::ERR"}, "At http://a/: T\n  it failed: net::ERR"),
        (
            {"redirects": [{"url": "http://b/", "by": "server"}]},
            "At http://a/ (200): T\n  redirected from http://b/ by the server",
        ),
        (
            {"timed_out": True, "loaded": "commit", "hanging": ["http://c/"]},
            "At http://a/ (200): T\n  it was not loaded in time (reached: commit; "
            "unanswered: http://c/)",
        ),
        (
            {"kind": "download", "filename": "f.zip"},
            "At http://a/ (200): T\n"
            "  it is a download: f.zip: pilothouse downloads tells where it is",
        ),
        (
            {"kind": "download", "filename": "f.zip", "path": "/files/f.zip"},
            "At http://a/ (200): T\n  it is a download: f.zip: /files/f.zip",
        ),
    ],
)
def test_an_arrival_says_where_and_how(more: dict[str, Any], says: str) -> None:
    arrival = {
        "url": "http://a/",
        "kind": "document",
        "status": 200,
        "title": "T",
        "loaded": "load",
    }
    assert format_result({**arrival, **more}) == says


def test_a_snapshot_keeps_its_marks_for_programs() -> None:
    text = "[page ab: untrusted]\nT <u>\n- button [ref=e1]\n[end ab]"
    assert format_result({"boundary": "ab", "text": text}) == text


def test_values_are_printed_as_they_are() -> None:
    assert [format_result(value) for value in ("a", 2, True, None)] == ["a", "2", "true", "done"]


def test_a_dialog_in_the_way_comes_with_the_commands_to_go_on() -> None:
    result = {"blocked_by": [PROMPT], "action_id": "a-1"}
    assert blocked_text(result, " --tab shop").splitlines() == [
        "Blocked by prompt d-1: name?",
        "  answer   pilothouse dialog accept d-1 --text TEXT --tab shop",
        "      or   pilothouse dialog dismiss d-1 --tab shop",
        "  then     pilothouse result a-1 --tab shop",
    ]
    assert blocked_hint(result) == "pilothouse dialog accept d-1, then: pilothouse result a-1"


def test_any_other_interrupt_names_its_answers() -> None:
    result = {"blocked_by": [AUTH], "action_id": ""}
    assert blocked_text(result).splitlines() == [
        "Blocked by auth i-1: realm R",
        f"  answer   {PROVIDE}",
        "      or   pilothouse answer i-1 cancel",
        "  then     the same command again",
    ]
    assert blocked_hint(result) == f"{PROVIDE}, then again"


def test_what_waits_is_listed_by_tab_with_the_commands_that_answer_it() -> None:
    orphan = {**PROMPT, "id": "d-2", "orphaned": "the connection is gone"}
    waiting = [
        {**one, "tab": tab, "commands": answer_commands(one, again)}
        for one, tab, again in (
            (PROMPT, "main", ""),
            (AUTH, "shop", " --tab shop"),
            (orphan, "main", ""),
        )
    ]
    assert interrupts_text(waiting).splitlines() == [
        "main: prompt d-1: name?",
        "  answer   pilothouse dialog accept d-1 --text TEXT",
        "      or   pilothouse dialog dismiss d-1",
        "shop: auth i-1: realm R",
        f"  answer   {PROVIDE} --tab shop",
        "      or   pilothouse answer i-1 cancel --tab shop",
        "main: prompt d-2: name?",
        "  answer   pilothouse reload",
    ]


@pytest.mark.parametrize(
    ("more", "says"),
    [
        ({}, "Opened tab main on headless browser"),
        ({"reused": True}, "Reused tab main on headless browser"),
        (
            {"adopted": True, "browser": "browser at http://127.0.0.1:9223"},
            'Using the page "Sh·op" as tab main in the browser at http://127.0.0.1:9223',
        ),
        (
            {"adopted": True, "browser": "application /opt/notes", "title": ""},
            'Using the page "http://a/" as tab main in the application /opt/notes',
        ),
        (
            {"adopted": True, "reused": True, "browser": "browser at 9223"},
            "Reused tab main on browser at 9223",
        ),
        (
            {"adopted": True, "browser": "the user's Chrome"},
            "Using your tab as main on the user's Chrome",
        ),
    ],
)
def test_an_opened_tab_is_new_or_was_there_or_is_a_page_of_the_browser(
    more: dict[str, Any], says: str
) -> None:
    opened = {
        "name": "main",
        "browser": "headless browser",
        "url": "http://a/",
        "title": "Sh\x1bop",
        "reused": False,
        "adopted": False,
    }
    assert opened_text({**opened, **more}) == says
