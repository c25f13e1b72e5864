"""Opens and closes the HTTP port for MCP. It is open while `pilothouse serve` stays connected.

Knows: the address, the token file, which client keeps the port open. Must not know: HTTP (app.py)
or which requests are accepted (auth.py).
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from pilothouse.daemon.late_imports import import_late
from pilothouse.daemon.mcp import mcp_options
from pilothouse.daemon.mcp_http.auth import McpHttpAuth
from pilothouse.daemon.rpc import RpcClient
from pilothouse.errors import ToolError
from pilothouse.loopback import listen
from pilothouse.private_files import load_or_create_token

if TYPE_CHECKING:
    from pilothouse.daemon.daemon import Daemon
    from pilothouse.daemon.mcp_http.app import McpHttpApp

__all__ = ["PORT", "McpHttpService"]

PORT = 7411
PLATFORM = "api-server"


class McpHttpService:
    """The HTTP server of a daemon; there is at most one."""

    def __init__(self, daemon: Daemon) -> None:
        self._daemon = daemon
        self._app: McpHttpApp | None = None
        self._client: RpcClient | None = None

    async def serve(self, client: RpcClient, params: dict[str, Any]) -> dict[str, Any]:
        """Handle the RPC method `serve`: listen until the client disconnects."""
        if self._client is not None:
            raise ToolError(
                "serve: the daemon already serves HTTP", hint="end the other `pilothouse serve`"
            )
        self._client = client
        try:
            return await self._open(params)
        except BaseException:
            self._client = None
            raise

    async def _open(self, params: dict[str, Any]) -> dict[str, Any]:
        options = mcp_options(params, PLATFORM)
        path = self._daemon.paths.root / "http.token"
        host, wanted = str(params.get("host") or ""), params.get("port", PORT)
        sock = await asyncio.to_thread(listen, host, wanted, taken_hint="give another --port")
        try:
            token = load_or_create_token(path)
            (made,) = await asyncio.to_thread(import_late, "pilothouse.daemon.mcp_http.app")
        except BaseException:
            sock.close()
            raise
        address, port = sock.getsockname()[:2]
        self._app = made.McpHttpApp(self._daemon, McpHttpAuth(token, port), options)
        await self._app.start(sock)
        shown = f"[{address}]" if ":" in address else address
        return {"url": f"http://{shown}:{port}/mcp", "token_file": str(path), "port": port}

    async def on_disconnect(self, client: RpcClient) -> None:
        """Close the port if the client that disconnected kept it open."""
        if client is self._client:
            await self.close()

    async def close(self) -> None:
        """Close the port and end all sessions."""
        app, self._app, self._client = self._app, None, None
        if app is not None:
            await app.close()
