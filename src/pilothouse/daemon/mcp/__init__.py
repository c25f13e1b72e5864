"""MCP for agents on the daemon's socket, and what MCP over HTTP (daemon/web) shares with it.

    socket_service.py            `McpService`: RPC connections that switched to MCP with the method
                                 `mcp`
    stdio_session.py             `McpStdioSession`: one client from its first message to its last
    json_rpc_lines.py            messages as lines. Pure
    protocol.py                  methods, parameters, results and phases of a session in each
                                 protocol version. Pure
    initialize.py                the result of `initialize`, cheap to import. Pure
    sdk_server.py                `McpServer`: the official SDK's server, for HTTP
    session.py                   `McpSession`: one client's tool session, resources and folders
    tool_listing_and_content.py  tools and their answers as MCP listings and content blocks. Pure
    options.py                   `McpOptions`: what `pilothouse mcp` was started with, checked. Pure
    prompts.py                   the MCP prompts. Pure

On the socket, `McpStdioSession` reads all lines of a client and answers all methods. Over HTTP, the
SDK does (`McpServer`). Both use `McpSession`, which calls tools through the daemon's gate
(tools/gate.py). Only HTTP imports the SDK, which takes a second. Importing this package imports
none of its modules.
"""

from __future__ import annotations

from pilothouse.lazy_exports import lazy_exports

# As typing.TYPE_CHECKING, without the import.
TYPE_CHECKING = False

if TYPE_CHECKING:
    from pilothouse.daemon.mcp.initialize import (
        HANDSHAKE_VERSIONS,
        RESUME,
        initialize_problem,
        initialize_result,
    )
    from pilothouse.daemon.mcp.options import McpOptions, mcp_options, parse_toolsets
    from pilothouse.daemon.mcp.sdk_server import McpRequestContext, McpServer
    from pilothouse.daemon.mcp.session import McpSession
    from pilothouse.daemon.mcp.socket_service import McpService

__all__ = [
    "HANDSHAKE_VERSIONS",
    "RESUME",
    "McpOptions",
    "McpRequestContext",
    "McpServer",
    "McpService",
    "McpSession",
    "initialize_problem",
    "initialize_result",
    "mcp_options",
    "parse_toolsets",
]

__getattr__ = lazy_exports(
    __name__,
    {
        "initialize": (
            "HANDSHAKE_VERSIONS",
            "RESUME",
            "initialize_problem",
            "initialize_result",
        ),
        "options": (
            "McpOptions",
            "mcp_options",
            "parse_toolsets",
        ),
        "sdk_server": (
            "McpRequestContext",
            "McpServer",
        ),
        "session": ("McpSession",),
        "socket_service": ("McpService",),
    },
)
