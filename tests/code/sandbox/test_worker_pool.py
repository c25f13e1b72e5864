"""WorkerPool keeps workers ready."""

from __future__ import annotations

import asyncio
import os
import signal
from pathlib import Path

import pytest

from pilothouse.code.sandbox.confinement import SANDBOX_LAYERS, Limits
from pilothouse.code.sandbox.worker_pool import WorkerPool
from pilothouse.code.sandbox.zygote_and_worker_handles import Zygote
from pilothouse.errors import PilothouseError
from tests.code.worker_runs import PATIENCE_S, alive, children, gone, left_in


async def ready(zygote: Zygote, count: int) -> list[int]:
    """Wait until the zygote has so many workers."""
    while len(found := children(zygote.pid)) != count:  # noqa: ASYNC110 - no event for it
        await asyncio.sleep(0.01)
    return found


async def test_as_many_as_wanted_are_made_and_end_with_the_rest(tmp_path: Path) -> None:
    zygote = Zygote()
    spares = WorkerPool(zygote, tmp_path, Limits(), 2)
    async with asyncio.timeout(PATIENCE_S):
        spares.fill()
        spares.fill()
        pids = await ready(zygote, 2)
        await spares.close()
        assert not any(alive(pid) for pid in pids)
        assert left_in(tmp_path) == []
        await zygote.close()
    assert spares.sandbox_layers == {"stand": list(SANDBOX_LAYERS), "missing": []}


async def test_a_spare_is_taken_before_a_new_one_is_made(tmp_path: Path) -> None:
    zygote = Zygote()
    spares = WorkerPool(zygote, tmp_path, Limits(), 1)
    async with asyncio.timeout(PATIENCE_S):
        spares.fill()
        worker = await spares.take()
        assert children(zygote.pid) == [worker.pid]
        other = await spares.take()
        assert other.pid != worker.pid
        spares.discard(worker)
        spares.discard(other)
        await spares.close()
        await zygote.close()
    assert left_in(tmp_path) == []


async def test_spares_that_died_are_passed_over(tmp_path: Path) -> None:
    zygote = Zygote()
    spares = WorkerPool(zygote, tmp_path, Limits(), 2)
    async with asyncio.timeout(PATIENCE_S):
        spares.fill()
        pids = await ready(zygote, 2)
        assert zygote.pid is not None
        os.kill(zygote.pid, signal.SIGKILL)
        await gone(*pids)
        worker = await spares.take()
        assert worker.pid not in pids
        assert worker.is_alive
        spares.discard(worker)
        await spares.close()
        await zygote.close()
    assert left_in(tmp_path) == []


async def test_who_gives_up_waiting_leaves_the_spare_to_the_next(tmp_path: Path) -> None:
    zygote = Zygote()
    spares = WorkerPool(zygote, tmp_path, Limits(), 1)
    async with asyncio.timeout(PATIENCE_S):
        spares.fill()
        waiting = asyncio.ensure_future(spares.take())
        await asyncio.sleep(0)
        waiting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiting
        worker = await spares.take()
        assert children(zygote.pid) == [worker.pid]
        spares.discard(worker)
        await spares.close()
        await zygote.close()


async def test_no_room_for_scratch_directories_is_told(tmp_path: Path) -> None:
    zygote = Zygote()
    spares = WorkerPool(zygote, tmp_path / "not there", Limits(), 1)
    spares.fill()
    with pytest.raises(PilothouseError, match=r"no scratch folder in .*No such file"):
        await spares.take()
    await spares.close()
    await zygote.close()
