"""MCP for clients on the daemon's own socket: each line that turns to MCP is a session and an owner.

Knows: when the SDK is imported, and which lines are its. Must not know: what is said (mcp_desk.py,
mcp_early.py, mcp_sdk.py), or HTTP (web.py). The import takes a second in which little else gets its
turn, so it waits until something needs the SDK, or until the daemon is quiet.
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

from pilothouse.daemon.late_imports import import_late
from pilothouse.daemon.mcp.early_requests import Early
from pilothouse.daemon.mcp.options import mcp_options
from pilothouse.daemon.mcp.session import McpSession
from pilothouse.daemon.rpc import Client
from pilothouse.daemon.session_files import named_folders
from pilothouse.errors import ToolError
from pilothouse.tasks import Tasks, wait_for_result

if TYPE_CHECKING:
    from pilothouse.daemon.daemon import Daemon
    from pilothouse.daemon.mcp.sdk_server import McpServer
    from pilothouse.daemon.mcp.stream import McpLine

__all__ = ["Mcp"]

_log = logging.getLogger(__name__)

QUIET_S = 1.0
# More lines than this wait on the client's side until the SDK takes them.
KEPT_AT_ONCE = 64
_SDK = ("pilothouse.daemon.mcp.sdk_server", "pilothouse.daemon.mcp.stream")


class Mcp:
    """All MCP sessions of a daemon's socket."""

    def __init__(self, daemon: Daemon) -> None:
        self._daemon = daemon
        self._tasks = Tasks()
        self._sessions: dict[Client, _Session] = {}
        self._imported: asyncio.Task[tuple[Any, ...]] | None = None

    def __len__(self) -> int:
        return len(self._sessions)

    async def attach(self, client: Client, params: dict[str, Any]) -> dict[str, Any]:
        """The daemon's method `mcp`: after its answer the client's line is MCP both ways."""
        if client.lines is not None:
            raise ToolError("this line is MCP already", hint="dial another one")
        options = replace(
            mcp_options(params),
            files=named_folders(params.get("files")),
            working=_working(params.get("cwd")),
        )
        mcp_session = McpSession(
            self._daemon, client.owner, options, returns=bool(params.get("returns"))
        )
        mcp_session.offered()  # what cannot be chosen is said now, and not to the agent
        notices = params.get("notices")
        if isinstance(notices, list):
            mcp_session.tool_session.notices += [str(notice) for notice in notices]
        session = _Session(self, mcp_session, client.send)
        self._sessions[client] = session
        client.lines = session.feed
        self._daemon.tooling.on_change.append(session.changed)
        self._tasks.start(session.live(), f"mcp of {client.owner}")
        return {"owner": client.owner}

    async def gone(self, client: Client) -> None:
        """A client hung up."""
        session = self._sessions.pop(client, None)
        if session is not None:
            self._daemon.tooling.on_change.remove(session.changed)
            await session.end()

    async def close(self) -> None:
        """End all sessions: what they asked and is not answered will not be."""
        for client in list(self._sessions):
            client.hang_up()
        await self._tasks.close()

    def run(self, work: Any, name: str) -> asyncio.Task[Any]:
        """Something a session does besides."""
        return self._tasks.start(work, name)

    async def sdk(self) -> tuple[type[McpServer], type[McpLine]]:
        """The SDK, imported in a thread."""
        if self._imported is None:
            self._imported = self._tasks.start(asyncio.to_thread(_import), "import the MCP SDK")
        server, line = await wait_for_result(self._imported)
        return server.McpServer, line.McpLine


def _import() -> tuple[Any, ...]:
    found = import_late(*_SDK)
    gc.freeze()  # none of this is ever garbage, and it is half of what the daemon has
    return found


def _working(named: object) -> Path | None:
    """Where `pilothouse mcp` was started."""
    return Path(named) if isinstance(named, str) and os.path.isabs(named) else None


class _Session:
    """One line: what agents ask all the time is answered at once, the rest by the SDK."""

    def __init__(self, mcp: Mcp, mcp_session: McpSession, send: Callable[[bytes], object]) -> None:
        self._mcp = mcp
        self._mcp_session = mcp_session
        self._send = send
        self._early = Early(mcp_session, send)
        self._line: McpLine | None = None
        self._server: McpServer | None = None
        self._stirred = asyncio.Event()
        self._handed = asyncio.Event()  # to the SDK, or nobody takes it any more
        self._over = False

    async def live(self) -> None:
        """Wait until the SDK is wanted, and have it answer the rest from then on."""
        try:
            await self._until_wanted()
            if not self._over:
                await self._serve()
        finally:
            self._handed.set()
            await self._early.close()
            await self._mcp_session.leave()

    async def _until_wanted(self) -> None:
        """Until something comes that only the SDK can answer. It is imported before that if nothing
        was asked for a while."""
        quiet: float | None = QUIET_S
        while not (self._over or self._early.kept):
            self._stirred.clear()
            try:
                async with asyncio.timeout(quiet):
                    await self._stirred.wait()
            except TimeoutError:
                if self._early.heard and not self._early.running:
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
            while early.heard or early.kept:
                # It stays there while it is handed over: what comes meanwhile goes behind it.
                lines, answered = (early.heard, True) if early.heard else (early.kept, False)
                await line.feed(lines[0], answered=answered)
                lines.pop(0)
            self._line, self._server = line, server
            self._handed.set()
            if self._over:
                await line.end()
            await wait_for_result(serving)
        finally:
            server.close()
            serving.cancel()

    async def feed(self, line: bytes) -> None:
        """A line came."""
        if not line.strip():
            return
        if self._line is None:
            self._early.feed(line)
            self._stirred.set()
            if len(self._early.kept) > KEPT_AT_ONCE:
                await self._handed.wait()
        elif not self._early.still_answers(line):
            await self._line.feed(line)

    async def end(self) -> None:
        """No more lines will come."""
        self._over = True
        self._stirred.set()
        if self._line is not None:
            await self._line.end()

    def changed(self) -> None:
        """The tools are others now."""
        if self._server is None:
            self._early.changed()
        else:
            self._mcp.run(self._server.changed(), "tell that tools changed")
