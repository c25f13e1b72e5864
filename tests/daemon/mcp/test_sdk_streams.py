"""Lines as the SDK wants them: what is none is answered, and nobody asks without end."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from pilothouse.daemon.mcp.sdk_server import McpServer
from pilothouse.daemon.mcp.sdk_streams import CALLS_AT_ONCE, McpStream
from tests.daemon.mcp_sessions_without_browser import Room


@pytest.fixture
async def room(tmp_path: Path) -> Room:
    return Room(tmp_path)


class Heard:
    """What the line said."""

    def __init__(self) -> None:
        self.lines: list[Any] = []
        self._came = asyncio.Event()

    def __call__(self, line: bytes) -> None:
        self.lines.append(json.loads(line))
        self._came.set()

    async def until(self, count: int) -> list[Any]:
        async with asyncio.timeout(30):
            while len(self.lines) < count:
                self._came.clear()
                await self._came.wait()
        return self.lines


@asynccontextmanager
async def served(room: Room) -> AsyncIterator[tuple[McpStream, Heard]]:
    heard = Heard()
    line = McpStream(heard)
    mcp_session = room.mcp_session()
    serving = asyncio.ensure_future(line.serve(McpServer(lambda _: mcp_session).server))
    greeting = {
        "protocolVersion": "2025-11-25",
        "capabilities": {},
        "clientInfo": {"name": "t", "version": "1"},
    }
    await line.feed(said("initialize", 0, greeting))
    await line.feed(said("notifications/initialized"))
    await heard.until(1)
    heard.lines.clear()
    try:
        yield line, heard
    finally:
        async with asyncio.timeout(30):
            await line.end()
            await serving


def said(method: str, number: Any = None, params: Any = None) -> bytes:
    message = {"jsonrpc": "2.0", "method": method}
    if number is not None:
        message["id"] = number
    if params is not None:
        message["params"] = params
    return json.dumps(message).encode()


async def test_what_is_no_message_is_said_to_be_none(room: Room) -> None:
    async with served(room) as (line, heard):
        for odd in (b"nonsense", b"\xff\xfe", b"[" * 200_000, b'{"method": 7}'):
            await line.feed(odd)
        codes = [one["error"]["code"] for one in await heard.until(4)]
        assert codes == [-32700, -32700, -32700, -32600]
        await line.feed(said("ping", 1))
        assert (await heard.until(5))[-1]["result"] == {}


async def test_what_looks_like_an_answer_is_not_answered(room: Room) -> None:
    async with served(room) as (line, heard):
        await line.feed(b'{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"x"}}')
        await line.feed(b'{"jsonrpc":"2.0","id":99,"result":{}}')
        await line.feed(b'{"result":1}')
        await line.feed(said("ping", 1))
        assert [one.get("id") for one in await heard.until(1)] == [1]


async def test_an_answer_that_was_given_is_not_given_again(room: Room) -> None:
    async with served(room) as (line, heard):
        await line.feed(said("ping", 1), answered=True)
        await line.feed(said("ping", 2))
        await line.feed(said("ping", 1))
        assert sorted(one["id"] for one in await heard.until(2)) == [1, 2]


async def test_nobody_has_more_calls_under_way_than_anybody_means(room: Room) -> None:
    async with served(room) as (line, heard):
        call = {"name": "wait", "arguments": {}}
        for number in range(CALLS_AT_ONCE + 2):
            await line.feed(said("tools/call", number, call))
        refused = await heard.until(2)
        assert [one["id"] for one in refused] == [CALLS_AT_ONCE, CALLS_AT_ONCE + 1]
        for number in range(CALLS_AT_ONCE):
            await line.feed(said("notifications/cancelled", params={"requestId": number}))
        # What was cancelled has made room, and was not answered.
        while True:
            heard.lines.clear()
            await line.feed(said("ping", "room"))
            (answer,) = await heard.until(1)
            assert answer["id"] == "room"
            if "result" in answer:
                break
            await asyncio.sleep(0)


async def test_the_end_of_the_line_stops_what_runs(room: Room) -> None:
    async with served(room) as (line, _):
        await line.feed(said("tools/call", 1, {"name": "wait", "arguments": {}}))
        async with asyncio.timeout(30):
            await room.begun.wait()
    assert room.stopped.is_set()
    await line.feed(said("ping", 2))  # nobody is there, and nobody waits
