"""MCP on the daemon's socket: an RPC connection that switches to MCP is one session and one owner.

Knows: when the SDK is imported, and which lines go to it. Must not know: what messages mean
(session.py, requests_without_sdk.py, sdk_server.py), or HTTP (web/). The import takes a second
and slows everything else down, so it waits until a request needs the SDK, or the client is quiet.
"""

from __future__ import annotations

import asyncio
import gc
import logging
import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from pilothouse.asyncio_tasks import Tasks, wait_for_result
from pilothouse.daemon.late_imports import import_late
from pilothouse.daemon.mcp.options import mcp_options
from pilothouse.daemon.mcp.requests_without_sdk import EarlyRequests
from pilothouse.daemon.mcp.session import McpSession
from pilothouse.daemon.owner_folders import parse_folders
from pilothouse.daemon.rpc import RpcClient
from pilothouse.errors import ToolError

if TYPE_CHECKING:
    from pilothouse.daemon.daemon import Daemon
    from pilothouse.daemon.mcp.sdk_server import McpServer
    from pilothouse.daemon.mcp.sdk_streams import McpStream

__all__ = ["McpService"]

_log = logging.getLogger(__name__)

QUIET_S = 1.0
# While the SDK is imported, further lines wait in the socket's buffer.
MAX_QUEUED_LINES = 64
_SDK = ("pilothouse.daemon.mcp.sdk_server", "pilothouse.daemon.mcp.sdk_streams")


class McpService:
    """All MCP sessions on the daemon's socket."""

    def __init__(self, daemon: Daemon) -> None:
        self._daemon = daemon
        self._tasks = Tasks()
        self._sessions: dict[RpcClient, _McpConnection] = {}
        self._imported: asyncio.Task[tuple[Any, ...]] | None = None

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
        session = _McpConnection(self, mcp_session, client.send)
        self._sessions[client] = session
        client.line_handler = session.feed
        self._daemon.tool_service.on_change.append(session.notify_tools_changed)
        self._tasks.start(session.run(), f"mcp of {client.owner}")
        return {"owner": client.owner}

    async def on_disconnect(self, client: RpcClient) -> None:
        """End the session of a client that disconnected."""
        session = self._sessions.pop(client, None)
        if session is not None:
            self._daemon.tool_service.on_change.remove(session.notify_tools_changed)
            await session.end()

    async def close(self) -> None:
        """Close all sessions. Open requests get no reply."""
        for client in list(self._sessions):
            client.hang_up()
        await self._tasks.close()

    def run(self, work: Any, name: str) -> asyncio.Task[Any]:
        """Run a background task of a session."""
        return self._tasks.start(work, name)

    async def sdk(self) -> tuple[type[McpServer], type[McpStream]]:
        """Import the SDK in a thread, once, and return its two entry points."""
        if self._imported is None:
            self._imported = self._tasks.start(asyncio.to_thread(_import), "import the MCP SDK")
        server, line = await wait_for_result(self._imported)
        return server.McpServer, line.McpStream


def _import() -> tuple[Any, ...]:
    found = import_late(*_SDK)
    # Imported objects are never garbage, and are half of all objects: exclude them from collection.
    gc.freeze()
    return found


def _working(named: object) -> Path | None:
    """Return the working directory of `pilothouse mcp`, if the client sent one."""
    return Path(named) if isinstance(named, str) and os.path.isabs(named) else None


class _McpConnection:
    """One connection: EarlyRequests answers the common requests, the SDK the rest."""

    def __init__(
        self, mcp: McpService, mcp_session: McpSession, send: Callable[[bytes], object]
    ) -> None:
        self._mcp = mcp
        self._mcp_session = mcp_session
        self._send = send
        self._early = EarlyRequests(mcp_session, send)
        self._line: McpStream | None = None
        self._server: McpServer | None = None
        self._wake = asyncio.Event()
        self._handed_over = asyncio.Event()  # to the SDK, or the connection ended
        self._ended = False

    async def run(self) -> None:
        """Wait until the SDK is needed, then let it serve the connection until its end."""
        try:
            await self._wait_until_needed()
            if not self._ended:
                await self._serve()
        finally:
            self._handed_over.set()
            await self._early.close()
            await self._mcp_session.close()

    async def _wait_until_needed(self) -> None:
        """Wait for a request that only the SDK can answer. Import the SDK early if idle."""
        quiet: float | None = QUIET_S
        while not (self._ended or self._early.unanswered):
            self._wake.clear()
            try:
                async with asyncio.timeout(quiet):
                    await self._wake.wait()
            except TimeoutError:
                if self._early.answered and not self._early.running:
                    await self._mcp.sdk()
                    quiet = None

    async def _serve(self) -> None:
        make_server, make_line = await self._mcp.sdk()
        server = make_server(lambda asked: self._mcp_session)
        line = make_line(self._send)
        serving = self._mcp.run(
            line.serve(server.server), f"mcp sdk of {self._mcp_session.tool_session.owner}"
        )
        try:
            early = self._early
            while early.answered or early.unanswered:
                # Remove the line only after it is passed on: new lines must queue behind it.
                lines, answered = (
                    (early.answered, True) if early.answered else (early.unanswered, False)
                )
                await line.feed(lines[0], answered=answered)
                lines.pop(0)
            self._line, self._server = line, server
            self._handed_over.set()
            if self._ended:
                await line.end()
            await wait_for_result(serving)
        finally:
            server.close()
            serving.cancel()

    async def feed(self, line: bytes) -> None:
        """Handle a line from the client."""
        if not line.strip():
            return
        if self._line is None:
            self._early.feed(line)
            self._wake.set()
            if len(self._early.unanswered) > MAX_QUEUED_LINES:
                await self._handed_over.wait()
        elif not self._early.handle_after_handover(line):
            await self._line.feed(line)

    async def end(self) -> None:
        """End the connection: no more lines will come."""
        self._ended = True
        self._wake.set()
        if self._line is not None:
            await self._line.end()

    def notify_tools_changed(self) -> None:
        """Tell the client that the list of tools has changed."""
        if self._server is None:
            self._early.notify_tools_changed()
        else:
            self._mcp.run(
                self._server.notify_tools_changed(), "tell that tools notify_tools_changed"
            )
