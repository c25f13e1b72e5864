"""Streamable HTTP as the SDK serves it, behind our door. Imported late, as the SDK is.

Knows: ASGI, the SDK's sessions, which mcp_session each has. Must not know: who is let in (web_door.py). A
session is an owner: what it opened is closed when it ends or was idle for long, or was idle longest
when all are taken. A client of the protocol without sessions is an owner by its process, or by the
name that it sends as Pilothouse-Owner.
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

from pilothouse.daemon.mcp import (
    HANDSHAKE_VERSIONS,
    McpOptions,
    McpRequestContext,
    McpServer,
    McpSession,
)
from pilothouse.daemon.mcp_http.auth import McpHttpAuth
from pilothouse.daemon.mcp_http.connections import (
    CONNECTION,
    Connections,
    HttpLimits,
    LimitedConnection,
)
from pilothouse.daemon.mcp_http.event_store import RecentEventStore
from pilothouse.errors import ToolError
from pilothouse.tasks import Tasks

if TYPE_CHECKING:
    from pilothouse.daemon.daemon import Daemon

__all__ = ["McpHttpApp"]

_log = logging.getLogger(__name__)

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]

IDLE_S = 1800.0
IDLE_CHECK_S = 60.0
RETRY_MS = 500
SESSION_HEADER = b"mcp-session-id"
VERSION_HEADER = b"mcp-protocol-version"
PEER_KEY = "pilothouse.peer"
OWNER_HEADER = "pilothouse-owner"
_NAME = re.compile(r"[\w.@ -]{1,60}")


class _Uvicorn(uvicorn.Server):
    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Signals are for the daemon."""
        yield


class _HttpSession:
    """A session's mcp_session, and when it was used last."""

    def __init__(self, mcp_session: McpSession, now: float) -> None:
        self.mcp_session = mcp_session
        self.used_at = now


