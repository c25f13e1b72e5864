"""Background tasks with an owner, and the event loop that our programs run on.

`Tasks` names each task, keeps a reference to it, and cancels and awaits it when the owner closes.

One rule makes sure that every call gets a reply: `CancelledError` in a task means that *this* task
was cancelled. The cancellation of another task never passes through an await: `result_of` and
`wait_for_result` turn it into an error, and `Tasks(ended=...)` ends its tasks with an error of the
owner.
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
    """Run a program on uvloop.

    A CDP command costs a fifth less CPU there than on asyncio's own loop (docs/benchmarks.md). The
    library itself works on either.
    """
    # Imported late: modules that only use `Tasks` do not need it.
    import uvloop

    return uvloop.run(work)


def is_own_cancellation() -> bool:
    """Tell whether a CancelledError that was just caught is about the current task.

    If not, it escaped from another task or future, and the caller of this task still waits for a
    reply.
    """
    task = asyncio.current_task()
    return task is None or task.cancelling() > 0


def result_of(done: asyncio.Future[T]) -> T:
    """Return the result of another task or future that is done, or raise its error.

    Raises PilothouseError, not CancelledError, if it was cancelled.
    """
    if done.cancelled():
        raise PilothouseError(
            "Pilothouse cancelled the work before it finished",
            hint="part of it may be done: look at the page, then call again if needed",
        )
    return done.result()


async def wait_for_result(other: asyncio.Future[T]) -> T:
    """Wait for another task or future without owning it, and return its result.

    Cancelling the caller leaves it running. If it is cancelled itself, raises PilothouseError.
    """
    await asyncio.wait({other})
    return result_of(other)


class Tasks:
    """The running tasks of one owner, which end with it.

    ended: makes the error that waiters get from a task that ended because the owner closed;
        without it such a task is cancelled
    """

    def __init__(self, ended: Callable[[], Exception] | None = None) -> None:
        self._running: set[asyncio.Task[Any]] = set()
        self._make_ended_error = ended
        self._closing = False

    def start(self, work: Coroutine[Any, Any, T], name: str) -> asyncio.Task[T]:
        """Run `work` until it ends or the owner closes. A failure is logged with its name."""
        owned = (
            work
            if self._make_ended_error is None
            else self._run_owned(work, self._make_ended_error)
        )
        task = asyncio.get_running_loop().create_task(owned, name=name)
        self._running.add(task)
        task.add_done_callback(lambda done: self._finish(done, work))
        return task

    async def _run_owned(self, work: Coroutine[Any, Any, T], ended: Callable[[], Exception]) -> T:
        if self._closing:
            raise ended()
        try:
            return await work
        except asyncio.CancelledError:
            if self._closing:
                raise ended() from None
            raise

    async def close(self) -> None:
        """Cancel all running tasks and wait for them, except for the current one."""
        self._closing = True
        if self._make_ended_error is not None:
            # A task that is cancelled before its first step never runs, so it could not raise
            # the error: give each its first step.
            await asyncio.sleep(0)
        others = [task for task in self._running if task is not asyncio.current_task()]
        for task in others:
            task.cancel()
        await asyncio.gather(*others, return_exceptions=True)

    def __len__(self) -> int:
        return len(self._running)

    def _finish(self, task: asyncio.Task[Any], work: Coroutine[Any, Any, Any]) -> None:
        self._running.discard(task)
        work.close()  # avoids a warning if the task was cancelled before its first step
        if task.cancelled() or (error := task.exception()) is None:
            return
        if self._closing and self._make_ended_error is not None:
            _log.debug("task %s ended with its owner: %s", task.get_name(), error)
            return
        _log.error("task %s failed", task.get_name(), exc_info=error)
