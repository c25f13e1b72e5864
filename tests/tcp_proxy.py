"""A TCP proxy on loopback that can cut what runs through it, as a network does."""

from __future__ import annotations

import asyncio
from types import TracebackType
from typing import Self

from pilothouse.asyncio_tasks import Tasks

__all__ = ["TcpProxy"]


class TcpProxy:
    """Forwards `port` to a port of its own until told to cut."""

    def __init__(self, port: int) -> None:
        self.port = 0
        self._to = port
        self._writers: set[asyncio.StreamWriter] = set()
        self._tasks = Tasks()
        self._server: asyncio.Server | None = None

    async def __aenter__(self) -> Self:
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        self.port = self._server.sockets[0].getsockname()[1]
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        tb: TracebackType | None,
    ) -> None:
        assert self._server is not None
        self._server.close()
        self.cut()
        await self._tasks.close()

    def cut(self) -> None:
        """Reset every connection that runs through."""
        for writer in list(self._writers):
            writer.transport.abort()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        up_reader, up_writer = await asyncio.open_connection("127.0.0.1", self._to)
        self._writers |= {writer, up_writer}
        self._tasks.start(self._pump(reader, up_writer), "proxy up")
        self._tasks.start(self._pump(up_reader, writer), "proxy down")

    async def _pump(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while data := await reader.read(65536):
                writer.write(data)
                await writer.drain()
        except ConnectionError:
            pass  # Cut, or the browser left: either way this direction is over.
        finally:
            self._writers.discard(writer)
            writer.close()
