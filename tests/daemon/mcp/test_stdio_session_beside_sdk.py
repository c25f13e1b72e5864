"""The same messages to our stdio session and to the SDK's own server: both send the same.

Where they differ, we say more: the SDK answers no line that is no message, and does not name the
parameter that is wrong. `Expected` states each difference.
"""

from __future__ import annotations

import asyncio
import json
import re
from pathlib import Path
from typing import Any

import mcp_types as types
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from mcp.shared.memory import create_client_server_memory_streams
from mcp.shared.message import SessionMessage
from pydantic import ValidationError

from pilothouse.daemon.mcp.sdk_server import McpServer
from pilothouse.daemon.mcp.stdio_session import McpStdioSession
from tests.daemon.mcp_sessions_without_browser import Room
from tests.daemon.mcp_stdio_messages import ENVELOPE, INFO, enveloped, greeting, line

WITHIN_S = 20.0
INVALID_PARAMS, INVALID_REQUEST, NOT_FOUND, PARSE_ERROR = -32602, -32600, -32601, -32700
ACKNOWLEDGED = "notifications/subscriptions/acknowledged"


def parsed(sent: bytes) -> types.JSONRPCMessage | None:
    """The line as the SDK's stdio transport reads it; None for one that it drops."""
    try:
        return types.jsonrpc_message_adapter.validate_json(sent, by_name=False)
    except (ValidationError, RecursionError):
        return None


def settles(message: Any) -> bool:
    """Whether this message is the last one about a request."""
    return ("id" in message and "method" not in message) or message.get("method") == ACKNOWLEDGED


async def from_sdk(room: Room, sent: list[bytes]) -> list[list[Any]]:
    """What the SDK's server sends for each line, one after the other."""
    mcp_session = room.mcp_session("sdk")
    served = McpServer(lambda _: mcp_session)
    told: list[list[Any]] = []
    async with create_client_server_memory_streams() as (client, server):
        options = served.server.create_initialization_options()
        serving = asyncio.ensure_future(served.server.run(*server, options))
        heard, say = client
        for one in sent:
            told.append([])
            message = parsed(one)
            if message is None:
                continue
            await say.send(SessionMessage(message))
            while isinstance(message, types.JSONRPCRequest):
                item = await heard.receive()
                assert isinstance(item, SessionMessage)
                said = item.message.model_dump_json(by_alias=True, exclude_unset=True)
                told[-1].append(json.loads(said))
                if settles(told[-1][-1]):
                    break
        await heard.aclose()
        await say.aclose()
        serving.cancel()
        # The SDK's relay task may find its reader gone, and fails then.
        await asyncio.gather(serving, return_exceptions=True)
    return told


async def from_ours(room: Room, sent: list[bytes]) -> list[list[Any]]:
    """What our session sends for each line, one after the other."""
    said: list[Any] = []
    came = asyncio.Event()

    def hear(one: bytes) -> None:
        said.append(json.loads(one))
        came.set()

    session = McpStdioSession(room.mcp_session("ours"), hear)
    told: list[list[Any]] = []
    for one in sent:
        said.clear()
        before = set(session.running)
        session.feed(one)
        while set(session.running) - before and not any(map(settles, said)):
            came.clear()
            await came.wait()
        told.append(list(said))
    await session.close()
    return told


def without_nonces(told: list[Any]) -> list[Any]:
    """Messages without the words of marks, which are made anew each time."""
    found: list[Any] = json.loads(
        re.sub(r"(?<=[a-z] )[0-9a-f]{12}(?=\])", "word", json.dumps(told))
    )
    return found


def code(told: list[Any]) -> Any:
    """The error's code, if this is one error."""
    return told[0]["error"]["code"] if len(told) == 1 and "error" in told[0] else None


