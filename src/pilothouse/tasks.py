"""Tasks with an owner: named, referenced, cancelled and awaited when the owner closes; and the
event loop on which the programs of this package run them."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Coroutine
from typing import Any, TypeVar

__all__ = ["Tasks", "run"]

_log = logging.getLogger(__name__)

T = TypeVar("T")


def run(work: Coroutine[Any, Any, T]) -> T:
    """Run a whole program. On uvloop a command costs a fifth less CPU than on asyncio's own loop
    (docs/benchmarks.md); the library itself works on either."""
    # Imported late: what only wants tasks needs no second event loop.
    import uvloop

    return uvloop.run(work)


class Tasks:
    """A bag of running tasks that belong to one object and end with it."""

    def __init__(self) -> None:
        self._running: set[asyncio.Task[Any]] = set()

    def start(self, work: Coroutine[Any, Any, Any], name: str) -> asyncio.Task[Any]:
        """Run `work` until it ends or the owner closes. A failure is logged with its name."""
        task = asyncio.get_running_loop().create_task(work, name=name)
        self._running.add(task)
        task.add_done_callback(self._ended)
        return task

    async def close(self) -> None:
        """Cancel what still runs and wait until it has ended. Never waits for itself."""
        others = [task for task in self._running if task is not asyncio.current_task()]
        for task in others:
            task.cancel()
        await asyncio.gather(*others, return_exceptions=True)

    def __len__(self) -> int:
        return len(self._running)

    def _ended(self, task: asyncio.Task[Any]) -> None:
        self._running.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            _log.error("task %s failed", task.get_name(), exc_info=error)
