"""Keeps some workers ready, so that a run does not wait for its process to start.

Knows: how many there should be. Must not know: how workers are forked, or what runs in them.
"""

from __future__ import annotations

import asyncio
from collections import deque
from pathlib import Path

from pilothouse.asyncio_tasks import Tasks, result_of
from pilothouse.code.sandbox import scratch
from pilothouse.code.sandbox.confinement import Limits
from pilothouse.code.sandbox.zygote_and_worker_handles import Worker, Zygote, worker_error
from pilothouse.errors import PilothouseError, write_hint

__all__ = ["WorkerPool"]


class WorkerPool:
    """Forks workers in advance."""

    def __init__(self, zygote: Zygote, root: Path, limits: Limits, count: int) -> None:
        self._zygote = zygote
        self._root = root
        self._limits = limits
        self._count = count
        self._forks: deque[asyncio.Task[Worker | None]] = deque()
        self._ending: set[asyncio.Task[None]] = set()
        self._tasks = Tasks()
        self._closed = False
        # The active and the missing layers of the sandbox.
        self.sandbox_layers: dict[str, list[str]] = {}

    def fill(self) -> None:
        """Start forking until enough workers are ready."""
        while len(self._forks) < self._count and not self._closed:
            self._forks.append(self._tasks.start(self._fork_spare(), "fork a spare worker"))

    async def take(self) -> Worker:
        """Return a ready worker. Raises PilothouseError if none can be started."""
        while self._forks:
            fork = self._forks.popleft()
            try:
                await asyncio.wait({fork})
            except asyncio.CancelledError:
                self._forks.appendleft(fork)
                raise
            worker = result_of(fork)
            if worker is not None and worker.is_alive:
                return worker
            if worker is not None:
                self.discard(worker)
        return await self._fork()

    def discard(self, worker: Worker) -> None:
        """End a worker in the background."""
        ending = self._tasks.start(worker.end(), "end a worker")
        self._ending.add(ending)
        ending.add_done_callback(self._ending.discard)

    async def close(self) -> None:
        """End the unused workers, and wait until all are gone."""
        self._closed = True
        while self._forks:
            worker = await self._forks.popleft()
            if worker is not None:
                self.discard(worker)
        if self._ending:
            await asyncio.wait(self._ending)
        await self._tasks.close()

    async def _fork_spare(self) -> Worker | None:
        try:
            return await self._fork()
        except PilothouseError:
            return None  # `take` tries again and raises the error

    async def _fork(self) -> Worker:
        try:
            folder = scratch.make(self._root)
        except OSError as error:
            raise PilothouseError(
                f"code cannot run: no scratch folder in {self._root}: {error.strerror}",
                hint=write_hint(error),
            ) from None
        try:
            worker = await self._zygote.fork(folder, self._limits)
        except OSError as error:
            scratch.remove(folder)
            raise worker_error(error.strerror or str(error)) from None
        except BaseException:
            scratch.remove(folder)
            raise
        self.sandbox_layers = worker.sandbox_layers
        return worker
