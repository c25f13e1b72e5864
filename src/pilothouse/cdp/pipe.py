"""The pipe transport (`--remote-debugging-pipe`): NUL-terminated JSON over a socket pair.

Chrome reads its file descriptor 3 and writes its descriptor 4. Both are the same end of a socket
pair, so one asyncio transport serves both directions.
"""

from __future__ import annotations

import asyncio
import socket
from typing import cast

from pilothouse.cdp.read_coalescer import ReadCoalescer
from pilothouse.cdp.transport import MAX_INBOUND_BYTES, Dial, Receiver, Transport
from pilothouse.errors import describe_error

__all__ = ["dial_pipe"]


# asyncio's own reads allocate 256 KB each, which costs more than handling the message. We read
# into one buffer instead and copy the bytes out.
READ_BYTES = 256 * 1024


class _PipeProtocol(asyncio.BufferedProtocol):
    """Splits the byte stream at NULs."""

    def __init__(self, receiver: Receiver) -> None:
        self._receiver = receiver
        self._buffer = memoryview(bytearray(READ_BYTES))
        # The incomplete message. One growing array, because a list of parts would fragment the heap
        # after a large message.
        self._partial = bytearray()
        self._reason = ""
        self._transport: asyncio.Transport
        self.reads: ReadCoalescer

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        # Other event loops (uvloop) have transport classes without a common base.
        self._transport = cast(asyncio.Transport, transport)
        self.reads = ReadCoalescer(self._transport, self._receiver)

    def get_buffer(self, sizehint: int) -> memoryview:
        return self._buffer

    def buffer_updated(self, nbytes: int) -> None:
        *messages, rest = bytes(self._buffer[:nbytes]).split(b"\0")
        if messages and self._partial:
            self._partial += messages[0]
            messages[0], self._partial = bytes(self._partial), bytearray()
        for message in messages:
            self._receiver.on_message(message)
        if rest:
            self._partial += rest
        if len(self._partial) > MAX_INBOUND_BYTES:
            self._reason = f"a message exceeded {MAX_INBOUND_BYTES} bytes"
            self._partial = bytearray()
            self._transport.abort()
        self.reads.after_read(nbytes)

    def connection_lost(self, error: Exception | None) -> None:
        why = "the pipe closed"
        # A browser that exits may also reset its pipe; callers need not tell the two apart.
        if error is not None and not isinstance(error, ConnectionError):
            why = f"the pipe failed: {describe_error(error)}"
        self._receiver.on_lost(self._reason or why)


class _Pipe:
    def __init__(self, transport: asyncio.WriteTransport, reads: ReadCoalescer) -> None:
        self._transport = transport
        self._reads = reads

    def write(self, message: bytes) -> None:
        if not self._transport.is_closing():
            self._transport.write(message + b"\0")
            self._reads.on_command_sent()

    def unsent(self) -> int:
        return self._transport.get_write_buffer_size()

    def close(self) -> None:
        self._transport.abort()


def dial_pipe(ours: socket.socket) -> Dial:
    """Return a dial function for our end of the socket pair. It works once: a closed pipe cannot
    be reopened."""

    async def dial(receiver: Receiver) -> Transport:
        loop = asyncio.get_running_loop()
        transport, protocol = await loop.connect_accepted_socket(
            lambda: _PipeProtocol(receiver), ours
        )
        return _Pipe(cast(asyncio.WriteTransport, transport), protocol.reads)

    return dial
