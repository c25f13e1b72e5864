"""The daemon's web server: one port on the loopback address, one set of rules for who may call.

    web_server.py         `WebServer`: opens the port for `pilothouse serve` and `dashboard`
    access.py             pure: `ROUTES`, who may use each, and the checks of every request
    entry_links.py        pure: one-time links for people, and the sessions they become
    app.py                `WebApp`: the ASGI application
    asgi.py               headers and refusals
    mcp_routes.py         `McpRoutes`: MCP over Streamable HTTP (mcp_event_store.py)
    dashboard_routes.py   `DashboardRoutes`: the dashboard's files and its API
    events.py             pure: what the dashboard shows, and the events of its stream
    event_publisher.py    `EventPublisher`: the one source of events; `EventRing`
    tab_details.py        `TabDetails`: pictures, frames, console, network; a person's answers
    daemon_health.py      browsers, memory, latencies; who can see what
    connection_limits.py  `LimitedConnection`, `Connections`, `HttpLimits`: idle and connection
                          limits
    peer_process.py       `peer_process`: which local process is at the other end (Linux)

A request comes in on a `LimitedConnection`. `RequestGuard` may refuse it; else Starlette passes it
to its route. MCP goes to the SDK's session manager, which calls `McpServer`
(daemon/mcp/sdk_server.py); that asks `McpRoutes` for the `McpSession` of the request: by session
id, by the header Pilothouse-Owner, or by the client's process. Importing this package imports none
of its modules, and the port is closed until somebody asks for it.
"""

from __future__ import annotations

from pilothouse.lazy_exports import lazy_exports

# As typing.TYPE_CHECKING, without the import.
TYPE_CHECKING = False

if TYPE_CHECKING:
    from pilothouse.daemon.web.web_server import WebServer

__all__ = ["WebServer"]

__getattr__ = lazy_exports(
    __name__,
    {
        "web_server": ("WebServer",),
    },
)
