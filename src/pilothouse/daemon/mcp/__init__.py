"""MCP for agents on the daemon's socket, and what MCP over HTTP (daemon/web) shares with it.

    socket_service.py            `McpService`: RPC connections that switched to MCP with the method
                                 `mcp`
    requests_without_sdk.py      `EarlyRequests` answers initialize, tools/list and tools/call
                                 itself
    sdk_streams.py               `McpStream`: a connection as the pair of streams that the SDK
                                 expects
    sdk_server.py                `McpServer`: the official SDK's server with our request handlers
    session.py                   `McpSession`: one client with its tool session, resources and
                                 folders
    tool_listing_and_content.py  tools and their answers as MCP listings and content blocks. Pure
    options.py                   `McpOptions`: what `pilothouse mcp` was started with, checked. Pure
    initialize.py                the result of `initialize`, cheap to import. Pure
    prompts.py                   the MCP prompts. Pure

Lines of a client go to `EarlyRequests` first. It answers the common requests and keeps the others.
When one of those comes, or the client is quiet, `McpService` imports the SDK in a thread (about one
second) and hands the connection to it. Both sides use the same `McpSession`, which calls tools
through the daemon's gate (tools/gate.py). Importing this package imports none of its modules.
"""

from __future__ import annotations

from pilothouse.lazy_exports import lazy_exports

# As typing.TYPE_CHECKING, without the import.
TYPE_CHECKING = False

if TYPE_CHECKING:
    from pilothouse.daemon.mcp.initialize import (
        HANDSHAKE_VERSIONS,
        can_answer_initialize,
        initialize_result,
    )
    from pilothouse.daemon.mcp.options import McpOptions, mcp_options, parse_toolsets
    from pilothouse.daemon.mcp.sdk_server import McpRequestContext, McpServer
    from pilothouse.daemon.mcp.session import McpSession
    from pilothouse.daemon.mcp.socket_service import McpService

__all__ = [
    "HANDSHAKE_VERSIONS",
    "McpOptions",
    "McpRequestContext",
    "McpServer",
    "McpService",
    "McpSession",
    "can_answer_initialize",
    "initialize_result",
    "mcp_options",
    "parse_toolsets",
]

__getattr__ = lazy_exports(
    __name__,
    {
        "initialize": (
            "HANDSHAKE_VERSIONS",
            "initialize_result",
            "can_answer_initialize",
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
