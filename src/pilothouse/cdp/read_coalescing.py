"""Reading a flood in larger pieces. Chrome writes every event by itself; to be woken for each of
twelve thousand a second costs more than to read them.

Knows: when a wire may be left alone for a moment, and how. Must not know: messages. It never makes
anybody wait who would notice: a wire that is asked something is read at once, and whoever has
waited for an answer already waits at most a sixteenth longer.
"""

from __future__ import annotations

import asyncio
import math
from time import monotonic
from typing import Protocol

__all__ = ["NOBODY_WAITS", "Lull", "Reading"]

NOBODY_WAITS = -math.inf

# So many reads, each so soon after the last, are a flood. It goes on over a short gap: every time
# that much passes without a read, one read is forgotten, of no more than so many.
READS_IN_A_ROW = 16
REMEMBERED = 32
SOON_S = 0.001
# Of reads that answer questions nothing gathers. A question takes its answer's read back, and one
# more: whoever asks and is answered in turn is soon no flood, whatever went before.
READS_AN_ANSWER = 2
# A read of so much has gathered enough: it is a long message in parts, or a flood that is read
# slower than it comes. To stand back from that would only leave its writer with a full pipe.
LARGE_BYTES = 64 * 1024

LONGEST_S = 0.006
# Less is not worth a timer.
SHORTEST_S = 0.001
SHARE = 16


class Lull:
    """Whether a flood comes, and how long it may be left to gather. Pure."""

    __slots__ = ("_last", "_row")

    def __init__(self) -> None:
        self._last = 0.0
        self._row = 0.0

    def after_read(self, now: float, size: int) -> bool:
        """Note a read of so many bytes. True if it is one of a flood."""
        gap = (now - self._last) / SOON_S
        self._last = now
        if size >= LARGE_BYTES:
            self._row = 0.0
        elif gap < 1:
            self._row = min(self._row + 1, REMEMBERED)
        else:
            self._row = max(self._row - gap, 0.0)
        return self._row >= READS_IN_A_ROW

    def asked(self) -> None:
        """Note that something is asked: the read of its answer is no part of a flood."""
        self._row = max(self._row - READS_AN_ANSWER, 0.0)

    def stand_back(self, now: float, asked_at: float) -> float:
        """How many seconds the wire may be left alone, if its newest open question was asked at
        `asked_at`; 0 is not at all."""
        pause = min(LONGEST_S, (now - asked_at) / SHARE)
        if pause < SHORTEST_S:
            return 0.0
        # Timers ring late, by a millisecond or more: the next read belongs to the same flood.
        self._last = now + 2 * pause
        return pause


class _Readable(Protocol):
    def pause_reading(self) -> None: ...
    def resume_reading(self) -> None: ...
    def is_closing(self) -> bool: ...


class _Asked(Protocol):
    def asked_at(self) -> float: ...


class Reading:
    """The reading side of one transport."""

    __slots__ = ("_asked", "_loop", "_lull", "_timer", "_transport")

    def __init__(self, transport: _Readable, asked: _Asked) -> None:
        self._loop = asyncio.get_running_loop()
        self._transport = transport
        self._asked = asked
        self._lull = Lull()
        self._timer: asyncio.TimerHandle | None = None

    def done(self, size: int) -> None:
        """What came, so many bytes, has been read and told."""
        now = monotonic()
        if self._lull.after_read(now, size) and self._timer is None:
            pause = self._lull.stand_back(now, self._asked.asked_at())
            if pause and not self._transport.is_closing():
                self._transport.pause_reading()
                self._timer = self._loop.call_later(pause, self.go_on)

    def asked(self) -> None:
        """Something is asked: read again, now."""
        self._lull.asked()
        self.go_on()

    def go_on(self) -> None:
        """Read again, now: the moment is over."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
            if not self._transport.is_closing():
                self._transport.resume_reading()
