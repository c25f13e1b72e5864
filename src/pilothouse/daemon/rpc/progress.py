"""Throttled progress reports of one call.

Knows: the call's client and the clock. Must not know: what the call does. Calls under a second
report nothing. Longer calls send their latest text, at most four times a second.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Protocol

__all__ = ["Progress", "ProgressClient"]

SLOW_S = 1.0
EVERY_S = 0.25
LONGEST = 200


class ProgressClient(Protocol):
    """A client that can be sent progress of a call."""

    def progress(self, number: int | str | None, text: str) -> None:
        """Send a progress text for the call with this id."""


class Progress:
    """Collects what one call reports, and sends it to its client."""

    def __init__(
        self,
        client: ProgressClient,
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
        """Report what the call is doing now."""
        if self._number is None or not text.strip():
            return  # a notification has no client waiting for it
        self._text = text
        if self._timer is None:
            self._timer = self._loop.call_at(self._not_before, self._send)

    def _send(self) -> None:
        self._timer = None
        self._not_before = self._loop.time() + EVERY_S
        # Only the last line: it describes the current step.
        said = self._text.strip().splitlines()[-1]
        self._client.progress(self._number, self._redact(said)[:LONGEST])

    def end(self) -> None:
        """Cancel a report that has not been sent yet: the call is over."""
        if self._timer is not None:
            self._timer.cancel()
