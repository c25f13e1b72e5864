"""Messages between the daemon and a worker: a length, then JSON. Both sides use this file.

Knows: frames. Must not know: what they say. The worker's side blocks; the daemon's side is
asyncio's.
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

# What a worker may send at once: more than a screenshot, and little enough that parsing it holds
# up nobody else in the daemon.
LONGEST = 8 * 1024 * 1024
# What it may be sent: pictures of whole pages are large.
LONGEST_REPLY = 64 * 1024 * 1024

Message = dict[str, Any]


def encode(message: Message, longest: int = LONGEST) -> bytes:
    """A message as it goes over the wire. Raises TypeError or ValueError if it cannot go."""
    # Half a surrogate pair is no text that anybody could show: "replace" makes it a "?".
    body = json.dumps(message, separators=(",", ":"), ensure_ascii=False).encode("utf-8", "replace")
    if len(body) > longest:
        raise ValueError(f"{len(body) >> 20} MB is too much: at most {longest >> 20} MB can go")
    return len(body).to_bytes(4, "big") + body


class Channel:
    """The worker's end: plain blocking reads and writes on one socket."""

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
        """Until the daemon hangs up. What is written after that would break its reading too."""
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
    """The next message of a worker; None when it is gone. Raises ValueError for nonsense."""
    frame = await read_sized_frame(reader)
    return None if frame is None else frame[0]


async def read_sized_frame(reader: asyncio.StreamReader) -> tuple[Message, int] | None:
    """The same, with how many bytes it had."""
    try:
        length = int.from_bytes(await reader.readexactly(4), "big")
        if length > LONGEST:
            raise ValueError(f"a frame of {length} bytes")
        body = await reader.readexactly(length)
    except (asyncio.IncompleteReadError, ConnectionError):
        return None
    try:
        message = json.loads(body)
    except RecursionError:
        raise ValueError("a frame nested too deeply") from None
    if not isinstance(message, dict):
        raise ValueError("a frame that is no object")
    return message, length


def write_frame(writer: asyncio.StreamWriter, message: Message) -> None:
    """Send a message to a worker. Raises TypeError or ValueError if it cannot go."""
    writer.write(encode(message, LONGEST_REPLY))
