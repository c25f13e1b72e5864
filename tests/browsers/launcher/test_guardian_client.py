"""The owner's end of the guardian."""

from __future__ import annotations

import asyncio
import os
import signal
from pathlib import Path

import psutil

from pilothouse.browsers.launcher.guardian import GuardedRun
from pilothouse.browsers.launcher.guardian_client import GuardianClient


async def test_nothing_runs_until_there_is_something_to_guard() -> None:
    guard = GuardianClient()
    assert guard.pid is None
    await guard.close()


async def test_guardian_that_guards_nothing_leaves_when_it_is_let_go(root: Path) -> None:
    guard = GuardianClient()
    guard.guard(GuardedRun(f"{root}/a"))
    pid = guard.pid
    assert pid is not None
    guard.unguard(f"{root}/a")
    await guard.close()
    assert not psutil.pid_exists(pid)


async def test_dead_guardian_is_replaced_at_the_next_order_and_knows_everything(
    root: Path,
) -> None:
    guard = GuardianClient()
    guard.guard(GuardedRun(f"{root}/a"))
    first = guard.pid
    assert first is not None
    os.kill(first, signal.SIGKILL)
    guard.guard(GuardedRun(f"{root}/b"))
    # Whether the pipe was broken yet or not: by the next order at the latest it is noticed.
    async with asyncio.timeout(5):
        while guard.pid in (first, None):
            await asyncio.sleep(0)
            guard.guard(GuardedRun(f"{root}/b"))
    second = guard.pid
    assert second is not None
    for path in (f"{root}/a", f"{root}/b"):
        guard.unguard(path)
    await guard.close()
    assert not psutil.pid_exists(second)
    assert not psutil.pid_exists(first)
