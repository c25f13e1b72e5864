"""What the connection asks of a wire, whichever it is."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Protocol

__all__ = [
    "MAX_INBOUND_BYTES",
    "MAX_OUTBOUND_BYTES",
    "MAX_UNSENT_BYTES",
    "Dial",
    "Receiver",
    "Transport",
]

# DOM snapshots and screenshots pass 100 MB; a message beyond this means something is broken.
MAX_INBOUND_BYTES = 256 * 1024 * 1024

# Chromium reads large commands in superlinear time: 1 MB 0.3 s, 5 MB 1.3 s, 20 MB 14 s, and at
# 50 MB it stops accepting new connections.
MAX_OUTBOUND_BYTES = 4 * 1024 * 1024

# A browser that stops reading is given up before we have kept this much for it.
MAX_UNSENT_BYTES = 64 * 1024 * 1024


class Receiver(Protocol):
    """Who hears what the wire brings. Calls are made from the event loop and never raise."""

    def on_frame(self, frame: bytes) -> None:
        """One whole message, in bytes that will not be reused."""

    def on_garbage(self, what: str) -> None:
        """Something that is no text message, such as a binary frame."""

    def on_lost(self, reason: str) -> None:
        """The wire ended. Called once; nothing follows."""

    def asked_at(self) -> float:
        """When the newest question that is still open was sent, by `time.monotonic`; -inf if there
        is none."""


class Transport(Protocol):
    """A wire that is up."""

    def write(self, frame: bytes) -> None:
        """Queue one message. A wire that has just gone down drops it: `on_lost` follows."""

    def unsent(self) -> int:
        """Bytes that were written and that the other side has not taken yet."""

    def close(self) -> None:
        """Give the wire up at once. `on_lost` follows if it has not come yet."""


Dial = Callable[[Receiver], Awaitable[Transport]]
