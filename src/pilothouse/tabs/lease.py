"""The lease of a tab: one call at a time holds it, others wait in order until their timeout.

Knows: which call holds the lease, and since when. Must not know: what the call does.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from pilothouse.errors import ToolError
from pilothouse.tabs.progress import report_progress

__all__ = ["Lease"]


class Lease:
    """The lease of one tab; first come, first served."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._lock = asyncio.Lock()
        self._holder = ""
        self._since = 0.0
        # What held the lease before.
        self.last = ""

    @property
    def holder(self) -> str:
        """What holds the lease now; empty if it is free."""
        return self._holder

    @asynccontextmanager
    async def hold(self, what: str, within: float) -> AsyncIterator[None]:
        """Hold the lease for `what`. Raises ToolError if it is not free within the timeout."""
        loop = asyncio.get_running_loop()
        waits = self._lock.locked()
        if waits:
            report_progress(
                f'waiting for tab "{self._name}": busy with {self._holder} since '
                f"{loop.time() - self._since:.0f} s"
            )
        try:
            async with asyncio.timeout(within):
                await self._lock.acquire()
        except TimeoutError:
            busy = loop.time() - self._since
            raise ToolError(
                f'tab "{self._name}" is busy with {self._holder} for {busy:.1f} s',
                hint="wait, use another tab, or give a longer timeout",
            ) from None
        self._holder, self._since = what, loop.time()
        if waits:
            report_progress(what)
        try:
            yield
        finally:
            self.last, self._holder = self._holder, ""
            self._lock.release()
