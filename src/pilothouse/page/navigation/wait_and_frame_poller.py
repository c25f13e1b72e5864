"""One wait: armed when it is made, awaited later, raced against blockers of the tab.

Knows: deadlines, results, and how to poll frames. Must not know: what is waited for.

Conditions on documents are polled from outside every `POLL_S` seconds, in our isolated world. A
page's own timers and animation frames are throttled or stopped in background tabs, and a
MutationObserver does not notice styles or layout. A poll costs less than a millisecond, works the
same in every frame and process, and simply continues with the next document after a navigation.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable, Generator
from typing import Any, Generic, TypeVar

from pilothouse.asyncio_tasks import result_of, wait_for_result
from pilothouse.errors import (
    CdpError,
    InterruptedByNavigation,
    SessionGone,
    TabNotFound,
    TargetCrashed,
    ToolError,
    UsageError,
    WaitTimeout,
)
from pilothouse.page.blocked_time_deadline import Deadline
from pilothouse.page.tab_context import TabContext
from pilothouse.supervisor import Frame, Outcome

__all__ = ["POLL_S", "FramePoller", "Wait"]

POLL_S = 0.05

# A frame that is slow to reply must not delay the others.
ROUND_S = 0.25

T = TypeVar("T")
A = TypeVar("A")


class Wait(Generic[T]):
    """`await` returns an `Outcome` with the value; at the deadline a ToolError says what was
    seen."""

    def __init__(
        self, context: TabContext, what: str, timeout: float, *, hint: str = "", races: bool = True
    ) -> None:
        if not timeout > 0:
            raise UsageError(
                f"timeout: expected more than 0, got {timeout}", hint="give a number of seconds"
            )
        self.what = what
        # The last observation, for the message at the deadline.
        self.seen = "nothing yet"
        self._hint = hint or "take a snapshot to see the page as it is now"
        self._context = context
        self._races = races
        self._deadline = Deadline(context, timeout)
        self._future: asyncio.Future[T] = asyncio.get_running_loop().create_future()
        # Set after the first poll; None for waits that do not poll.
        self._polled: asyncio.Event | None = None
        self._on_end: list[Callable[[], object]] = []
        self._tasks = [context.supervisor.tasks.start(self._expire(), f"deadline: {what}")]
        self.on_end(context.supervisor.on_end(self.fail))

    def __await__(self) -> Generator[Any, None, Outcome[T]]:
        return self._outcome().__await__()

    async def _outcome(self) -> Outcome[T]:
        if self._future.done() or not self._races:
            return Outcome(await self._result())
        return await self._context.race(self._result, self._context.session)

    async def _result(self) -> T:
        return await wait_for_result(self._future)

    @property
    def done(self) -> bool:
        """Whether it is over, successful or not."""
        return self._future.done()

    def cancel(self) -> None:
        """Stop waiting. Harmless when it is over."""
        self._future.cancel()
        self._finish()

    # For the modules that make waits.

    def resolve(self, value: T) -> None:
        """End the wait with a value."""
        if not self._future.done():
            self._future.set_result(value)
        self._finish()

    def fail(self, error: Exception) -> None:
        """End the wait with an error."""
        if not self._future.done():
            self._future.set_exception(error)
            self._future.exception()  # mark as retrieved: nobody may ever await it
        self._finish()

    def on_end(self, end: Callable[[], object]) -> None:
        """Call `end` when the wait is over."""
        self._on_end.append(end)

    def require_first_poll(self) -> Callable[[], None]:
        """Declare that this wait polls; returns a function to call after each poll.

        At the deadline the first poll gets a little more time, so that the error can say what
        was seen.
        """
        self._polled = asyncio.Event()
        return self._polled.set

    def start(self, work: Callable[[], Awaitable[None]]) -> None:
        """Run a task until the wait is over; its CDP and tool errors fail the wait."""

        async def run() -> None:
            try:
                await work()
            except (CdpError, ToolError) as error:
                self.fail(error)

        self._tasks.append(self._context.supervisor.tasks.start(run(), f"wait: {self.what}"))

    def _finish(self) -> None:
        for end in self._on_end:
            end()
        self._on_end.clear()
        for task in self._tasks:
            # Do not cancel the task that is resolving its own wait.
            if not task.done() and task is not asyncio.current_task():
                task.cancel()

    async def _expire(self) -> None:
        tab = self._context.tab_id
        while (left := self._deadline.left()) > 0:
            try:
                await self._context.supervisor.wait_for(lambda state: tab not in state.tabs, left)
            except TimeoutError:
                continue
            self.fail(
                TabNotFound(f"{tab} was closed while waiting for {self.what}", hint=self._hint)
            )
            return
        if self._polled is not None:
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(2 * ROUND_S):
                    await self._polled.wait()
        waited = f"timed out after {self._deadline.seconds:g} s waiting for {self.what}"
        self.fail(WaitTimeout(f"{waited}: {self.seen}", hint=self._hint))


class FramePoller(Generic[A]):
    """Polls frames in rounds; a frame that does not reply in time keeps its call open."""

    def __init__(self, context: TabContext, call: Callable[[Frame], Awaitable[A]]) -> None:
        self._context = context
        self._call = call
        self._open_calls: dict[str, asyncio.Task[A | CdpError | None]] = {}

    async def next(self, frames: list[Frame]) -> tuple[dict[str, A], int]:
        """Poll one round. Returns the replies by frame, and how many frames gave none."""
        for frame in frames:
            if frame.id not in self._open_calls:
                task = self._context.supervisor.tasks.start(self._call_frame(frame), "ask")
                self._open_calls[frame.id] = task
        open_calls = {frame.id: self._open_calls[frame.id] for frame in frames}
        if open_calls:
            await asyncio.wait(open_calls.values(), timeout=ROUND_S)
        replies: dict[str, A] = {}
        for frame_id, task in open_calls.items():
            if not task.done():
                continue
            del self._open_calls[frame_id]
            if isinstance(reply := result_of(task), CdpError):
                raise reply
            if reply is not None:
                replies[frame_id] = reply
        return replies, len(open_calls) - len(replies)

    def close(self) -> None:
        """Cancel open calls."""
        for task in self._open_calls.values():
            task.cancel()
        self._open_calls.clear()

    async def _call_frame(self, frame: Frame) -> A | CdpError | None:
        try:
            return await self._call(frame)
        except (InterruptedByNavigation, SessionGone, TargetCrashed, ToolError):
            # The frame navigated or is gone: the next round polls what is there then.
            return None
        except CdpError as error:
            return error  # as a value: the poller may be gone by now
