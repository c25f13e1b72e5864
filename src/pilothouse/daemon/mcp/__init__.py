"""TODO-MAP daemon/mcp."""

from __future__ import annotations

from pilothouse.lazy_exports import lazy_exports

# As typing.TYPE_CHECKING, without the import.
TYPE_CHECKING = False

if TYPE_CHECKING:
    from pilothouse.daemon.mcp.greeting import HANDSHAKES, greeting, greets
    from pilothouse.daemon.mcp.options import McpOptions, mcp_options, toolsets_of
    from pilothouse.daemon.mcp.sdk_server import Asked, McpServer
    from pilothouse.daemon.mcp.session import McpSession
    from pilothouse.daemon.mcp.stdio import Mcp

__all__ = [
    "HANDSHAKES",
    "Asked",
    "Mcp",
    "McpOptions",
    "McpServer",
    "McpSession",
    "greeting",
    "greets",
    "mcp_options",
    "toolsets_of",
]

__getattr__ = lazy_exports(
    __name__,
    {
        "greeting": (
            "HANDSHAKES",
            "greeting",
            "greets",
        ),
        "options": (
            "McpOptions",
            "mcp_options",
            "toolsets_of",
        ),
        "sdk_server": (
            "Asked",
            "McpServer",
        ),
        "session": ("McpSession",),
        "stdio": ("Mcp",),
    },
)
