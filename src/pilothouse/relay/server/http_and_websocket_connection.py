"""One connection to the relay's port: an HTTP request that is answered or becomes a WebSocket.

Knows: asyncio's side of a socket, WebSocket frames, timeouts for peers that do not read or write.
Must not know: routes, authentication, what a message says. A slow client harms only itself: what
waits for it is bounded, and beyond that it is dropped.
"""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Callable
from typing import NamedTuple, Protocol, cast

from pilothouse.cdp.transport import MAX_INBOUND_BYTES
from pilothouse.cdp.websocket import (
    BINARY,
    CLOSE,
    PING,
    PONG,
    TEXT,
    MaskedFrameReader,
    close_payload,
    read_close,
    unmasked_header,
)
from pilothouse.relay.interfaces import HttpRefusal, MessageHandler
from pilothouse.relay.server.client_slots import DEAD_AFTER_S
from pilothouse.relay.server.http_codec import Request, read_request, refusal_response

__all__ = ["RelaySocket", "SocketLimits", "SocketOwner"]

# The transport reads into one buffer (cdp/websocket/transport.py says why). It is small until the
# connection is authenticated.
READ_BYTES = 256 * 1024
FIRST_READ_BYTES = 16 * 1024

# How much a client may send before it gets a response.
MAX_EARLY_BYTES = 64 * 1024
# A longer message is written without copying it behind its frame header.
COPIED_BYTES = 64 * 1024

UNSUPPORTED_DATA = 1003


class SocketLimits(NamedTuple):
    """How long to wait for the peer, and how much to buffer for it."""

    # Timeout for the whole head of a request.
    head_s: float = 10.0
    # Timeout for an extension's hello.
    hello_s: float = 5.0
    # How long to wait for the peer to close after we did.
    linger_s: float = 2.0
    # Drop a client that reads nothing for this long while data waits for it.
    stalled_s: float = 30.0
    # Ping a client after this much silence; its pong counts as a sign of life.
    silent_s: float = 15.0
    # Without a sign of life for this long it loses its slot, if another client asks for it.
    dead_s: float = DEAD_AFTER_S
    sweep_s: float = 5.0
    # How much may wait for a client, not counting the largest waiting message.
    unsent_bytes: int = 64 * 1024 * 1024


class SocketOwner(Protocol):
    """Receives the events of all connections: the server."""

    def on_opened(self, socket: RelaySocket) -> None:
        """Handle a new connection."""

    def on_request(self, socket: RelaySocket, request: Request) -> None:
        """Handle a request: `respond` to it or `upgrade` it, now or later."""

    def on_closed(self, socket: RelaySocket) -> None:
        """Handle the end of a connection."""


