"""What a call is doing at the moment, said from wherever it is done to whoever asked for it.

Knows: who listens to the call that runs now. Must not know: who that is. Nobody may listen: then
nothing is said.
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
    """Say what the call that runs now is doing."""
    listener = _listener.get()
    if listener is not None:
        listener(text)


@contextmanager
def report_while_waiting(words: Callable[[], str]) -> Iterator[None]:
    """While the block runs, say every second what `words` returns, if that is anything."""
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
    """Let `listener` hear what is told in the block, and by the tasks that start in it."""
    token = _listener.set(listener)
    try:
        yield
    finally:
        _listener.reset(token)
