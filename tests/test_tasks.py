"""Tasks end with their owner, and a failure is heard."""

from __future__ import annotations

import asyncio
import logging

import pytest

from pilothouse.tasks import Tasks, run


async def test_closing_cancels_what_runs_and_waits_until_it_has_ended() -> None:
    tasks = Tasks()
    ended = asyncio.Event()
    began = asyncio.Event()

    async def work() -> None:
        try:
            began.set()
            await asyncio.Event().wait()
        finally:
            await asyncio.sleep(0)
            ended.set()

    task = tasks.start(work(), "work")
    async with asyncio.timeout(5):
        await began.wait()
        await tasks.close()
    assert ended.is_set()
    assert task.cancelled()
    assert len(tasks) == 0


async def test_a_task_that_closes_its_owner_does_not_wait_for_itself() -> None:
    tasks = Tasks()
    async with asyncio.timeout(5):
        await tasks.start(tasks.close(), "closer")
    assert len(tasks) == 0


async def test_a_failing_task_is_logged_with_its_name(caplog: pytest.LogCaptureFixture) -> None:
    tasks = Tasks()

    async def fails() -> None:
        raise ValueError("broken")

    with caplog.at_level(logging.ERROR, "pilothouse.tasks"):
        task = tasks.start(fails(), "reconnect tab")
        async with asyncio.timeout(5):
            await asyncio.wait([task])
            await asyncio.sleep(0)
    assert "task reconnect tab failed" in caplog.text
    assert "broken" in caplog.text


def test_program_runs_to_its_value_and_its_error_comes_out() -> None:
    async def answer() -> int:
        return 42

    async def fail() -> None:
        raise KeyError("mine")

    assert run(answer()) == 42
    with pytest.raises(KeyError):
        run(fail())
