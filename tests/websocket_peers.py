"""The other ends of a WebSocket wire in tests: who listens, and servers of every manner.

Knows: real sockets on loopback, the `websockets` package. Must not know: the wire under test.
"""

from __future__ import annotations

import asyncio
import contextlib
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable

from websockets.asyncio.server import Server, ServerConnection
from websockets.http11 import Request
from websockets.server import ServerProtocol

from pilothouse.cdp.message import Envelope
from pilothouse.cdp.read_coalescer import NO_PENDING_COMMAND

__all__ = ["Ear", "Serve", "accept", "echo", "improper", "url"]

Serve = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]


class Ear:
    """A receiver that remembers, in order, all it is told."""

    def __init__(self) -> None:
        self.heard: list[tuple[str, str]] = []
        self._news = asyncio.Event()
        self.on_text: Callable[[bytes], object] = lambda message: None

    def on_message(self, message: bytes) -> None:
        assert type(message) is bytes
        self._note("frame", message.decode())
        self.on_text(message)

    def on_envelope(self, message: Envelope) -> None:
        raise AssertionError("a socket decodes no messages")

    def on_invalid_data(self, what: str) -> None:
        self._note("garbage", what)

    def on_lost(self, reason: str) -> None:
        self._note("lost", reason)

    def last_sent_at(self) -> float:
        return NO_PENDING_COMMAND

    def _note(self, kind: str, what: str) -> None:
        self.heard.append((kind, what))
        self._news.set()

    async def hear(self, count: int) -> list[tuple[str, str]]:
        """What was heard, once there are so many."""
        while len(self.heard) < count:
            self._news.clear()
            await self._news.wait()
        return self.heard

    async def loss(self) -> str:
        """Why the wire was lost, once it is."""
        while not self.heard or self.heard[-1][0] != "lost":
            self._news.clear()
            await self._news.wait()
        return self.heard[-1][1]


def url(server: Server | asyncio.Server, scheme: str = "ws", path: str = "/") -> str:
    """Where the server listens."""
    return f"{scheme}://127.0.0.1:{next(iter(server.sockets)).getsockname()[1]}{path}"


@contextlib.asynccontextmanager
async def improper(behave: Serve, tls: ssl.SSLContext | None = None) -> AsyncIterator[str]:
    """The address of a server that does with its sockets what it likes."""

    async def once(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(ConnectionError, asyncio.IncompleteReadError):
            await behave(reader, writer)
        writer.close()
        with contextlib.suppress(ConnectionError, ssl.SSLError):
            await writer.wait_closed()

    server = await asyncio.start_server(once, "127.0.0.1", 0, ssl=tls)
    async with server:
        yield url(server, "wss" if tls else "ws")


async def accept(reader: asyncio.StreamReader) -> bytes:
    """The answer that accepts the request which comes now."""
    protocol = ServerProtocol()
    protocol.receive_data(await reader.readuntil(b"\r\n\r\n"))
    (request,) = protocol.events_received()
    assert isinstance(request, Request)
    protocol.send_response(protocol.accept(request))
    return b"".join(protocol.data_to_send())


async def echo(connection: ServerConnection) -> None:
    """Send back what comes."""
    async for message in connection:
        await connection.send(message)
