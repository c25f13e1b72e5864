"""The receiver that a connection gives its transport, and the hook for relaying messages.

Knows: which epoch a transport belongs to. Must not know: what a message means.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from pilothouse.cdp.message import Envelope
from pilothouse.cdp.read_coalescer import NO_PENDING_COMMAND

if TYPE_CHECKING:
    from pilothouse.cdp.connection import Connection

__all__ = ["EpochReceiver", "MessageInterceptor"]


class MessageInterceptor(Protocol):
    """Takes messages out of a connection before the router sees them.

    The relay uses this for the replies to ids it has reserved and for the events of its clients'
    sessions. Called from the reader; must not raise.
    """

    def intercept(self, message: bytes) -> bool:
        """Handle this message and return True, or return False to leave it to the router."""

    def intercept_envelope(self, message: Envelope) -> bool:
        """Do the same with a decoded message, from a browser in this process."""

    def has_pending_commands(self) -> bool:
        """Whether a reply to one of its commands is still to come."""

    def on_connection_lost(self, reason: str) -> None:
        """Note that the connection dropped, and every session and pending reply with it."""


class EpochReceiver:
    """Passes on what the transport of one epoch reads. After a drop the old transport may still
    deliver; the connection's epoch has changed by then, and this receiver ignores it."""

    def __init__(self, connection: Connection, epoch: int) -> None:
        self._connection = connection
        self._epoch = epoch

    def on_message(self, message: bytes) -> None:
        """Take one whole message."""
        if self._connection.epoch == self._epoch:
            self._connection._on_message(message)

    def on_envelope(self, message: Envelope) -> None:
        """Take one decoded message."""
        if self._connection.epoch == self._epoch:
            self._connection._on_envelope(message)

    def on_invalid_data(self, what: str) -> None:
        """Count data that is not a message."""
        if self._connection.epoch == self._epoch:
            self._connection._router.count_malformed()

    def on_lost(self, reason: str) -> None:
        """Note that the transport closed."""
        if self._connection.epoch == self._epoch:
            self._connection._on_lost(reason)

    def last_sent_at(self) -> float:
        """See `Receiver.last_sent_at`."""
        connection = self._connection
        interceptor = connection.interceptor
        is_waiting = connection._router.pending or (
            interceptor is not None and interceptor.has_pending_commands()
        )
        return connection.last_sent_at if is_waiting else NO_PENDING_COMMAND
