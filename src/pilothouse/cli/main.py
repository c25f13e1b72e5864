"""Parse the command line, run one command, return its exit code.

0 done, 1 failed (one line on stderr), 2 wrong usage (found by the parser or by the daemon), 3
blocked by a dialog or another interrupt, 130 and 143 ended by a signal. This module imports only
what every command needs; main() imports a command's handler when it runs.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Sequence
from importlib import import_module

from pilothouse import __version__
from pilothouse.cli.command_invocation import (
    BLOCKED,
    FAILED,
    CommandResult,
    Invocation,
    error_fields,
    format_error,
)
from pilothouse.cli.parser import parse
from pilothouse.errors import PersonHasTab, PilothouseError, UsageError

__all__ = ["main"]

INTERRUPTED = 130
# Exit codes by the kind of an error; others are FAILED.
_EXIT_CODES = {UsageError.__name__: 2, PersonHasTab.__name__: BLOCKED}


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
        code = _run_command(words)
        sys.stdout.flush()
        return code
    except PilothouseError as error:
        return _report_error(error, words)
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        # The reader, such as `head`, closed the pipe. Python would write to it again at exit, so
        # point stdout at /dev/null.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0


def _run_command(words: list[str]) -> int:
    command, options = parse(words)
    if options.get("help"):
        from pilothouse.cli.help import command_help

        print(command_help(command), end="")
        return 0
    call = Invocation(command, options)
    module, _, name = command.handler.partition(":")
    handler = getattr(import_module(f"pilothouse.cli.{module}"), name)
    try:
        try:
            result: CommandResult | int = handler(call)
        finally:
            # Printed before an error, too: a notice of the daemon may explain it.
            for notice in () if call.json else call.notices:
                print(f"pilothouse: note: {notice}", file=sys.stderr)
        return result if isinstance(result, int) else result.print_result(call.json, call.notices)
    finally:
        call.close()


def _report_error(error: PilothouseError, words: Sequence[str]) -> int:
    shown = error_fields(error)
    if "--json" in words:
        print(json.dumps({"ok": False, "error": shown}, ensure_ascii=False))
    else:
        print(format_error(error.message, error.hint), file=sys.stderr)
    return _EXIT_CODES.get(shown["kind"], FAILED)
