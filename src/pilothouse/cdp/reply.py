"""What a sender holds until Chrome answers, and the errors that take the answer's place."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Generator
from typing import Any, Generic, NamedTuple, TypeVar, cast

import msgspec

from pilothouse.cdp.message import ErrorBody, SessionId, decode_object
from pilothouse.cdp.router import Pending, Place
from pilothouse.errors import CdpError, CommandFailed, CommandTimeout, Navigated, SessionGone

__all__ = ["PendingCommand", "Reply", "failure"]

R = TypeVar("R")

_NAVIGATED = (
    "Inspected target navigated or closed",
    "Execution context was destroyed",
    "Cannot find context with specified id",
    "uniqueContextId not found",
)
_SESSION_NOT_FOUND = -32001


class PendingCommand(NamedTuple):
    """One line of `Connection.pending()`."""

    id: int
    method: str
    session_id: SessionId
    waiting_s: float
    origin: str


class Reply(Pending, Generic[R]):
    """The answer to one command, to be awaited. It is on its way as soon as `send` returns,
    so several can be sent before the first is awaited."""

    __slots__ = ("_forget", "_future", "deadline", "heard_by")

    def __init__(
        self,
        method: str,
        session_id: SessionId,
        sent_at: float,
        origin: Place | str,
        deadline: float,
        forget: Callable[[int], object],
        future: asyncio.Future[msgspec.Raw],
    ) -> None:
        super().__init__(method, session_id, sent_at, origin)
        self.deadline = deadline
        self.heard_by: Callable[[msgspec.Raw], object] | None = None
        self._forget = forget
        self._future = future

    def __await__(self) -> Generator[Any, None, R]:
        raw = yield from self._wait()
        result = decode_object(raw)
        if result is None:
            raise self.told(CommandFailed(self.method, 0, "the result is no JSON object"))
        return cast(R, result)

    async def raw(self) -> msgspec.Raw:
        """The result as Chrome's own JSON, not decoded."""
        return await _Raw(self._wait)

    def heard(self, listener: Callable[[msgspec.Raw], object]) -> Reply[R]:
        """Let `listener` have the result inside the reader, before any later event: a task that
        awaits the reply wakes after them."""
        self.heard_by = listener
        return self

    async def shared(self) -> R:
        """Await the reply beside others: who gives up does not take it from them."""
        await asyncio.wait({self._future})
        return await self

    @property
    def failed(self) -> bool:
        """Whether an error has come in place of the answer."""
        future = self._future
        return future.done() and (future.cancelled() or future.exception() is not None)

    def done(self) -> bool:
        """Whether the answer, or the error in its place, has come."""
        return self._future.done()

    def _wait(self) -> Generator[Any, None, msgspec.Raw]:
        try:
            return (yield from self._future)
        except asyncio.CancelledError:
            self._forget(self.id)
            raise

    # For the connection alone.

    @property
    def due(self) -> float:
        """When the sender no longer wants to wait, on the loop's clock."""
        return self.sent_at + self.deadline

    def settle(self, result: msgspec.Raw) -> None:
        """The answer is here."""
        if not self._future.done():
            self._future.set_result(result)

    def fail(self, error: CdpError) -> None:
        """The answer will not come."""
        if not self._future.done():
            self._future.set_exception(self.told(error))
            # Pipelined commands are often awaited in part: the first failure is the one that
            # tells, and asyncio need not report the rest as never retrieved.
            self._future.exception()

    def told(self, error: CdpError) -> CdpError:
        """The error with the place the command was sent from, which no traceback of the
        reader's would show."""
        error.add_note(f"{self.method} was sent from {self.origin}")
        return error

    def expire(self) -> None:
        """The deadline has passed."""
        if self._forget(self.id):
            self.fail(CommandTimeout(f"{self.method} gave no answer within {self.deadline:g} s"))


class _Raw:
    __slots__ = ("_wait",)

    def __init__(self, wait: Callable[[], Generator[Any, None, msgspec.Raw]]) -> None:
        self._wait = wait

    def __await__(self) -> Generator[Any, None, msgspec.Raw]:
        return self._wait()


def failure(method: str, error: ErrorBody) -> CdpError:
    """Chrome's error answer as the exception that fits it."""
    if error.code == _SESSION_NOT_FOUND:
        return SessionGone(f"{method}: its session is gone ({error.message})")
    if error.message.startswith(_NAVIGATED):
        return Navigated(method, error.code, error.message, hint="the page navigated; try again")
    return CommandFailed(method, error.code, error.message)
