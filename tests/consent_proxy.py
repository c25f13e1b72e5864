"""A Chrome whose user is asked before anybody is let in, as far as sockets show it.

Chrome 144 and later, switched on at chrome://inspect/#remote-debugging, accepts the TCP connection
and answers the WebSocket handshake when its user has allowed it; it asks again for each connection,
and serves no `/json/version`. A headless browser cannot show the question, so this stands for it.
"""

from __future__ import annotations

import asyncio
from pathlib import Path

from tests.tcp_proxy import TcpProxy

__all__ = ["ConsentProxy"]


class ConsentProxy(TcpProxy):
    """Forwards a connection once the user has allowed it; counts how often the user was asked."""

    def __init__(self, port: int) -> None:
        super().__init__(port)
        self.asked = 0
        self._allowed = asyncio.Event()
        self._came = asyncio.Condition()

    def allow(self) -> None:
        """The user allows what is asked now, and later."""
        self._allowed.set()

    async def asks(self, times: int, within: float = 10.0) -> None:
        """Wait until the user was asked so often."""
        async with asyncio.timeout(within), self._came:
            await self._came.wait_for(lambda: self.asked >= times)

    def write_profile(self, profile: Path, path: str) -> None:
        """Tell the port as Chrome does, in its profile."""
        profile.mkdir(parents=True, exist_ok=True)
        (profile / "DevToolsActivePort").write_text(f"{self.port}\n{path}")

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        request = await reader.readuntil(b"\r\n\r\n")
        if b"/devtools/browser/" not in request:
            writer.write(b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n")
            writer.close()
            return
        async with self._came:
            self.asked += 1
            self._came.notify_all()
        await self._allowed.wait()
        up_reader, up_writer = await asyncio.open_connection("127.0.0.1", self._to)
        up_writer.write(request)
        self._writers |= {writer, up_writer}
        self._tasks.start(self._pump(reader, up_writer), "proxy up")
        self._tasks.start(self._pump(up_reader, writer), "proxy down")
