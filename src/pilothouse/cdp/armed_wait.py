"""A wait for something that is about to happen: armed first, awaited after the action.

Knows: futures and deadlines. Must not know: what it waits for, or who reports it. That is added by
`EventWait` (one CDP event of a session), `TargetWait` (one new target of a browser) and
`NetworkExpectation` (one request of a tab).
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Generator
from typing import Any, Generic, TypeVar

from pilothouse.errors import CdpError, CommandTimeout

__all__ = ["ArmedWait"]

T = TypeVar("T")


class ArmedWait(Generic[T]):
    """A wait for one value that its predicate accepts. It starts on creation."""

    def __init__(self, predicate: Callable[[T], bool] | None, deadline: float) -> None:
        loop = asyncio.get_running_loop()
        self._future: asyncio.Future[T] = loop.create_future()
        self._predicate = predicate
        self._timer = loop.call_later(deadline, self._expire, deadline)

    def __await__(self) -> Generator[Any, None, T]:
        try:
            return (yield from self._future)
        finally:
            self.cancel()

    def done(self) -> bool:
        """Whether it has a result or an error."""
        return self._future.done()

    def cancel(self) -> None:
        """Stop waiting. Does nothing after the end."""
        self._stop()
        self._future.cancel()

    def fail(self, error: CdpError) -> None:
        """End the wait with an error."""
        self._stop()
        if not self._future.done():
            self._future.set_exception(error)
            # A wait that nobody awaits must not be logged as never retrieved.
            self._future.exception()

    def _offer(self, value: T) -> None:
        """End the wait with a value, if the predicate accepts it."""
        if self._future.done():
            return
        try:
            matches = self._predicate is None or self._predicate(value)
        except Exception as error:  # noqa: BLE001 - the caller's predicate; the caller gets the error
            self._future.set_exception(error)
        else:
            if not matches:
                return
            self._future.set_result(value)
        self._stop()

    def _stop(self) -> None:
        """Take it away from whoever reports to it. May be called more than once."""
        self._timer.cancel()

    def _timeout_text(self, deadline: float) -> str:
        """Return the text of the error when the deadline has passed."""
        return f"it did not come within {deadline:g} s"

    def _expire(self, deadline: float) -> None:
        self.fail(CommandTimeout(self._timeout_text(deadline)))
