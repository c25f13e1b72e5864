"""The interface between a connection and its transport, and the size limits of both."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Protocol, runtime_checkable

from pilothouse.cdp.message import Envelope, RawCommand

__all__ = [
    "MAX_INBOUND_BYTES",
    "MAX_OUTBOUND_BYTES",
    "MAX_UNSENT_BYTES",
    "Dial",
    "InProcessTransport",
    "Receiver",
    "Transport",
]

# DOM snapshots and screenshots exceed 100 MB; a message larger than this is a bug.
MAX_INBOUND_BYTES = 256 * 1024 * 1024

# Chromium parses large commands in superlinear time: 1 MB takes 0.3 s, 5 MB 1.3 s, 20 MB 14 s. At
# 50 MB it stops accepting new connections.
MAX_OUTBOUND_BYTES = 4 * 1024 * 1024

# Close the connection to a browser that does not read before this much is buffered for it.
MAX_UNSENT_BYTES = 64 * 1024 * 1024


class Receiver(Protocol):
    """Receives what a transport reads. Called from the event loop; must not raise."""

    def on_message(self, message: bytes) -> None:
        """Take one whole message. The transport does not reuse these bytes."""

    def on_envelope(self, message: Envelope) -> None:
        """Take one decoded message, from a browser in this process."""

    def on_invalid_data(self, what: str) -> None:
        """Note data that is not a text message, such as a binary WebSocket frame."""

    def on_lost(self, reason: str) -> None:
        """Note that the transport closed. Called once, and last."""

    def last_sent_at(self) -> float:
        """Return when the latest command was sent, on `time.monotonic`'s clock, while any command
        still waits for its reply; -inf when none does."""


class Transport(Protocol):
    """An open transport."""

    def write(self, message: bytes) -> None:
        """Queue one message. A transport that has just closed drops it, and `on_lost` follows."""

    def unsent(self) -> int:
        """Return how many written bytes the peer has not taken yet."""

    def close(self) -> None:
        """Abort the transport. `on_lost` follows unless it was called before."""


@runtime_checkable
class InProcessTransport(Transport, Protocol):
    """An open transport to a browser in this process, which takes decoded commands."""

    def write_command(self, command: RawCommand) -> None:
        """Take one command. A transport that has just closed drops it, and `on_lost` follows."""


Dial = Callable[[Receiver], Awaitable[Transport]]
