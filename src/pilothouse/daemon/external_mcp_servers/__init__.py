"""Clients of external MCP servers, whose tools appear beside ours (`mcp_servers` in config.yaml).

    servers.py     `ExternalMcpServers`: all of them; one `_ServerLifecycle` each starts its server,
                   restarts it with a backoff, and keeps its tools in the `ToolSink`
    sdk_client.py  `McpClientConnection` and `connect_server`: the SDK's client over stdio, SSE or
                   Streamable HTTP. Imported late, because the SDK takes a second
    secrets.py     `fill_variables` fills `${NAME}` in; `make_server_redactor` removes those values
                   from errors and results

Settings come in through `ExternalMcpServers.set_servers`. A server lists its tools, its lifecycle
makes `Tool` values of them (tools/catalog/external_tool_conversion.py) and adds them to the
catalogue, which is the daemon's `ToolService`. A call of such a tool goes to the server's
connection. While a server is unavailable, its toolset is disabled with the reason. Importing this
package imports no module of it.
"""

from __future__ import annotations

from pilothouse.lazy_exports import lazy_exports

# As typing.TYPE_CHECKING, without the import.
TYPE_CHECKING = False

if TYPE_CHECKING:
    from pilothouse.daemon.external_mcp_servers.servers import ExternalMcpServers

__all__ = ["ExternalMcpServers"]

__getattr__ = lazy_exports(
    __name__,
    {
        "servers": ("ExternalMcpServers",),
    },
)
