"""One connection to the relay's port: a request comes, and it is answered or becomes a WebSocket.

Knows: asyncio's side of a socket, frames, how long to bear with somebody who does not read or does
not write. Must not know: routes, who is let in, what a message says. A client that is slow harms
itself alone: what waits for it is bounded, and it is dropped then.
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
from pilothouse.relay.server.http import Request, read_request, refusal_response
from pilothouse.relay.server.slots import DEAD_AFTER_S

__all__ = ["RelaySocket", "SocketLimits", "SocketOwner"]

# One buffer is read into (cdp/websocket/transport.py says why); who has not been let in gets a
# small one.
READ_BYTES = 256 * 1024
FIRST_READ_BYTES = 16 * 1024

# What a client may send before it is answered.
MAX_EARLY_BYTES = 64 * 1024
# A longer message is written without being copied behind its head first.
COPIED_BYTES = 64 * 1024

UNSUPPORTED_DATA = 1003


class SocketLimits(NamedTuple):
    """How long to wait for the other side, and how much to keep for it."""

    # For the whole head of a request.
    head_s: float = 10.0
    # For an extension to say who it is.
    hello_s: float = 5.0
    # For the other side to hang up, once all is said.
    linger_s: float = 2.0
    # For a client that takes nothing, though something waits for it.
    stalled_s: float = 30.0
    # After so much silence it is asked whether it lives; that it answers counts as a sign of life.
    silent_s: float = 15.0
    # Without any for so long it is dead, if somebody else wants its place.
    dead_s: float = DEAD_AFTER_S
    sweep_s: float = 5.0
    # So much may wait for a client, not counting the largest message of what waits.
    unsent_bytes: int = 64 * 1024 * 1024


class SocketOwner(Protocol):
    """Who is told of what comes in at the port."""

    def on_opened(self, socket: RelaySocket) -> None:
        """Somebody has connected."""

    def on_request(self, socket: RelaySocket, request: Request) -> None:
        """Somebody asks for something: `answer` it or `upgrade` it, now or later."""

    def on_closed(self, socket: RelaySocket) -> None:
        """The connection is no more."""


class RelaySocket(asyncio.BufferedProtocol):
    """One connection. It is its own Line once it is a WebSocket."""

    def __init__(self, owner: SocketOwner, limits: SocketLimits) -> None:
        self._loop = asyncio.get_running_loop()
        self._owner = owner
        self._limits = limits
        self._buffer = memoryview(bytearray(FIRST_READ_BYTES))
        self._head = b""
        self._has_request = False
        # Whether the other side has said that it says no more.
        self._eof = False
        # Whether messages may pass; from `upgrade` to the end of the line.
        self._is_open = False
        self._has_ended = False
        self._reason = ""
        self._handler: MessageHandler | None = None
        # Called once, just before the handler hears that the line is down.
        self.on_end: Callable[[], None] | None = None
        # What was sent before the line was up.
        self._queued: list[bytes] = []
        self._reader = MaskedFrameReader(MAX_INBOUND_BYTES)
        self._largest = 0
        self._written = 0
        self._taken = 0
        self._progress_at = self._loop.time()
        self.last_received_at = self._loop.time()
        self._timer = self._loop.call_later(limits.head_s, self._time_out)
        self._transport: asyncio.Transport

    # Line.

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
            self._drop(f"it left {waiting} bytes unread")
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
        """Bytes that the other side has not taken yet."""
        if not self._is_open:
            return sum(map(len, self._queued))
        return self._transport.get_write_buffer_size()

    def close(self, code: int = 1000, reason: str = "") -> None:
        """Say goodbye, and hang up when the other side has."""
        if not self._has_ended:
            if self._is_open:
                self._control(CLOSE, close_payload(code, reason))
            self._end(f"closed by us ({code}) {reason}".rstrip())

    # What the server does with it.

    def close_now(self, code: int, reason: str) -> None:
        """Close it, and let the handler hear of it before anything else happens."""
        if not self._has_ended:
            self.close(code, reason)
            self._notify_end()

    def disconnect(self, code: int, reason: str) -> None:
        """Close it; whoever only asks or is about to ask is dropped."""
        if self._is_open:
            self.close(code, reason)
        else:
            self._drop(reason)

    def respond(self, data: bytes) -> None:
        """Answer a request for good."""
        if not self._has_ended and not self._is_open:
            self._transport.write(data)
            self._end("answered")

    def upgrade(
        self, answer: bytes, handler: MessageHandler, max_bytes: int = MAX_INBOUND_BYTES
    ) -> None:
        """Make it a WebSocket whose messages the handler hears. If it has gone down meanwhile, the
        handler hears of that."""
        self._handler = handler
        if self._eof and not self._has_ended:
            self._drop("it hung up before it was let in")
            return
        if self._has_ended:
            self._schedule_end("it hung up before it was let in")
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
        """From now on this handler hears the messages, of any size."""
        self._handler = handler
        self._reader.max_bytes = MAX_INBOUND_BYTES

    def check_health(self) -> None:
        """Called every now and then: drop it if it takes nothing, ask if it says nothing."""
        if not self._is_open or self._has_ended:
            return
        now, waiting = self._loop.time(), self._transport.get_write_buffer_size()
        taken = self._written - waiting
        if not waiting or taken != self._taken:
            self._taken, self._progress_at = taken, now
        elif now - self._progress_at >= self._limits.stalled_s:
            self._drop(f"it took nothing for {self._limits.stalled_s:g} s")
        if not waiting and now - self.last_received_at >= self._limits.silent_s:
            self._control(PING, b"")

    # asyncio's side.

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        # Other event loops have transports of their own, of no common class.
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
            self.respond(refusal_response(HttpRefusal(400, "the request ended in its midst")))
        elif self._is_open and not self._has_ended:
            self._drop("the other side hung up without a word")
        # Somebody who says no more may still want to hear the answer.
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
                self._drop("it said too much before it was answered")
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
        self.respond(refusal_response(HttpRefusal(408, "the request took too long")))

    # Messages.

    def _take(self, data: bytes | memoryview) -> None:
        for opcode, payload in self._reader.feed(data):
            if self._has_ended:
                # It answers our goodbye, or never heard it.
                if opcode == CLOSE:
                    self._transport.close()
                continue
            if opcode == TEXT:
                if self._handler is not None:
                    self._handler.on_message(payload)
            elif opcode == BINARY:
                self.close(UNSUPPORTED_DATA, "text messages are wanted")
            elif opcode == PING:
                self._control(PONG, payload)
            elif opcode == CLOSE:
                code, reason = read_close(payload)
                self._control(CLOSE, payload[:2])
                self._end(f"closed by the other side ({code}) {reason}".rstrip())
                self._transport.close()
        if self._reader.violation is not None and not self._has_ended:
            self.close(*self._reader.violation)

    def _control(self, opcode: int, payload: bytes) -> None:
        message = unmasked_header(opcode, len(payload)) + payload
        self._written += len(message)
        self._transport.write(message)

    # The end.

    def _end(self, reason: str) -> None:
        """Nothing is said or heard any more. What is written still goes out, and the other side
        is to hang up: a socket that is closed with something unread destroys the answer."""
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
        # Soon, not now: whoever closes a line is not called back from within.
        self._reason = reason
        self._loop.call_soon(self._notify_end)

    def _notify_end(self) -> None:
        handler, self._handler = self._handler, None
        on_end, self.on_end = self.on_end, None
        if on_end is not None:
            on_end()
        if handler is not None:
            handler.on_disconnect(self._reason)
