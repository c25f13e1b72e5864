"""Recent messages of all streams, so that a client can resume a broken stream (Last-Event-ID).

Implements the SDK's `EventStore`. Knows: numbered messages of streams. Must not know: their
content. One limit holds for all streams together. The oldest messages are dropped first, and a
client that comes too late does not get them.
"""

from __future__ import annotations

import secrets
from collections import OrderedDict

from mcp.server.streamable_http import EventCallback, EventMessage, EventStore
from mcp_types import JSONRPCMessage

__all__ = ["RecentEventStore"]

MESSAGES = 512
BYTES = 16_000_000


class RecentEventStore(EventStore):
    """The most recent messages of all streams."""

    def __init__(self) -> None:
        # A random prefix: another client could guess plain numbers.
        self._word = secrets.token_hex(4)
        self._count = 0
        self._bytes = 0
        self._kept: OrderedDict[str, tuple[str, str, JSONRPCMessage | None, int]] = OrderedDict()

    async def store_event(self, stream_id: str, message: JSONRPCMessage | None) -> str:
        """Store a message and return its id."""
        self._count += 1
        key = f"{self._word}-{self._count}"
        size = 0 if message is None else len(message.model_dump_json(by_alias=True))
        self._kept[key] = (key, stream_id, message, size)
        self._bytes += size
        while self._kept and (len(self._kept) > MESSAGES or self._bytes > BYTES):
            self._bytes -= self._kept.popitem(last=False)[1][3]
        return key

    async def replay_events_after(
        self, last_event_id: str, send_callback: EventCallback
    ) -> str | None:
        """Send again what followed a message on its stream. Returns the stream, or None."""
        last = self._kept.get(last_event_id)
        if last is None:
            return None
        stream, seen = last[1], False
        for key, of, message, _ in list(self._kept.values()):
            if seen and of == stream and message is not None:
                await send_callback(EventMessage(message, key))
            seen = seen or key == last_event_id
        return stream
