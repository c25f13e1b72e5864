"""`WebServer`: opens and closes the daemon's one port for MCP over HTTP and the dashboard.

The port opens when somebody asks: `pilothouse serve` (MCP, while that client stays connected),
`pilothouse dashboard` (until its sessions are revoked or the daemon ends), or the setting
`web.dashboard`. It closes when neither is left.

Knows: the address, the token file, who keeps the port open. Must not know: HTTP (app.py) or which
requests are accepted (access.py). Everything else of this package is imported when the port opens.
"""

from __future__ import annotations

import asyncio
import logging
from typing import TYPE_CHECKING, Any

from pilothouse.daemon.late_imports import import_late
from pilothouse.daemon.mcp import mcp_options
from pilothouse.daemon.rpc import RpcClient
from pilothouse.daemon.web.access import RequestGuard
from pilothouse.daemon.web.entry_links import LINK_S, EntryLinks
from pilothouse.errors import PilothouseError, ToolError
from pilothouse.loopback import listen, loopback_address
from pilothouse.private_files import load_or_create_token

if TYPE_CHECKING:
    from pilothouse.daemon.daemon import Daemon
    from pilothouse.daemon.web.app import WebApp
    from pilothouse.daemon.web.dashboard_routes import DashboardRoutes
    from pilothouse.daemon.web.mcp_routes import McpRoutes

__all__ = ["WebServer"]

_log = logging.getLogger(__name__)

PLATFORM = "api-server"


class WebServer:
    """The web server of a daemon; there is at most one."""

    def __init__(self, daemon: Daemon) -> None:
        self._daemon = daemon
        self._lock = asyncio.Lock()
        self._app: WebApp | None = None
        self._dashboard: DashboardRoutes | None = None
        self._endpoint: McpRoutes | None = None
        self._address, self.port = "", 0
        # Who keeps the port open: the client of `serve`, and people at the dashboard.
        self._client: RpcClient | None = None
        self._is_dashboard_open = False
        self.links = EntryLinks()

    @property
    def viewers(self) -> int:
        """How many dashboards are open in browsers now."""
        return self._dashboard.viewers if self._dashboard is not None else 0

    # MCP.

    def mcp_clients(self) -> list[tuple[str, str]]:
        """Return the owner and the name of each client of MCP over HTTP."""
        return self._endpoint.clients() if self._endpoint is not None else []

    async def serve(self, client: RpcClient, params: dict[str, Any]) -> dict[str, Any]:
        """Handle the RPC method `serve`: serve MCP until the client disconnects."""
        if self._client is not None:
            raise ToolError(
                "serve: the daemon already serves HTTP", hint="end the other `pilothouse serve`"
            )
        self._client = client
        try:
            options = mcp_options(params, PLATFORM)
            async with self._lock:
                app = await self._open(params)
                (made,) = await asyncio.to_thread(import_late, "pilothouse.daemon.web.mcp_routes")
                endpoint = made.McpRoutes(self._daemon, options)
                await endpoint.start()
                await app.set_mcp(endpoint)
                self._endpoint = endpoint
        except BaseException:
            self._client = None
            await self._close_if_unused()
            raise
        token = str(self._token_file)
        return {"url": f"{self._origin}/mcp", "token_file": token, "port": self.port}

    async def on_disconnect(self, client: RpcClient) -> None:
        """Stop serving MCP if the client that disconnected kept it."""
        if client is not self._client:
            return
        self._client = self._endpoint = None
        async with self._lock:
            if self._app is not None:
                await self._app.set_mcp(None)
        await self._close_if_unused()

    # The dashboard.

    async def open_dashboard(self, params: dict[str, Any]) -> dict[str, Any]:
        """Handle the RPC method `dashboard`: open the port, and return a one-time link."""
        if params.get("revoke"):
            return await self._revoke()
        async with self._lock:
            self._is_dashboard_open = True
            try:
                await self._open(params)
            except BaseException:
                self._is_dashboard_open = False
                raise
        secret = self.links.create(asyncio.get_running_loop().time())
        url = f"{self._origin}/enter#{secret}"
        return {"url": url, "port": self.port, "expires_s": LINK_S}

    async def open_if_configured(self) -> None:
        """Open the port for the dashboard if the user's settings say so."""
        if not self._daemon.settings.web.dashboard:
            return
        try:
            async with self._lock:
                await self._open({})
                self._is_dashboard_open = True
        except PilothouseError as error:
            _log.warning("the dashboard is not served: %s", error.format_line())

    async def _revoke(self) -> dict[str, Any]:
        ended = self.links.revoke_all()
        if self._dashboard is not None:
            self._dashboard.publisher.end_streams()
        self._is_dashboard_open = self._daemon.settings.web.dashboard
        await self._close_if_unused()
        return {"ended": ended}

    # The port.

    @property
    def _token_file(self) -> Any:
        return self._daemon.paths.root / "http.token"

    @property
    def _origin(self) -> str:
        shown = f"[{self._address}]" if ":" in self._address else self._address
        return f"http://{shown}:{self.port}"

    async def _open(self, params: dict[str, Any]) -> WebApp:
        """Return the application; open the port if it is closed. Raises PilothouseError."""
        host, wanted = str(params.get("host") or ""), params.get("port")
        if self._app is not None:
            if wanted not in (None, 0, self.port) or loopback_address(host) != self._address:
                raise ToolError(
                    f"port: the daemon's web server is already open at {self._origin}",
                    hint="leave --port and --host out. To free the port, end the `pilothouse "
                    "serve` that runs, or run `pilothouse dashboard --revoke`",
                )
            return self._app
        if wanted is None:
            wanted = self._daemon.settings.web.port
        sock = await asyncio.to_thread(listen, host, wanted, taken_hint="give another --port")
        try:
            token = load_or_create_token(self._token_file)
            app, routes = await asyncio.to_thread(
                import_late,
                "pilothouse.daemon.web.app",
                "pilothouse.daemon.web.dashboard_routes",
            )
        except BaseException:
            sock.close()
            raise
        self._address, self.port = sock.getsockname()[:2]
        await self._daemon.hide_port(self.port)
        guard = RequestGuard(token, self.port, self._is_session)
        self._dashboard = routes.DashboardRoutes(self._daemon, self.links, self.port)
        self._app = app.WebApp(guard, self._dashboard.routes())
        await self._app.start(sock)
        assert self._app is not None
        return self._app

    def _is_session(self, cookie: str, csrf: str) -> bool:
        return self.links.is_session(cookie, csrf, asyncio.get_running_loop().time())

    async def _close_if_unused(self) -> None:
        async with self._lock:
            if self._client is None and not self._is_dashboard_open:
                await self._close()

    async def _close(self) -> None:
        app, self._app = self._app, None
        dashboard, self._dashboard = self._dashboard, None
        if app is not None:
            self._daemon.policies.own_ports.ports.discard(self.port)
        self.port = 0
        if dashboard is not None:
            dashboard.close()
        if app is not None:
            await app.close()

    async def close(self) -> None:
        """Close the port and end all sessions."""
        self._client, self._endpoint, self._is_dashboard_open = None, None, False
        self.links.revoke_all()
        async with self._lock:
            await self._close()
