"""The one way out: what the rules allow passes whole, everything else ends here."""

from __future__ import annotations

import asyncio
import contextlib
import socket
from collections.abc import AsyncIterator
from ipaddress import ip_address

import psutil
import pytest

from pilothouse.browsers.filtering_proxy.proxy import FilteringProxy
from pilothouse.security.ip_addresses import Address
from pilothouse.security.url_policy import UrlPolicy, parse_rule
from tests.pages import Pages

WITHIN_S = 20.0


@contextlib.asynccontextmanager
async def _gateway(
    fence: UrlPolicy, names: dict[str, str] | None = None
) -> AsyncIterator[FilteringProxy]:
    async def resolve(host: str, port: int) -> list[Address]:
        if host not in (names or {}):
            raise OSError("no such name")
        return [ip_address((names or {})[host])]

    gateway = FilteringProxy(fence, resolve)
    await gateway.start()
    try:
        yield gateway
    finally:
        await gateway.close()


async def _said(gateway: FilteringProxy, text: bytes) -> bytes:
    """Everything that comes back until the gateway hangs up."""
    port = int(gateway.server.rpartition(":")[2])
    async with asyncio.timeout(WITHIN_S):
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(text)
        answer = await reader.read()
        writer.close()
    return answer


def _get(url: str, more: str = "") -> bytes:
    host = url.split("/")[2]
    return (
        f"GET {url} HTTP/1.1\r\nHost: {host}\r\nProxy-Connection: keep-alive\r\n{more}\r\n".encode()
    )


async def test_a_page_that_is_allowed_passes_whole() -> None:
    with Pages() as pages:
        pages.add("/big.bin", b"x" * 3_000_000)
        async with _gateway(UrlPolicy(allow=(parse_rule("127.0.0.1"),))) as gateway:
            answer = await _said(gateway, _get(pages.url("/big.bin?a=b")))
        head, _, body = answer.partition(b"\r\n\r\n")
        assert b"200" in head.split(b"\r\n")[0]
        assert b"connection: close" in head.lower()
        assert len(body) == 3_000_000
        (visit,) = pages.visits
        assert visit.path == "/big.bin?a=b"
        assert "Proxy-Connection" not in visit.headers


async def test_a_posted_body_passes_and_nothing_behind_it() -> None:
    with Pages() as pages:
        pages.add("/form", "taken")
        second = _get(pages.url("/second"))
        asked = _get(pages.url("/form"), "Content-Length: 4\r\n").replace(b"GET", b"POST", 1)
        async with _gateway(UrlPolicy(deny=(parse_rule("evil.com"),))) as gateway:
            answer = await _said(gateway, asked + b"body" + second)
        assert answer.endswith(b"taken")
        assert [(v.path, v.body) for v in pages.visits] == [("/form", b"body")]


async def test_a_body_in_chunks_passes() -> None:
    came: list[bytes] = []

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        came.append(await reader.readuntil(b"0\r\n\r\n"))
        writer.write(b"HTTP/1.1 200 OK\r\n\r\ntaken")
        writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    async with server, _gateway(UrlPolicy()) as gateway:
        url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/form"
        asked = _get(url, "Transfer-Encoding: chunked\r\n")
        answer = await _said(gateway, asked + b"3\r\nabc\r\n0\r\n\r\n")
    assert answer.endswith(b"taken")
    assert came == [b"3\r\nabc\r\n0\r\n\r\n"]


async def test_a_tunnel_carries_both_ways_until_either_side_ends() -> None:
    with Pages() as pages:
        pages.add("/x", "through the tunnel")
        host, port = pages.address
        inner = f"GET /x HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n"
        async with _gateway(
            UrlPolicy(private=False, allow=(parse_rule(f"{host}:{port}"),))
        ) as gateway:
            asked = f"CONNECT {host}:{port} HTTP/1.1\r\n\r\n{inner}"
            answer = await _said(gateway, asked.encode())
        assert answer.startswith(b"HTTP/1.1 200 Connection established\r\n\r\n")
        assert answer.endswith(b"through the tunnel")


