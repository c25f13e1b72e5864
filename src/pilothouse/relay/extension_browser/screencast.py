"""Screencasts of one page for several sessions. Pure.

Knows: who watches and how many pictures each has taken. Must not know: the pictures. Chrome makes
the next one when the last has been acknowledged, which is when the slowest watcher did so.
"""

from __future__ import annotations

__all__ = ["Pictures"]


class Pictures:
    """The watchers of one page."""

    def __init__(self) -> None:
        self._taken: dict[str, int] = {}
        self._acknowledged = 0

    def starts(self, session: str) -> None:
        """A session watches from now on."""
        self._taken[session] = self._acknowledged

    def stops(self, session: str) -> bool:
        """A session watches no more; whether it was the last."""
        return self._taken.pop(session, None) is not None and not self._taken

    def takes(self, session: str) -> bool:
        """A session has taken a picture; whether Chrome is to hear of it."""
        if session in self._taken:
            self._taken[session] += 1
        slowest = min(self._taken.values(), default=0)
        if slowest <= self._acknowledged:
            return False
        self._acknowledged = slowest
        return True

    def watchers(self) -> list[str]:
        """Who is shown the next one."""
        return list(self._taken)