def agree(sent: bytes, ours: list[Any], sdk: list[Any]) -> bool:
    """Whether both say the same, or differ as they should."""
    ours, sdk = without_nonces(ours), without_nonces(sdk)
    if ours == sdk:
        return True
    message = parsed(sent)
    if not isinstance(message, types.JSONRPCRequest):
        # A line that is no message, or a request with a wrong id: only we say so.
        return not sdk and code(ours) in (PARSE_ERROR, INVALID_REQUEST)
    if message.method in OTHERS and (code(sdk), code(ours)) == (INVALID_PARAMS, NOT_FOUND):
        return True  # the SDK checks the parameters of methods that it then does not find
    # We name the parameter, or say more plainly what is wrong. The code is the same.
    refused = code(ours) == code(sdk) and ours[0]["id"] == sdk[0]["id"]
    more = [told[0].get("error", {}).get("data") or None for told in (ours, sdk)]
    return bool(code(ours) is not None and refused and more[0] == more[1])


async def compare(room: Room, sent: list[bytes]) -> None:
    async with asyncio.timeout(WITHIN_S):
        sdk, ours = await from_sdk(room, sent), await from_ours(room, sent)
    for one, mine, theirs in zip(sent, ours, sdk, strict=True):
        assert agree(one, mine, theirs), (one, mine, theirs)


@pytest.fixture
async def room(tmp_path: Path) -> Room:
    return Room(tmp_path)


