"""Who hears the wire: the connection of the present epoch, and beside it whoever relays frames.

Knows: which epoch a wire belongs to. Must not know: what a frame means.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from pilothouse.cdp.read_coalescing import NOBODY_WAITS

if TYPE_CHECKING:
    from pilothouse.cdp.connection import Connection

__all__ = ["Diversion", "EpochReceiver"]


class Diversion(Protocol):
    """Takes frames out of a connection before anybody else sees them: replies to ids it has
    reserved, events of sessions that are its own. Called from the reader; must not raise."""

    def takes(self, frame: bytes) -> bool:
        """Whether this frame was its own; if so it has dealt with it."""

    def waits(self) -> bool:
        """Whether a reply is still to come."""

    def dropped(self, reason: str) -> None:
        """The wire is gone, and every session and reply with it."""


class EpochReceiver:
    """Lets only the wire of the present epoch speak: a dying one may still deliver."""

    def __init__(self, connection: Connection, epoch: int) -> None:
        self._connection = connection
        self._epoch = epoch

    def on_frame(self, frame: bytes) -> None:
        """One whole message."""
        if self._connection.epoch == self._epoch:
            self._connection._on_frame(frame)

    def on_garbage(self, what: str) -> None:
        """Something that is no message."""
        if self._connection.epoch == self._epoch:
            self._connection._router.malformed()

    def on_lost(self, reason: str) -> None:
        """The wire ended."""
        if self._connection.epoch == self._epoch:
            self._connection._on_lost(reason)

    def asked_at(self) -> float:
        """When the newest question that is still open was sent."""
        asked = self._connection
        others = asked.diversion
        waits = asked._router.pending or (others is not None and others.waits())
        return asked.asked_at if waits else NOBODY_WAITS
