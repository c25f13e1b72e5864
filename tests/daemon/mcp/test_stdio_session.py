"""One stdio client from its first message to its last: order, roots, cancellation, failures."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from pilothouse.daemon.mcp.initialize import HANDSHAKE_VERSIONS, RESUME, initialize_result
from pilothouse.daemon.mcp.protocol import Phase
from pilothouse.daemon.mcp.session import McpSession
from pilothouse.daemon.mcp.stdio_session import CALLS_AT_ONCE, McpStdioSession
from tests.daemon.mcp_sessions_without_browser import Room
from tests.daemon.mcp_stdio_messages import ENVELOPE, enveloped, greeting, line

WITHIN_S = 20.0


@pytest.fixture
async def room(tmp_path: Path) -> Room:
    return Room(tmp_path)


class Talk:
    """A session, and what it has sent."""

    def __init__(self, mcp_session: McpSession) -> None:
        self.said: list[Any] = []
        self._came = asyncio.Event()
        self.session = McpStdioSession(mcp_session, self._hear)

    def _hear(self, sent: bytes) -> None:
        assert sent.endswith(b"\n")
        assert sent.count(b"\n") == 1
        self.said.append(json.loads(sent))
        self._came.set()

    def greet(self, version: str = "2025-11-25", **able: Any) -> Talk:
        """Do the handshake, and forget its reply."""
        self.session.feed(greeting(version, **able))
        self.session.feed(line("notifications/initialized"))
        self.said.pop(0)
        return self

    def phase(self) -> Phase:
        """How far the session has come."""
        return self.session.phase

    def feed(self, *lines: bytes) -> list[Any]:
        """What was sent at once because of these lines."""
        before = len(self.said)
        for one in lines:
            self.session.feed(one)
        return self.said[before:]

    async def answer(self, number: Any) -> Any:
        """The reply to a request."""
        async with asyncio.timeout(WITHIN_S):
            while True:
                for one in self.said:
                    if isinstance(one, dict) and one.get("id") == number and "method" not in one:
                        return one
                await self.wait()

    async def sent(self, method: str, count: int = 1) -> Any:
        """The newest message with that method, once there are so many."""
        async with asyncio.timeout(WITHIN_S):
            while len(found := [one for one in self.said if one.get("method") == method]) < count:
                await self.wait()
        return found[-1]

    async def wait(self) -> None:
        """Wait until something is sent."""
        self._came.clear()
        await self._came.wait()


@pytest.fixture
async def talk(room: Room) -> Talk:
    return Talk(room.mcp_session())


@pytest.mark.parametrize("version", HANDSHAKE_VERSIONS)
async def test_a_known_version_is_spoken_from_the_greeting_on(talk: Talk, version: str) -> None:
    (reply,) = talk.feed(greeting(version))
    assert reply["result"] == initialize_result(version)
    assert reply["result"]["protocolVersion"] == version
    (listed,) = talk.feed(line("tools/list", 2))
    assert "browser_snapshot" in [tool["name"] for tool in listed["result"]["tools"]]


async def test_the_beginning_of_a_session_decides_its_form(room: Room) -> None:
    old, new = Talk(room.mcp_session("a")), Talk(room.mcp_session("b"))
    (refused,) = old.feed(line("tools/list", 1))
    assert refused["error"]["message"] == "tools/list: send initialize first"
    assert old.phase() is Phase.UNGREETED
    (refused,) = old.feed(enveloped("tools/list", 2))
    assert refused["error"]["code"] == -32600
    old.greet()
    assert old.phase() is Phase.GREETED
    (found,) = new.feed(enveloped("server/discover", 1))
    assert found["result"]["supportedVersions"] == ["2026-07-28"]
    (refused,) = new.feed(greeting())
    assert refused["error"]["code"] == -32022
    assert refused["error"]["data"] == {"supported": ["2026-07-28"], "requested": "2025-11-25"}
    assert new.phase() is Phase.ENVELOPE


async def test_a_session_goes_on_from_a_handshake_that_somebody_else_has_answered(
    talk: Talk,
) -> None:
    asked = json.loads(greeting(roots={}))["params"]
    resume = line(RESUME, initialize=asked, initialized=True)
    assert talk.feed(resume) == []
    assert (await talk.sent("roots/list"))["id"]
    (listed,) = talk.feed(line("tools/list", 1))
    assert listed["result"]["tools"]
    # A client that is already there cannot be replaced.
    talk.feed(line(RESUME, initialize={**asked, "clientInfo": {"name": "x", "version": "1"}}))
    assert talk.said[-1] == listed


async def test_a_handshake_that_is_none_is_not_resumed(talk: Talk) -> None:
    assert talk.feed(line(RESUME, initialize={"protocolVersion": 7}), line(RESUME)) == []
    assert talk.phase() is Phase.OPENING


@pytest.mark.parametrize(
    ("wrong", "code", "number"),
    [
        (b"nonsense\n", -32700, None),
        (b"\xff\xfe\n", -32700, None),
        (b"[" * 200_000 + b"\n", -32700, None),
        (b"7\n", -32600, None),
        (b"[]\n", -32600, None),
        (b'[{"jsonrpc":"2.0","id":1,"method":"ping"}]\n', -32600, None),
        (b'{"jsonrpc":"1.0","id":1,"method":"ping"}\n', -32600, 1),
        (b'{"jsonrpc":"2.0","id":1,"method":7}\n', -32600, 1),
        (b'{"jsonrpc":"2.0","id":1,"method":"ping","params":[]}\n', -32600, 1),
        (b'{"jsonrpc":"2.0","id":true,"method":"ping"}\n', -32600, None),
        (b'{"jsonrpc":"2.0","id":null,"method":"ping"}\n', -32600, None),
        (b'{"jsonrpc":"2.0","id":1.5,"method":"ping"}\n', -32600, None),
    ],
)
async def test_what_is_no_message_is_answered_with_what_it_should_be(
    talk: Talk, wrong: bytes, code: int, number: int | None
) -> None:
    talk.greet()
    (reply,) = talk.feed(wrong)
    assert (reply["error"]["code"], reply["id"]) == (code, number)
    (reply,) = talk.feed(line("ping", 2))
    assert reply == {"jsonrpc": "2.0", "id": 2, "result": {}}


@pytest.mark.parametrize(
    "response",
    [
        b'{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"x"}}\n',
        b'{"jsonrpc":"2.0","id":99,"result":{}}\n',
        b'{"jsonrpc":"2.0","id":["x"],"result":{}}\n',
        b'{"result":1}\n',
        b"{}\n",
        b'{"jsonrpc":"2.0","id":null,"method":"notifications/initialized"}\n',
    ],
)
async def test_what_looks_like_a_response_gets_none(talk: Talk, response: bytes) -> None:
    assert talk.greet().feed(response) == []


@pytest.mark.parametrize("number", ["\ud800", 10**40, "Ü\n", -1, ""])
async def test_every_id_comes_back_as_it_was_sent(talk: Talk, number: Any) -> None:
    (reply,) = talk.greet().feed(line("ping", number))
    assert reply == {"jsonrpc": "2.0", "id": number, "result": {}}


@pytest.mark.parametrize(
    ("request_line", "problem"),
    [
        (line("tools/call", 1, name=7), "params.name: expected `str`, got `int`"),
        (line("tools/call", 1), "params: object missing required field `name`"),
        (
            line("tools/call", 1, name="x", arguments=[]),
            "params.arguments: expected `object | null",
        ),
        (line("tools/list", 1, cursor=7), "params.cursor: expected `str | null`, got `int`"),
        (line("ping", 1, _meta=7), "params._meta: expected `object`, got `int`"),
        (line("logging/setLevel", 1, level="loud"), "params.level: invalid enum value 'loud'"),
        (line("initialize", 1), "params.protocolVersion: expected a string"),
        (
            line("initialize", 1, protocolVersion="x", capabilities={}, clientInfo={"name": "x"}),
            "params.clientInfo.version: expected a string",
        ),
    ],
)
async def test_a_wrong_parameter_is_named(talk: Talk, request_line: bytes, problem: str) -> None:
    (reply,) = talk.greet().feed(request_line)
    assert reply["error"]["code"] == -32602
    assert reply["error"]["message"].startswith(problem)


@pytest.mark.parametrize("method", ["no/such", "", "server/discover", "completion/complete"])
async def test_a_method_that_is_not_offered_is_not_found(talk: Talk, method: str) -> None:
    (reply,) = talk.greet().feed(line(method, 1))
    assert reply["error"] == {"code": -32601, "message": "Method not found", "data": method}


# Batches.


async def test_a_batch_is_answered_with_one_list_in_the_version_that_has_batches(
    talk: Talk,
) -> None:
    talk.greet("2025-03-26")
    batch = [json.loads(line("tools/call", 1, name="where")), json.loads(line("ping", 2)), 7]
    batch.append(json.loads(line("notifications/cancelled", requestId=99)))
    assert talk.feed(json.dumps(batch).encode()) == []
    await talk.wait()
    (replies,) = talk.said
    assert {one["id"]: "result" in one for one in replies} == {1: True, 2: True, None: False}


async def test_a_cancelled_request_is_left_out_of_its_batch(talk: Talk) -> None:
    talk.greet("2025-03-26")
    batch = [json.loads(line("tools/call", 1, name="wait")), json.loads(line("ping", 2))]
    talk.feed(json.dumps(batch).encode())
    talk.feed(line("notifications/cancelled", requestId=1))
    await talk.wait()
    assert talk.said == [[{"jsonrpc": "2.0", "id": 2, "result": {}}]]


# Calls.


async def test_calls_do_not_wait_for_each_other(room: Room, talk: Talk) -> None:
    talk.greet().feed(line("tools/call", 1, name="wait"), line("tools/call", 2, name="where"))
    assert (await talk.answer(2))["result"]["isError"] is False
    assert 1 in talk.session.running
    room.go.set()
    told = (await talk.answer(1))["result"]["structuredContent"]
    assert told == {"success": True, "waited": True}


async def test_progress_reaches_the_one_who_asked_for_it(room: Room, talk: Talk) -> None:
    talk.greet().feed(line("tools/call", 1, name="wait", _meta={"progressToken": "p"}))
    said = (await talk.sent("notifications/progress"))["params"]
    assert said == {"progressToken": "p", "progress": 1, "message": "waiting for a word"}
    room.go.set()
    await talk.answer(1)


async def test_a_call_that_is_cancelled_stops_and_is_not_answered(room: Room, talk: Talk) -> None:
    talk.greet().feed(line("tools/call", 1, name="wait"))
    async with asyncio.timeout(WITHIN_S):
        await room.begun.wait()
        for other in (True, 1.0, "1", None, [1]):
            talk.feed(line("notifications/cancelled", requestId=other))
        assert not room.stopped.is_set()
        running = talk.session.running[1]
        talk.feed(line("notifications/cancelled", requestId=1))
        await asyncio.wait([running])
        await asyncio.sleep(0)
    assert room.stopped.is_set()
    talk.feed(line("tools/call", 1, name="where"))  # its id is free again
    assert (await talk.answer(1))["result"]["structuredContent"]["success"] is True
    assert len(talk.said) == 1


async def test_a_call_that_is_cancelled_before_it_has_begun_is_not_answered(talk: Talk) -> None:
    talk.greet().feed(line("tools/call", 1, name="wait"))
    talk.feed(line("notifications/cancelled", requestId=1))
    talk.feed(line("tools/call", 2, name="where"))
    await talk.answer(2)
    assert [one["id"] for one in talk.said] == [2]


async def test_nobody_has_more_calls_under_way_than_anybody_means(talk: Talk) -> None:
    talk.greet()
    for number in range(CALLS_AT_ONCE):
        assert talk.feed(line("tools/call", number, name="wait")) == []
    (again,) = talk.feed(line("tools/call", 0, name="wait"))
    assert again["error"]["message"] == "id: 0 is already used by a running call"
    (refused,) = talk.feed(line("tools/call", "more", name="wait"))
    assert refused["error"]["code"] == -32000
    (pong,) = talk.feed(line("ping", "ping"))
    assert pong["result"] == {}
    first = talk.session.running[0]
    talk.feed(line("notifications/cancelled", requestId=0))
    await asyncio.wait([first], timeout=WITHIN_S)
    await asyncio.sleep(0)
    assert talk.feed(line("tools/call", "more", name="where")) == []
    await talk.answer("more")


async def test_the_end_of_a_session_stops_what_runs(room: Room, talk: Talk) -> None:
    talk.greet().feed(line("tools/call", 1, name="wait"))
    async with asyncio.timeout(WITHIN_S):
        await room.begun.wait()
        await talk.session.close()
    assert room.stopped.is_set()


@pytest.mark.parametrize("tool", ["dropped", "shapeless"])
async def test_a_tool_that_breaks_in_any_way_is_answered_and_the_session_lives(
    talk: Talk, tool: str
) -> None:
    talk.greet().feed(line("tools/call", 1, name=tool))
    assert (await talk.answer(1))["result"]["isError"] is True
    assert talk.feed(line("ping", 2))[0]["result"] == {}


class Broken(McpSession):
    """A session whose every call ends as `ends` says, past all that should have caught it."""

    ends: BaseException

    async def call_tool(self, name: str, given: Any, say: Any = None) -> dict[str, Any]:
        raise self.ends

    def list_tools(self) -> list[dict[str, Any]]:
        raise self.ends


@pytest.mark.parametrize("ends", [ZeroDivisionError("oh"), asyncio.CancelledError()])
async def test_a_call_is_answered_however_it_ends(room: Room, ends: BaseException) -> None:
    broken = Broken(room.daemon, "me")
    broken.ends = ends
    talk = Talk(broken).greet()
    talk.feed(line("tools/call", 1, name="browser_snapshot"))
    error = (await talk.answer(1))["error"]
    assert error["code"] == -32603
    assert error["message"].startswith("tools/call ")


async def test_a_list_that_cannot_be_made_is_answered_too(room: Room) -> None:
    broken = Broken(room.daemon, "me")
    broken.ends = ZeroDivisionError("oh")
    (reply,) = Talk(broken).greet().feed(line("tools/list", 1))
    assert "tools/list failed" in reply["error"]["message"]


# Roots.


def roots(asked: Mapping[str, Any], *uris: str) -> bytes:
    """The client's answer to a request for its roots."""
    listed = [{"uri": uri, "name": "root"} for uri in uris]
    answer = {"jsonrpc": "2.0", "id": asked["id"], "result": {"roots": listed}}
    return json.dumps(answer).encode()


