"""One call at a time on a tab: others wait in line, for as long as they can.

Knows: who holds the tab and since when. Must not know: what is done with it.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from pilothouse.errors import ToolError
from pilothouse.tabs.progress import report_progress

__all__ = ["Lease"]


class Lease:
    """The turn on one tab, first come, first served."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._lock = asyncio.Lock()
        self._holder = ""
        self._since = 0.0
        # What held it last.
        self.last = ""

    @property
    def holder(self) -> str:
        """What holds the tab now; empty if nothing does."""
        return self._holder

    @asynccontextmanager
    async def hold(self, what: str, within: float) -> AsyncIterator[None]:
        """Hold the tab for `what`. Raises ToolError if its turn does not come in time."""
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
                f'tab "{self._name}" is busy with {self._holder} for {busy:.1f} s already',
                hint="wait for it, use another tab, or give a longer timeout",
            ) from None
        self._holder, self._since = what, loop.time()
        if waits:
            report_progress(what)
        try:
            yield
        finally:
            self.last, self._holder = self._holder, ""
            self._lock.release()
