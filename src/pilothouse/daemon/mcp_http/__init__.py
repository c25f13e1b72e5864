"""MCP over Streamable HTTP on the loopback address: `pilothouse serve`.

    http_port.py          `McpHttpService`: opens the port while a `serve` client stays connected
    app.py                `McpHttpApp`: the ASGI app; finds the `McpSession` of each request
    auth.py               `McpHttpAuth`: checks Host, Origin, Content-Type and the token of each
                          request
    connection_limits.py  `LimitedConnection`, `Connections`, `HttpLimits`: idle and connection
                          limits
    event_store.py        `RecentEventStore`: recent messages, so that a broken stream can resume
    peer_process.py       `peer_process`: which local process is at the other end (Linux)

A request comes in on a `LimitedConnection`, `McpHttpAuth` may refuse it, and `McpHttpApp` passes it
to the SDK's session manager. The SDK calls `McpServer` (daemon/mcp/sdk_server.py), which asks the
app for the `McpSession` of the request: by session id, by the header Pilothouse-Owner, or by the
client's process. Importing this package imports none of its modules.
"""

from __future__ import annotations

from pilothouse.lazy_exports import lazy_exports

# As typing.TYPE_CHECKING, without the import.
TYPE_CHECKING = False

if TYPE_CHECKING:
    from pilothouse.daemon.mcp_http.http_port import McpHttpService

__all__ = ["McpHttpService"]

__getattr__ = lazy_exports(
    __name__,
    {
        "http_port": ("McpHttpService",),
    },
)
