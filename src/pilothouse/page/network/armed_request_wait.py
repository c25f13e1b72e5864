"""A wait for one request of a tab, armed before the action that causes it.

The `wait` verb uses page/navigation/request_and_download_waits.py, which also waits for downloads.

Knows: futures and deadlines. Must not know: where events come from; the network log calls `handle`.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Generator
from typing import Any, Literal

from pilothouse.errors import CdpError, CommandTimeout
from pilothouse.page.network.log_entries import NetworkEntry

__all__ = ["NetworkExpectation", "RequestEvent"]

RequestEvent = Literal["request", "response", "end"]


class NetworkExpectation:
    """A wait for one request, armed when it is made."""

    def __init__(
        self,
        siblings: list[NetworkExpectation],
        predicate: Callable[[NetworkEntry], bool],
        kind: RequestEvent,
        deadline: float,
    ) -> None:
        loop = asyncio.get_running_loop()
        self._future: asyncio.Future[NetworkEntry] = loop.create_future()
        self._predicate = predicate
        self.kind = kind
        self._siblings = siblings
        self._timer = loop.call_later(deadline, self._expire, deadline)
        siblings.append(self)

    def __await__(self) -> Generator[Any, None, NetworkEntry]:
        try:
            return (yield from self._future)
        finally:
            self.cancel()

    def done(self) -> bool:
        """Whether it has a result or an error."""
        return self._future.done()

    def cancel(self) -> None:
        """Stop waiting. Harmless when it is over."""
        self._remove()
        self._future.cancel()

    def fail(self, error: CdpError) -> None:
        """End the wait with an error."""
        self._remove()
        if not self._future.done():
            self._future.set_exception(error)
            self._future.exception()

    def handle(self, kind: RequestEvent, entry: NetworkEntry) -> None:
        """Take an event of a request into account."""
        if kind != self.kind or self._future.done():
            return
        try:
            if not self._predicate(entry):
                return
        except Exception as error:  # noqa: BLE001 - the caller's predicate; the caller gets the error
            self._future.set_exception(error)
        else:
            self._future.set_result(entry)
        self._remove()

    def _remove(self) -> None:
        self._timer.cancel()
        if self in self._siblings:
            self._siblings.remove(self)

    def _expire(self, deadline: float) -> None:
        self.fail(CommandTimeout(f"no such {self.kind} within {deadline:g} s"))