async def where(talk: Talk, number: int) -> Any:
    talk.feed(line("tools/call", number, name="where"))
    return (await talk.answer(number))["result"]["structuredContent"]["roots"]


async def test_roots_are_asked_for_at_once_and_calls_wait_for_them(talk: Talk) -> None:
    talk.greet(roots={})
    asked = await talk.sent("roots/list")
    talk.feed(line("tools/call", 1, name="where"))
    await asyncio.sleep(0)
    assert [one.get("method") for one in talk.said] == ["roots/list"]
    answer = roots(asked, "file:///tmp/a%20b", "https://x/")
    talk.feed(answer, answer)  # a second answer changes nothing
    told = (await talk.answer(1))["result"]["structuredContent"]
    assert told["roots"] == ["/tmp/a b"]


async def test_roots_that_moved_are_asked_for_again(talk: Talk) -> None:
    talk.greet(roots={})
    talk.feed(roots(await talk.sent("roots/list"), "file:///one"))
    assert await where(talk, 1) == ["/one"]
    talk.feed(line("notifications/roots/list_changed"))
    talk.feed(line("tools/call", 2, name="where"))
    second = await talk.sent("roots/list", 2)
    talk.feed(line("notifications/roots/list_changed"))  # the call waits for the newest
    third = await talk.sent("roots/list", 3)
    talk.feed(roots(second, "file:///two"), roots(third, "file:///three"))
    told = (await talk.answer(2))["result"]["structuredContent"]
    assert told["roots"] == ["/three"]