@pytest.mark.parametrize("asked", ["GET http://{0}/ HTTP/1.1", "CONNECT {0} HTTP/1.1"])
@pytest.mark.parametrize(
    "host", ["evil.com:80", "169.254.169.254:80", "127.0.0.1:80", "2130706433:80", "[::1]:80"]
)
async def test_what_is_not_allowed_is_told_and_never_reached(asked: str, host: str) -> None:
    async with _gateway(UrlPolicy(allow=(parse_rule("good.com"),))) as gateway:
        answer = await _said(gateway, (asked.format(host) + "\r\n\r\n").encode())
        assert answer.startswith(b"HTTP/1.1 403 Forbidden")
        assert b"blocked this request" in answer
        assert gateway.refused == 1


@pytest.mark.parametrize(
    ("address", "fence"),
    [
        ("127.0.0.1", UrlPolicy(private=False)),
        ("169.254.169.254", UrlPolicy(deny=(parse_rule("other.com"),))),
        ("127.0.0.9", UrlPolicy(deny=(parse_rule("127.0.0.0/8"),))),
    ],
)
async def test_a_name_that_leads_to_a_forbidden_address_is_refused(
    address: str, fence: UrlPolicy
) -> None:
    async with _gateway(fence, {"rebound.example.com": address}) as gateway:
        answer = await _said(gateway, _get("http://rebound.example.com/"))
    assert answer.startswith(b"HTTP/1.1 403 Forbidden")


@pytest.mark.boundary
async def test_this_machine_is_denied_in_every_spelling_and_at_each_of_its_addresses() -> None:
    own = [
        entry.address
        for entries in psutil.net_if_addrs().values()
        for entry in entries
        if entry.family == socket.AF_INET
    ]
    with Pages() as pages:
        pages.add("/", "here")
        port = int(pages.url("/").split(":")[2].strip("/"))
        hosts = ("127.0.0.1", "0.0.0.0", "0", "127.5.5.5", "localhost", "[::1]", "[::]", *own)
        async with _gateway(
            UrlPolicy(deny=(parse_rule(f"127.0.0.1:{port}"),)), {"named.example": own[-1]}
        ) as gateway:
            for host in (*hosts, "named.example"):
                answer = await _said(gateway, _get(f"http://{host}:{port}/"))
                assert answer.startswith(b"HTTP/1.1 403 Forbidden"), (host, answer)
        assert pages.visits == []


async def test_a_name_is_looked_up_once_and_that_address_is_talked_to() -> None:
    with Pages() as pages:
        pages.add("/", "here")
        async with _gateway(
            UrlPolicy(deny=(parse_rule("x.com"),)), {"named.example": "127.0.0.1"}
        ) as gateway:
            answer = await _said(gateway, _get(f"http://named.example:{pages.port}/"))
    assert answer.endswith(b"here")


@pytest.mark.parametrize(
    "asked",
    [
        b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n",
        b"GET file:///etc/passwd HTTP/1.1\r\n\r\n",
        b"nonsense\r\n\r\n",
        b"CONNECT\r\n\r\n",
        b"\x16\x03\x01\r\n\r\n",
        b"GET http://good.com/ HTTP/1.1\r\nContent-Length: x\r\n\r\n",
    ],
)
async def test_what_no_browser_says_to_a_proxy_ends_the_connection(asked: bytes) -> None:
    async with _gateway(UrlPolicy()) as gateway:
        assert await _said(gateway, asked) == b""


async def test_what_cannot_be_reached_is_no_refusal() -> None:
    async with _gateway(UrlPolicy(deny=(parse_rule("x.com"),))) as gateway:
        answer = await _said(gateway, _get("http://nowhere.example.com/"))
        assert answer.startswith(b"HTTP/1.1 502")
        assert gateway.refused == 0
