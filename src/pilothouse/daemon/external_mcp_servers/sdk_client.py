"""A connection to an external MCP server, through the official SDK. Imported late: takes a second.

Knows: the SDK's client and its transports. Must not know: when a server is started, or how its
tools are offered (servers.py).
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx2
import mcp_types as types
from mcp.client.client import Client
from mcp.client.sse import sse_client
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp.client.streamable_http import streamable_http_client
from mcp.client.subscriptions import SubscriptionLost
from mcp.shared.exceptions import MCPError
from mcp_types.version import MODERN_PROTOCOL_VERSIONS

from pilothouse import __version__
from pilothouse.asyncio_tasks import Tasks
from pilothouse.browsers.launcher import RUN_VARIABLE

__all__ = ["MCPError", "McpClientConnection", "StderrTail", "connect_server"]

PAGES = 20
HTTP_WITHIN_S = 30.0
STREAM_WITHIN_S = 300.0
TAIL = 4_000

# These loggers would log texts of servers, which may hold secrets. servers.py logs what matters.
for _name, _level in (("mcp.client", 60), ("client", 60), ("httpx2", logging.WARNING)):
    logging.getLogger(_name).setLevel(_level)


class StderrTail(asyncio.Protocol):
    """Keeps the end of what a process writes to stderr."""

    def __init__(self) -> None:
        self._said = b""
        self._over = asyncio.Event()
        self._over.set()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Note that the process has started."""
        self._over.clear()

    def data_received(self, data: bytes) -> None:
        """Keep the last TAIL bytes."""
        self._said = (self._said + data)[-TAIL:]

    def connection_lost(self, exc: Exception | None) -> None:
        """Note that stderr was closed."""
        self._over.set()

    async def last_line(self) -> str:
        """Return the last line. Waits up to half a second for stderr to close."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(0.5):
                await self._over.wait()
        lines = [line.strip() for line in self._said.decode(errors="replace").splitlines()]
        return next((line for line in reversed(lines) if line), "")


@dataclass
class McpClientConnection:
    """An initialized connection. `changed` is set when the tools or the state may have changed;
    `lost` is true once the connection has ended."""

    changed: asyncio.Event = field(default_factory=asyncio.Event)
    lost: bool = False
    client: Client | None = None

    def mark_lost(self) -> None:
        """Mark the connection as ended."""
        self.lost = True
        self.changed.set()

    async def list_tools(self) -> list[dict[str, Any]]:
        """Return all tools that the server lists, page by page. Raises MCPError."""
        assert self.client is not None
        found: list[dict[str, Any]] = []
        cursor: str | None = None
        for _ in range(PAGES):
            page = await self.client.list_tools(cursor=cursor)
            found += [_plain(tool) for tool in page.tools]
            cursor = page.next_cursor
            if cursor is None:
                break
        return found

    async def call(
        self, tool: str, given: Mapping[str, Any], heard: Callable[[str], object]
    ) -> dict[str, Any]:
        """Call a tool and return its result. Raises MCPError. Cancelling cancels it there too."""
        assert self.client is not None

        async def report(
            progress: float, total: float | None = None, message: str | None = None
        ) -> None:
            heard(message or (f"{progress:g} of {total:g}" if total else f"{progress:g}"))

        return _plain(await self.client.call_tool(tool, dict(given), progress_callback=report))


def _plain(model: Any) -> dict[str, Any]:
    connection: dict[str, Any] = model.model_dump(mode="json", by_alias=True, exclude_none=True)
    return connection


@asynccontextmanager
async def connect_server(
    *,
    command: str,
    args: tuple[str, ...],
    env: Mapping[str, str],
    url: str,
    headers: Mapping[str, str],
    mark: str,
    tail: StderrTail,
    within: float,
) -> AsyncIterator[McpClientConnection]:
    """Connect to a server and initialize. `mark` identifies its processes, to end them later."""
    connection = McpClientConnection()
    async with AsyncExitStack() as stack:
        if command:
            errors = await stack.enter_async_context(_stderr_pipe(tail))
            parameters = StdioServerParameters(
                command=command, args=list(args), env={**env, RUN_VARIABLE: mark}, cwd=Path.home()
            )
            transport: Any = stdio_client(parameters, errlog=errors)
        else:
            transport = await _http_transport(stack, url, headers)
        connection.client = Client(
            _WatchedTransport(transport, connection.mark_lost),
            message_handler=_ToolListListener(connection.changed),
            client_info=types.Implementation(name="pilothouse", version=__version__),
            cache=None,
        )
        async with asyncio.timeout(within):
            client = await stack.enter_async_context(connection.client)
        tasks = Tasks()
        stack.push_async_callback(tasks.close)
        told = client.server_capabilities.tools
        newer = client.protocol_version in MODERN_PROTOCOL_VERSIONS
        if newer and told is not None and told.list_changed:
            tasks.start(_listen(client, connection.changed), "hear of other tools")
        yield connection


@asynccontextmanager
async def _stderr_pipe(tail: StderrTail) -> AsyncIterator[Any]:
    """Open a pipe for the stderr of a process, read by `tail`."""
    ours, theirs = os.pipe()
    with os.fdopen(theirs, "w") as errors:
        loop = asyncio.get_running_loop()
        reading, _ = await loop.connect_read_pipe(lambda: tail, os.fdopen(ours, "rb", 0))
        try:
            yield errors
        finally:
            errors.close()
            await tail.last_line()
            reading.close()


async def _http_transport(
    stack: AsyncExitStack, url: str, headers: Mapping[str, str]
) -> AbstractAsyncContextManager[Any]:
    split = urlsplit(url)
    if split.path.rstrip("/").endswith("/sse"):
        return sse_client(url, dict(headers), HTTP_WITHIN_S, STREAM_WITHIN_S)
    client = httpx2.AsyncClient(
        headers=dict(headers),
        timeout=httpx2.Timeout(HTTP_WITHIN_S, read=STREAM_WITHIN_S),
        trust_env=split.hostname not in ("localhost", "127.0.0.1", "::1"),
    )
    await stack.enter_async_context(client)
    return streamable_http_client(url, http_client=client)


async def _listen(client: Client, changed: asyncio.Event) -> None:
    """Subscribe to tool list changes. Only newer servers need it; older ones just notify."""
    try:
        async with client.listen(tools_list_changed=True) as subscription:
            async for _ in subscription:
                changed.set()
    except (SubscriptionLost, MCPError):
        changed.set()  # the subscription ended: list the tools once more


class _ToolListListener:
    """Handles notifications: sets `changed` when the list of tools has changed."""

    def __init__(self, changed: asyncio.Event) -> None:
        self._changed = changed

    async def __call__(self, message: Any) -> None:
        if isinstance(message, types.ToolListChangedNotification):
            self._changed.set()


class _WatchedTransport:
    """A transport that calls `ended` when the server closes the connection."""

    def __init__(self, inner: AbstractAsyncContextManager[Any], ended: Callable[[], None]) -> None:
        self._inner = inner
        self._ended = ended

    async def __aenter__(self) -> Any:
        read, write = await self._inner.__aenter__()
        return _WatchedStream(read, self._ended), write

    async def __aexit__(self, *error: Any) -> bool | None:
        return await self._inner.__aexit__(*error)


class _WatchedStream:
    """The receiving stream of a watched transport."""

    def __init__(self, inner: Any, ended: Callable[[], None]) -> None:
        self._inner = inner
        self._ended = ended

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)

    def __aiter__(self) -> _WatchedStream:
        return self

    async def __anext__(self) -> Any:
        try:
            return await self._inner.__anext__()
        except BaseException:
            self._ended()
            raise

    async def __aenter__(self) -> _WatchedStream:
        await self._inner.__aenter__()
        return self

    async def __aexit__(self, *error: Any) -> bool | None:
        ended: bool | None = await self._inner.__aexit__(*error)
        return ended
