"""`Reply`, the awaitable that `send` returns, and the errors for a command that failed."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Generator
from typing import Any, Generic, NamedTuple, TypeVar, cast

import msgspec

from pilothouse.cdp.message import ErrorBody, SessionId, decode_object
from pilothouse.cdp.router import SentCommand, SourceLocation
from pilothouse.errors import (
    CdpError,
    CommandFailed,
    CommandTimeout,
    InterruptedByNavigation,
    SessionGone,
)

__all__ = ["PendingCommand", "Reply", "error_from_reply"]

R = TypeVar("R")

_NAVIGATED = (
    "Inspected target navigated or closed",
    "Execution context was destroyed",
    "Cannot find context with specified id",
    "uniqueContextId not found",
)
_SESSION_NOT_FOUND = -32001


class PendingCommand(NamedTuple):
    """A command without a reply yet, as `Connection.pending()` lists it."""

    id: int
    method: str
    session_id: SessionId
    waiting_s: float
    origin: str


class Reply(SentCommand, Generic[R]):
    """The reply to one command. The command is sent before `send` returns, so a caller can send
    several and then await them."""

    __slots__ = ("_abandon", "_future", "deadline", "result_listener")

    def __init__(
        self,
        method: str,
        session_id: SessionId,
        sent_at: float,
        origin: SourceLocation | str,
        deadline: float,
        abandon: Callable[[int], object],
        future: asyncio.Future[msgspec.Raw],
    ) -> None:
        super().__init__(method, session_id, sent_at, origin)
        self.deadline = deadline
        self.result_listener: Callable[[msgspec.Raw], object] | None = None
        self._abandon = abandon
        self._future = future

    def __await__(self) -> Generator[Any, None, R]:
        raw = yield from self._wait()
        result = decode_object(raw)
        if result is None:
            raise self.with_origin(CommandFailed(self.method, 0, "the result is not a JSON object"))
        return cast(R, result)

    async def raw(self) -> msgspec.Raw:
        """Await the result as undecoded JSON."""
        return await _RawAwaitable(self._wait)

    def on_result(self, listener: Callable[[msgspec.Raw], object]) -> Reply[R]:
        """Call `listener` with the result inside the reader, before any later event is dispatched.
        A task that awaits the reply runs only after such events."""
        self.result_listener = listener
        return self

    async def wait_shared(self) -> R:
        """Await the reply from one of several tasks; cancelling one does not cancel the others."""
        await asyncio.wait({self._future})
        return await self

    @property
    def failed(self) -> bool:
        """Whether the command failed."""
        future = self._future
        return future.done() and (future.cancelled() or future.exception() is not None)

    def done(self) -> bool:
        """Whether the reply, or an error in its place, has come."""
        return self._future.done()

    def _wait(self) -> Generator[Any, None, msgspec.Raw]:
        try:
            return (yield from self._future)
        except asyncio.CancelledError:
            self._abandon(self.id)
            raise

    # Called by the connection only.

    @property
    def due(self) -> float:
        """The time of the deadline, on the loop's clock."""
        return self.sent_at + self.deadline

    def set_result(self, result: msgspec.Raw) -> None:
        """Deliver the result."""
        if not self._future.done():
            self._future.set_result(result)

    def fail(self, error: CdpError) -> None:
        """Deliver an error in place of the result."""
        if not self._future.done():
            self._future.set_exception(self.with_origin(error))
            # Callers often await only some of their pipelined commands. The first failure is the
            # one that matters; keep asyncio from logging the others as never retrieved.
            self._future.exception()

    def with_origin(self, error: CdpError) -> CdpError:
        """Add the place the command was sent from, which the reader's traceback does not show."""
        error.add_note(f"{self.method} was sent from {self.origin}")
        return error

    def expire(self) -> None:
        """Fail with CommandTimeout, unless the reply has come."""
        if self._abandon(self.id):
            self.fail(CommandTimeout(f"{self.method} got no reply within {self.deadline:g} s"))


class _RawAwaitable:
    __slots__ = ("_wait",)

    def __init__(self, wait: Callable[[], Generator[Any, None, msgspec.Raw]]) -> None:
        self._wait = wait

    def __await__(self) -> Generator[Any, None, msgspec.Raw]:
        return self._wait()


def error_from_reply(method: str, error: ErrorBody) -> CdpError:
    """Chrome's error answer as the exception that fits it."""
    if error.code == _SESSION_NOT_FOUND:
        return SessionGone(f"{method}: its session is gone ({error.message})")
    if error.message.startswith(_NAVIGATED):
        return InterruptedByNavigation(
            method, error.code, error.message, hint="the page navigated; try again"
        )
    return CommandFailed(method, error.code, error.message)
