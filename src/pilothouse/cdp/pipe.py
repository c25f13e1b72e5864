"""The pipe wire: `--remote-debugging-pipe`, NUL-terminated JSON over one connected socket.

Chrome reads its descriptor 3 and writes its descriptor 4. Both are given the same end of a
socket pair, so one asyncio transport serves both directions.
"""

from __future__ import annotations

import asyncio
import socket
from typing import cast

from pilothouse.cdp.read_coalescing import Reading
from pilothouse.cdp.transport import MAX_INBOUND_BYTES, Dial, Receiver, Transport
from pilothouse.errors import words_of

__all__ = ["dial_pipe"]


# asyncio's own reads allocate 256 KB for every message, which costs more than the message. One
# buffer is read into instead, and what came is copied out.
READ_BYTES = 256 * 1024


class _PipeProtocol(asyncio.BufferedProtocol):
    """Cuts the byte stream at NULs."""

    def __init__(self, receiver: Receiver) -> None:
        self._receiver = receiver
        self._buffer = memoryview(bytearray(READ_BYTES))
        # The message under way. One growing array: a list of parts would leave the heap full of
        # holes after a large message.
        self._partial = bytearray()
        self._reason = ""
        self._transport: asyncio.Transport
        self.reading: Reading

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        # Other event loops have transports of their own, of no common class.
        self._transport = cast(asyncio.Transport, transport)
        self.reading = Reading(self._transport, self._receiver)

    def get_buffer(self, sizehint: int) -> memoryview:
        return self._buffer

    def buffer_updated(self, nbytes: int) -> None:
        *frames, rest = bytes(self._buffer[:nbytes]).split(b"\0")
        if frames and self._partial:
            self._partial += frames[0]
            frames[0], self._partial = bytes(self._partial), bytearray()
        for frame in frames:
            self._receiver.on_frame(frame)
        if rest:
            self._partial += rest
        if len(self._partial) > MAX_INBOUND_BYTES:
            self._reason = f"a message exceeded {MAX_INBOUND_BYTES} bytes"
            self._partial = bytearray()
            self._transport.abort()
        self.reading.done(nbytes)

    def connection_lost(self, error: Exception | None) -> None:
        why = "the pipe closed"
        # A browser that dies may also reset its pipe: that is the same to everybody.
        if error is not None and not isinstance(error, ConnectionError):
            why = f"the pipe failed: {words_of(error)}"
        self._receiver.on_lost(self._reason or why)


class _Pipe:
    def __init__(self, transport: asyncio.WriteTransport, reading: Reading) -> None:
        self._transport = transport
        self._reading = reading

    def write(self, frame: bytes) -> None:
        if not self._transport.is_closing():
            self._transport.write(frame + b"\0")
            self._reading.asked()

    def unsent(self) -> int:
        return self._transport.get_write_buffer_size()

    def close(self) -> None:
        self._transport.abort()


def dial_pipe(ours: socket.socket) -> Dial:
    """A dial for our end of the socket pair. It works once: a pipe cannot be dialled again."""

    async def dial(receiver: Receiver) -> Transport:
        loop = asyncio.get_running_loop()
        transport, protocol = await loop.connect_accepted_socket(
            lambda: _PipeProtocol(receiver), ours
        )
        return _Pipe(cast(asyncio.WriteTransport, transport), protocol.reading)

    return dial
