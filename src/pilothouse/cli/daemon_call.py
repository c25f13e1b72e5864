"""One command on its way: the line to the daemon, the wait, and the answer in either form.

Knows: envelopes, exit codes, spinners. Must not know: any command. No imports that cost: the line
itself is opened only when the first question is asked.
"""

from __future__ import annotations

import json
import os
import sys
import threading
import time
from collections.abc import Callable

from pilothouse.cli.output import blocked_hint, blocked_text, paint, printable, sentence
from pilothouse.code.client import with_ways
from pilothouse.errors import PilothouseError

# As typing.TYPE_CHECKING, without the import: a warm call should not pay for it.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from pilothouse.cli.command import Command
    from pilothouse.code.client import Line

__all__ = [
    "BLOCKED",
    "DONE",
    "FAILED",
    "Answer",
    "Call",
    "Waiting",
    "error_shown",
    "error_text",
    "working_directory",
]

DONE, FAILED, BLOCKED = 0, 1, 3

SLOW_S = 1.0
TURN_S = 0.1
_TURNS = "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏"


class Answer:
    """What a command came to: a result for programs, words for people, an exit code."""

    __slots__ = ("code", "error", "result", "show")

    def __init__(
        self,
        result: Any,
        show: str | Callable[[], object] = "",
        *,
        code: int = DONE,
        error: dict[str, Any] | None = None,
    ) -> None:
        self.result = result
        self.show = show
        self.code = code
        self.error = error

    def give(self, as_json: bool, notices: list[str]) -> int:
        """Print it in the form that is wanted."""
        if as_json:
            envelope: dict[str, Any] = {"ok": self.code == DONE}
            if self.error is not None:
                envelope["error"] = self.error
            if self.result is not None or self.error is None:
                envelope["result"] = self.result
            if notices:
                envelope["notices"] = notices
            print(json.dumps(envelope, ensure_ascii=False))
            return self.code
        if callable(self.show):
            self.show()
        elif self.show:
            print(self.show)
        if self.error is not None and self.code == FAILED:
            print(error_text(self.error["message"], self.error.get("hint", "")), file=sys.stderr)
        return self.code


def working_directory() -> str:
    """Where the person stands; empty if that folder is gone."""
    try:
        return os.getcwd()
    except FileNotFoundError:
        return ""


def error_shown(error: PilothouseError) -> dict[str, Any]:
    """An error as the envelope has it."""
    kind = getattr(error, "kind", "") or type(error).__name__
    return {"message": error.message, "hint": error.hint, "kind": kind}


def error_text(message: str, hint: str = "") -> str:
    """An error in one line; longer ones keep theirs, with the hint below."""
    head = paint("pilothouse:", "red", sys.stderr)
    said = f"{head} {printable(message)}"
    if not hint:
        return said
    return f"{said}\n  {printable(hint)}" if "\n" in message else f"{said} ({printable(hint)})"


class Waiting:
    """A spinner on stderr, for what takes more than a second on a terminal."""

    def __init__(self, what: str, quiet: bool) -> None:
        self.what = what
        self._over = threading.Event()
        self._thread: threading.Thread | None = None
        if not quiet and sys.stderr.isatty():
            self._thread = threading.Thread(target=self._turn, daemon=True)

    def __enter__(self) -> Waiting:
        if self._thread is not None:
            self._thread.start()
        return self

    def __exit__(self, *exc: object) -> None:
        self._over.set()
        if self._thread is not None:
            self._thread.join()

    def _turn(self) -> None:
        began, turn = time.monotonic(), 0
        if self._over.wait(SLOW_S):
            return
        while not self._over.wait(TURN_S):
            turn += 1
            mark = paint(_TURNS[turn % len(_TURNS)], "cyan", sys.stderr)
            since = f" … {time.monotonic() - began:.0f} s"
            what = printable(self.what).replace("\n", " ")
            room = _columns() - len(since) - 3
            what = what if len(what) <= room else what[: max(room - 1, 0)] + "…"
            sys.stderr.write(f"\r\x1b[K{mark} {what}{since}")
            sys.stderr.flush()
        sys.stderr.write("\r\x1b[K")
        sys.stderr.flush()


def _columns() -> int:
    try:
        return os.get_terminal_size(sys.stderr.fileno()).columns or 80
    except OSError:
        return 80


class Call:
    """One command with its options, and the daemon it may ask."""

    def __init__(self, command: Command, options: dict[str, Any]) -> None:
        self.command = command
        self.options = options
        self.json = bool(options.get("json"))
        self.tab: str = options.get("tab") or "main"
        self.owner: str = options.get("owner") or os.environ.get("PILOTHOUSE_OWNER") or "cli"
        self.notices: list[str] = []
        self._line: Line | None = None
        self._waiting: Waiting | None = None

    @property
    def again(self) -> str:
        """The options that lead a later command to the same tab."""
        tab = f" --tab {_quoted(self.tab)}" if self.tab != "main" else ""
        given = self.options.get("owner")
        return tab + (f" --owner {_quoted(given)}" if given else "")

    def given(self, *names: str) -> dict[str, Any]:
        """Those of the options that were given."""
        return {name: self.options[name] for name in names if name in self.options}

    def line(self, *, start: bool = True) -> Line:
        """The line to the daemon; a daemon is started if there is none and `start` allows it."""
        if self._line is None:
            from pilothouse.code.client import Bell, Line

            waiting = Waiting("starting the daemon", self.json or not start)
            with Bell(rung=self.command.name == "open") as bell, waiting:
                self._line = Line(self.owner, start=start, on_progress=self._told, bell=bell)
            self.notices = list(self._line.hello.get("notices", ()))
        return self._line

    def ask(self, method: str, params: dict[str, Any] | None = None, *, doing: str = "") -> Any:
        """Call a method of the daemon."""
        line = self.line()
        with Waiting(doing or self.command.name, self.json) as self._waiting:
            answer = line.call(method, **(params or {}))
        self.notices += [notice for notice in line.notices if notice not in self.notices]
        return answer

    def _told(self, progress: dict[str, Any]) -> None:
        """The daemon says what it is doing."""
        if self._waiting is not None:
            self._waiting.what = str(progress.get("text", "")) or self._waiting.what

    def verb(self, name: str, params: dict[str, Any] | None = None) -> Any:
        """Do a verb on the tab."""
        asked = {"tab": self.tab, **self.given("timeout"), **(params or {})}
        return self.ask(f"tab.{name}", asked)

    def answer(self, result: Any, show: str | Callable[[], object] | None = None) -> Answer:
        """The answer that a verb's result is: blocked, or done."""
        if isinstance(result, dict) and result.get("blocked_by"):
            return self.blocked(result)
        result = with_ways(result, "cli", self.again)
        return Answer(result, sentence(result) if show is None else show)

    def blocked(self, result: dict[str, Any]) -> Answer:
        """What is in the way, with the commands to go on."""
        names = ", ".join(f"{b.get('type') or b['kind']} {b['id']}" for b in result["blocked_by"])
        error = {
            "message": f"blocked by {names}",
            "hint": blocked_hint(result, self.again),
            "kind": "Blocked",
        }
        return Answer(result, blocked_text(result, self.again), code=BLOCKED, error=error)

    def close(self) -> None:
        """Hang up."""
        if self._line is not None:
            self._line.close()


def _quoted(word: str) -> str:
    if word.replace("-", "").replace(".", "").replace("_", "").isalnum():
        return word
    return "'" + word.replace("'", "'\\''") + "'"
