"""The daemon's web server: its life, and that nobody else finds the token."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import resource
import stat
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import psutil
import pytest
from mcp.client.client import Client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared._httpx_utils import create_mcp_http_client
from mcp_types import TextContent

from pilothouse.code.client.daemon_connection import DaemonClient, Refused
from tests.daemon.daemon_process import Home
from tests.daemon.raw_http_requests import Site
from tests.page_server import Pages

pytestmark = pytest.mark.browser


@contextlib.asynccontextmanager
async def serving(home: Home, **asked: object) -> AsyncIterator[tuple[DaemonClient, Site]]:
    line = await asyncio.to_thread(DaemonClient, "server", paths=home.paths, start=False)
    try:
        served = await asyncio.to_thread(line.call, "serve", port=0, **asked)
        token = await asyncio.to_thread(Path(served["token_file"]).read_text)
        yield line, Site(served["port"], token)
    finally:
        line.close()


async def gone(port: int) -> None:
    """Wait until nobody listens there."""
    async with asyncio.timeout(60):
        while True:
            try:
                _, writer = await asyncio.open_connection("127.0.0.1", port)
            except ConnectionError:
                return
            writer.close()


async def test_it_serves_until_the_one_who_asked_hangs_up(lived_in: Home) -> None:
    for _ in range(2):
        async with serving(lived_in) as (_, site):
            status, headers, _ = await site.greet()
            assert status == 200
            assert "mcp-session-id" in headers
            assert not [name for name in headers if name.startswith("access-control")]
        await gone(site.port)


@pytest.mark.parametrize(
    ("asked", "more", "less"),
    [
        ({}, {"browser_cookies", "browser_pdf"}, {"execute"}),
        ({"platform": "mcp"}, {"browser_click"}, {"browser_cookies"}),
        ({"toolsets": "lean"}, {"browser_batch"}, {"browser_click"}),
    ],
)
async def test_programs_get_the_tools_of_their_platform(
    lived_in: Home, asked: dict[str, object], more: set[str], less: set[str]
) -> None:
    async with serving(lived_in, **asked) as (_, site):
        _, headers, _ = await site.greet()
        body = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
        _, _, answer = await site.request(body=body, Mcp_Session_Id=headers["mcp-session-id"])
        (line,) = [x for x in answer.splitlines() if x.startswith(b"data: {")]
        tools = json.loads(line.removeprefix(b"data: "))["result"]["tools"]
        names = {tool["name"] for tool in tools}
        assert more <= names
        assert names.isdisjoint(less)
    await gone(site.port)


async def test_only_one_serves_at_a_time(lived_in: Home) -> None:
    async with serving(lived_in) as (_, site):
        other = lived_in.line("other")
        with pytest.raises(Refused, match="already"):
            await asyncio.to_thread(other.call, "serve", port=0)
        assert (await site.greet())[0] == 200
    await gone(site.port)


@pytest.mark.parametrize("host", ["0.0.0.0", "*", "::", "192.168.1.1", "example.com"])
async def test_other_machines_are_not_listened_to(lived_in: Home, host: str) -> None:
    line = lived_in.line("wide")
    with pytest.raises(Refused, match="not a loopback address"):
        await asyncio.to_thread(line.call, "serve", port=0, host=host)


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1", ""])
async def test_it_listens_at_the_loopback_address_alone(lived_in: Home, host: str) -> None:
    async with serving(lived_in, host=host) as (_, site):
        pid = lived_in.line("x").call("status")["pid"]
        found = [
            one.laddr.ip
            for one in psutil.Process(pid).net_connections("inet")
            if one.status == psutil.CONN_LISTEN and one.laddr.port == site.port
        ]
        assert found == ["127.0.0.1"]
    await gone(site.port)


async def test_a_port_that_is_taken_or_none_is_refused(lived_in: Home) -> None:
    line = lived_in.line("taken")
    async with asyncio.timeout(30):
        server = await asyncio.start_server(lambda r, w: None, "127.0.0.1", 0)
        port = server.sockets[0].getsockname()[1]
        with pytest.raises(Refused, match=f"port {port} is taken"):
            await asyncio.to_thread(line.call, "serve", port=port)
        server.close()
    for odd in (-1, 65536, "80", True):
        with pytest.raises(Refused, match="port"):
            await asyncio.to_thread(line.call, "serve", port=odd)


@pytest.mark.parametrize("mode", ["legacy", "auto"])
async def test_the_sdks_own_client_drives_a_page(lived_in: Home, served: Pages, mode: str) -> None:
    served.add("/boats.html", "<title>Boats</title><button>Go</button>")
    owner = f"http {mode}"
    lived_in.line(owner).call("open", url=served.url("/boats.html"))
    async with serving(lived_in) as (_, site):
        headers = {"Authorization": f"Bearer {site.token}", "Pilothouse-Owner": owner}
        url = f"http://127.0.0.1:{site.port}/mcp"
        async with (
            asyncio.timeout(60),
            create_mcp_http_client(headers=headers) as http,
            Client(streamable_http_client(url, http_client=http), mode=mode) as client,
        ):
            assert "browser_snapshot" in [tool.name for tool in (await client.list_tools()).tools]
            seen = await client.call_tool("browser_snapshot", {})
            (block,) = seen.content
            assert isinstance(block, TextContent)
            assert "\n[begin untrusted page text " in block.text
            assert 'button "Go"' in block.text
    await gone(site.port)


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux sets another process's limits")
async def test_thousand_silent_connections_lock_nobody_out(lived_in: Home) -> None:
    assert lived_in.process is not None
    pid = lived_in.process.pid
    _, hard = resource.prlimit(pid, resource.RLIMIT_NOFILE)
    async with serving(lived_in) as (_, site), contextlib.AsyncExitStack() as silent:
        # As many descriptors as most systems give a process; this one needs as many itself.
        before = resource.prlimit(pid, resource.RLIMIT_NOFILE, (1024, hard))
        ours = resource.getrlimit(resource.RLIMIT_NOFILE)
        resource.setrlimit(resource.RLIMIT_NOFILE, (min(2048, ours[1]), ours[1]))
        try:
            for _ in range(1000):
                _, writer = await asyncio.open_connection("127.0.0.1", site.port)
                silent.callback(writer.close)
            async with asyncio.timeout(10):
                assert (await site.greet())[0] == 200
        finally:
            resource.prlimit(pid, resource.RLIMIT_NOFILE, before)
    await gone(site.port)


async def test_the_token_is_found_nowhere_but_in_its_file(lived_in: Home, served: Pages) -> None:
    served.add("/boats.html", "<title>Boats</title>")
    async with serving(lived_in) as (line, site):
        await asyncio.to_thread(line.call, "open", url=served.url("/boats.html"))
        said = []
        for number in range(20):
            wrong = {1: "Bearer x", 2: None}.get(number % 5, f"Bearer {site.token}")
            body = {"jsonrpc": "2.0", "id": number, "method": "tools/list"}
            _, headers, text = await site.request(body=body, Authorization=wrong)
            said.append(repr(headers) + text.decode())
        _, headers, text = await site.greet()
        said.append(repr(headers) + text.decode())
        for method in ("status", "tabs", "journal"):
            said.append(repr(await asyncio.to_thread(line.call, method)))
        commands = []
        for process in psutil.process_iter():
            with contextlib.suppress(psutil.Error):
                commands += process.cmdline()
        root = lived_in.paths.root
        files = [path for path in root.rglob("*") if path.is_file()]
        holding = [path for path in files if site.token.encode() in path.read_bytes()]
        assert [path.name for path in holding] == ["http.token"]
        assert stat.S_IMODE(holding[0].stat().st_mode) == 0o600
        assert stat.S_IMODE(root.stat().st_mode) == 0o700
        assert holding[0].stat().st_uid == os.getuid()
    assert not [text for text in (*said, *commands) if site.token in text]
    assert len(site.token) == 43
