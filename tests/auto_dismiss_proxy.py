"""A backend that behaves like a browser cloud, made of real programs.

    async with AutoDismissing(chromium_path) as cloud:
        ... connect to cloud.websocket_url ...
        await cloud.client_leaves()

Behind it runs a real Chromium, and attached to that a real Playwright client which, as it does
where nobody asked it for dialogs, dismisses each of them within milliseconds. Clients reach the
browser through a WebSocket proxy that closes all other clients (1011) when one of them leaves.
"""

from __future__ import annotations

import asyncio
from contextlib import AsyncExitStack
from pathlib import Path
from types import TracebackType

from playwright.async_api import Page, async_playwright
from websockets.asyncio.client import ClientConnection, connect
from websockets.asyncio.server import ServerConnection, serve
from websockets.exceptions import ConnectionClosed

from pilothouse.asyncio_tasks import Tasks
from tests.chromium import running_chromium

__all__ = ["AutoDismissing"]

WITHIN_S = 5.0
OTHER_LEFT = 1011


class AutoDismissing:
    """The double of a cloud browser, on loopback."""

    def __init__(self, chromium: Path, *args: str) -> None:
        self.websocket_url = ""
        self.dropped = 0
        self._chromium = chromium
        self._args = args
        self._clients: set[ServerConnection] = set()
        self._tasks = Tasks()
        self._stack = AsyncExitStack()
        self._upstream = ""
        self._seen: set[str] = set()
        self._news = asyncio.Event()

    async def __aenter__(self) -> AutoDismissing:
        async with self._stack as stack:
            endpoint = stack.enter_context(running_chromium(self._chromium, *self._args))
            self._upstream = endpoint.websocket_url
            playwright = await stack.enter_async_context(async_playwright())
            browser = await playwright.chromium.connect_over_cdp(self._upstream)
            browser.contexts[0].on("page", self._on_page)
            stack.push_async_callback(self._tasks.close)
            server = await stack.enter_async_context(
                serve(self._serve, "127.0.0.1", 0, compression=None, max_size=None)
            )
            port = next(iter(server.sockets)).getsockname()[1]
            self.websocket_url = f"ws://127.0.0.1:{port}/devtools/browser/cloud"
            self._stack = stack.pop_all()
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        tb: TracebackType | None,
    ) -> None:
        await self._stack.aclose()

    async def sees(self, url: str) -> None:
        """Wait until the dismissing client looks after a page: it is not there at once, and what
        opened before stays open."""
        async with asyncio.timeout(WITHIN_S):
            while url not in self._seen:
                self._news.clear()
                await self._news.wait()

    async def client_leaves(self) -> None:
        """Somebody else comes and goes; returns when the other clients have lost their sockets."""
        async with asyncio.timeout(WITHIN_S):
            before = set(self._clients)
            async with connect(self.websocket_url, compression=None):
                pass
            for client in before:
                await client.wait_closed()

    def _on_page(self, page: Page) -> None:
        page.on("framenavigated", lambda frame: self._on_url(frame.url))
        self._on_url(page.url)

    def _on_url(self, url: str) -> None:
        self._seen.add(url)
        self._news.set()

    async def _serve(self, client: ServerConnection) -> None:
        async with connect(
            self._upstream, compression=None, max_size=None, ping_interval=None
        ) as browser:
            self._clients.add(client)
            down = self._tasks.start(_pump(browser, client), "cloud to client")
            await _pump(client, browser)
            down.cancel()
        self._clients.discard(client)
        if client.close_code != OTHER_LEFT:
            others = list(self._clients)
            self.dropped += len(others)
            for other in others:
                await other.close(OTHER_LEFT, "another client left")


async def _pump(
    source: ServerConnection | ClientConnection, sink: ServerConnection | ClientConnection
) -> None:
    try:
        async for message in source:
            await sink.send(message)
    except ConnectionClosed:
        return  # One side went: `_serve` looks after the other.
