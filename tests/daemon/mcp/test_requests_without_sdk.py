"""The first messages are answered before the SDK is there, and exactly as it would answer them."""

from __future__ import annotations

import asyncio
import json
import re
from pathlib import Path
from typing import Any

import pytest

from pilothouse.daemon.daemon import Daemon
from pilothouse.daemon.mcp.initialize import FULL_RESULT_VERSIONS
from pilothouse.daemon.mcp.requests_without_sdk import ROOTS_ID, EarlyRequests
from pilothouse.daemon.mcp.sdk_server import McpServer
from pilothouse.daemon.mcp.sdk_streams import McpStream
from pilothouse.daemon.mcp.session import McpSession
from pilothouse.paths import RuntimePaths
from pilothouse.settings import Settings

INFO = {"name": "t", "version": "1"}


@pytest.fixture
async def mcp_session(tmp_path: Path) -> McpSession:
    """An MCP session in a daemon that has no browser."""
    return McpSession(Daemon(RuntimePaths(tmp_path), Settings()), "me")


def line(method: str, number: Any = None, **params: Any) -> bytes:
    message: dict[str, Any] = {"jsonrpc": "2.0", "method": method}
    if number is not None:
        message["id"] = number
    if params:
        message["params"] = params
    return json.dumps(message).encode() + b"\n"


def greeting(version: str = "2025-11-25", **able: Any) -> bytes:
    return line("initialize", 0, protocolVersion=version, capabilities=able, clientInfo=INFO)


def asked(version: str) -> list[bytes]:
    """What agents ask first."""
    return [
        greeting(version),
        line("notifications/initialized"),
        line("ping", 1),
        line("tools/list", 2),
        line("tools/call", 3, name="no_such_tool", arguments={"a": 1}),
        line("tools/call", "four", name="browser_snapshot"),
    ]


async def answers_of_early(mcp_session: McpSession, lines: list[bytes]) -> dict[Any, Any]:
    said: list[bytes] = []
    early = EarlyRequests(mcp_session, said.append)
    for one in lines:
        early.feed(one)
    if early.running:
        await asyncio.wait(list(early.running.values()), timeout=10)
    assert early.unanswered == []
    return by_id(said)


async def answers_of_sdk(mcp_session: McpSession, lines: list[bytes]) -> dict[Any, Any]:
    said: list[bytes] = []
    wanted, whole = sum(b'"id"' in one for one in lines), asyncio.Event()

    def hear(line: bytes) -> None:
        said.append(line)
        if len(said) == wanted:
            whole.set()

    sdk = McpStream(hear)
    serving = asyncio.ensure_future(sdk.serve(McpServer(lambda _: mcp_session).server))
    for one in lines:
        await sdk.feed(one)
    async with asyncio.timeout(20):
        await whole.wait()
        await sdk.end()
        await serving
    return by_id(said)


def by_id(said: list[bytes]) -> dict[Any, Any]:
    """Answers by their number; the words of marks are made anew each time."""
    found = [json.loads(re.sub(rb"\b[0-9a-f]{12}\b", b"word", one)) for one in said]
    return {one["id"]: one for one in found}


@pytest.mark.parametrize("version", FULL_RESULT_VERSIONS)
async def test_early_answers_are_the_sdks_answers(version: str, mcp_session: McpSession) -> None:
    lines = asked(version)
    early = await answers_of_early(mcp_session, lines)
    assert sorted(map(str, early)) == ["0", "1", "2", "3", "four"]
    assert early == await answers_of_sdk(mcp_session, lines)


