"""`WebApp`: the one ASGI application of the daemon, on one port. Imported late: it imports uvicorn.

Knows: which handlers there are, and what every reply tells a browser. Must not know: who may call
a route (access.py), or when the port is open (web_server.py). A route without a decision in
access.py is never reached.
"""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Protocol

import uvicorn
from starlette.applications import Starlette
from starlette.routing import BaseRoute, Route

from pilothouse.asyncio_tasks import Tasks
from pilothouse.daemon.web.access import RequestGuard, find_route
from pilothouse.daemon.web.asgi import Receive, Scope, Send, refuse, with_headers
from pilothouse.daemon.web.connection_limits import (
    CONNECTION,
    Connections,
    HttpLimits,
    LimitedConnection,
)

__all__ = ["WebApp"]

# Scripts and styles come from this server alone, and no script can write markup.
_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; "
    "require-trusted-types-for 'script'; trusted-types 'none'"
)
_HEADERS = (
    (b"content-security-policy", _POLICY.encode()),
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
)
CLOSE_WITHIN_S = 5.0


class _McpEndpoint(Protocol):
    """What the application needs of MCP over HTTP (mcp_routes.py)."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one request."""

    async def close(self) -> None:
        """End all sessions."""


class _Uvicorn(uvicorn.Server):
    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Leave signal handling to the daemon."""
        yield


class _McpEntry:
    """The endpoint of /mcp: an object, so that Starlette passes it the request as it came."""

    def __init__(self) -> None:
        self.endpoint: _McpEndpoint | None = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if self.endpoint is None:
            await refuse(send, 404, "MCP is not served here now: run `pilothouse serve`")
            return
        await self.endpoint(scope, receive, send)


class WebApp:
    """The application of one listening socket. `routes` are those of the dashboard."""

    def __init__(
        self,
        guard: RequestGuard,
        routes: Sequence[BaseRoute] = (),
        limits: HttpLimits | None = None,
    ) -> None:
        self._limits = limits or HttpLimits()
        self.connections = Connections(self._limits)
        self._guard = guard
        self._mcp = _McpEntry()
        self.starlette = Starlette(routes=[Route("/mcp", self._mcp), *routes])
        self.starlette.router.redirect_slashes = False
        self._tasks = Tasks()
        self._server: _Uvicorn | None = None
        self._serving: asyncio.Task[Any] | None = None

    # Lifecycle.

    async def start(self, sock: socket.socket) -> None:
        """Serve on a socket that is already listening."""
        config = uvicorn.Config(
            self,
            loop="none",
            http=LimitedConnection.maker(self.connections),  # type: ignore[arg-type]
            ws="none",
            lifespan="off",
            log_config=None,
            access_log=False,
            server_header=False,
            proxy_headers=False,
            timeout_graceful_shutdown=1,
        )
        self._server = _Uvicorn(config)
        # Clients that connect before uvicorn is ready wait in the socket's backlog.
        self._serving = self._tasks.start(self._server.serve(sockets=[sock]), "serve HTTP")

    async def set_mcp(self, endpoint: _McpEndpoint | None) -> None:
        """Serve MCP by this endpoint, or no longer; the one before is closed."""
        before, self._mcp.endpoint = self._mcp.endpoint, endpoint
        if before is not None:
            await before.close()

    async def close(self) -> None:
        """Stop serving and end all sessions."""
        if self._server is not None:
            self._server.should_exit = True
        await self.set_mcp(None)
        if self._serving is not None:
            await asyncio.wait([self._serving], timeout=CLOSE_WITHIN_S)
        await self._tasks.close()

    # Requests.

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one request: check it, then pass it to its route."""
        if scope["type"] != "http":
            return
        send = with_headers(send, _HEADERS)
        refused = self._guard.refusal(scope["method"], scope["path"], scope["headers"])
        if refused is not None:
            await refuse(send, *refused)
            return
        route, connection = find_route(scope["path"]), scope.get(CONNECTION)
        # Only connections that have shown a token or a session leave the few slots of strangers.
        known = route is not None and route.who in ("bearer", "cookie")
        if (
            known
            and isinstance(connection, LimitedConnection)
            and not self.connections.prove(connection)
        ):
            await refuse(send, 503, f"{self._limits.per_peer} connections are already open")
            return
        await self.starlette(scope, receive, send)
