"""A browser that opens no tabs on request, as Electron: Target.createTarget is refused.

Electron's own binary cannot be fetched here, so a real Chromium stands behind a WebSocket proxy
that answers that one command as Electron does.
"""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from websockets.asyncio.client import ClientConnection, connect
from websockets.asyncio.server import ServerConnection, serve
from websockets.exceptions import ConnectionClosed

from pilothouse.asyncio_tasks import Tasks
from tests.chromium import Endpoint

__all__ = ["REFUSAL", "no_new_tabs"]

REFUSAL = {"code": -32000, "message": "Not supported"}


@asynccontextmanager
async def no_new_tabs(browser: Endpoint) -> AsyncIterator[str]:
    """The WebSocket URL of such a browser, with the pages of a real one."""
    tasks = Tasks()

    async def pass_on(source: ClientConnection, sink: ServerConnection) -> None:
        try:
            async for message in source:
                await sink.send(message)
        except ConnectionClosed:
            return  # the client has left

    async def serve_one(client: ServerConnection) -> None:
        async with connect(
            browser.websocket_url, compression=None, max_size=None, ping_interval=None
        ) as upstream:
            down = tasks.start(pass_on(upstream, client), "browser to client")
            try:
                async for message in client:
                    asked = json.loads(message)
                    if asked["method"] == "Target.createTarget":
                        await client.send(json.dumps({"id": asked["id"], "error": REFUSAL}))
                    else:
                        await upstream.send(message)
            except ConnectionClosed:
                pass  # it hung up in the middle of a message
            down.cancel()

    async with serve(serve_one, "127.0.0.1", 0, compression=None, max_size=None) as server:
        port = next(iter(server.sockets)).getsockname()[1]
        try:
            yield f"ws://127.0.0.1:{port}/devtools/browser/electron"
        finally:
            await tasks.close()
