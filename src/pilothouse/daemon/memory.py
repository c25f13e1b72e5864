"""Gives memory back: collects cyclic garbage after large calls and when the daemon is idle.

Knows: how many bytes calls brought and took, the garbage collector, glibc's heap. Must not know:
what the calls were. The daemon's collector runs seldom, because it would run before every answer;
but an error of a call with 8 MB of arguments is a cycle (error, traceback, frame) that holds them.
"""

from __future__ import annotations

import asyncio
import ctypes
import gc
import sys
from collections.abc import Callable

__all__ = ["MemoryReclaimer", "trimmer"]

# Bytes in and out after which garbage is collected at once; and how soon after the call.
LARGE_BYTES = 2_000_000
SOON_S = 0.02
# So long without a call means idle.
IDLE_S = 2.0


class MemoryReclaimer:
    """Counts what calls bring; collects when that was much, and once when nothing more comes."""

    def __init__(self, trim: Callable[[], object] | None = None) -> None:
        self._trim = trim or trimmer()
        self._bytes = 0
        self._calls = 0
        self._seen = 0
        self._soon: asyncio.TimerHandle | None = None
        self._idle: asyncio.TimerHandle | None = None
        self.collections = 0

    def count_bytes(self, size: int) -> None:
        """A message of so many bytes came or went."""
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
        """Collect now, and give what is free back to the system."""
        if self._soon is not None:
            self._soon.cancel()
            self._soon = None
        self._bytes = 0
        self.collections += 1
        gc.collect()
        self._trim()

    def close(self) -> None:
        """Nothing more is counted."""
        for handle in (self._soon, self._idle):
            if handle is not None:
                handle.cancel()
        self._soon = self._idle = None


def trimmer() -> Callable[[], object]:
    """What gives freed memory back to the system: glibc keeps it unless it is told, other systems
    do it by themselves."""
    if sys.platform == "linux":
        try:
            trim = ctypes.CDLL(None).malloc_trim
        except (AttributeError, OSError):
            return lambda: None  # another C library
        trim.argtypes, trim.restype = (ctypes.c_size_t,), ctypes.c_int
        return lambda: trim(0)
    return lambda: None
