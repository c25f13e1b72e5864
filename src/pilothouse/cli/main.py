"""Read the command line, do one command, say how it went by exit code.

0 done, 1 refused or failed (said in one line on stderr), 2 wrong usage (found here, or by the
daemon in what was given), 3 blocked by a dialog or
another interrupt, 130 and 143 ended by a signal. It imports what every call needs and no more:
each command brings its own.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Sequence
from importlib import import_module

from pilothouse import __version__
from pilothouse.cli.daemon_call import FAILED, Answer, Call, error_shown, error_text
from pilothouse.cli.parser import parse
from pilothouse.errors import PilothouseError, UsageError

__all__ = ["main"]

WRONG_USAGE, INTERRUPTED = 2, 130


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command and return its exit code."""
    words = list(sys.argv[1:] if argv is None else argv)
    if words[:1] in (["--help"], ["-h"], ["help"]):
        from pilothouse.cli.help import general_help

        print(general_help(), end="")
        return 0
    if words[:1] == ["--version"]:
        print(f"pilothouse {__version__}")
        return 0
    try:
        code = _done(words)
        sys.stdout.flush()
        return code
    except PilothouseError as error:
        return _failed(error, words)
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        # Whoever read our output has seen enough; nothing may be written there any more.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0


def _done(words: list[str]) -> int:
    command, options = parse(words)
    if options.get("help"):
        from pilothouse.cli.help import command_help

        print(command_help(command), end="")
        return 0
    call = Call(command, options)
    module, _, name = command.does.partition(":")
    does = getattr(import_module(f"pilothouse.cli.{module}"), name)
    try:
        try:
            answer: Answer | int = does(call)
        finally:
            # Also before an error: what the daemon notes may be its cause.
            for notice in () if call.json else call.notices:
                print(f"pilothouse: note: {notice}", file=sys.stderr)
        return answer if isinstance(answer, int) else answer.give(call.json, call.notices)
    finally:
        call.close()


def _failed(error: PilothouseError, words: Sequence[str]) -> int:
    shown = error_shown(error)
    if "--json" in words:
        print(json.dumps({"ok": False, "error": shown}, ensure_ascii=False))
    else:
        print(error_text(error.message, error.hint), file=sys.stderr)
    return WRONG_USAGE if shown["kind"] == UsageError.__name__ else FAILED
