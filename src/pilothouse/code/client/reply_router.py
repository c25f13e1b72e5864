"""Answers by number, for threads that share one line to the daemon.

Knows: who waits. Must not know: the line. It imports next to nothing: a warm call from the command
line pays for it.
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
    """One of the threads that wait reads, and hands the others what is theirs. `read` waits for one
    message; whatever it raises reaches the thread that read, and the next one tries. `take` puts
    what is an answer here; by then others may read, so it may call the daemon itself."""

    def __init__(
        self, read: Callable[[], dict[str, Any]], take: Callable[[dict[str, Any]], object]
    ) -> None:
        self._read = read
        self._take = take
        self._arrived = threading.Condition()
        self._there: dict[int, dict[str, Any]] = {}
        self._reading = False

    def put(self, number: int, reply: dict[str, Any]) -> None:
        """An answer came."""
        with self._arrived:
            self._there[number] = reply
            self._arrived.notify_all()

    def wait(self, number: int) -> dict[str, Any]:
        """The answer to one call."""
        while True:
            with self._arrived:
                while number not in self._there and self._reading:
                    self._arrived.wait()
                if number in self._there:
                    return self._there.pop(number)
                self._reading = True
            try:
                message = self._read()
            finally:
                with self._arrived:
                    self._reading = False
                    self._arrived.notify_all()
            self._take(message)
