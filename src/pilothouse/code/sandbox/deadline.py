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

from pilothouse.code.sandbox.program import FILE

__all__ = ["RunDeadline", "RunTimeout"]


class RunTimeout(BaseException):
    """The time of the run is up. Not an Exception, so that `except Exception` does not catch it."""


class RunDeadline:
    """Raises RunTimeout at most once. `with deadline:` defers it to the end of the block."""

    def __init__(self) -> None:
        self.message = "the run's time is up"
        # Where the code was when it rang; 0 if nothing of it was running.
        self.line = 0
        # What an asynchronous program runs: it is not on the stack while it waits.
        self.coroutine: Coroutine[Any, Any, Any] | None = None
        self._main = threading.get_ident()
        self._held = 0
        self._late = False
        self._over = False
        self._rang = False

    def ring(self, signum: int, frame: FrameType | None) -> None:
        """The signal came. Raises RunTimeout in the code, now or when the shield is gone."""
        if self._over:
            return
        self.line = self.line or _line_of(frame) or _line_waited_at(self.coroutine)
        if self._held:
            self._late = True
            return
        self._strike()

    def heard(self) -> RunTimeout:
        """The daemon said it before the signal did: what to raise in the calling thread."""
        self._rang = True
        if threading.get_ident() == self._main:
            self._over = True
        return RunTimeout(self.message)

    @property
    def rang(self) -> bool:
        """Whether the time was up before the code was through."""
        return self._rang

    def stop(self) -> None:
        """The code is through: nothing is raised any more."""
        self._over = True

    def _strike(self) -> None:
        self._over = self._rang = True
        raise RunTimeout(self.message)

    def hold(self) -> None:
        """Put it off until `release`."""
        if threading.get_ident() == self._main:
            self._held += 1

    def release(self) -> None:
        """Let it ring from now on; if it should have rung, it does so now."""
        if threading.get_ident() != self._main:
            return
        self._held -= 1
        if self._late and not self._held and not self._over:
            self._strike()

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


def _line_waited_at(awaited: Any) -> int:
    line = 0
    while awaited is not None:
        frame = getattr(awaited, "cr_frame", None) or getattr(awaited, "gi_frame", None)
        if frame is not None and frame.f_code.co_filename == FILE:
            line = frame.f_lineno
        awaited = getattr(awaited, "cr_await", None) or getattr(awaited, "gi_yieldfrom", None)
    return line
