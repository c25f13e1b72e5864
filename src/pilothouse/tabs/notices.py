"""Notices for the reply of the current call: work that was done, but with something to know.

Knows: which call runs now. Must not know: how replies are written. Where nobody collects, a notice
goes nowhere, so whoever adds one logs it, too.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

__all__ = ["add_notice", "collect_notices"]

_notices: ContextVar[list[str] | None] = ContextVar("notices", default=None)


def add_notice(text: str) -> None:
    """Have the reply of the current call carry a notice; the same one only once."""
    collected = _notices.get()
    if collected is not None and text not in collected:
        collected.append(text)


@contextmanager
def collect_notices() -> Iterator[list[str]]:
    """Collect the notices of the block and of the tasks that start in it."""
    collected: list[str] = []
    token = _notices.set(collected)
    try:
        yield collected
    finally:
        _notices.reset(token)
