"""The daemon's side of the zygote and its workers."""

from __future__ import annotations

import asyncio
import os
import signal
from pathlib import Path

import pytest

from pilothouse.code.sandbox import scratch
from pilothouse.code.sandbox.confinement import SANDBOX_LAYERS, Limits
from pilothouse.code.sandbox.wire import read_frame, write_frame
from pilothouse.code.sandbox.zygote_and_worker_handles import Zygote
from pilothouse.errors import PilothouseError
from tests.code.worker_runs import PATIENCE_S, alive, gone, left_in


async def test_a_worker_is_ready_runs_and_leaves_nothing(tmp_path: Path) -> None:
    zygote = Zygote()
    async with asyncio.timeout(PATIENCE_S):
        worker = await zygote.fork(scratch.make(tmp_path), Limits())
        assert worker.is_alive
        assert worker.sandbox_layers == {"stand": list(SANDBOX_LAYERS), "missing": []}
        write_frame(worker.writer, {"run": {"code": "5", "seconds": 5}})
        assert await read_frame(worker.reader) == {"began": True}
        done = await read_frame(worker.reader)
        assert done is not None
        assert done["done"]["value"] == 5
        await worker.end()
        assert not worker.is_alive
        assert not alive(worker.pid)
        assert left_in(tmp_path) == []
        await zygote.close()
    assert zygote.pid is None


async def test_many_are_forked_at_once(tmp_path: Path) -> None:
    zygote = Zygote()
    before = len(os.listdir("/proc/self/fd"))
    async with asyncio.timeout(PATIENCE_S):
        places = [scratch.make(tmp_path) for _ in range(20)]
        workers = await asyncio.gather(*(zygote.fork(place, Limits()) for place in places))
        assert len({worker.pid for worker in workers}) == 20
        await asyncio.gather(*(worker.end() for worker in workers))
        await zygote.close()
        await asyncio.sleep(0)
    assert left_in(tmp_path) == []
    assert len(os.listdir("/proc/self/fd")) <= before + 3


async def test_the_zygote_is_started_once_for_all_who_ask(tmp_path: Path) -> None:
    zygote = Zygote()
    async with asyncio.timeout(PATIENCE_S):
        await asyncio.gather(*(zygote.start() for _ in range(10)))
        first = zygote.pid
        await zygote.start()
        assert zygote.pid == first
        await zygote.close()
    assert first is not None
    assert not alive(first)


async def test_a_worker_that_cannot_settle_in_says_why(tmp_path: Path) -> None:
    zygote = Zygote()
    async with asyncio.timeout(PATIENCE_S):
        with pytest.raises(PilothouseError, match=r"no worker could be started: .*No such file"):
            await zygote.fork(tmp_path / "not there", Limits())
        worker = await zygote.fork(scratch.make(tmp_path), Limits())
        await worker.end()
        await zygote.close()


async def test_workers_are_lost_with_their_zygote_and_it_is_started_again(tmp_path: Path) -> None:
    zygote = Zygote()
    async with asyncio.timeout(PATIENCE_S):
        worker = await zygote.fork(scratch.make(tmp_path), Limits())
        first = zygote.pid
        assert first is not None
        os.kill(first, signal.SIGKILL)
        assert (await worker.gone).lost
        await gone(worker.pid)
        # Orders to the dead are void, not errors; nor do they reach the next one's workers.
        worker.signal_timeout()
        await worker.end()
        other = await zygote.fork(scratch.make(tmp_path), Limits())
        assert zygote.pid not in (None, first)
        await other.end()
        await zygote.close()
    assert left_in(tmp_path) == []


async def test_a_zygote_that_died_unseen_is_replaced_by_the_call_that_finds_it(
    tmp_path: Path,
) -> None:
    zygote = Zygote()
    async with asyncio.timeout(PATIENCE_S):
        await zygote.start()
        first = zygote.pid
        assert first is not None
        os.kill(first, signal.SIGKILL)
        while alive(first):
            os.sched_yield()  # not through the event loop, which would learn of it
        worker = await zygote.fork(scratch.make(tmp_path), Limits())
        await worker.end()
        await zygote.close()


async def test_nothing_is_forked_once_it_is_closed(tmp_path: Path) -> None:
    zygote = Zygote()
    await zygote.close()
    with pytest.raises(PilothouseError, match="the daemon closes"):
        await zygote.fork(tmp_path, Limits())