class RelaySocket(asyncio.BufferedProtocol):
    """One connection. Once upgraded it is a MessageSocket."""

    def __init__(self, owner: SocketOwner, limits: SocketLimits) -> None:
        self._loop = asyncio.get_running_loop()
        self._owner = owner
        self._limits = limits
        self._buffer = memoryview(bytearray(FIRST_READ_BYTES))
        self._head = b""
        self._has_request = False
        # Whether the peer has closed its sending side.
        self._eof = False
        # Whether it is a WebSocket: from `upgrade` to the end.
        self._is_open = False
        self._has_ended = False
        self._reason = ""
        self._handler: MessageHandler | None = None
        # Called once, just before the handler's `on_disconnect`.
        self.on_end: Callable[[], None] | None = None
        # Messages sent before `upgrade`.
        self._queued: list[bytes] = []
        self._reader = MaskedFrameReader(MAX_INBOUND_BYTES)
        self._largest = 0
        self._written = 0
        self._read_by_peer = 0
        self._progress_at = self._loop.time()
        self.last_received_at = self._loop.time()
        self._timer = self._loop.call_later(limits.head_s, self._time_out)
        self._transport: asyncio.Transport

    # MessageSocket.

    def send(self, message: bytes) -> None:
        """Queue one message."""
        if self._has_ended:
            return
        if not self._is_open:
            self._queued.append(message)
            return
        size, waiting = len(message), self._transport.get_write_buffer_size()
        if not waiting:
            self._largest = size
        elif waiting - self._largest >= self._limits.unsent_bytes:
            self._drop(f"the client left {waiting} bytes unread")
            return
        elif size > self._largest:
            self._largest = size
        head = unmasked_header(TEXT, size)
        self._written += len(head) + size
        if size < COPIED_BYTES:
            self._transport.write(head + message)
        else:
            self._transport.writelines((head, message))

    def unsent(self) -> int:
        """Return how many bytes the peer has not read yet."""
        if not self._is_open:
            return sum(map(len, self._queued))
        return self._transport.get_write_buffer_size()

    def close(self, code: int = 1000, reason: str = "") -> None:
        """Send a close frame, and close the socket when the peer has answered it."""
        if not self._has_ended:
            if self._is_open:
                self._control(CLOSE, close_payload(code, reason))
            self._end(f"closed by us ({code}) {reason}".rstrip())

    # Called by the server.

    def close_now(self, code: int, reason: str) -> None:
        """Close it, and call the handler before anything else happens."""
        if not self._has_ended:
            self.close(code, reason)
            self._notify_end()

    def disconnect(self, code: int, reason: str) -> None:
        """Close a WebSocket; drop a connection that is none yet."""
        if self._is_open:
            self.close(code, reason)
        else:
            self._drop(reason)

    def respond(self, data: bytes) -> None:
        """Send the response and end the connection."""
        if not self._has_ended and not self._is_open:
            self._transport.write(data)
            self._end("answered")

    def upgrade(
        self, answer: bytes, handler: MessageHandler, max_bytes: int = MAX_INBOUND_BYTES
    ) -> None:
        """Make it a WebSocket for this handler. If it closed meanwhile, the handler is told."""
        self._handler = handler
        if self._eof and not self._has_ended:
            self._drop("the client disconnected before it was let in")
            return
        if self._has_ended:
            self._schedule_end("the client disconnected before it was let in")
            return
        self._transport.write(answer)
        self._written = len(answer)
        self._is_open = True
        self._buffer = memoryview(bytearray(READ_BYTES))
        self._reader.max_bytes = max_bytes
        queued, self._queued = self._queued, []
        for message in queued:
            self.send(message)
        rest, self._head = self._head, b""
        if rest:
            self._take(rest)

    def set_handler(self, handler: MessageHandler) -> None:
        """Change the handler, and allow messages of any size."""
        self._handler = handler
        self._reader.max_bytes = MAX_INBOUND_BYTES

    def check_health(self) -> None:
        """Drop a peer that reads nothing; ping one that sends nothing. Called every few seconds."""
        if not self._is_open or self._has_ended:
            return
        now, waiting = self._loop.time(), self._transport.get_write_buffer_size()
        read = self._written - waiting
        if not waiting or read != self._read_by_peer:
            self._read_by_peer, self._progress_at = read, now
        elif now - self._progress_at >= self._limits.stalled_s:
            self._drop(f"the client read nothing for {self._limits.stalled_s:g} s")
        if not waiting and now - self.last_received_at >= self._limits.silent_s:
            self._control(PING, b"")

    # asyncio.BufferedProtocol.

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        # Other event loops have their own transport classes.
        self._transport = cast(asyncio.Transport, transport)
        sock = transport.get_extra_info("socket")
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
        self._owner.on_opened(self)

    def get_buffer(self, sizehint: int) -> memoryview:
        return self._buffer

    def buffer_updated(self, nbytes: int) -> None:
        if self._is_open:
            self.last_received_at = self._loop.time()
            text = self._reader.read_single_text(self._buffer, nbytes)
            if text is None:
                self._take(self._buffer[:nbytes])
            elif not self._has_ended and self._handler is not None:
                self._handler.on_message(text)
        elif not self._has_ended:
            self._head += self._buffer[:nbytes]
            self._read_head()

    def eof_received(self) -> bool:
        self._eof = True
        if not self._has_request and not self._has_ended:
            self.respond(refusal_response(HttpRefusal(400, "incomplete request")))
        elif self._is_open and not self._has_ended:
            self._drop("the peer closed the connection without a close frame")
        # A peer that closed its sending side may still read the response.
        return not self._has_ended or self._transport.get_write_buffer_size() > 0

    def connection_lost(self, error: Exception | None) -> None:
        self._timer.cancel()
        self._buffer = memoryview(b"")
        self._queued = []
        if not self._has_ended:
            self._has_ended = True
            self._schedule_end(f"the socket failed: {error}" if error else "the socket closed")
        self._owner.on_closed(self)

    # The request.

    def _read_head(self) -> None:
        if self._has_request:
            if len(self._head) > MAX_EARLY_BYTES:
                self._drop("the client sent too much before the response")
            return
        read = read_request(self._head)
        if read is None:
            return
        self._timer.cancel()
        self._has_request = True
        if isinstance(read, HttpRefusal):
            self.respond(refusal_response(read))
            return
        request, self._head = read
        self._owner.on_request(self, request)

    def _time_out(self) -> None:
        self.respond(refusal_response(HttpRefusal(408, "the request head did not arrive in time")))

    # Messages.

    def _take(self, data: bytes | memoryview) -> None:
        for opcode, payload in self._reader.feed(data):
            if self._has_ended:
                # Either the reply to our close frame, or data sent before the peer read it.
                if opcode == CLOSE:
                    self._transport.close()
                continue
            if opcode == TEXT:
                if self._handler is not None:
                    self._handler.on_message(payload)
            elif opcode == BINARY:
                self.close(UNSUPPORTED_DATA, "binary message; expected text messages")
            elif opcode == PING:
                self._control(PONG, payload)
            elif opcode == CLOSE:
                code, reason = read_close(payload)
                self._control(CLOSE, payload[:2])
                self._end(f"closed by the peer ({code}) {reason}".rstrip())
                self._transport.close()
        if self._reader.violation is not None and not self._has_ended:
            self.close(*self._reader.violation)

    def _control(self, opcode: int, payload: bytes) -> None:
        message = unmasked_header(opcode, len(payload)) + payload
        self._written += len(message)
        self._transport.write(message)

    # The end.

    def _end(self, reason: str) -> None:
        """End the conversation.

        Written data still goes out, and the peer closes first: closing a socket with unread data
        would destroy the response.
        """
        self._has_ended = True
        self._timer.cancel()
        self._head = b""
        if not self._is_open and self._transport.can_write_eof():
            self._transport.write_eof()
        if self._eof:
            self._transport.close()
        self._timer = self._loop.call_later(self._limits.linger_s, self._transport.abort)
        self._schedule_end(reason)

    def _drop(self, reason: str) -> None:
        self._has_ended = True
        self._transport.abort()
        self._schedule_end(reason)

    def _schedule_end(self, reason: str) -> None:
        # Later, not now: who calls `close` must not be called back from inside that call.
        self._reason = reason
        self._loop.call_soon(self._notify_end)

    def _notify_end(self) -> None:
        handler, self._handler = self._handler, None
        on_end, self.on_end = self.on_end, None
        if on_end is not None:
            on_end()
        if handler is not None:
            handler.on_disconnect(self._reason)
