"""Limits for HTTP connections of `pilothouse serve`: idle time and number.

Knows: when a request begins and ends, and whether a connection has shown the token. Must not know:
MCP or the token. Connections without the token share a few slots, and a new one replaces the
oldest. So a thousand silent connections cannot lock out a client that has the token.
"""

from __future__ import annotations

import asyncio
import secrets
from collections import Counter
from collections.abc import Callable
from typing import Any, Protocol

import msgspec
from uvicorn.protocols.http.h11_impl import H11Protocol

from pilothouse.daemon.web.peer_process import peer_process

__all__ = ["CONNECTION", "Closable", "Connections", "HttpLimits", "LimitedConnection"]

# The key of an ASGI scope under which the connection is stored.
CONNECTION = "pilothouse.connection"


class HttpLimits(msgspec.Struct, frozen=True):
    """The limits of one HTTP server."""

    # Seconds for a complete request head, from the connection or the last reply.
    head_s: float = 10.0
    # Connections that have not shown the token, from all addresses.
    unproven: int = 64
    # Connections of one address that have shown the token.
    per_peer: int = 256
    sessions: int = 64


class Closable(Protocol):
    """What `Connections` needs of a connection."""

    peer: str

    def abort(self) -> None:
        """Close the connection at once."""


class Connections:
    """All connections of one HTTP server."""

    def __init__(self, limits: HttpLimits) -> None:
        self.limits = limits
        # Dicts as ordered sets: the oldest connection comes first.
        self._unproven: dict[Closable, None] = {}
        self._proven: dict[Closable, None] = {}
        self._of_peer: Counter[str] = Counter()

    def __len__(self) -> int:
        """Return the number of connections."""
        return len(self._unproven) + len(self._proven)

    def enter(self, connection: Closable) -> None:
        """Add a connection; above the limit, abort the oldest one without the token."""
        self._unproven[connection] = None
        while len(self._unproven) > self.limits.unproven:
            oldest = next(iter(self._unproven))
            del self._unproven[oldest]
            oldest.abort()

    def prove(self, connection: Closable) -> bool:
        """Mark a connection as having shown the token. False if its address has too many."""
        if connection in self._proven:
            return True
        if self._of_peer[connection.peer] >= self.limits.per_peer:
            return False
        self._unproven.pop(connection, None)
        self._proven[connection] = None
        self._of_peer[connection.peer] += 1
        return True

    def leave(self, connection: Closable) -> None:
        """Remove a connection. Repeated calls are harmless."""
        self._unproven.pop(connection, None)
        if self._proven.pop(connection, connection) is None:
            self._of_peer[connection.peer] -= 1
            if not self._of_peer[connection.peer]:
                del self._of_peer[connection.peer]


class LimitedConnection(H11Protocol):
    """One connection with an idle timer.

    The timer runs while no request is being answered. Bytes of an incomplete head do not stop it,
    so a slow sender is cut off too."""

    def __init__(self, connections: Connections, **given: Any) -> None:
        super().__init__(**given)
        self._all = connections
        self._clock: asyncio.TimerHandle | None = None
        self._owner_key = ""
        self.peer = ""

    @classmethod
    def maker(cls, connections: Connections) -> Callable[..., LimitedConnection]:
        """Return the protocol factory for uvicorn."""
        return lambda **given: cls(connections, **given)

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Start the idle timer and count the connection."""
        super().connection_made(transport)  # type: ignore[arg-type]
        self.peer = self.client[0] if self.client else ""
        self._start_clock()
        self._all.enter(self)

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop the timer and stop counting the connection."""
        self._stop_clock()
        self._all.leave(self)
        super().connection_lost(exc)

    def handle_events(self) -> None:
        """Process received bytes; stop the timer if they completed a request head."""
        before = self.cycle
        super().handle_events()
        if self.cycle is not before:
            self.scope[CONNECTION] = self  # type: ignore[literal-required]
            self._stop_clock()

    def on_response_complete(self) -> None:
        """Restart the timer after a reply, unless the next request has already begun."""
        answered = self.cycle
        self._start_clock()
        super().on_response_complete()
        if self.cycle is not answered:
            self._stop_clock()

    def abort(self) -> None:
        """Close the connection at once."""
        self.transport.abort()

    async def owner_key(self) -> str:
        """Return a key for the client: its process, or this connection if that is unknown."""
        if not self._owner_key:
            found = ""
            if self.client is not None and self.server is not None and self.server[1] is not None:
                ours = (self.server[0], self.server[1])
                found = await asyncio.to_thread(peer_process, self.client, ours)
            self._owner_key = found or f"connection-{secrets.token_hex(6)}"
        return self._owner_key

    def _start_clock(self) -> None:
        self._stop_clock()
        self._clock = self.loop.call_later(self._all.limits.head_s, self.abort)

    def _stop_clock(self) -> None:
        if self._clock is not None:
            self._clock.cancel()
            self._clock = None
