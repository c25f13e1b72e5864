"""The line to another server by the SDK: greeted, listed, called, lost."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from pilothouse.daemon.external_mcp_servers.sdk_client import (
    McpClientConnection,
    StderrTail,
    connect_server,
)
from pilothouse.tools.tool_config_file import McpServerConfig
from tests.daemon.npm_mcp_servers import SMALL, lives

pytestmark = pytest.mark.timeout(180)

MODERN = Path(__file__).parents[1] / "mcp_server_new_tools.py"


@asynccontextmanager
async def _line(*args: str, tail: StderrTail | None = None) -> AsyncIterator[McpClientConnection]:
    async with connect_server(
        command=sys.executable,
        args=args,
        env={"GIVEN": "this"},
        url="",
        headers={},
        mark="/nowhere/mark",
        tail=tail or StderrTail(),
        within=90.0,
    ) as connection:
        yield connection


async def test_line_lists_and_calls() -> None:
    heard: list[str] = []
    async with _line(str(SMALL)) as line:
        assert {"pid", "echo"} <= {tool["name"] for tool in await line.list_tools()}
        called = await line.call("echo", {"text": "hello"}, heard.append)
        assert called["content"] == [{"type": "text", "text": "hello"}]
        await line.call("sleep", {"seconds": 0}, heard.append)
        assert not line.lost
        around = (await line.call("surroundings", {}, heard.append))["content"][0]["text"]
        assert '"PILOTHOUSE_RUN": "/nowhere/mark"' in around
        assert '"GIVEN": "this"' in around


async def test_line_that_ends_is_lost_without_anybody_asking() -> None:
    tail = StderrTail()
    async with _line(str(SMALL), tail=tail) as line:
        pid = int((await line.call("pid", {}, str))["content"][0]["text"])
        line.changed.clear()
        os.kill(pid, 9)
        async with asyncio.timeout(60):
            await line.changed.wait()
        assert line.lost
    assert await tail.last_line() == ""


async def test_last_words_are_kept() -> None:
    tail = StderrTail()
    with pytest.raises(ExceptionGroup):
        async with _line(str(SMALL), "--dies", tail=tail):
            pass
    assert await tail.last_line() == "it cannot start without anything"


async def test_only_the_end_of_many_words_is_kept() -> None:
    tail = StderrTail()
    assert await tail.last_line() == ""
    tail.data_received(b"x\n" * 100_000 + b"the last\n\n")
    assert await tail.last_line() == "the last"


async def test_newest_servers_tell_of_tools_to_those_who_listen() -> None:
    # Without -P, the folder tests/daemon/mcp beside the script would hide the SDK.
    modern = McpServerConfig("modern", command=sys.executable, args=("-P", str(MODERN)))
    async with lives({"modern": modern}) as (_, board):
        await board.come("mcp_modern_grow", "mcp_modern_add")
        assert await board.use("mcp_modern_add", a=1, b=2) == {
            "text": "3",
            "structured": {"result": 3},
        }
        wrong = await board.use("mcp_modern_add", a="one", b=2)
        assert wrong["hint"] == "check the arguments: the MCP server modern reported this error"
        assert (await board.use("mcp_modern_grow"))["text"] == "it grew"
        await board.come("mcp_modern_fins")
        assert (await board.use("mcp_modern_fins"))["text"] == "it swims"