class McpHttpApp:
    """One listening socket with its sessions."""

    def __init__(
        self,
        daemon: Daemon,
        door: McpHttpAuth,
        options: McpOptions | None = None,
        limits: HttpLimits | None = None,
    ) -> None:
        self._limits = limits or HttpLimits()
        self.connections = Connections(self._limits)
        # Sessions by their ids, the one that was used longest ago first; and those that begin.
        self._used: dict[str, None] = {}
        self._opening = 0
        self._daemon = daemon
        self._door = door
        self._options = options
        self._mcp_sessions: dict[str, _HttpSession] = {}
        self._busy: dict[str, int] = {}
        self._tasks = Tasks()
        self.mcp = self.make_server()
        self._sessions = StreamableHTTPSessionManager(
            self.mcp.server,
            event_store=RecentEventStore(),
            retry_interval=RETRY_MS,
            session_idle_timeout=IDLE_S,
            # We make room before; this is only beyond what may be opening meanwhile.
            max_sessions=2 * self._limits.sessions,
        )
        self._server: _Uvicorn | None = None
        self._over = asyncio.Event()
        self._running: list[asyncio.Task[Any]] = []

    def make_server(self) -> McpServer:
        """Who answers."""
        return McpServer(self._session_for)

    # Life.

    async def start(self, sock: socket.socket) -> None:
        """Serve at a socket that listens already."""
        config = uvicorn.Config(
            self,
            loop="none",
            http=LimitedConnection.maker(self.connections),  # type: ignore[arg-type]
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
        self._running = [self._tasks.start(self._run_sessions(opened), "MCP sessions by HTTP")]
        await opened.wait()
        # Who comes before it is ready waits at the socket.
        serving = self._tasks.start(self._server.serve(sockets=[sock]), "serve HTTP")
        self._running.append(serving)
        self._tasks.start(self._close_idle_sessions(), "look after MCP sessions")
        self._daemon.tool_service.on_change.append(self._on_tools_changed)

    async def _run_sessions(self, opened: asyncio.Event) -> None:
        async with self._sessions.run():
            opened.set()
            await self._over.wait()

    async def close(self) -> None:
        """Serve no more; sessions end."""
        with contextlib.suppress(ValueError):
            self._daemon.tool_service.on_change.remove(self._on_tools_changed)
        self.mcp.close()
        self._over.set()
        if self._server is not None:
            self._server.should_exit = True
        if self._running:
            await asyncio.wait(self._running, timeout=5)
        await self._tasks.close()
        for key in list(self._mcp_sessions):
            await self._forget_session(key)

    def _on_tools_changed(self) -> None:
        self._tasks.start(self.mcp.notify_tools_changed(), "notify of changed tools")

    async def _close_idle_sessions(self) -> None:
        loop = asyncio.get_running_loop()
        while True:
            await asyncio.sleep(IDLE_CHECK_S)
            for key, http_session in list(self._mcp_sessions.items()):
                if not self._busy.get(key) and loop.time() - http_session.used_at > IDLE_S:
                    await self._forget_session(key)

    async def _forget_session(self, key: str) -> None:
        self._used.pop(key, None)
        if http_session := self._mcp_sessions.pop(key, None):
            self.mcp.forget_session(http_session.mcp_session.tool_session.owner)
            await http_session.mcp_session.close()

    # Requests.

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """One request."""
        if scope["type"] != "http":
            return
        refused = self._door.refusal(scope["method"], scope["path"], scope["headers"])
        if refused is not None:
            await _refuse(send, *refused)
            return
        connection = scope.get(CONNECTION)
        if isinstance(connection, LimitedConnection) and not self.connections.prove(connection):
            await _refuse(send, 503, f"{self._limits.per_peer} connections are open already")
            return
        key, version = (_header(scope, name) for name in (SESSION_HEADER, VERSION_HEADER))
        if (
            version
            and version not in HANDSHAKE_VERSIONS
            and isinstance(connection, LimitedConnection)
        ):
            scope[PEER_KEY] = await connection.owner_key()
        opens = scope["method"] == "POST" and not key and not scope.get(PEER_KEY)
        if opens and not await self._make_room():
            told = f"{self._limits.sessions} sessions are in use: end one, or try again later"
            await _refuse(send, 503, told)
            return
        await self._serve(scope, receive, send, key, opens)

    async def _serve(
        self, scope: Scope, receive: Receive, send: Send, key: str, opens: bool
    ) -> None:
        self._busy[key] = self._busy.get(key, 0) + 1
        self._opening += opens
        status = 0

        async def watched(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                if opens and status < 400 and (made := _header(message, SESSION_HEADER)):
                    self._used[made] = None
            self._daemon.memory.count_bytes(len(message.get("body", b"")))
            await send(message)

        async def counted() -> Message:
            message = await receive()
            self._daemon.memory.count_bytes(len(message.get("body", b"")))
            return message

        try:
            await self._sessions.handle_request(scope, counted, watched)
        finally:
            self._opening -= opens
            self._busy[key] -= 1
            if not self._busy[key]:
                del self._busy[key]
            if key in self._used:  # now it was used last
                del self._used[key]
                self._used[key] = None
        ended = scope["method"] == "DELETE" and status < 300
        if key and (ended or status == 404):
            await self._forget_session(key)

    async def _make_room(self) -> bool:
        """Let the session go that was idle longest, if all are taken. False if none is idle."""
        while len(self._used) + self._opening >= self._limits.sessions:
            idle = next((key for key in self._used if not self._busy.get(key)), None)
            if idle is None:
                return False
            _log.info("a forgotten MCP session makes room for a new one")
            del self._used[idle]  # first: another request may make room meanwhile
            await self._delete_session(idle)
        return True

    async def _delete_session(self, key: str) -> None:
        """End a session as its own client would, by DELETE: its id is unknown from then on."""
        headers = [(SESSION_HEADER, key.encode("latin-1"))]
        scope = {
            "type": "http",
            "method": "DELETE",
            "path": "/mcp",
            "query_string": b"",
            "headers": headers,
        }

        async def receive() -> Message:
            return {"type": "http.request", "body": b"", "more_body": False}

        async def send(message: Message) -> None:
            return None

        await self._sessions.handle_request(scope, receive, send)
        await self._forget_session(key)

    def _session_for(self, asked: McpRequestContext) -> McpSession:
        """The mcp_session of the session that a message belongs to."""
        headers = asked.request.headers if asked.request is not None else {}
        named = headers.get(OWNER_HEADER, "")
        if named and not _NAME.fullmatch(named):
            raise ToolError(f"{OWNER_HEADER}: a short name is wanted", hint="letters and digits")
        session = headers.get(SESSION_HEADER.decode(), "")
        client = asked.session.client_params
        known = client.client_info.name if client is not None else ""
        # What a product calls itself is the same for all its instances: the peer tells them apart.
        peer = asked.request.scope.get(PEER_KEY, "") if asked.request is not None else ""
        key = session or (f"name {named}" if named else f"peer {peer} {known}")
        now = asyncio.get_running_loop().time()
        http_session = self._mcp_sessions.get(key)
        if http_session is None:
            owner = named or f"mcp-{session or f'http {known[:60]} {peer}'}"
            mcp_session = McpSession(self._daemon, owner, self._options, keep_tabs=bool(named))
            mcp_session.set_client_name(known)
            http_session = self._mcp_sessions[key] = _HttpSession(mcp_session, now)
        http_session.used_at = now
        return http_session.mcp_session


def _header(found: MutableMapping[str, Any], name: bytes) -> str:
    """A header of a request or a reply, as text; empty if it is not there."""
    for key, value in found.get("headers", ()):
        if key.lower() == name:
            return str(value.decode("latin-1"))
    return ""


async def _refuse(send: Send, status: int, words: str) -> None:
    body = json.dumps({"error": words}).encode()
    headers = [(b"content-type", b"application/json"), (b"content-length", b"%d" % len(body))]
    if status == 401:
        headers.append((b"www-authenticate", b"Bearer"))
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
