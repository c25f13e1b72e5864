"""Workers that stand ready, so that a run need not wait for its process to be made.

Knows: how many there should be. Must not know: how they are made, or what runs in them.
"""

from __future__ import annotations

import asyncio
from collections import deque
from pathlib import Path

from pilothouse.code.sandbox import scratch
from pilothouse.code.sandbox.sandbox import Limits
from pilothouse.code.sandbox.worker_process import Worker, Zygote, no_worker
from pilothouse.errors import PilothouseError
from pilothouse.tasks import Tasks, result_of

__all__ = ["Spares"]


class Spares:
    """A few workers in advance."""

    def __init__(self, zygote: Zygote, root: Path, limits: Limits, count: int) -> None:
        self._zygote = zygote
        self._root = root
        self._limits = limits
        self._count = count
        self._made: deque[asyncio.Task[Worker | None]] = deque()
        self._ending: set[asyncio.Task[None]] = set()
        self._tasks = Tasks()
        self._closed = False
        # Which walls stand around workers, and which could not be had.
        self.walls: dict[str, list[str]] = {}

    def fill(self) -> None:
        """Have as many ready as there should be, soon."""
        while len(self._made) < self._count and not self._closed:
            self._made.append(self._tasks.start(self._spare(), "fork a spare worker"))

    async def take(self) -> Worker:
        """A worker that is ready. Raises PilothouseError if none can be had."""
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
        """Be rid of a worker, off the path of whoever waits for a result."""
        ending = self._tasks.start(worker.end(), "end a worker")
        self._ending.add(ending)
        ending.add_done_callback(self._ending.discard)

    async def close(self) -> None:
        """End those that nobody took, and wait until all are gone."""
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
            return None  # whoever needs it will try again, and be told

    async def _make(self) -> Worker:
        try:
            place = scratch.make(self._root)
        except OSError as error:
            raise no_worker(f"{self._root}: {error.strerror}") from None
        try:
            worker = await self._zygote.fork(place, self._limits)
        except OSError as error:
            scratch.remove(place)
            raise no_worker(error.strerror or str(error)) from None
        except BaseException:
            scratch.remove(place)
            raise
        self.walls = worker.walls
        return worker
