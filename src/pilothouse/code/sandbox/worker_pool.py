"""Keeps some workers ready, so that a run does not wait for its process to start.

Knows: how many there should be. Must not know: how they are made, or what runs in them.
"""

from __future__ import annotations

import asyncio
from collections import deque
from pathlib import Path

from pilothouse.code.sandbox import scratch
from pilothouse.code.sandbox.sandbox import Limits
from pilothouse.code.sandbox.worker_process import Worker, Zygote, worker_error
from pilothouse.errors import PilothouseError
from pilothouse.tasks import Tasks, result_of

__all__ = ["WorkerPool"]


class WorkerPool:
    """Forks workers in advance."""

    def __init__(self, zygote: Zygote, root: Path, limits: Limits, count: int) -> None:
        self._zygote = zygote
        self._root = root
        self._limits = limits
        self._count = count
        self._made: deque[asyncio.Task[Worker | None]] = deque()
        self._ending: set[asyncio.Task[None]] = set()
        self._tasks = Tasks()
        self._closed = False
        # The active and the missing layers of the sandbox.
        self.walls: dict[str, list[str]] = {}

    def fill(self) -> None:
        """Start forking until enough workers are ready."""
        while len(self._made) < self._count and not self._closed:
            self._made.append(self._tasks.start(self._spare(), "fork a spare worker"))

    async def take(self) -> Worker:
        """Return a ready worker. Raises PilothouseError if none can be started."""
        while self._made:
            made = self._made.popleft()
            try:
                await asyncio.wait({made})
            except asyncio.CancelledError:
                self._made.appendleft(made)
                raise
            worker = result_of(made)
            if worker is not None and worker.alive:
                return worker
            if worker is not None:
                self.discard(worker)
        return await self._make()

    def discard(self, worker: Worker) -> None:
        """End a worker in the background."""
        ending = self._tasks.start(worker.end(), "end a worker")
        self._ending.add(ending)
        ending.add_done_callback(self._ending.discard)

    async def close(self) -> None:
        """End the unused workers, and wait until all are gone."""
        self._closed = True
        while self._made:
            worker = await self._made.popleft()
            if worker is not None:
                self.discard(worker)
        if self._ending:
            await asyncio.wait(self._ending)
        await self._tasks.close()

    async def _spare(self) -> Worker | None:
        try:
            return await self._make()
        except PilothouseError:
            return None  # `take` tries again and raises the error

    async def _make(self) -> Worker:
        try:
            place = scratch.make(self._root)
        except OSError as error:
            raise worker_error(f"{self._root}: {error.strerror}") from None
        try:
            worker = await self._zygote.fork(place, self._limits)
        except OSError as error:
            scratch.remove(place)
            raise worker_error(error.strerror or str(error)) from None
        except BaseException:
            scratch.remove(place)
            raise
        self.walls = worker.walls
        return worker
