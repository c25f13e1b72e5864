"""The SDK server with the SDK's own client: progress, cancellation, roots, changes, logging."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import mcp_types as types
import pytest
from mcp import MCPError
from mcp.client.client import Client

from pilothouse.daemon.mcp.sdk_server import McpServer
from tests.daemon.mcp_sessions_without_browser import Room

BOTH = pytest.mark.parametrize("mode", ["legacy", "auto"])


@pytest.fixture
async def room(tmp_path: Path) -> Room:
    return Room(tmp_path)


@asynccontextmanager
async def connected(
    room: Room, mode: str = "legacy", **more: Any
) -> AsyncIterator[tuple[Client, McpServer]]:
    mcp_session = room.mcp_session()
    served = McpServer(lambda _: mcp_session)
    async with asyncio.timeout(60), Client(served.server, mode=mode, **more) as client:
        yield client, served


@BOTH
async def test_tools_are_listed_and_called(room: Room, mode: str) -> None:
    async with connected(room, mode) as (client, _):
        names = [tool.name for tool in (await client.list_tools()).tools]
        assert {"browser_snapshot", "wait", "where"} <= set(names)
        told = await client.call_tool("where", {})
        assert told.structured_content == {"success": True, "roots": []}
        assert not told.is_error


@BOTH
async def test_a_refusal_is_a_result(room: Room, mode: str) -> None:
    async with connected(room, mode) as (client, _):
        told = await client.call_tool("nowhere", {})
        assert told.is_error
        assert told.structured_content is not None
        assert told.structured_content["error"] == "unknown tool 'nowhere'"


@BOTH
async def test_roots_are_asked_for_with_the_first_call(room: Room, mode: str) -> None:
    asked = 0

    async def roots(context: Any) -> types.ListRootsResult:
        nonlocal asked
        asked += 1
        return types.ListRootsResult(roots=[types.Root(uri="file:///home/ann")])  # type: ignore[arg-type]

    async with connected(room, mode, list_roots_callback=roots) as (client, _):
        for _ in range(2):
            told = await client.call_tool("where", {})
            assert told.structured_content == {"success": True, "roots": ["/home/ann"]}
    assert asked == 1


async def test_roots_that_moved_are_asked_for_again(room: Room) -> None:
    at = "file:///one"

    async def roots(context: Any) -> types.ListRootsResult:
        return types.ListRootsResult(roots=[types.Root(uri=at)])  # type: ignore[arg-type]

    async with connected(room, list_roots_callback=roots) as (client, _):
        await client.call_tool("where", {})
        at = "file:///two"
        moved = types.RootsListChangedNotification()
        await client.session.send_notification(moved)
        await client.list_resources()  # it was heard before this
        told = await client.call_tool("where", {})
        assert told.structured_content == {"success": True, "roots": ["/two"]}


async def test_a_client_that_refuses_to_say_its_roots_has_none(room: Room) -> None:
    async def roots(context: Any) -> types.ErrorData:
        return types.ErrorData(code=-32603, message="no")

    async with connected(room, list_roots_callback=roots) as (client, _):
        told = await client.call_tool("where", {})
        assert told.structured_content == {"success": True, "roots": []}


async def test_progress_reaches_the_one_who_asked_for_it(room: Room) -> None:
    heard: list[tuple[float, str | None]] = []

    async def hear(progress: float, total: float | None, message: str | None) -> None:
        heard.append((progress, message))
        room.go.set()

    async with connected(room) as (client, _):
        await client.call_tool("wait", {}, progress_callback=hear)
    assert heard == [(1.0, "waiting for a word")]


async def test_a_call_that_is_cancelled_stops(room: Room) -> None:
    async with connected(room) as (client, _):
        call = asyncio.ensure_future(client.call_tool("wait", {}))
        await room.begun.wait()
        call.cancel()
        await room.stopped.wait()
        assert (await client.call_tool("where", {})).is_error is False


@pytest.mark.parametrize("tool", ["dropped", "shapeless"])
async def test_a_tool_that_breaks_in_any_way_is_answered_and_the_session_lives(
    room: Room, tool: str
) -> None:
    async with connected(room) as (client, _), asyncio.timeout(20):
        assert (await client.call_tool(tool, {})).is_error is True
        assert (await client.call_tool("where", {})).is_error is False


async def test_calls_do_not_wait_for_each_other(room: Room) -> None:
    async with connected(room) as (client, _):
        slow = asyncio.ensure_future(client.call_tool("wait", {}))
        await room.begun.wait()
        assert (await client.call_tool("where", {})).is_error is False
        assert not slow.done()
        room.go.set()
        assert (await slow).structured_content == {"success": True, "waited": True}


async def test_a_change_of_tools_is_told(room: Room) -> None:
    told = asyncio.Event()

    async def hear(message: Any) -> None:
        if isinstance(message, types.ToolListChangedNotification):
            told.set()

    async with connected(room, message_handler=hear) as (client, served):
        await client.list_tools()
        assert client.server_capabilities is not None
        await served.notify_tools_changed()
        await told.wait()


async def test_who_wants_a_log_is_told_of_what_failed(room: Room) -> None:
    logged: asyncio.Queue[Any] = asyncio.Queue()

    async def log(params: types.LoggingMessageNotificationParams) -> None:
        logged.put_nowait((params.level, params.data))

    async with connected(room, logging_callback=log) as (client, _):
        await client.call_tool("nowhere", {})
        params = types.SetLevelRequestParams(level="info")
        await client.session.send_request(types.SetLevelRequest(params=params), types.EmptyResult)
        await client.call_tool("elsewhere", {})
        told = {"tool": "elsewhere", "error": "unknown tool 'elsewhere'"}
        # Of the call before nothing was said: nobody had asked for a log.
        assert await logged.get() == ("warning", told)


@BOTH
async def test_what_is_not_there_to_read_is_named(room: Room, mode: str) -> None:
    async with connected(room, mode) as (client, _):
        uris = [str(one.uri) for one in (await client.list_resources()).resources]
        assert uris == ["pilothouse://journal"]
        with pytest.raises(MCPError, match="there is nothing at pilothouse://x"):
            await client.read_resource("pilothouse://x")
