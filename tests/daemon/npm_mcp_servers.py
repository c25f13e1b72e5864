"""Other MCP servers for tests: two from npm, a small one of our own, and a board for their tools.

    async with lives({"small": small()}) as (servers, board):
        await board.until(lambda: "mcp_small_pid" in board.usable)

Knows: how they are described and started. Must not know: what is asserted.
"""

from __future__ import annotations

import asyncio
import sys
import tempfile
from collections.abc import AsyncIterator, Callable, Iterable, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from pilothouse.daemon.external_mcp_servers.servers import ExternalMcpServers, ServerTimeouts
from pilothouse.errors import PilothouseError
from pilothouse.tools.context import ToolContext, ToolSession
from pilothouse.tools.tool import Tool
from pilothouse.tools.tool_config_file import McpServerConfig
from tests import npm_package_cache
from tests.tools.fake_tool_context import Daemon

__all__ = ["SMALL", "Board", "from_npm", "lives", "small"]

ROOT = Path(__file__).parents[2]
SMALL = Path(__file__).with_name("misbehaving_mcp_server.py")
WITHIN_S = 90.0
QUICK = ServerTimeouts(backoff_scale=0.01, retry_remote=0.2, poll=0.2)


def small(name: str = "small", *args: str, **more: Any) -> McpServerConfig:
    """The small server, as config.yaml would describe it."""
    return McpServerConfig(name, command=sys.executable, args=(str(SMALL), *args), **more)


def from_npm(name: str) -> str:
    """The script of a server from npm; it is fetched if it is not there yet."""
    packages = npm_package_cache.installed(
        ROOT / "tests" / "fixtures_servers" / "package.json", ROOT / ".dev" / "mcp-servers"
    )
    return str(packages / "node_modules" / "@modelcontextprotocol" / name / "dist" / "index.js")


class Board:
    """Where tools are shown; it can be waited for."""

    def __init__(self) -> None:
        self.tools: dict[str, Tool] = {}
        self.reasons: dict[str, str] = {}
        self.seen: list[str] = []
        self._moved = asyncio.Event()

    def add(self, tools: Iterable[Tool]) -> None:
        """Tools come."""
        self.tools.update({tool.name: tool for tool in tools})
        self._moved.set()

    def remove(self, names: Iterable[str]) -> None:
        """Tools go."""
        for name in names:
            del self.tools[name]
        self._moved.set()

    def disable(self, name: str, reason: str) -> None:
        """A toolset cannot be used now."""
        self.reasons[name] = reason
        self.seen.append(reason)
        self._moved.set()

    def enable(self, name: str) -> None:
        """It can again."""
        self.reasons.pop(name, None)
        self._moved.set()

    @property
    def usable(self) -> set[str]:
        """The tools that can be called."""
        return {n for n, tool in self.tools.items() if tool.toolset not in self.reasons}

    async def until(self, fits: Callable[[], object]) -> None:
        """Wait for the board to be so."""
        try:
            async with asyncio.timeout(WITHIN_S):
                while not fits():
                    self._moved.clear()
                    await self._moved.wait()
        except TimeoutError:
            raise AssertionError(f"{sorted(self.usable)} {self.reasons} {self.seen}") from None

    async def come(self, *names: str) -> None:
        """Wait for tools."""
        await self.until(lambda: set(names) <= self.usable)

    async def use(self, tool: str, **given: Any) -> dict[str, Any]:
        """Call a tool as the gate does; an error is an answer."""

        async def nothing(method: str, params: dict[str, Any]) -> Any:
            raise AssertionError(method)

        try:
            return await self.tools[tool].run(
                ToolContext(ToolSession("me"), Daemon(), nothing), given
            )
        except PilothouseError as error:
            return {"error": error.message, "hint": error.hint}


@asynccontextmanager
async def lives(
    described: Mapping[str, McpServerConfig], times: ServerTimeouts = QUICK
) -> AsyncIterator[tuple[ExternalMcpServers, Board]]:
    """ExternalMcpServers that start at once, and end with the block."""
    board = Board()
    with tempfile.TemporaryDirectory() as root:
        servers = ExternalMcpServers(board, Path(root), times)
        servers.set_servers(described)
        servers.allow_start()
        try:
            yield servers, board
        finally:
            await servers.close()
