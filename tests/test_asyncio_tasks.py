"""Tasks end with their owner, and a failure is heard."""

from __future__ import annotations

import asyncio
import logging

import pytest

from pilothouse.asyncio_tasks import Tasks, is_own_cancellation, result_of, run, wait_for_result
from pilothouse.errors import ConnectionLost, PilothouseError


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

    with caplog.at_level(logging.ERROR, "pilothouse.asyncio_tasks"):
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


async def forever() -> None:
    await asyncio.Event().wait()


def gone() -> ConnectionLost:
    return ConnectionLost("the browser went away", terminal=True)


async def test_who_waits_for_a_task_whose_owner_closes_gets_the_owners_reason() -> None:
    tasks = Tasks(gone)
    running, unbegun = tasks.start(forever(), "running"), None
    waiting = asyncio.ensure_future(wait_for_result(running))
    await asyncio.sleep(0)
    unbegun = tasks.start(forever(), "not begun")
    async with asyncio.timeout(5):
        await tasks.close()
        for ended in (waiting, unbegun):
            with pytest.raises(ConnectionLost, match="the browser went away"):
                await ended
        with pytest.raises(ConnectionLost):  # nor does anything begin after the end
            await tasks.start(forever(), "too late")
    assert len(tasks) == 0


async def test_a_task_that_is_cancelled_by_name_is_cancelled_and_nothing_else_says_so() -> None:
    tasks = Tasks(gone)
    task = tasks.start(forever(), "work")
    task.cancel()
    async with asyncio.timeout(5):
        await asyncio.wait({task})
        assert task.cancelled()
        with pytest.raises(PilothouseError, match="cancelled the work before it finished"):
            await wait_for_result(task)
    with pytest.raises(PilothouseError, match="cancelled the work before it finished"):
        result_of(task)


async def test_who_stops_waiting_for_a_result_leaves_the_task_alone() -> None:
    tasks = Tasks()
    task = tasks.start(forever(), "work")
    waiting = asyncio.ensure_future(wait_for_result(task))
    await asyncio.sleep(0)
    waiting.cancel()
    async with asyncio.timeout(5):
        await asyncio.wait({waiting})
        assert waiting.cancelled()
        assert not task.done()
        await tasks.close()


async def test_a_cancellation_that_escaped_from_elsewhere_is_not_ones_own() -> None:
    seen: list[bool] = []

    async def waits(future: asyncio.Future[None]) -> None:
        try:
            await future
        except asyncio.CancelledError:
            seen.append(is_own_cancellation())

    async with asyncio.timeout(5):
        for cancels_the_task in (True, False):
            future: asyncio.Future[None] = asyncio.get_running_loop().create_future()
            task = asyncio.ensure_future(waits(future))
            await asyncio.sleep(0)
            (task if cancels_the_task else future).cancel()
            await asyncio.wait({task})
    assert seen == [True, False]
