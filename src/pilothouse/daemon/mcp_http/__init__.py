"""TODO-MAP daemon/mcp_http."""

from __future__ import annotations

from pilothouse.lazy_exports import lazy_exports

# As typing.TYPE_CHECKING, without the import.
TYPE_CHECKING = False

if TYPE_CHECKING:
    from pilothouse.daemon.mcp_http.service import McpHttpService

__all__ = ["McpHttpService"]

__getattr__ = lazy_exports(
    __name__,
    {
        "service": ("McpHttpService",),
    },
)
