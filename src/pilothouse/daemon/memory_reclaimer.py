"""Frees memory: collects cyclic garbage after large calls and when the daemon is idle.

Knows: message sizes, the garbage collector, glibc's heap. Must not know: what calls do. Automatic
collection is rare, because otherwise it would run on every call. But the error of a call with 8 MB
of arguments is a cycle (error, traceback, frame) that keeps them alive until a collection.
"""

from __future__ import annotations

import asyncio
import ctypes
import gc
import sys
from collections.abc import Callable

__all__ = ["MemoryReclaimer", "trimmer"]

# Bytes in and out that trigger a collection, and its delay after the call.
LARGE_BYTES = 2_000_000
SOON_S = 0.02
# The daemon is idle after this time without a call.
IDLE_S = 2.0


class MemoryReclaimer:
    """Counts message bytes. Collects after many of them, and once when the daemon becomes idle."""

    def __init__(self, trim: Callable[[], object] | None = None) -> None:
        self._trim = trim or trimmer()
        self._bytes = 0
        self._calls = 0
        self._seen = 0
        self._soon: asyncio.TimerHandle | None = None
        self._idle: asyncio.TimerHandle | None = None

    def count_bytes(self, size: int) -> None:
        """Count a message of `size` bytes, in either direction."""
        self._bytes += size
        self._calls += 1
        if self._soon is None and self._bytes >= LARGE_BYTES:
            self._soon = asyncio.get_running_loop().call_later(SOON_S, self.collect)
        if self._idle is None:
            self._wait_for_idle()

    def _wait_for_idle(self) -> None:
        self._seen = self._calls
        self._idle = asyncio.get_running_loop().call_later(IDLE_S, self._check_idle)

    def _check_idle(self) -> None:
        self._idle = None
        if self._seen == self._calls:
            self.collect()
        else:
            self._wait_for_idle()

    def collect(self) -> None:
        """Collect garbage now and return free memory to the system."""
        if self._soon is not None:
            self._soon.cancel()
            self._soon = None
        self._bytes = 0
        gc.collect()
        self._trim()

    def close(self) -> None:
        """Cancel the timers."""
        for handle in (self._soon, self._idle):
            if handle is not None:
                handle.cancel()
        self._soon = self._idle = None


def trimmer() -> Callable[[], object]:
    """Return a function that returns freed memory to the system.

    Only glibc needs it: `malloc_trim` releases memory that it would otherwise keep."""
    if sys.platform == "linux":
        try:
            trim = ctypes.CDLL(None).malloc_trim
        except (AttributeError, OSError):
            return lambda: None  # another C library
        trim.argtypes, trim.restype = (ctypes.c_size_t,), ctypes.c_int
        return lambda: trim(0)
    return lambda: None
