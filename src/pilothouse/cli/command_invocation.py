"""Run one command: connect to the daemon, show a spinner, print the result as text or JSON.

Knows: the JSON envelope, exit codes, the spinner. Must not know: any particular command. Imports
are cheap, and the daemon is contacted only when a command sends its first request.
"""

from __future__ import annotations

import json
import os
import sys
import threading
import time
from collections.abc import Callable

from pilothouse.cli.output import blocked_hint, blocked_text, colorize, format_result, printable
from pilothouse.code.client import add_answer_hints
from pilothouse.errors import PilothouseError

# As typing.TYPE_CHECKING, without the import: a warm call should not pay for it.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from pilothouse.cli.command import CliCommand
    from pilothouse.code.client import DaemonClient

__all__ = [
    "BLOCKED",
    "DONE",
    "FAILED",
    "CommandResult",
    "Invocation",
    "Spinner",
    "error_fields",
    "format_error",
    "working_directory",
]

DONE, FAILED, BLOCKED = 0, 1, 3

SHOW_AFTER_S = 1.0
FRAME_S = 0.1
_FRAMES = "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏"


class CommandResult:
    """The result of a command: JSON for programs, text for people, and an exit code. `show` is the
    text, or a function that prints it."""

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

    def print_result(self, as_json: bool, notices: list[str]) -> int:
        """Print the result as one JSON envelope or for people; return the exit code."""
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
            print(format_error(self.error["message"], self.error.get("hint", "")), file=sys.stderr)
        return self.code


def working_directory() -> str:
    """Return the current directory; "" if it was deleted."""
    try:
        return os.getcwd()
    except FileNotFoundError:
        return ""


def error_fields(error: PilothouseError) -> dict[str, Any]:
    """Return an error as fields of the JSON envelope."""
    kind = getattr(error, "kind", "") or type(error).__name__
    return {"message": error.message, "hint": error.hint, "kind": kind}


def format_error(message: str, hint: str = "") -> str:
    """Return an error as text: one line with the hint in parentheses; for an error of several
    lines, the hint is on a line below."""
    head = colorize("pilothouse:", "red", sys.stderr)
    said = f"{head} {printable(message)}"
    if not hint:
        return said
    return f"{said}\n  {printable(hint)}" if "\n" in message else f"{said} ({printable(hint)})"


class Spinner:
    """Shows a spinner on stderr after one second, if stderr is a terminal."""

    def __init__(self, what: str, quiet: bool) -> None:
        self.what = what
        self._stopped = threading.Event()
        self._thread: threading.Thread | None = None
        if not quiet and sys.stderr.isatty():
            self._thread = threading.Thread(target=self._spin, daemon=True)

    def __enter__(self) -> Spinner:
        if self._thread is not None:
            self._thread.start()
        return self

    def __exit__(self, *exc: object) -> None:
        self._stopped.set()
        if self._thread is not None:
            self._thread.join()

    def _spin(self) -> None:
        began, turn = time.monotonic(), 0
        if self._stopped.wait(SHOW_AFTER_S):
            return
        while not self._stopped.wait(FRAME_S):
            turn += 1
            mark = colorize(_FRAMES[turn % len(_FRAMES)], "cyan", sys.stderr)
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


class Invocation:
    """One run of a command: its options, and its connection to the daemon."""

    def __init__(self, command: CliCommand, options: dict[str, Any]) -> None:
        self.command = command
        self.options = options
        self.json = bool(options.get("json"))
        self.tab: str = options.get("tab") or "main"
        self.owner: str = options.get("owner") or os.environ.get("PILOTHOUSE_OWNER") or "cli"
        self.notices: list[str] = []
        self._line: DaemonClient | None = None
        self._spinner: Spinner | None = None

    @property
    def tab_options(self) -> str:
        """Return the options that make another command use the same tab and owner."""
        tab = f" --tab {_shell_quote(self.tab)}" if self.tab != "main" else ""
        given = self.options.get("owner")
        return tab + (f" --owner {_shell_quote(given)}" if given else "")

    def given_options(self, *names: str) -> dict[str, Any]:
        """Return those of the named options that were given."""
        return {name: self.options[name] for name in names if name in self.options}

    def connection(self, *, start: bool = True) -> DaemonClient:
        """Connect to the daemon, once. Without a daemon, start one if `start` is true."""
        if self._line is None:
            from pilothouse.code.client import BrowserSignal, DaemonClient

            spinner = Spinner("starting the daemon", self.json or not start)
            with BrowserSignal(rung=self.command.name == "open") as bell, spinner:
                self._line = DaemonClient(
                    self.owner,
                    start=start,
                    on_progress=self._on_progress,
                    bell=bell,
                    surface="cli",
                )
            self.notices = list(self._line.hello.get("notices", ()))
        return self._line

    def request(self, method: str, params: dict[str, Any] | None = None, *, doing: str = "") -> Any:
        """Call a daemon method. `doing` is the spinner's text."""
        line = self.connection()
        with Spinner(doing or self.command.name, self.json) as self._spinner:
            try:
                answer = line.call(method, **(params or {}))
            except PilothouseError as error:
                error.with_field(self._option_names())
                raise
        self.notices += [notice for notice in line.notices if notice not in self.notices]
        return answer

    def _option_names(self) -> dict[str, str]:
        """Return the options of the command as they are written, by parameter."""
        options = {one.name: one.option for one in self.command.arguments if not one.positional}
        return {**options, "timeout": "--timeout"}

    def _on_progress(self, progress: dict[str, Any]) -> None:
        """Show the daemon's progress message in the spinner."""
        if self._spinner is not None:
            self._spinner.what = str(progress.get("text", "")) or self._spinner.what

    def verb(self, name: str, params: dict[str, Any] | None = None) -> Any:
        """Call a verb on the tab."""
        asked = {"tab": self.tab, **self.given_options("timeout"), **(params or {})}
        return self.request(f"tab.{name}", asked)

    def answer(self, result: Any, show: str | Callable[[], object] | None = None) -> CommandResult:
        """Return the command result for a verb's result: blocked, or done."""
        if isinstance(result, dict) and result.get("blocked_by"):
            return self.blocked(result)
        result = add_answer_hints(result, "cli", self.tab_options)
        return CommandResult(result, format_result(result) if show is None else show)

    def blocked(self, result: dict[str, Any]) -> CommandResult:
        """Return the command result of a blocked call, with the commands to continue."""
        names = ", ".join(f"{b.get('type') or b['kind']} {b['id']}" for b in result["blocked_by"])
        error = {
            "message": f"blocked by {names}",
            "hint": blocked_hint(result, self.tab_options),
            "kind": "Blocked",
        }
        return CommandResult(
            result, blocked_text(result, self.tab_options), code=BLOCKED, error=error
        )

    def close(self) -> None:
        """Close the connection to the daemon."""
        if self._line is not None:
            self._line.close()


def _shell_quote(word: str) -> str:
    if word.replace("-", "").replace(".", "").replace("_", "").isalnum():
        return word
    return "'" + word.replace("'", "'\\''") + "'"
