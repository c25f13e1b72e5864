"""Gives each thread the reply to its call, where threads share one connection to the daemon.

Knows: which calls wait. Must not know: the socket. Imports little, because each call of the command
line loads it.
"""

from __future__ import annotations

import threading
from collections.abc import Callable

# As typing.TYPE_CHECKING, without the import.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

__all__ = ["ReplyRouter"]


class ReplyRouter:
    """Routes replies to waiting threads: one of them reads, for all.

    `read` waits for one message. If it raises, the reading thread gets the exception and the next
    one reads. `take` handles a message and calls `put` for replies. While it runs, other threads
    may read, so it may itself call the daemon."""

    def __init__(
        self, read: Callable[[], dict[str, Any]], take: Callable[[dict[str, Any]], object]
    ) -> None:
        self._read = read
        self._take = take
        self._changed = threading.Condition()
        self._replies: dict[int, dict[str, Any]] = {}
        self._reading = False

    def put(self, number: int, reply: dict[str, Any]) -> None:
        """Store a reply and wake the waiting threads."""
        with self._changed:
            self._replies[number] = reply
            self._changed.notify_all()

    def wait(self, number: int) -> dict[str, Any]:
        """Wait for the reply to one call and return it."""
        while True:
            with self._changed:
                while number not in self._replies and self._reading:
                    self._changed.wait()
                if number in self._replies:
                    return self._replies.pop(number)
                self._reading = True
            try:
                message = self._read()
            finally:
                with self._changed:
                    self._reading = False
                    self._changed.notify_all()
            self._take(message)