async def test_a_client_that_does_not_confirm_the_handshake_is_asked_at_its_first_call(
    talk: Talk,
) -> None:
    talk.feed(greeting(roots={}))
    talk.feed(line("tools/call", 1, name="where"))
    talk.feed(roots(await talk.sent("roots/list"), "file:///one"))
    assert (await talk.answer(1))["result"]["structuredContent"]["roots"] == ["/one"]


@pytest.mark.parametrize(
    "answer",
    [{"error": {"code": -32603, "message": "no"}}, {"result": 7}, {"result": {"roots": 7}}],
)
async def test_a_client_that_refuses_to_say_its_roots_has_none(
    talk: Talk, answer: dict[str, Any]
) -> None:
    talk.greet(roots={})
    asked = await talk.sent("roots/list")
    talk.feed(json.dumps({"jsonrpc": "2.0", "id": asked["id"], **answer}).encode())
    assert await where(talk, 1) == []


async def test_a_client_that_never_says_its_roots_is_not_waited_for(
    talk: Talk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pilothouse.daemon.mcp.stdio_session.ROOTS_TIMEOUT_S", 0.01)
    talk.greet(roots={})
    asked = await talk.sent("roots/list")
    assert await where(talk, 1) == []
    told = (await talk.sent("notifications/cancelled"))["params"]
    assert told["requestId"] == asked["id"]
    talk.feed(roots(asked, "file:///late"))
    assert await where(talk, 2) == []


async def test_a_client_of_the_newer_protocol_repeats_its_call_with_its_roots(talk: Talk) -> None:
    able = {**ENVELOPE, "io.modelcontextprotocol/clientCapabilities": {"roots": {}}}
    talk.feed(line("tools/call", 1, name="where", _meta=able))
    told = (await talk.answer(1))["result"]
    assert told["resultType"] == "input_required"
    assert told["inputRequests"] == {"roots": {"method": "roots/list", "params": {}}}
    answers = {"roots": {"roots": [{"uri": "file:///a"}]}}
    talk.feed(line("tools/call", 2, name="where", _meta=able, inputResponses=answers))
    told = (await talk.answer(2))["result"]
    assert told["structuredContent"]["roots"] == ["/a"]
    assert told["resultType"] == "complete"


# Messages to the client.


async def test_a_change_of_tools_is_told_to_who_has_greeted(talk: Talk) -> None:
    talk.session.notify_tools_changed()
    assert talk.said == []
    talk.greet().session.notify_tools_changed()
    assert talk.said == [{"jsonrpc": "2.0", "method": "notifications/tools/list_changed"}]


async def test_a_client_of_the_newer_protocol_subscribes_to_changes(talk: Talk) -> None:
    for number, wanted in ((1, {"toolsListChanged": True}), (2, {"promptsListChanged": True})):
        talk.feed(enveloped("subscriptions/listen", number, notifications=wanted))
        told = await talk.sent("notifications/subscriptions/acknowledged", number)
        assert told["params"]["notifications"] == wanted
    talk.session.notify_tools_changed()
    key = "io.modelcontextprotocol/subscriptionId"
    told = {"method": "notifications/tools/list_changed", "params": {"_meta": {key: 1}}}
    assert talk.said[2:] == [{"jsonrpc": "2.0", **told}]
    task = talk.session.running[1]
    talk.feed(line("notifications/cancelled", requestId=1))
    await asyncio.wait([task], timeout=WITHIN_S)
    talk.session.notify_tools_changed()
    assert len(talk.said) == 3


async def test_who_wants_a_log_is_told_of_what_failed(talk: Talk) -> None:
    talk.greet().feed(line("tools/call", 1, name="nowhere"))
    await talk.answer(1)
    assert talk.feed(line("logging/setLevel", 2, level="info"))[0]["result"] == {}
    talk.feed(line("tools/call", 3, name="elsewhere"))
    await talk.answer(3)
    told = {"tool": "elsewhere", "error": "unknown tool 'elsewhere'"}
    params = {"level": "warning", "logger": "pilothouse", "data": told}
    logged = {"jsonrpc": "2.0", "method": "notifications/message", "params": params}
    # Of the call before nothing was said: nobody had asked for a log.
    assert [one for one in talk.said if "method" in one] == [logged]


async def test_what_is_not_there_to_read_is_named(talk: Talk) -> None:
    (listed,) = talk.greet().feed(line("resources/list", 1))
    assert [one["uri"] for one in listed["result"]["resources"]] == ["pilothouse://journal"]
    talk.feed(line("resources/read", 2, uri="pilothouse://x"))
    error = (await talk.answer(2))["error"]
    assert error["message"] == "there is nothing at pilothouse://x"
    assert error["data"] == {"uri": "pilothouse://x", "hint": "see the list of resources"}


async def test_a_client_says_that_it_sees_no_images(room: Room) -> None:
    mcp_session = room.mcp_session()
    talk = Talk(mcp_session).greet(experimental={"images": False})
    talk.feed(line("tools/call", 1, name="shoot"))
    blocks = (await talk.answer(1))["result"]["content"]
    assert [block["type"] for block in blocks] == ["text", "resource_link"]
    assert room.daemon.names["me"] == "t"
