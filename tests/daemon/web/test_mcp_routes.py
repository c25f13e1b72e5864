"""Requests by HTTP: sessions are owners, pages are not let in, and nothing stops the server."""

from __future__ import annotations

import asyncio
import json
import re
import secrets
import socket
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from pilothouse.daemon.mcp.options import McpOptions
from pilothouse.daemon.web.access import ROUTES, RequestGuard
from pilothouse.daemon.web.app import WebApp
from pilothouse.daemon.web.connection_limits import HttpLimits
from pilothouse.daemon.web.mcp_routes import McpRoutes
from tests.daemon.mcp_sessions_without_browser import Room
from tests.daemon.raw_http_requests import Site, raw


class Served(Site):
    """A web server in the tests' own process."""

    def __init__(self, port: int, token: str, app: WebApp, room: Room) -> None:
        super().__init__(port, token)
        self.app = app
        self.room = room

    async def session(self) -> str:
        """A new session's id."""
        status, headers, _ = await self.greet()
        assert status == 200
        key = headers["mcp-session-id"]
        body = {"jsonrpc": "2.0", "method": "notifications/initialized"}
        assert (await self.request(body=body, Mcp_Session_Id=key))[0] == 202
        return key

    async def ask(self, key: str, method: str, params: Any = None) -> Any:
        """The result of a request in a session."""
        body: dict[str, Any] = {"jsonrpc": "2.0", "id": 1, "method": method}
        if params is not None:
            body["params"] = params
        _, _, answer = await self.request(body=body, Mcp_Session_Id=key)
        (line,) = [x for x in answer.splitlines() if x.startswith(b"data: {")]
        return json.loads(line.removeprefix(b"data: "))["result"]


@asynccontextmanager
async def served_at(root: Path, limits: HttpLimits | None = None) -> AsyncIterator[Served]:
    sock = socket.create_server(("127.0.0.1", 0))
    sock.setblocking(False)
    port, token = sock.getsockname()[1], secrets.token_urlsafe(32)
    room = Room(root)
    app = WebApp(RequestGuard(token, port, lambda cookie, csrf: False), limits=limits)
    routes = McpRoutes(room.daemon, McpOptions(toolsets=("browser",)), limits)
    await routes.start()
    await app.set_mcp(routes)
    await app.start(sock)
    try:
        yield Served(port, token, app, room)
    finally:
        await app.close()


@pytest.fixture
async def site(tmp_path: Path) -> AsyncIterator[Served]:
    async with served_at(tmp_path) as served:
        yield served


async def test_every_route_wants_the_token_even_from_this_machine(site: Served) -> None:
    for route in [one for one in ROUTES if one.who == "bearer"]:
        for method in route.methods:
            for given in (None, "Bearer wrong"):
                status, _, body = await site.request(method, route.path, Authorization=given)
                assert status == 401
                assert site.token.encode() not in body
    for path in (
        "/sse",
        "/token",
        "/mcp/token",
        "/health",
        "/.well-known/oauth-protected-resource",
    ):
        assert (await site.request("GET", path, Authorization=None))[0] == 404


@pytest.mark.parametrize(
    "host",
    [
        "evil.example",
        "127.0.0.1.evil.example",
        "localhost:{port}.evil.example",
        "127.0.0.1:{port}@evil.example",
        "user:pass@127.0.0.1:{port}",
        "127.0.0.1:99999999",
        "",
        "[",
    ],
)
async def test_no_other_host_is_served_and_the_server_goes_on(site: Served, host: str) -> None:
    status, _, _ = await site.greet(Host=host.format(port=site.port))
    assert 400 <= status < 500
    assert (await site.greet())[0] == 200


async def test_two_hosts_and_none_are_refused(site: Served) -> None:
    for hosts in (b"Host: 127.0.0.1:%d\r\nHost: evil.example\r\n" % site.port, b""):
        head = b"POST /mcp HTTP/1.1\r\n" + hosts + b"Content-Type: application/json\r\n"
        told = f"Authorization: Bearer {site.token}\r\nContent-Length: 2\r\n\r\n{{}}".encode()
        assert (await raw(site.port, head + told)).startswith(b"HTTP/1.1 4")
    assert (await site.greet())[0] == 200


async def test_web_pages_get_nothing(site: Served) -> None:
    origins = ("https://evil.example", "null", "http://localhost:3000")
    for origin in origins:
        status, headers, _ = await site.greet(Origin=origin)
        assert status == 403
        assert not [name for name in headers if name.startswith("access-control")]
    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "shoot"}}
    sent = await site.request(body=body, Content_Type="text/plain", Origin="https://evil.example")
    assert sent[0] in (403, 415)
    assert (await site.request(body=body, Content_Type="text/plain"))[0] == 415
    preflight = {"Origin": "https://evil.example", "Access_Control_Request_Method": "POST"}
    status, headers, _ = await site.request("OPTIONS", **preflight)
    assert status == 403
    assert not [name for name in headers if name.startswith("access-control")]


