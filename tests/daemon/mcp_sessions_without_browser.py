"""A daemon without a browser, with a few tools of the tests' own, and sessions in it.

Knows: how a daemon is made. Must not know: what is asserted.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pilothouse.daemon.daemon import Daemon
from pilothouse.daemon.mcp.options import McpOptions
from pilothouse.daemon.mcp.session import McpSession
from pilothouse.paths import RuntimePaths
from pilothouse.settings import Settings
from pilothouse.tabs.progress import report_progress
from pilothouse.tools.context import ToolContext
from pilothouse.tools.tool import Tool, ToolFlags

__all__ = ["PICTURE", "Room"]

PICTURE = {"data": "aGk=", "mimeType": "image/png"}


class Room:
    """The daemon and what its tools wait for: `begun` is set while `wait` runs, `stopped` when it
    was cancelled; `go` lets it end."""

    def __init__(self, root: Path) -> None:
        self.daemon = Daemon(RuntimePaths(root), Settings())
        self.begun = asyncio.Event()
        self.stopped = asyncio.Event()
        self.go = asyncio.Event()
        self.daemon.tool_service.add(
            [
                self.tool("wait", self._wait),
                self.tool("shoot", self._shoot),
                self.tool("where", self._where),
                self.tool("dropped", self._dropped),
                self.tool("shapeless", self._shapeless),
            ]
        )

    def tool(self, name: str, run: Any) -> Tool:
        """A tool that needs no tab."""
        schema = {"type": "object", "properties": {}, "additionalProperties": True}
        return Tool(name, f"Do {name}.", schema, run, "browser", ToolFlags(tab=False))

    def mcp_session(self, owner: str = "me", **more: Any) -> McpSession:
        """The mcp_session of one session."""
        return McpSession(self.daemon, owner, McpOptions(toolsets=("browser",)), **more)

    async def _wait(self, context: ToolContext, given: Mapping[str, Any]) -> dict[str, Any]:
        self.begun.set()
        report_progress("waiting for a word")
        try:
            await self.go.wait()
        except asyncio.CancelledError:
            self.stopped.set()
            raise
        return {"waited": True}

    async def _shoot(self, context: ToolContext, given: Mapping[str, Any]) -> dict[str, Any]:
        return {"image": PICTURE}

    async def _dropped(self, context: ToolContext, given: Mapping[str, Any]) -> dict[str, Any]:
        """Awaits what somebody else cancels, as a browser that dies does with its tasks."""
        other: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        asyncio.get_running_loop().call_soon(other.cancel)
        await other
        return {}

    async def _shapeless(self, context: ToolContext, given: Mapping[str, Any]) -> dict[str, Any]:
        """Gives no fields at all."""
        nothing: Any = None
        return nothing  # type: ignore[no-any-return]

    async def _where(self, context: ToolContext, given: Mapping[str, Any]) -> dict[str, Any]:
        return {"roots": [str(root) for root in context.session.files.roots]}
