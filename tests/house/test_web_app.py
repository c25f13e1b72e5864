"""Requests by HTTP: sessions are owners, pages are not let in, and nothing stops the server."""

from __future__ import annotations

import asyncio
import json
import secrets
import socket
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from pilothouse.house.web_app import WebApp
from pilothouse.house.web_door import ROUTES, Door
from tests.house.mcp_room import Room
from tests.house.web_talk import Site, raw


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


@pytest.fixture
async def site(tmp_path: Path) -> AsyncIterator[Served]:
    sock = socket.create_server(("127.0.0.1", 0))
    sock.setblocking(False)
    port, token = sock.getsockname()[1], secrets.token_urlsafe(32)
    room = Room(tmp_path)
    app = WebApp(room.house, Door(token, port), ("browser",))
    await app.start(sock)
    try:
        yield Served(port, token, app, room)
    finally:
        await app.close()


async def test_every_route_wants_the_token_even_from_this_machine(site: Served) -> None:
    for path, methods in ROUTES.items():
        for method in methods:
            for given in (None, "Bearer wrong"):
                status, _, body = await site.request(method, path, Authorization=given)
                assert status == 401
                assert site.token.encode() not in body
    for path in ("/", "/token", "/mcp/token", "/health", "/.well-known/oauth-protected-resource"):
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
    assert b"a short name is wanted" in answer


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