@pytest.mark.parametrize(
    "only_the_sdk",
    [
        greeting("2024-11-05"),
        greeting("1999-01-01"),
        line("initialize", 0, protocolVersion="2025-11-25"),
        line("tools/list", 1),
        line("server/discover", 1),
        b"nonsense\n",
        b"[" * 100_000 + b"\n",
        b'{"jsonrpc":"1.0","id":1,"method":"ping"}\n',
        b"[]\n",
        b"7\n",
    ],
)
async def test_what_comes_before_a_greeting_that_is_known_waits_for_the_sdk(
    only_the_sdk: bytes, mcp_session: McpSession
) -> None:
    said: list[bytes] = []
    early = EarlyRequests(mcp_session, said.append)
    early.feed(only_the_sdk)
    early.feed(greeting())
    assert said == []
    assert early.unanswered == [only_the_sdk, greeting()]


async def test_after_one_message_that_waits_all_wait_and_the_sdk_hears_the_greeting(
    mcp_session: McpSession,
) -> None:
    said: list[bytes] = []
    early = EarlyRequests(mcp_session, said.append)
    early.feed(greeting())
    early.feed(line("notifications/initialized"))
    early.feed(line("resources/list", 1))
    early.feed(line("tools/list", 2))
    assert list(by_id(said)) == [0]
    assert early.answered == [greeting(), line("notifications/initialized")]
    assert early.unanswered == [line("resources/list", 1), line("tools/list", 2)]


@pytest.mark.parametrize(
    "odd",
    [
        line("tools/call", 1, name=7),
        line("tools/call", 1, name="x", arguments=[]),
        line("tools/call", 1, name="x", task={}),
        line("tools/list", 1, cursor="x"),
        b'{"jsonrpc":"2.0","id":true,"method":"ping"}\n',
        b'{"jsonrpc":"2.0","id":null,"method":"ping"}\n',
        b'{"jsonrpc":"2.0","id":1,"method":"ping","params":[]}\n',
        line("ping", 1, _meta={"io.modelcontextprotocol/protocolVersion": "2026-07-28"}),
    ],
)
async def test_what_is_odd_is_for_the_sdk(odd: bytes, mcp_session: McpSession) -> None:
    said: list[bytes] = []
    early = EarlyRequests(mcp_session, said.append)
    early.feed(greeting())
    early.feed(odd)
    assert early.unanswered == [odd]
    assert early.running == {}


async def test_roots_are_asked_for_and_calls_wait_for_them(mcp_session: McpSession) -> None:
    said: list[bytes] = []
    early = EarlyRequests(mcp_session, said.append)
    early.feed(greeting(roots={}))
    early.feed(line("notifications/initialized"))
    assert json.loads(said[-1]) == {"jsonrpc": "2.0", "id": ROOTS_ID, "method": "roots/list"}
    early.feed(line("tools/call", 1, name="no_such_tool"))
    await asyncio.sleep(0)
    assert len(said) == 2
    roots = {"roots": [{"uri": "file:///tmp/a%20b", "name": "a"}, {"uri": "https://x/"}]}
    early.feed(json.dumps({"jsonrpc": "2.0", "id": ROOTS_ID, "result": roots}).encode())
    await asyncio.wait(list(early.running.values()), timeout=10)
    assert json.loads(said[-1])["id"] == 1
    assert mcp_session.tool_session.files.roots == (Path("/tmp/a b"),)


async def test_a_call_that_is_cancelled_is_not_answered(mcp_session: McpSession) -> None:
    said: list[bytes] = []
    early = EarlyRequests(mcp_session, said.append)
    early.feed(greeting(roots={}))  # which it then waits for
    early.feed(line("tools/call", 1, name="no_such_tool"))
    (running,) = early.running.values()
    await asyncio.sleep(0)
    early.feed(line("notifications/cancelled", requestId=1))
    await asyncio.wait([running], timeout=10)
    assert running.cancelled()
    assert list(by_id(said)) == [0]
    assert early.running == {}


async def test_a_change_of_tools_is_told_to_who_has_greeted(mcp_session: McpSession) -> None:
    said: list[bytes] = []
    early = EarlyRequests(mcp_session, said.append)
    early.notify_tools_changed()
    early.feed(greeting())
    early.notify_tools_changed()
    assert json.loads(said[-1])["method"] == "notifications/tools/list_changed"
    assert len(said) == 2


