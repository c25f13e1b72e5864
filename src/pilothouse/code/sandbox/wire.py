"""Messages between the daemon and a worker: a length, then JSON. Both sides use this module.

Knows: messages as bytes. Must not know: what they mean. The worker's side blocks; the daemon's side
uses asyncio.
"""

from __future__ import annotations

import asyncio
import json
import socket
from typing import Any

__all__ = [
    "LONGEST",
    "LONGEST_REPLY",
    "Channel",
    "encode",
    "read_frame",
    "read_sized_frame",
    "write_frame",
]

# Largest message from a worker: more than a screenshot, and small enough that parsing it does not
# block the daemon.
LONGEST = 8 * 1024 * 1024
# Largest message to a worker: screenshots of whole pages are large.
LONGEST_REPLY = 64 * 1024 * 1024

Message = dict[str, Any]


def encode(message: Message, longest: int = LONGEST) -> bytes:
    """Encode a message. Raises TypeError or ValueError if that is not possible."""
    # "replace" turns lone surrogates, which UTF-8 cannot encode, into "?".
    body = json.dumps(message, separators=(",", ":"), ensure_ascii=False).encode("utf-8", "replace")
    if len(body) > longest:
        raise ValueError(f"{len(body) >> 20} MB is too much: at most {longest >> 20} MB can go")
    return len(body).to_bytes(4, "big") + body


class Channel:
    """The worker's side: blocking reads and writes on one socket."""

    def __init__(self, sock: socket.socket) -> None:
        self._sock = sock

    def send(self, message: Message) -> None:
        """Write one message. Raises TypeError or ValueError before anything is written."""
        self._sock.sendall(encode(message))

    def receive(self) -> Message:
        """Wait for one message. Raises EOFError when the daemon is gone."""
        length = int.from_bytes(self._exactly(4), "big")
        message: Message = json.loads(self._exactly(length))
        return message

    def wait_for_the_end(self) -> None:
        """Wait until the daemon closes the connection."""
        while self._sock.recv(65536):
            pass

    def _exactly(self, count: int) -> bytes:
        parts = bytearray()
        while len(parts) < count:
            part = self._sock.recv(count - len(parts))
            if not part:
                raise EOFError("the daemon is gone")
            parts += part
        return bytes(parts)


async def read_frame(reader: asyncio.StreamReader) -> Message | None:
    """Read the next message of a worker; None at the end. Raises ValueError if it is invalid."""
    frame = await read_sized_frame(reader)
    return None if frame is None else frame[0]


async def read_sized_frame(reader: asyncio.StreamReader) -> tuple[Message, int] | None:
    """Read the next message with its size in bytes."""
    try:
        length = int.from_bytes(await reader.readexactly(4), "big")
        if length > LONGEST:
            raise ValueError(f"a message of {length} bytes")
        body = await reader.readexactly(length)
    except (asyncio.IncompleteReadError, ConnectionError):
        return None
    try:
        message = json.loads(body)
    except RecursionError:
        raise ValueError("a message nested too deeply") from None
    if not isinstance(message, dict):
        raise ValueError("a message that is not an object")
    return message, length


def write_frame(writer: asyncio.StreamWriter, message: Message) -> None:
    """Send a message to a worker. Raises TypeError or ValueError if it cannot go."""
    writer.write(encode(message, LONGEST_REPLY))
