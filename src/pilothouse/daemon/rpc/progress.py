"""How far a call has come, for the client that waits for it: late, seldom and short.

Knows: one call's client and clock. Must not know: what is done. Calls that take less than a second
say nothing; longer ones say the latest, a few times a second at most.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Protocol

__all__ = ["Progress", "Told"]

SLOW_S = 1.0
EVERY_S = 0.25
LONGEST = 200


class Told(Protocol):
    """Who waits for a call and can be told."""

    def progress(self, number: int | str | None, text: str) -> None:
        """This is being done now."""


class Progress:
    """Hears what one call is doing, and tells its client."""

    def __init__(
        self,
        client: Told,
        number: int | str | None,
        redact: Callable[[str], str] = lambda text: text,
    ) -> None:
        self._client = client
        self._redact = redact
        self._number = number
        self._loop = asyncio.get_running_loop()
        self._not_before = self._loop.time() + SLOW_S
        self._timer: asyncio.TimerHandle | None = None
        self._text = ""

    def __call__(self, text: str) -> None:
        """The call does this now."""
        if self._number is None or not text.strip():
            return  # nobody waits for a notice's answer
        self._text = text
        if self._timer is None:
            self._timer = self._loop.call_at(self._not_before, self._send)

    def _send(self) -> None:
        self._timer = None
        self._not_before = self._loop.time() + EVERY_S
        # Of several lines the last: it is what happens now.
        said = self._text.strip().splitlines()[-1]
        self._client.progress(self._number, self._redact(said)[:LONGEST])

    def end(self) -> None:
        """The call is over."""
        if self._timer is not None:
            self._timer.cancel()
