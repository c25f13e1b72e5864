"""Streamable HTTP as the SDK serves it, behind our door. Imported late, as the SDK is.

Knows: ASGI, the SDK's sessions, which desk each has. Must not know: who is let in (web_door.py). A
session is an owner: what it opened is closed when it ends or was idle for long. Clients of the
protocol without sessions are known by the name they give.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import re
import socket
from collections.abc import Awaitable, Callable, Iterator, MutableMapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import uvicorn
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager

from pilothouse.errors import ToolError
from pilothouse.house.mcp_desk import McpDesk
from pilothouse.house.mcp_sdk import Asked, McpServer
from pilothouse.house.web_door import Door
from pilothouse.house.web_events import WebEvents
from pilothouse.tasks import Tasks

if TYPE_CHECKING:
    from pilothouse.house.house import House

__all__ = ["WebApp"]

_log = logging.getLogger(__name__)

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]

IDLE_S = 1800.0
LOOK_EVERY_S = 60.0
SESSIONS = 64
RETRY_MS = 500
SESSION = b"mcp-session-id"
OWNER = "pilothouse-owner"
_NAME = re.compile(r"[\w.@ -]{1,60}")


class _Uvicorn(uvicorn.Server):
    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Signals are for the house."""
        yield


class _Kept:
    """A session's desk, and when it was used last."""

    def __init__(self, desk: McpDesk, now: float) -> None:
        self.desk = desk
        self.used_at = now


class WebApp:
    """One listening socket with its sessions."""

    def __init__(self, house: House, door: Door, toolsets: tuple[str, ...] = ()) -> None:
        self._house = house
        self._door = door
        self._toolsets = toolsets
        self._desks: dict[str, _Kept] = {}
        self._busy: dict[str, int] = {}
        self._tasks = Tasks()
        self.mcp = self.make_server()
        self._sessions = StreamableHTTPSessionManager(
            self.mcp.server,
            event_store=WebEvents(),
            retry_interval=RETRY_MS,
            session_idle_timeout=IDLE_S,
            max_sessions=SESSIONS,
        )
        self._server: _Uvicorn | None = None
        self._over = asyncio.Event()
        self._living: list[asyncio.Task[Any]] = []

    def make_server(self) -> McpServer:
        """Who answers."""
        return McpServer(self._desk_of)

    # Life.

    async def start(self, sock: socket.socket) -> None:
        """Serve at a socket that listens already."""
        config = uvicorn.Config(
            self,
            loop="none",
            http="h11",
            ws="none",
            lifespan="off",
            log_config=None,
            access_log=False,
            server_header=False,
            proxy_headers=False,
            timeout_graceful_shutdown=1,
        )
        self._server = _Uvicorn(config)
        opened = asyncio.Event()
        self._living = [self._tasks.start(self._live(opened), "MCP sessions by HTTP")]
        await opened.wait()
        # Who comes before it is ready waits at the socket.
        serving = self._tasks.start(self._server.serve(sockets=[sock]), "serve HTTP")
        self._living.append(serving)
        self._tasks.start(self._look_around(), "look after MCP sessions")
        self._house.tooling.on_change.append(self._changed)

    async def _live(self, opened: asyncio.Event) -> None:
        async with self._sessions.run():
            opened.set()
            await self._over.wait()

    async def close(self) -> None:
        """Serve no more; sessions end."""
        with contextlib.suppress(ValueError):
            self._house.tooling.on_change.remove(self._changed)
        self.mcp.close()
        self._over.set()
        if self._server is not None:
            self._server.should_exit = True
        if self._living:
            await asyncio.wait(self._living, timeout=5)
        await self._tasks.close()
        for key in list(self._desks):
            await self._forget(key)

    def _changed(self) -> None:
        self._tasks.start(self.mcp.changed(), "tell that tools changed")

    async def _look_around(self) -> None:
        loop = asyncio.get_running_loop()
        while True:
            await asyncio.sleep(LOOK_EVERY_S)
            for key, kept in list(self._desks.items()):
                if not self._busy.get(key) and loop.time() - kept.used_at > IDLE_S:
                    await self._forget(key)

    async def _forget(self, key: str) -> None:
        if kept := self._desks.pop(key, None):
            self.mcp.went(kept.desk.seat.owner)
            await kept.desk.leave()

    # Requests.

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """One request."""
        if scope["type"] != "http":
            return
        refused = self._door.refusal(scope["method"], scope["path"], scope["headers"])
        if refused is not None:
            await _refuse(send, *refused)
            return
        key = next((v.decode("latin-1") for k, v in scope["headers"] if k == SESSION), "")
        self._busy[key] = self._busy.get(key, 0) + 1
        status = 0

        async def watched(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        try:
            await self._sessions.handle_request(scope, receive, watched)
        finally:
            self._busy[key] -= 1
            if not self._busy[key]:
                del self._busy[key]
        if scope["method"] == "DELETE" and status < 300 and key:
            await self._forget(key)

    def _desk_of(self, asked: Asked) -> McpDesk:
        """The desk of the session that a message belongs to."""
        headers = asked.request.headers if asked.request is not None else {}
        named = headers.get(OWNER, "")
        if named and not _NAME.fullmatch(named):
            raise ToolError(f"{OWNER}: a short name is wanted", hint="letters and digits")
        session = headers.get(SESSION.decode(), "")
        client = asked.session.client_params
        known = client.client_info.name if client is not None else ""
        key = session or f"name {named or known}"
        now = asyncio.get_running_loop().time()
        kept = self._desks.get(key)
        if kept is None:
            owner = named or f"mcp-{session or 'http ' + known[:60]}"
            desk = McpDesk(self._house, owner, self._toolsets, returns=bool(named))
            kept = self._desks[key] = _Kept(desk, now)
        kept.used_at = now
        return kept.desk


async def _refuse(send: Send, status: int, words: str) -> None:
    body = json.dumps({"error": words}).encode()
    headers = [(b"content-type", b"application/json"), (b"content-length", b"%d" % len(body))]
    if status == 401:
        headers.append((b"www-authenticate", b"Bearer"))
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
