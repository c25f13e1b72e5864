"""HTTP connections of `serve`: how long they may be silent, and how many there may be.

Knows: when a request begins and ends on a connection, and whether one had the token. Must not know:
MCP or the token. Connections that have not shown the token have few slots of their own, and the
oldest of them makes room for the next: a thousand silent ones lock nobody out.
"""

from __future__ import annotations

import asyncio
import secrets
from collections import Counter
from collections.abc import Callable
from typing import Any, Protocol

import msgspec
from uvicorn.protocols.http.h11_impl import H11Protocol

from pilothouse.daemon.mcp_http.peer_process import peer_process

__all__ = ["CONNECTION", "Closable", "Connections", "HttpLimits", "LimitedConnection"]

# Where a request's scope names its connection.
CONNECTION = "pilothouse.connection"


class HttpLimits(msgspec.Struct, frozen=True):
    """What one web server allows."""

    # From the connection, or from the last reply, until a whole request head is there.
    head_s: float = 10.0
    # Connections that have not shown the token yet, from everywhere.
    unproven: int = 64
    # Connections of one address that have shown it.
    per_peer: int = 256
    sessions: int = 64


class Closable(Protocol):
    """A connection, as far as it is counted."""

    peer: str

    def abort(self) -> None:
        """End it at once."""


class Connections:
    """All connections of one web server."""

    def __init__(self, limits: HttpLimits) -> None:
        self.limits = limits
        # In the order they came: a dict keeps it.
        self._unproven: dict[Closable, None] = {}
        self._proven: dict[Closable, None] = {}
        self._of_peer: Counter[str] = Counter()

    def __len__(self) -> int:
        """How many there are."""
        return len(self._unproven) + len(self._proven)

    def enter(self, connection: Closable) -> None:
        """A new connection; the oldest that has not shown the token makes room."""
        self._unproven[connection] = None
        while len(self._unproven) > self.limits.unproven:
            oldest = next(iter(self._unproven))
            del self._unproven[oldest]
            oldest.abort()

    def prove(self, connection: Closable) -> bool:
        """A connection has shown the token. False if its address has too many that have."""
        if connection in self._proven:
            return True
        if self._of_peer[connection.peer] >= self.limits.per_peer:
            return False
        self._unproven.pop(connection, None)
        self._proven[connection] = None
        self._of_peer[connection.peer] += 1
        return True

    def leave(self, connection: Closable) -> None:
        """It is over. Once is enough."""
        self._unproven.pop(connection, None)
        if self._proven.pop(connection, connection) is None:
            self._of_peer[connection.peer] -= 1
            if not self._of_peer[connection.peer]:
                del self._of_peer[connection.peer]


class LimitedConnection(H11Protocol):
    """One connection. While no request is being answered on it, its time runs: bytes that come
    slowly, before the end of a head, do not stop that clock."""

    def __init__(self, connections: Connections, **given: Any) -> None:
        super().__init__(**given)
        self._all = connections
        self._clock: asyncio.TimerHandle | None = None
        self._owner_key = ""
        self.peer = ""

    @classmethod
    def maker(cls, connections: Connections) -> Callable[..., LimitedConnection]:
        """What uvicorn makes its connections with."""
        return lambda **given: cls(connections, **given)

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Somebody came."""
        super().connection_made(transport)  # type: ignore[arg-type]
        self.peer = self.client[0] if self.client else ""
        self._start_clock()
        self._all.enter(self)

    def connection_lost(self, exc: Exception | None) -> None:
        """It is over."""
        self._stop_clock()
        self._all.leave(self)
        super().connection_lost(exc)

    def handle_events(self) -> None:
        """Bytes, perhaps the end of a head: then a request is being answered."""
        before = self.cycle
        super().handle_events()
        if self.cycle is not before:
            self.scope[CONNECTION] = self  # type: ignore[literal-required]
            self._stop_clock()

    def on_response_complete(self) -> None:
        """A reply is out; the next request may be there already."""
        answered = self.cycle
        self._start_clock()
        super().on_response_complete()
        if self.cycle is not answered:
            self._stop_clock()

    def abort(self) -> None:
        """End it at once."""
        self.transport.abort()

    async def owner_key(self) -> str:
        """Who is at the other end: its process, or this connection alone where that is unknown."""
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
