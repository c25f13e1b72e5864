"""TODO-MAP daemon/mcp_clients."""

from __future__ import annotations

from pilothouse.lazy_exports import lazy_exports

# As typing.TYPE_CHECKING, without the import.
TYPE_CHECKING = False

if TYPE_CHECKING:
    from pilothouse.daemon.mcp_clients.servers import ExternalMcpServers

__all__ = ["ExternalMcpServers"]

__getattr__ = lazy_exports(
    __name__,
    {
        "servers": ("ExternalMcpServers",),
    },
)
