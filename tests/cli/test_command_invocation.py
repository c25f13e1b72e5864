"""One command on its way, without a daemon."""

from __future__ import annotations

import contextlib
import io
import json
import threading
from typing import Any

import pytest

from pilothouse.cli.command import CliCommand
from pilothouse.cli.command_invocation import (
    BLOCKED,
    FAILED,
    CommandResult,
    Invocation,
    Spinner,
    error_fields,
    format_error,
)
from pilothouse.errors import ToolError
from pilothouse.security.profile_policy import CLI_OWNER

COMMAND = CliCommand("click", "Click.", "commands.tab_verbs:act", verb="click")


def given(
    answer: CommandResult, capsys: pytest.CaptureFixture[str], *notices: str
) -> dict[str, Any]:
    answer.print_result(True, list(notices))
    told: dict[str, Any] = json.loads(capsys.readouterr().out)
    return told


def test_an_answer_as_json_is_one_envelope(capsys: pytest.CaptureFixture[str]) -> None:
    assert given(CommandResult(None), capsys) == {"ok": True, "result": None}
    assert given(CommandResult([1]), capsys, "lost: main") == {
        "ok": True,
        "result": [1],
        "notices": ["lost: main"],
    }


def test_a_failed_answer_has_error_and_what_there_is(capsys: pytest.CaptureFixture[str]) -> None:
    answer = CommandResult({"printed": 1}, "1", code=FAILED, error={"message": "m", "hint": "h"})
    told = given(answer, capsys)
    assert told == {"ok": False, "error": {"message": "m", "hint": "h"}, "result": {"printed": 1}}
    assert answer.print_result(False, []) == 1
    shown = capsys.readouterr()
    assert (shown.out, shown.err) == ("1\n", "pilothouse: m (h)\n")


def test_a_blocked_verb_is_exit_code_three_and_names_the_way_on() -> None:
    call = Invocation(COMMAND, {"tab": "my shop", "owner": "ann"})
    dialog = {"id": "d-1", "kind": "dialog", "type": "confirm", "message": "ok?", "origin": ""}
    answer = call.answer({"blocked_by": [dialog], "action_id": "a-7"})
    assert answer.code == BLOCKED == 3
    assert answer.error == {
        "message": "blocked by confirm d-1",
        "hint": "pilothouse dialog accept d-1 --tab 'my shop' --owner ann, "
        "then: pilothouse result a-7 --tab 'my shop' --owner ann",
        "kind": "Blocked",
    }


def test_the_owner_is_an_option_or_the_environment_or_cli(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PILOTHOUSE_OWNER", raising=False)
    assert Invocation(COMMAND, {}).owner == CLI_OWNER == "cli"
    monkeypatch.setenv("PILOTHOUSE_OWNER", "bob")
    assert Invocation(COMMAND, {}).owner == "bob"
    assert Invocation(COMMAND, {"owner": "ann"}).owner == "ann"
    assert Invocation(COMMAND, {}).tab_options == ""


def test_errors_are_one_line_unless_the_message_has_more() -> None:
    assert format_error("no", "do so") == "pilothouse: no (do so)"
    assert format_error("a\nb\x1b[1m", "h") == "pilothouse: a\nb·[1m\n  h"
    assert error_fields(ToolError("no", hint="h")) == {
        "message": "no",
        "hint": "h",
        "kind": "ToolError",
    }


def test_nothing_spins_where_no_terminal_is(capsys: pytest.CaptureFixture[str]) -> None:
    with Spinner("working", quiet=False):
        pass
    assert capsys.readouterr().err == ""


class _Terminal(io.StringIO):
    """A terminal that says when something was written to it."""

    def __init__(self) -> None:
        super().__init__()
        self.turned = threading.Event()

    def isatty(self) -> bool:
        return True

    def write(self, text: str) -> int:
        if " s" in text:
            self.turned.set()
        return super().write(text)


def test_the_spinner_shows_the_latest_that_the_daemon_said_in_one_line() -> None:
    terminal = _Terminal()
    with contextlib.redirect_stderr(terminal), Spinner("open", quiet=False) as waiting:
        waiting.what = "loading http://a/\x1b[1m\n" + "x" * 200
        assert terminal.turned.wait(20)
    first = terminal.getvalue().split("\r\x1b[K")[1]
    shown = first.split("\x1b[0m ", 1)[-1]
    assert shown.startswith("loading http://a/·[1m x")
    assert shown.endswith("x… … 1 s")
    assert len(shown) + 2 <= 80
    assert terminal.getvalue().endswith("\r\x1b[K")


def test_nothing_spins_for_programs() -> None:
    terminal = _Terminal()
    with contextlib.redirect_stderr(terminal), Spinner("open", quiet=True):
        pass
    assert terminal.getvalue() == ""
