"""MCP on the daemon's socket: an RPC connection that switches to MCP is one session and one owner.

Knows: when a session begins and ends. Must not know: what messages mean (stdio_session.py), or HTTP
(web/).
"""

from __future__ import annotations

import asyncio
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from pilothouse.asyncio_tasks import Tasks
from pilothouse.daemon.mcp.options import mcp_options
from pilothouse.daemon.mcp.session import McpSession
from pilothouse.daemon.mcp.stdio_session import McpStdioSession
from pilothouse.daemon.owner_folders import parse_folders
from pilothouse.daemon.rpc import RpcClient
from pilothouse.errors import ToolError

if TYPE_CHECKING:
    from pilothouse.daemon.daemon import Daemon

__all__ = ["McpService"]


class McpService:
    """All MCP sessions on the daemon's socket."""

    def __init__(self, daemon: Daemon) -> None:
        self._daemon = daemon
        self._tasks = Tasks()
        self._sessions: dict[RpcClient, tuple[McpStdioSession, McpSession]] = {}

    def __len__(self) -> int:
        return len(self._sessions)

    async def attach(self, client: RpcClient, params: dict[str, Any]) -> dict[str, Any]:
        """Handle the RPC method `mcp`: after its reply, the connection speaks MCP."""
        if client.line_handler is not None:
            raise ToolError("mcp: this connection already speaks MCP", hint="open another one")
        options = replace(
            mcp_options(params),
            files=parse_folders(params.get("files")),
            working=_working(params.get("cwd")),
        )
        mcp_session = McpSession(
            self._daemon, client.owner, options, keep_tabs=bool(params.get("returns"))
        )
        mcp_session.available_tools()  # raises for invalid toolsets now, where a person sees it
        notices = params.get("notices")
        if isinstance(notices, list):
            mcp_session.tool_session.notices += [str(notice) for notice in notices]
        session = McpStdioSession(mcp_session, client.send)
        self._sessions[client] = session, mcp_session
        self._daemon.tool_service.on_change.append(session.notify_tools_changed)

        async def feed(line: bytes) -> None:
            if line.strip():
                session.feed(line)

        client.line_handler = feed
        return {"owner": client.owner}

    async def on_disconnect(self, client: RpcClient) -> None:
        """End the session of a client that disconnected."""
        if client in self._sessions:
            self._end(client)

    def _end(self, client: RpcClient) -> asyncio.Task[None]:
        session, mcp_session = self._sessions.pop(client)
        self._daemon.tool_service.on_change.remove(session.notify_tools_changed)

        async def end() -> None:
            await session.close()
            await mcp_session.close()

        return self._tasks.start(end(), f"end the MCP session of {client.owner}")

    async def close(self) -> None:
        """End all sessions. Open requests get no reply."""
        ending = []
        for client in list(self._sessions):
            client.hang_up()
            ending.append(self._end(client))
        if ending:
            await asyncio.wait(ending)
        await self._tasks.close()


def _working(named: object) -> Path | None:
    """Return the working directory of `pilothouse mcp`, if the client sent one."""
    return Path(named) if isinstance(named, str) and os.path.isabs(named) else None
