"""What callers read of errors that Chromium, Python or the system made."""

from __future__ import annotations

import asyncio
import errno
import os

import pytest

from pilothouse.errors import (
    CommandFailed,
    CommandTimeout,
    ConnectionLost,
    InterruptedByNavigation,
    PilothouseError,
    ToolError,
    describe_error,
    explain,
    plural,
    read_hint,
    write_hint,
)

# As Chromium 156 says them.
CHROMIUM = [
    "uniqueContextId not found",
    "Cannot find context with specified id",
    "Execution context was destroyed.",
    "Inspected target navigated or closed",
    "No node with given id found",
    "Could not find node with given id",
    "No node found for given backend id",
    "Node with given id does not belong to the document",
    "Node is detached from document",
    "Could not compute box model.",
    "Node does not have a layout object",
    "No target with given id found",
    "Session with given id not found.",
    "Not attached to an active page",
    "Internal error",
]


@pytest.mark.parametrize("words", CHROMIUM)
@pytest.mark.parametrize("kind", [CommandFailed, InterruptedByNavigation])
def test_chromiums_words_become_ours_with_a_hint(words: str, kind: type[CommandFailed]) -> None:
    told = explain(kind("Runtime.evaluate", -32000, words), "browser_click")
    assert words.rstrip(".") not in told.message
    assert "Runtime." not in told.message
    assert "-32000" not in told.message
    assert "browser_click" in told.message
    assert told.hint
    assert type(told) is kind


def test_what_chromium_says_of_an_argument_is_passed_on() -> None:
    said = CommandFailed("Page.printToPDF", -32000, "invalid print parameters")
    assert explain(said, "browser_pdf") is said


@pytest.mark.parametrize("number", [errno.EMFILE, errno.ENFILE, errno.ENOSPC, errno.EACCES, 71])
def test_the_systems_numbers_are_not_told(number: int) -> None:
    error = OSError(number, os.strerror(number), "/tmp/x")
    told = explain(error, "open")
    assert "Errno" not in told.message
    assert "/tmp/x" in told.message
    assert told.hint
    assert "Errno" not in describe_error(error)
    assert "Errno" not in describe_error(OSError(f"[Errno {number}] unknown"))


def test_too_many_open_files_say_what_to_do() -> None:
    told = explain(OSError(errno.EMFILE, "Too many open files"), "open")
    assert told.message == "open failed: too many files and connections are open"
    assert "ulimit -n" in told.hint


def test_a_lost_browser_says_how_to_get_another() -> None:
    lost = ConnectionLost("Page.enable: headless browser: closed", hint="x", terminal=True)
    told = explain(lost, "open")
    assert told.format_line() == (
        "headless browser: closed (open the tab again: a new browser starts by itself)"
    )
    assert isinstance(told, ConnectionLost)
    restored = ConnectionLost("it is being restored", hint="try again in a moment")
    assert explain(restored, "open") is restored


@pytest.mark.parametrize(
    "error",
    [
        asyncio.CancelledError(),
        TimeoutError(),
        CommandTimeout("Page.enable got no reply within 5 s"),
        ZeroDivisionError("oh"),
    ],
)
def test_every_error_has_words_and_a_hint(error: BaseException) -> None:
    told = explain(error, "tabs")
    assert isinstance(told, PilothouseError)
    assert told.message.startswith("tabs")
    assert told.hint


def test_our_own_errors_are_told_as_they_are() -> None:
    ours = ToolError("ref: e5 is not on the page", hint="take a snapshot")
    assert explain(ours, "browser_click") is ours


@pytest.mark.parametrize(
    ("number", "hint"),
    [
        (errno.ENOSPC, "free space on that disk, or use another folder"),
        (errno.EACCES, "check who owns the file or folder"),
        (errno.ENOTDIR, "another file or folder is in the way: use another path"),
        (errno.EROFS, "that disk is read-only: use another path"),
        (errno.ENOENT, "check the path: a part of it does not exist"),
        (errno.ENAMETOOLONG, "use a shorter path"),
        (errno.EIO, "use another path"),
    ],
)
def test_the_hint_for_a_file_that_cannot_be_written_fits_the_reason(number: int, hint: str) -> None:
    assert write_hint(OSError(number, "words"), "use another folder") == hint


@pytest.mark.parametrize(
    ("number", "hint"),
    [
        (errno.ENOENT, "check the path for a typo"),
        (errno.EACCES, "check who owns the file or folder"),
        (errno.EISDIR, "name a file: a folder is there"),
        (errno.EIO, "use another path"),
    ],
)
def test_the_hint_for_a_file_that_cannot_be_read_fits_the_reason(number: int, hint: str) -> None:
    assert read_hint(OSError(number, "words")) == hint


def test_permission_is_not_said_to_be_missing_in_the_daemon_only() -> None:
    told = explain(OSError(errno.EACCES, "Permission denied", "/tmp/x"), "open")
    assert told.message == "open failed: permission denied: /tmp/x"


def test_a_count_agrees_with_its_noun() -> None:
    assert plural(1, "request") == "1 request"
    assert plural(0, "request") == "0 requests"
    assert plural(2, "match", "matches") == "2 matches"
