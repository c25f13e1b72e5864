"""MCP over Streamable HTTP, at /mcp of the web server. Imported late, because it imports the SDK.

Knows: ASGI, the SDK's session manager, the `McpSession` of each client. Must not know: which
requests are accepted (access.py). A session is an owner. Its tabs close when it ends: by DELETE,
after IDLE_S without use, or when it is the longest idle one and a new session needs its place. A
client of the protocol without sessions is identified by its process, or by the header
Pilothouse-Owner.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import re
from typing import TYPE_CHECKING, Any

from mcp.server.streamable_http_manager import StreamableHTTPSessionManager

from pilothouse.asyncio_tasks import Tasks
from pilothouse.daemon.mcp import (
    HANDSHAKE_VERSIONS,
    McpOptions,
    McpRequestContext,
    McpServer,
    McpSession,
)
from pilothouse.daemon.web.asgi import Message, Receive, Scope, Send, header, refuse
from pilothouse.daemon.web.connection_limits import CONNECTION, HttpLimits, LimitedConnection
from pilothouse.daemon.web.mcp_event_store import RecentEventStore
from pilothouse.errors import UsageError

if TYPE_CHECKING:
    from pilothouse.daemon.daemon import Daemon

__all__ = ["McpRoutes"]

_log = logging.getLogger(__name__)

IDLE_S = 1800.0
IDLE_CHECK_S = 60.0
RETRY_MS = 500
SESSION_HEADER = b"mcp-session-id"
VERSION_HEADER = b"mcp-protocol-version"
PEER_KEY = "pilothouse.peer"
OWNER_HEADER = "pilothouse-owner"
_NAME = re.compile(r"[\w.@ -]{1,60}")


class _HttpSession:
    """An MCP session, and when it was last used."""

    def __init__(self, mcp_session: McpSession, now: float) -> None:
        self.mcp_session = mcp_session
        self.used_at = now


class McpRoutes:
    """The ASGI endpoint /mcp, with the sessions of its clients."""

    def __init__(
        self,
        daemon: Daemon,
        options: McpOptions | None = None,
        limits: HttpLimits | None = None,
    ) -> None:
        self._limits = limits or HttpLimits()
        # Session ids, least recently used first; and the number of sessions being opened.
        self._used: dict[str, None] = {}
        self._opening = 0
        self._daemon = daemon
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
            # _make_room keeps our own limit. This one only has to be above it.
            max_sessions=2 * self._limits.sessions,
        )
        self._over = asyncio.Event()
        self._running: list[asyncio.Task[Any]] = []

    def make_server(self) -> McpServer:
        """Create the server that answers requests. Tests override this."""
        return McpServer(self._session_for)

    def clients(self) -> list[tuple[str, str]]:
        """Return the owner and the name of each client that has a session."""
        owners = [one.mcp_session.tool_session.owner for one in self._mcp_sessions.values()]
        return [(owner, self._daemon.names.get(owner, "")) for owner in owners]

    # Lifecycle.

    async def start(self) -> None:
        """Get ready for requests."""
        opened = asyncio.Event()
        self._running = [self._tasks.start(self._run_sessions(opened), "MCP sessions by HTTP")]
        await opened.wait()
        self._tasks.start(self._close_idle_sessions(), "look after MCP sessions")
        self._daemon.tool_service.on_change.append(self._on_tools_changed)

    async def _run_sessions(self, opened: asyncio.Event) -> None:
        async with self._sessions.run():
            opened.set()
            await self._over.wait()

    async def close(self) -> None:
        """End all sessions."""
        with contextlib.suppress(ValueError):
            self._daemon.tool_service.on_change.remove(self._on_tools_changed)
        self.mcp.close()
        self._over.set()
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
        """Handle one accepted request: make room for a new session, pass it to the SDK."""
        connection = scope.get(CONNECTION)
        key, version = (header(scope, name) for name in (SESSION_HEADER, VERSION_HEADER))
        if (
            version
            and version not in HANDSHAKE_VERSIONS
            and isinstance(connection, LimitedConnection)
        ):
            scope[PEER_KEY] = await connection.owner_key()
        opens = scope["method"] == "POST" and not key and not scope.get(PEER_KEY)
        if opens and not await self._make_room():
            problem = f"{self._limits.sessions} sessions are in use: end one, or try again later"
            await refuse(send, 503, problem)
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
                if opens and status < 400 and (made := header(message, SESSION_HEADER)):
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
            if key in self._used:  # move to the end: most recently used
                del self._used[key]
                self._used[key] = None
        ended = scope["method"] == "DELETE" and status < 300
        if key and (ended or status == 404):
            await self._forget_session(key)

    async def _make_room(self) -> bool:
        """End the longest idle session if the limit is reached. False if none is idle."""
        while len(self._used) + self._opening >= self._limits.sessions:
            idle = next((key for key in self._used if not self._busy.get(key)), None)
            if idle is None:
                return False
            _log.info("ending the longest idle MCP session to make room")
            del self._used[idle]  # before the await: another request may be making room too
            await self._delete_session(idle)
        return True

    async def _delete_session(self, key: str) -> None:
        """End a session with the DELETE request that its client would send."""
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
        """Return the MCP session that a request belongs to; create it on first use."""
        headers = asked.request.headers if asked.request is not None else {}
        named = headers.get(OWNER_HEADER, "")
        if named and not _NAME.fullmatch(named):
            raise UsageError(
                f"{OWNER_HEADER}: expected 1 to 60 letters, digits, spaces or . @ _ -",
                hint="send a shorter name, or leave the header out",
            )
        session = headers.get(SESSION_HEADER.decode(), "")
        client = asked.session.client_params
        known = client.client_info.name if client is not None else ""
        # All instances of a product have the same client name; the peer process tells them apart.
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
