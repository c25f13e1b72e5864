"""Read a flood of events in fewer, larger pieces.

Chrome writes every event separately. At twelve thousand events a second, waking up for each one
costs more than reading it. `FloodDetector` (pure) recognizes a flood by how soon reads follow each
other. `ReadCoalescer` then pauses the transport for a few milliseconds so that bytes accumulate in
the kernel.

Knows: when and for how long a transport may be paused. Must not know: messages. No caller waits
noticeably longer: sending a command resumes reading at once, and a pending reply is delayed by at
most a sixteenth of the time it has already taken. The setting `speedups.coalesce_reads` switches it
off.
"""

from __future__ import annotations

import asyncio
import math
from time import monotonic
from typing import Protocol

from pilothouse import speedup_switches

__all__ = ["NO_PENDING_COMMAND", "FloodDetector", "ReadCoalescer"]

NO_PENDING_COMMAND = -math.inf

# A flood is this many reads, each within GAP_S of the one before. The counter survives a short
# gap: every GAP_S without a read lowers it by one, and it never exceeds MAX_COUNT.
FLOOD_READS = 16
MAX_COUNT = 32
GAP_S = 0.001
# Replies do not count as a flood: each command sent lowers the counter by two (its reply's read,
# and one more), so request/response traffic leaves flood mode quickly.
COUNT_PER_COMMAND = 2
# A read this large is already coalesced: it is part of a long message, or we read slower than
# Chrome writes. Pausing then would only leave Chrome with a full pipe.
LARGE_BYTES = 64 * 1024

LONGEST_PAUSE_S = 0.006
# A shorter pause is not worth a timer.
SHORTEST_PAUSE_S = 0.001
# Pause for at most this fraction of the time since the last command was sent.
PAUSE_SHARE = 16


class FloodDetector:
    """Decides whether reads are a flood, and how long to pause. Pure."""

    __slots__ = ("_count", "_last")

    def __init__(self) -> None:
        self._last = 0.0
        self._count = 0.0

    def on_read(self, now: float, size: int) -> bool:
        """Note a read of `size` bytes; return whether it belongs to a flood."""
        gap = (now - self._last) / GAP_S
        self._last = now
        if size >= LARGE_BYTES:
            self._count = 0.0
        elif gap < 1:
            self._count = min(self._count + 1, MAX_COUNT)
        else:
            self._count = max(self._count - gap, 0.0)
        return self._count >= FLOOD_READS

    def on_command_sent(self) -> None:
        """Note a sent command: the read of its reply does not count as flood."""
        self._count = max(self._count - COUNT_PER_COMMAND, 0.0)

    def pause_for(self, now: float, last_sent_at: float) -> float:
        """Return how many seconds to pause reading; 0 for not at all. `last_sent_at` is when the
        newest pending command was sent."""
        pause = min(LONGEST_PAUSE_S, (now - last_sent_at) / PAUSE_SHARE)
        if pause < SHORTEST_PAUSE_S:
            return 0.0
        # Timers fire a millisecond or more late; still count the next read to the same flood.
        self._last = now + 2 * pause
        return pause


class _Readable(Protocol):
    def pause_reading(self) -> None: ...
    def resume_reading(self) -> None: ...
    def is_closing(self) -> bool: ...


class _Sender(Protocol):
    def last_sent_at(self) -> float: ...


class ReadCoalescer:
    """Pauses and resumes the reads of one transport."""

    __slots__ = ("_detector", "_is_on", "_loop", "_sender", "_timer", "_transport")

    def __init__(self, transport: _Readable, sender: _Sender) -> None:
        self._loop = asyncio.get_running_loop()
        self._transport = transport
        self._sender = sender
        self._is_on = speedup_switches.in_use().coalesce_reads
        self._detector = FloodDetector()
        self._timer: asyncio.TimerHandle | None = None

    def after_read(self, size: int) -> None:
        """Note that `size` bytes were read and handled; pause if they were part of a flood."""
        if not self._is_on:
            return
        now = monotonic()
        if self._detector.on_read(now, size) and self._timer is None:
            pause = self._detector.pause_for(now, self._sender.last_sent_at())
            if pause and not self._transport.is_closing():
                self._transport.pause_reading()
                self._timer = self._loop.call_later(pause, self.resume)

    def on_command_sent(self) -> None:
        """Note a sent command and resume reading, so that its reply is not delayed."""
        self._detector.on_command_sent()
        self.resume()

    def resume(self) -> None:
        """End the pause, if there is one."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
            if not self._transport.is_closing():
                self._transport.resume_reading()
