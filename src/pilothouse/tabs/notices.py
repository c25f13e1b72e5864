"""Notices for the reply of the current call: it succeeded, but the caller should know something.

Knows: the current call. Must not know: how replies are written. Outside of a call a notice is lost,
so code that adds one should log it too.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

__all__ = ["add_notice", "collect_notices"]

_notices: ContextVar[list[str] | None] = ContextVar("notices", default=None)


def add_notice(text: str) -> None:
    """Add a notice to the reply of the current call. Duplicates are dropped."""
    collected = _notices.get()
    if collected is not None and text not in collected:
        collected.append(text)


@contextmanager
def collect_notices() -> Iterator[list[str]]:
    """Collect the notices of the block, and of the tasks that start in it."""
    collected: list[str] = []
    token = _notices.set(collected)
    try:
        yield collected
    finally:
        _notices.reset(token)
