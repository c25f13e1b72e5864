"""Run the commands that start their own browser, without the daemon: `demo` and `look`.

Knows: the event loop, and that a signal must still let them close their browsers. Other commands
do not import this module, because it imports asyncio.
"""

from __future__ import annotations

import argparse
import asyncio
import signal
from collections.abc import Coroutine
from typing import Any

from pilothouse.asyncio_tasks import run
from pilothouse.cli.command_invocation import Invocation

__all__ = ["demo_command", "look_command"]


def demo_command(call: Invocation) -> int:
    """`pilothouse demo`."""
    from pilothouse.cli.commands.demo import demo

    return run(_run_until_signal(demo(argparse.Namespace(json=call.json))))


def look_command(call: Invocation) -> int:
    """`pilothouse look`."""
    from pilothouse.cli.commands.look import look

    defaults = {"url": None, "cdp_url": None, "app": None, "target": None, "profile": None}
    given = {**defaults, "headed": False, **call.options, "json": call.json}
    return run(_run_until_signal(look(argparse.Namespace(**given))))


async def _run_until_signal(work: Coroutine[Any, Any, int]) -> int:
    """Run `work`. SIGINT and SIGTERM cancel it, so that it can close its browsers."""
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
