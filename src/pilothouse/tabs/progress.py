"""Progress texts of the current call, from any depth of code to the client that waits for it.

Knows: the listener of the current call. Must not know: what the listener does. Without a listener
the texts are dropped.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

__all__ = ["report_progress", "report_progress_to", "report_while_waiting"]

EVERY_S = 1.0

_listener: ContextVar[Callable[[str], object] | None] = ContextVar("progress", default=None)


def report_progress(text: str) -> None:
    """Report what the current call is doing."""
    listener = _listener.get()
    if listener is not None:
        listener(text)


@contextmanager
def report_while_waiting(words: Callable[[], str]) -> Iterator[None]:
    """While the block runs, report what `words` returns every second, unless it is empty."""
    if _listener.get() is None:
        yield
        return
    loop = asyncio.get_running_loop()
    timers: list[asyncio.TimerHandle] = []

    def tick() -> None:
        timers[:] = [loop.call_later(EVERY_S, tick)]
        if said := words():
            report_progress(said)

    timers.append(loop.call_later(EVERY_S, tick))
    try:
        yield
    finally:
        timers[0].cancel()


@contextmanager
def report_progress_to(listener: Callable[[str], object]) -> Iterator[None]:
    """Send progress of the block, and of the tasks that start in it, to `listener`."""
    token = _listener.set(listener)
    try:
        yield
    finally:
        _listener.reset(token)
