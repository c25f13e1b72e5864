"""The line to another MCP server, by the official SDK. Imported late: that takes a second.

Knows: the SDK's client and its transports. Must not know: when a server is started or what its
tools become (servers.py).
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
from pilothouse.browsers.launcher import MARK
from pilothouse.tasks import Tasks

__all__ = ["Connection", "MCPError", "Tail", "connected"]

PAGES = 20
HTTP_WITHIN_S = 30.0
STREAM_WITHIN_S = 300.0
TAIL = 4_000

# Their words may be a server's, and a server's may be secrets: what matters is told by servers.py.
for _name, _level in (("mcp.client", 60), ("client", 60), ("httpx2", logging.WARNING)):
    logging.getLogger(_name).setLevel(_level)


class Tail(asyncio.Protocol):
    """The end of what a process says on its standard error."""

    def __init__(self) -> None:
        self._said = b""
        self._over = asyncio.Event()
        self._over.set()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """It may speak from now on."""
        self._over.clear()

    def data_received(self, data: bytes) -> None:
        """It says more."""
        self._said = (self._said + data)[-TAIL:]

    def connection_lost(self, exc: Exception | None) -> None:
        """It says no more."""
        self._over.set()

    async def last(self) -> str:
        """Its last line, when it has ended or a moment has passed."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(0.5):
                await self._over.wait()
        lines = [line.strip() for line in self._said.decode(errors="replace").splitlines()]
        return next((line for line in reversed(lines) if line), "")


@dataclass
class Connection:
    """A server that has greeted us. `stir` is set when something about it may have changed, and
    `lost` is true when the line has ended."""

    stir: asyncio.Event = field(default_factory=asyncio.Event)
    lost: bool = False
    client: Client | None = None

    def drop(self) -> None:
        """The line has ended."""
        self.lost = True
        self.stir.set()

    async def listing(self) -> list[dict[str, Any]]:
        """All tools as the server lists them. Raises MCPError."""
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
        """The result of one call. Raises MCPError; when the caller goes, the server is told."""
        assert self.client is not None

        async def far(
            progress: float, total: float | None = None, message: str | None = None
        ) -> None:
            heard(message or (f"{progress:g} of {total:g}" if total else f"{progress:g}"))

        return _plain(await self.client.call_tool(tool, dict(given), progress_callback=far))


def _plain(model: Any) -> dict[str, Any]:
    made: dict[str, Any] = model.model_dump(mode="json", by_alias=True, exclude_none=True)
    return made


@asynccontextmanager
async def connected(
    *,
    command: str,
    args: tuple[str, ...],
    env: Mapping[str, str],
    url: str,
    headers: Mapping[str, str],
    mark: str,
    tail: Tail,
    within: float,
) -> AsyncIterator[Connection]:
    """A server's line, from the greeting on. `mark` is by which its processes are known."""
    made = Connection()
    async with AsyncExitStack() as stack:
        if command:
            errors = await stack.enter_async_context(_heard(tail))
            parameters = StdioServerParameters(
                command=command, args=list(args), env={**env, MARK: mark}, cwd=Path.home()
            )
            transport: Any = stdio_client(parameters, errlog=errors)
        else:
            transport = await _over_http(stack, url, headers)
        made.client = Client(
            _Watched(transport, made.drop),
            message_handler=_Heard(made.stir),
            client_info=types.Implementation(name="pilothouse", version=__version__),
            cache=None,
        )
        async with asyncio.timeout(within):
            client = await stack.enter_async_context(made.client)
        tasks = Tasks()
        stack.push_async_callback(tasks.close)
        told = client.server_capabilities.tools
        newer = client.protocol_version in MODERN_PROTOCOL_VERSIONS
        if newer and told is not None and told.list_changed:
            tasks.start(_listen(client, made.stir), "hear of other tools")
        yield made


@asynccontextmanager
async def _heard(tail: Tail) -> AsyncIterator[Any]:
    """A file for a process to complain into."""
    ours, theirs = os.pipe()
    with os.fdopen(theirs, "w") as errors:
        loop = asyncio.get_running_loop()
        reading, _ = await loop.connect_read_pipe(lambda: tail, os.fdopen(ours, "rb", 0))
        try:
            yield errors
        finally:
            errors.close()
            await tail.last()
            reading.close()


async def _over_http(
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


async def _listen(client: Client, stir: asyncio.Event) -> None:
    """Hear of changes as newer servers tell them; older ones tell them unasked."""
    try:
        async with client.listen(tools_list_changed=True) as subscription:
            async for _ in subscription:
                stir.set()
    except (SubscriptionLost, MCPError):
        stir.set()  # it told us all it would: look once more


class _Heard:
    """What a server says without being asked."""

    def __init__(self, stir: asyncio.Event) -> None:
        self._stir = stir

    async def __call__(self, message: Any) -> None:
        if isinstance(message, types.ToolListChangedNotification):
            self._stir.set()


class _Watched:
    """A transport that says when the other side has hung up."""

    def __init__(self, inner: AbstractAsyncContextManager[Any], ended: Callable[[], None]) -> None:
        self._inner = inner
        self._ended = ended

    async def __aenter__(self) -> Any:
        read, write = await self._inner.__aenter__()
        return _Reading(read, self._ended), write

    async def __aexit__(self, *error: Any) -> bool | None:
        return await self._inner.__aexit__(*error)


class _Reading:
    """What comes in, until it ends."""

    def __init__(self, inner: Any, ended: Callable[[], None]) -> None:
        self._inner = inner
        self._ended = ended

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)

    def __aiter__(self) -> _Reading:
        return self

    async def __anext__(self) -> Any:
        try:
            return await self._inner.__anext__()
        except BaseException:
            self._ended()
            raise

    async def __aenter__(self) -> _Reading:
        await self._inner.__aenter__()
        return self

    async def __aexit__(self, *error: Any) -> bool | None:
        ended: bool | None = await self._inner.__aexit__(*error)
        return ended
