"""Tasks with an owner: named, referenced, cancelled and awaited when the owner closes; and the
event loop on which the programs of this package run them.

One rule keeps every call answered: `CancelledError` in a task means that somebody cancelled *this*
task. The cancellation of another task never passes through an await: `result_of` and
`wait_for_result` turn it into an error, and `Tasks` with a reason end what they own with that.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

from pilothouse.errors import PilothouseError

__all__ = ["Tasks", "is_own_cancellation", "result_of", "run", "wait_for_result"]

_log = logging.getLogger(__name__)

T = TypeVar("T")


def run(work: Coroutine[Any, Any, T]) -> T:
    """Run a whole program. On uvloop a command costs a fifth less CPU than on asyncio's own loop
    (docs/benchmarks.md); the library itself works on either."""
    # Imported late: what only wants tasks needs no second event loop.
    import uvloop

    return uvloop.run(work)


def is_own_cancellation() -> bool:
    """Whether a CancelledError that was just caught means the task that runs now. If not, it
    escaped from another task or future, and the caller of this one still waits for its reply."""
    task = asyncio.current_task()
    return task is None or task.cancelling() > 0


def result_of(done: asyncio.Future[T]) -> T:
    """Return the result of another task or future that is done, or raise its error. Raises
    PilothouseError, not CancelledError, if that was cancelled."""
    if done.cancelled():
        raise PilothouseError(
            "the work was dropped before it was done", hint="call again; nothing waits for it now"
        )
    return done.result()


async def wait_for_result(other: asyncio.Future[T]) -> T:
    """Wait for another task or future without owning it, and return its result. Cancelling the
    caller leaves it running; its own cancellation raises PilothouseError."""
    await asyncio.wait({other})
    return result_of(other)


class Tasks:
    """A bag of running tasks that belong to one object and end with it.

    `ended` makes the error that others get from a task that ended only because the owner closed.
    Without it such a task is cancelled.
    """

    def __init__(self, ended: Callable[[], Exception] | None = None) -> None:
        self._running: set[asyncio.Task[Any]] = set()
        self._ended_by_owner = ended
        self._closing = False

    def start(self, work: Coroutine[Any, Any, T], name: str) -> asyncio.Task[T]:
        """Run `work` until it ends or the owner closes. A failure is logged with its name."""
        owned = work if self._ended_by_owner is None else self._owned(work, self._ended_by_owner)
        task = asyncio.get_running_loop().create_task(owned, name=name)
        self._running.add(task)
        task.add_done_callback(lambda done: self._ended(done, work))
        return task

    async def _owned(self, work: Coroutine[Any, Any, T], ended: Callable[[], Exception]) -> T:
        if self._closing:
            raise ended()
        try:
            return await work
        except asyncio.CancelledError:
            if self._closing:
                raise ended() from None
            raise

    async def close(self) -> None:
        """End what still runs and wait until it has ended. Never waits for itself."""
        self._closing = True
        if self._ended_by_owner is not None:
            # A task that is cancelled before its first step never runs, and could tell nobody.
            await asyncio.sleep(0)
        others = [task for task in self._running if task is not asyncio.current_task()]
        for task in others:
            task.cancel()
        await asyncio.gather(*others, return_exceptions=True)

    def __len__(self) -> int:
        return len(self._running)

    def _ended(self, task: asyncio.Task[Any], work: Coroutine[Any, Any, Any]) -> None:
        self._running.discard(task)
        work.close()  # one that was cancelled before its first step was never awaited
        if task.cancelled() or (error := task.exception()) is None:
            return
        if self._closing and self._ended_by_owner is not None:
            _log.debug("task %s ended with its owner: %s", task.get_name(), error)
            return
        _log.error("task %s failed", task.get_name(), exc_info=error)