async def greeted_one(mcp_session: McpSession, said: list[bytes], **able: Any) -> EarlyRequests:
    """As it is once the SDK has come: greeted, and nothing waits."""
    early = EarlyRequests(mcp_session, said.append)
    early.feed(greeting(**able))
    early.feed(line("notifications/initialized"))
    return early


async def test_calls_are_answered_here_after_the_sdk_came_and_the_rest_is_not(
    mcp_session: McpSession,
) -> None:
    said: list[bytes] = []
    early = await greeted_one(mcp_session, said)
    assert early.handle_after_handover(line("tools/call", 1, name="no_such_tool"))
    await asyncio.wait(list(early.running.values()), timeout=10)
    assert list(by_id(said)) == [0, 1]
    for other in (
        line("resources/list", 2),
        line("tools/list", 3),
        line("tools/call", 4, name="x", task={}),
        line("notifications/cancelled", requestId=9),
    ):
        assert not early.handle_after_handover(other)


@pytest.mark.parametrize(
    "word",
    [
        line("logging/setLevel", 2, level="info"),
        line("notifications/roots/list_changed"),
    ],
)
async def test_who_wants_a_log_or_has_moved_is_answered_by_the_sdk(
    word: bytes, mcp_session: McpSession
) -> None:
    early = await greeted_one(mcp_session, [])
    assert not early.handle_after_handover(word)
    assert not early.handle_after_handover(line("tools/call", 3, name="no_such_tool"))
    assert early.running == {}


async def test_what_was_begun_before_the_sdk_came_hears_its_answer_and_its_end(
    mcp_session: McpSession,
) -> None:
    said: list[bytes] = []
    early = await greeted_one(mcp_session, said, roots={})
    for number in (1, 2):
        early.feed(line("tools/call", number, name="no_such_tool"))
    running = list(early.running.values())
    await asyncio.sleep(0)
    assert early.handle_after_handover(line("notifications/cancelled", requestId=1))
    roots = {"jsonrpc": "2.0", "id": ROOTS_ID, "result": {"roots": []}}
    assert early.handle_after_handover(json.dumps(roots).encode())
    await asyncio.wait(running, timeout=10)
    assert mcp_session.has_roots
    assert json.loads(said[-1])["id"] == 2


class Broken(McpSession):
    """A session whose every call ends as `ends` says, past all that should have caught it."""

    ends: BaseException

    async def call_tool(self, name: str, given: Any, say: Any = None) -> dict[str, Any]:
        raise self.ends

    def list_tools(self) -> list[dict[str, Any]]:
        raise self.ends


@pytest.mark.parametrize("ends", [ZeroDivisionError("oh"), asyncio.CancelledError()])
async def test_a_call_is_answered_however_it_ends(tmp_path: Path, ends: BaseException) -> None:
    mcp_session = Broken(Daemon(RuntimePaths(tmp_path), Settings()), "me")
    mcp_session.ends = ends
    said: list[bytes] = []
    early = await greeted_one(mcp_session, said)
    early.feed(line("tools/call", 1, name="browser_snapshot"))
    await asyncio.wait(list(early.running.values()), timeout=10)
    await asyncio.sleep(0)
    assert by_id(said)[1]["error"]["message"].startswith("the call ")


async def test_a_list_that_cannot_be_made_is_answered_too(tmp_path: Path) -> None:
    mcp_session = Broken(Daemon(RuntimePaths(tmp_path), Settings()), "me")
    mcp_session.ends = ZeroDivisionError("oh")
    said: list[bytes] = []
    early = await greeted_one(mcp_session, said)
    early.feed(line("tools/list", 1))
    assert "listing the tools failed" in by_id(said)[1]["error"]["message"]
