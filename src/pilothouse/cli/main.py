"""Read the command line, run one command, say how it went by exit code.

0 done, 1 an error said in one line on stderr, 2 wrong usage, 130 and 143 ended by a signal.
"""

from __future__ import annotations

import argparse
import asyncio
import signal
import sys
from collections.abc import Coroutine, Sequence
from typing import Any

from pilothouse import __version__
from pilothouse.errors import PilothouseError
from pilothouse.tasks import run

__all__ = ["main"]

EXAMPLES = """\
examples:
  pilothouse demo                              a dialog in a frame of another site, answered
  pilothouse look https://example.com          the same for a page of your choice
  pilothouse look --cdp-url 9222               what a running Chrome with a debugging port shows
  pilothouse look https://example.com --json   for programs
"""


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command and return its exit code."""
    options = _parser().parse_args(argv)
    work = _command(options)
    try:
        return run(_until_signalled(work))
    except PilothouseError as error:
        print(f"pilothouse: {error.line()}", file=sys.stderr)
        return 1


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="pilothouse",
        description="The room from which AI agents steer real browsers.",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"pilothouse {__version__}")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")

    demo = commands.add_parser(
        "demo", help="show a dialog in a cross-site frame being seen and answered"
    )
    demo.add_argument("--json", action="store_true", help="print JSON instead of tables")

    look = commands.add_parser("look", help="open or join a browser and describe what it holds")
    look.add_argument("url", nargs="?", help="a page to open first")
    look.add_argument(
        "--cdp-url",
        metavar="ENDPOINT",
        help="join a running browser: http(s) or ws(s) URL, port, DevToolsActivePort or profile",
    )
    look.add_argument("--app", metavar="PATH", help="start or join a Chromium-based application")
    look.add_argument("--target", metavar="TEXT", help="only the page whose URL or title has TEXT")
    look.add_argument("--profile", metavar="NAME", help="a named profile that is kept")
    look.add_argument("--headed", action="store_true", help="show the browser's window")
    look.add_argument("--json", action="store_true", help="print JSON instead of tables")
    return parser


def _command(options: argparse.Namespace) -> Coroutine[Any, Any, int]:
    # Imported late: `--help` and wrong usage need none of it.
    if options.command == "demo":
        from pilothouse.cli.demo import demo

        return demo(options)
    from pilothouse.cli.look import look

    return look(options)


async def _until_signalled(work: Coroutine[Any, Any, int]) -> int:
    """Run `work`; a SIGINT or SIGTERM cancels it, so that it can put its browsers away."""
    loop = asyncio.get_running_loop()
    task = asyncio.ensure_future(work)
    received: list[signal.Signals] = []

    def stop(number: signal.Signals) -> None:
        received.append(number)
        task.cancel()

    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stop, number)
    try:
        return await task
    except asyncio.CancelledError:
        if not received:
            raise
        return 128 + received[0]
