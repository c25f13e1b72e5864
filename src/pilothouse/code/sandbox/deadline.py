"""Ends a run in the worker when its time is up: an exception in the code, never inside a message.

Knows: the signal, and where the code is. Must not know: sockets. Python runs signal handlers in its
main thread between any two steps. A half-written message would corrupt everything after it, so code
that talks to the daemon defers the exception with `with deadline:`.
"""

from __future__ import annotations

import threading
from collections.abc import Coroutine
from types import FrameType, TracebackType
from typing import Any

from pilothouse.code.sandbox.code_compiler import FILE

__all__ = ["RunDeadline", "RunTimeout"]


class RunTimeout(BaseException):
    """The time of the run is up. Not an Exception, so that `except Exception` does not catch it."""


class RunDeadline:
    """Raises RunTimeout at most once. `with deadline:` defers it to the end of the block."""

    def __init__(self) -> None:
        self.message = "the run's time is up"
        # The line where the code was when the signal came; 0 if none of it was running.
        self.line = 0
        # The main coroutine of an async program: while it waits, it is not on the stack.
        self.coroutine: Coroutine[Any, Any, Any] | None = None
        self._main = threading.get_ident()
        self._holds = 0
        self._pending = False
        self._disarmed = False
        self._expired = False

    def handle_signal(self, signum: int, frame: FrameType | None) -> None:
        """Handle SIGUSR1: raise RunTimeout in the code, now or when the last hold is released."""
        if self._disarmed:
            return
        self.line = self.line or _line_of(frame) or _line_of_coroutine(self.coroutine)
        if self._holds:
            self._pending = True
            return
        self._raise_timeout()

    def expire_from_daemon(self) -> RunTimeout:
        """Expire because a reply of the daemon says so, before the signal comes. Returns the
        exception to raise in the calling thread."""
        self._expired = True
        if threading.get_ident() == self._main:
            self._disarmed = True
        return RunTimeout(self.message)

    @property
    def has_expired(self) -> bool:
        """Return whether the time was up before the code finished."""
        return self._expired

    def stop(self) -> None:
        """Disarm: the code has finished, so raise nothing any more."""
        self._disarmed = True

    def _raise_timeout(self) -> None:
        self._disarmed = self._expired = True
        raise RunTimeout(self.message)

    def hold(self) -> None:
        """Defer the exception until `release`. Other threads than the main one never get it."""
        if threading.get_ident() == self._main:
            self._holds += 1

    def release(self) -> None:
        """Undo one `hold`; raise RunTimeout if the signal came meanwhile."""
        if threading.get_ident() != self._main:
            return
        self._holds -= 1
        if self._pending and not self._holds and not self._disarmed:
            self._raise_timeout()

    def __enter__(self) -> None:
        self.hold()

    def __exit__(
        self, kind: type[BaseException] | None, error: object, trace: TracebackType | None
    ) -> None:
        self.release()


def _line_of(frame: FrameType | None) -> int:
    while frame is not None:
        if frame.f_code.co_filename == FILE:
            return frame.f_lineno
        frame = frame.f_back
    return 0


def _line_of_coroutine(awaited: Any) -> int:
    line = 0
    while awaited is not None:
        frame = getattr(awaited, "cr_frame", None) or getattr(awaited, "gi_frame", None)
        if frame is not None and frame.f_code.co_filename == FILE:
            line = frame.f_lineno
        awaited = getattr(awaited, "cr_await", None) or getattr(awaited, "gi_yieldfrom", None)
    return line