FORM: dict[str, Any] = {"url": "https://a.example/", "data": "Ann"}
VALID: dict[str, dict[str, Any]] = {
    "tools/list": {},
    "tools/call": {"name": "where", "arguments": {}},
    "resources/list": {},
    "resources/templates/list": {},
    "resources/read": {"uri": "pilothouse://nothing"},
    "prompts/list": {},
    "prompts/get": {"name": "fill_form", "arguments": FORM},
}
HANDSHAKE: dict[str, dict[str, Any]] = {
    **VALID,
    "initialize": {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": INFO},
    "ping": {},
    "logging/setLevel": {"level": "info"},
}
NEWER: dict[str, dict[str, Any]] = {
    **VALID,
    "server/discover": {},
    "subscriptions/listen": {"notifications": {"toolsListChanged": True}},
}


@pytest.mark.parametrize("version", types.version.HANDSHAKE_PROTOCOL_VERSIONS)
async def test_a_session_is_the_same_in_every_version_with_a_handshake(
    version: str, room: Room
) -> None:
    asked = [line(method, 10 + at, **HANDSHAKE[method]) for at, method in enumerate(HANDSHAKE)]
    more = [
        line("tools/call", "four", name="browser_snapshot"),
        line("tools/call", "five", name="no_such_tool", arguments={"a": 1}),
        line("tools/call", "six", name="shoot"),
    ]
    await compare(room, [greeting(version), line("notifications/initialized"), *asked[:7], *more])
    await compare(room, [*asked, greeting(version), *asked, *more])


async def test_a_session_is_the_same_in_the_version_with_an_envelope(room: Room) -> None:
    asked = [enveloped(method, 10 + at, **NEWER[method]) for at, method in enumerate(NEWER)]
    logs = {**ENVELOPE, "io.modelcontextprotocol/logLevel": "info"}
    able = {**ENVELOPE, "io.modelcontextprotocol/clientCapabilities": {"roots": {}}}
    more = [
        line("tools/call", "five", name="no_such_tool", _meta=logs),
        line("tools/call", "six", name="where", _meta=able),
        line(
            "tools/call",
            "seven",
            name="where",
            inputResponses={"roots": {"roots": [{"uri": "file:///a"}]}},
            _meta=able,
        ),
    ]
    await compare(room, [*asked, *more])


# Anything, in any order.

WRONG: list[Any] = [7, [], "loud", {"a": []}]


@st.composite
def bent(draw: st.DrawFn, params: dict[str, Any]) -> dict[str, Any]:
    """Parameters of which one is missing or of the wrong type, or none."""
    params = dict(params)
    match draw(st.sampled_from(("as it is", "as it is", "missing", "wrong", "meta"))):
        case "missing" if params:
            del params[draw(st.sampled_from(sorted(params)))]
        case "wrong" if params:
            name = draw(st.sampled_from(sorted(params)))
            params[name] = draw(st.sampled_from([one for one in WRONG if odd(name, one)]))
        case "meta":
            params["_meta"] = draw(st.sampled_from([7, [], "x", {}, {"progressToken": []}]))
    return params


def odd(name: str, value: Any) -> bool:
    """Whether this is a wrong value for that parameter: some take any text or object."""
    texts, objects = ("name", "uri", "protocolVersion"), ("arguments", "capabilities", "_meta")
    return not (
        (isinstance(value, str) and name in texts)
        or (isinstance(value, dict) and name in (*objects, "notifications"))
    )


NUMBERS = st.one_of(st.integers(-5, 10**20), st.text(max_size=5))
WRONG_NUMBERS: st.SearchStrategy[Any] = st.sampled_from([None, True, 1.5, [], {}])
OTHERS = ("no/such", "completion/complete", "resources/subscribe", "notifications/initialized")
GARBAGE = (
    b"nonsense",
    b"7",
    b"[]",
    b"{}",
    b'{"jsonrpc":"2.0","id":5,"result":{}}',
    b'{"jsonrpc":"2.0","id":null,"error":{"code":1,"message":"x"}}',
    b'{"jsonrpc":"1.0","id":1,"method":"ping"}',
    b'{"jsonrpc":"2.0","id":1,"method":"ping","params":[1]}',
    b'[{"jsonrpc":"2.0","id":1,"method":"ping"}]',
    b'{"jsonrpc":"2.0","id":1}',
    b'{"jsonrpc":"2.0","method":"ping","id":1',
    b'{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"x"}}',
    b'{"jsonrpc":"2.0","method":"notifications/roots/list_changed"}',
)


@st.composite
def requests(draw: st.DrawFn, methods: dict[str, dict[str, Any]], meta: Any) -> bytes:
    """A line: mostly a request, seldom a good one."""
    if draw(st.integers(0, 5)) == 0:
        return draw(st.sampled_from(GARBAGE)) + b"\n"
    method = draw(st.sampled_from((*methods, *OTHERS)))
    params = draw(bent({**methods.get(method, {}), **({"_meta": meta} if meta else {})}))
    message: dict[str, Any] = {"jsonrpc": "2.0", "method": method, "params": params}
    # The SDK takes a wrong id for no id. For a notification it does not matter.
    message["id"] = draw(WRONG_NUMBERS if draw(st.integers(0, 8)) == 0 else NUMBERS)
    return json.dumps(message).encode() + b"\n"


SESSIONS = st.one_of(
    st.lists(requests(HANDSHAKE, None), min_size=1, max_size=8),
    st.lists(requests(HANDSHAKE, None), max_size=8).map(lambda rest: [greeting(), *rest]),
    st.lists(requests(NEWER, ENVELOPE), max_size=8).map(
        lambda rest: [enveloped("server/discover", "first"), *rest]
    ),
    st.lists(st.one_of(requests(NEWER, ENVELOPE), requests(HANDSHAKE, None)), max_size=8).map(
        lambda rest: [line("ping", "first"), *rest]
    ),
)


@pytest.fixture(scope="module")
def lasting_room(tmp_path_factory: pytest.TempPathFactory) -> Room:
    """One daemon for all examples. It runs nothing between them."""

    async def made() -> Room:
        return Room(tmp_path_factory.mktemp("room"))

    return asyncio.run(made())


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(sent=SESSIONS)
def test_any_messages_in_any_order_are_answered_as_by_the_sdk(
    lasting_room: Room, sent: list[bytes]
) -> None:
    # An id is used once in a session.
    seen: set[str] = set()
    unique = []
    for one in sent:
        number = re.search(rb'"id": ("[^"]*"|[-\d.]+)', one)
        key = number[1].decode().strip('"') if number else ""
        if not key or key not in seen:
            unique.append(one)
            seen.add(key)
    asyncio.run(compare(lasting_room, unique))