async def test_a_session_is_an_owner_of_its_own(site: Served) -> None:
    first, second = await site.session(), await site.session()
    result = await site.ask(first, "tools/call", {"name": "shoot", "arguments": {}})
    uri = result["content"][2]["uri"]
    seen = [one["uri"] for one in (await site.ask(first, "resources/list"))["resources"]]
    other = [one["uri"] for one in (await site.ask(second, "resources/list"))["resources"]]
    assert uri in seen
    assert uri not in other


async def test_a_session_that_is_deleted_is_gone(site: Served) -> None:
    key = await site.session()
    await site.ask(key, "tools/list")
    assert (await site.request("DELETE", Mcp_Session_Id=key))[0] == 200
    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
    assert (await site.request(body=body, Mcp_Session_Id=key))[0] == 404
    assert (await site.request(body=body, Mcp_Session_Id="made up"))[0] == 404


async def test_a_call_whose_client_went_away_is_resumed_or_forgotten_but_harms_nobody(
    site: Served,
) -> None:
    key = await site.session()
    body = {"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": {"name": "wait"}}
    asking = asyncio.ensure_future(site.request(body=body, Mcp_Session_Id=key))
    async with asyncio.timeout(60):
        await site.room.begun.wait()
        asking.cancel()
        await asyncio.wait([asking])
        assert (await site.ask(key, "tools/list"))["tools"]
        cancel = {"method": "notifications/cancelled", "params": {"requestId": 7}}
        told = {"jsonrpc": "2.0", **cancel}
        assert (await site.request(body=told, Mcp_Session_Id=key))[0] == 202
        await site.room.stopped.wait()


async def test_a_name_that_is_no_name_is_refused(site: Served) -> None:
    key = await site.session()
    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
    named = {"Mcp_Session_Id": key, "Pilothouse_Owner": "x" * 100}
    _, _, answer = await site.request(body=body, **named)
    assert b"expected 1 to 60 letters" in answer


@pytest.mark.parametrize(
    "garbage",
    [
        b"",
        b"\0" * 1000,
        b"GET\r\n\r\n",
        b"\xff\xfe\r\n\r\n",
        b"POST /mcp HTTP/9.9\r\n\r\n",
        b"POST /mcp HTTP/1.1\r\nContent-Length: -5\r\n\r\n",
        b"POST /mcp HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
        b"A" * 200_000,
    ],
)
async def test_garbage_is_refused_and_the_server_goes_on(site: Served, garbage: bytes) -> None:
    await raw(site.port, garbage)
    assert (await site.greet())[0] == 200


LIST = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}


async def test_session_that_was_idle_longest_makes_room_for_a_new_one(tmp_path: Path) -> None:
    async with served_at(tmp_path, HttpLimits(sessions=3)) as site:
        first, second, third = [await site.session() for _ in range(3)]
        await site.ask(first, "tools/list")
        fourth = await site.session()
        assert (await site.request(body=LIST, Mcp_Session_Id=second))[0] == 404
        for key in (first, third, fourth):
            assert (await site.request(body=LIST, Mcp_Session_Id=key))[0] == 200


async def test_forgotten_sessions_lock_nobody_out(site: Served) -> None:
    for _ in range(HttpLimits().sessions + 3):
        await site.session()


async def test_session_at_work_is_never_ended_for_a_new_one(tmp_path: Path) -> None:
    async with served_at(tmp_path, HttpLimits(sessions=1)) as site, asyncio.timeout(60):
        key = await site.session()
        body = {"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": {"name": "wait"}}
        asking = asyncio.ensure_future(site.request(body=body, Mcp_Session_Id=key))
        await site.room.begun.wait()
        status, _, told = await site.greet()
        assert status == 503
        assert b"1 sessions are in use" in told
        site.room.go.set()
        assert (await asking)[0] == 200
        assert (await site.greet())[0] == 200


async def test_connection_that_sends_no_head_is_closed(tmp_path: Path) -> None:
    async with served_at(tmp_path, HttpLimits(head_s=0.3)) as site, asyncio.timeout(20):
        for begun in (b"", b"POST /mcp HTTP/1.1\r\nHost: x\r\n"):
            reader, writer = await asyncio.open_connection("127.0.0.1", site.port)
            writer.write(begun)
            assert await _ended(reader)
            writer.close()
        assert len(site.app.connections) == 0


