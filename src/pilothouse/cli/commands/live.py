"""Commands that drive a browser themselves, without the daemon: `demo` and `look`.

Knows: the event loop, and that a signal must let them put their browsers away. The daemon's
commands import none of this.
"""

from __future__ import annotations

import argparse
import asyncio
import signal
from collections.abc import Coroutine
from typing import Any

from pilothouse.cli.daemon_call import Call
from pilothouse.tasks import run

__all__ = ["demo_command", "look_command"]


def demo_command(call: Call) -> int:
    """`pilothouse demo`."""
    from pilothouse.cli.commands.demo import demo

    return run(_until_signalled(demo(argparse.Namespace(json=call.json))))


def look_command(call: Call) -> int:
    """`pilothouse look`."""
    from pilothouse.cli.commands.look import look

    usual = {"url": None, "cdp_url": None, "app": None, "target": None, "profile": None}
    given = {**usual, "headed": False, **call.options, "json": call.json}
    return run(_until_signalled(look(argparse.Namespace(**given))))


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