async def test_bytes_that_drip_do_not_keep_a_connection(tmp_path: Path) -> None:
    async with served_at(tmp_path, HttpLimits(head_s=0.5)) as site, asyncio.timeout(20):
        # A refused request whose body never ends, and then a head that never does.
        refused = b"POST /mcp HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n"
        for start in (refused, b"POST /mcp HTTP/1.1\r\nX: "):
            reader, writer = await asyncio.open_connection("127.0.0.1", site.port)
            writer.write(start)
            ended = asyncio.ensure_future(_ended(reader))
            while not ended.done():
                writer.write(b"x")
                await asyncio.wait([ended], timeout=0.05)
            writer.close()


async def test_call_that_takes_long_outlasts_the_head_timeout(tmp_path: Path) -> None:
    async with served_at(tmp_path, HttpLimits(head_s=0.3)) as site, asyncio.timeout(20):
        key = await site.session()
        body = {"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": {"name": "wait"}}
        asking = asyncio.ensure_future(site.request(body=body, Mcp_Session_Id=key))
        await site.room.begun.wait()
        reader, writer = await asyncio.open_connection("127.0.0.1", site.port)
        assert await _ended(reader)  # so the time has passed
        writer.close()
        site.room.go.set()
        assert (await asking)[0] == 200


async def test_silent_connections_push_out_their_own_kind_and_lock_nobody_out(site: Served) -> None:
    silent = [await asyncio.open_connection("127.0.0.1", site.port) for _ in range(300)]
    key = await site.session()
    assert (await site.ask(key, "tools/list"))["tools"]
    assert len(site.app.connections) <= HttpLimits().unproven + 1
    for _, writer in silent:
        writer.close()


async def test_one_address_has_only_so_many_connections_with_the_token(tmp_path: Path) -> None:
    async with served_at(tmp_path, HttpLimits(per_peer=2)) as site, asyncio.timeout(20):
        held = [await _kept_alive(site) for _ in range(2)]
        status, _, told = await site.greet()
        assert (status, b"2 connections are already open" in told) == (503, True)
        for writer in held:
            writer.close()
            await writer.wait_closed()
        await _until_served(site)


_MODERN = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": {"name": "product", "version": "1"},
    "io.modelcontextprotocol/clientCapabilities": {},
}
_ANOTHER_INSTANCE = """
import asyncio, json, sys
from tests.daemon.raw_http_requests import Site
site = Site(int(sys.argv[1]), sys.stdin.read())
body = json.loads(sys.argv[2])
print(asyncio.run(site.request(body=body, **json.loads(sys.argv[3])))[2].decode())
"""


async def test_two_clients_of_one_product_without_sessions_are_two_owners(site: Served) -> None:
    def body(method: str, **params: Any) -> dict[str, Any]:
        return {"jsonrpc": "2.0", "id": 1, "method": method, "params": {**params, "_meta": _MODERN}}

    shoot = body("tools/call", name="shoot", arguments={})
    headers: dict[str, str | None] = {
        "MCP_Protocol_Version": "2026-07-28",
        "Mcp_Method": "tools/call",
        "Mcp_Name": "shoot",
    }
    _, _, shown = await site.request("POST", "/mcp", shoot, **headers)
    picture = re.search(rb"pilothouse://[^\"]*picture[^\"]*", shown)
    assert picture is not None, shown
    listing = {"MCP_Protocol_Version": "2026-07-28", "Mcp_Method": "resources/list"}
    listed = body("resources/list")
    _, _, ours = await site.request(body=listed, **listing)
    assert picture[0] in ours  # another connection of the same process
    asked = (str(site.port), json.dumps(listed), json.dumps(listing))
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-c", _ANOTHER_INSTANCE, *asked),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
    )
    theirs, _ = await process.communicate(site.token.encode())
    assert b'"resources"' in theirs
    assert picture[0] not in theirs


async def _until_served(site: Served) -> None:
    while (await site.greet())[0] != 200:
        pass


async def _ended(reader: asyncio.StreamReader) -> bool:
    try:
        while await reader.read(1000):
            pass
    except ConnectionError:
        pass
    return True


async def _kept_alive(site: Served) -> asyncio.StreamWriter:
    """A connection that has shown the token and stays."""
    reader, writer = await asyncio.open_connection("127.0.0.1", site.port)
    lines = ["GET /mcp HTTP/1.1", f"Host: 127.0.0.1:{site.port}"]
    lines += [f"Authorization: Bearer {site.token}", "", ""]
    writer.write("\r\n".join(lines).encode())
    await reader.readuntil(b"\r\n\r\n")
    return writer


@pytest.mark.parametrize("tool", ["dropped", "shapeless"])
async def test_a_tool_that_breaks_in_any_way_is_answered_and_the_session_lives(
    site: Served, tool: str
) -> None:
    key = await site.session()
    for name, failed in ((tool, True), ("where", False)):
        answer = await site.ask(key, "tools/call", {"name": name, "arguments": {}})
        assert answer["isError"] is failed
