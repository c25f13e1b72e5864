"""The one way out: what the rules allow passes whole, everything else ends here."""

from __future__ import annotations

import asyncio
import contextlib
import socket
from collections.abc import AsyncIterator
from ipaddress import ip_address

import h11
import psutil
import pytest

from pilothouse.browsers.filtering_proxy.proxy import FilteringProxy
from pilothouse.security.hosts_and_ip_addresses import Address
from pilothouse.security.url_policy import UrlPolicy, parse_rule
from tests.page_server import Pages

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


def body_of(answer: bytes) -> bytes:
    """The body of a response, as a browser reads it."""
    client = h11.Connection(h11.CLIENT)
    client.send(h11.Request(method="GET", target="/", headers=[("Host", "a")]))
    client.receive_data(answer)
    body = b""
    while isinstance(event := client.next_event(), h11.Event):
        if isinstance(event, h11.EndOfMessage):
            return body
        body += bytes(event.data) if isinstance(event, h11.Data) else b""
    raise AssertionError(f"no whole response: {answer!r}")


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
    assert body_of(answer) == b"taken"
    assert came == [b"3\r\nabc\r\n0\r\n\r\n"]


async def test_a_tunnel_carries_both_ways_until_either_side_ends() -> None:
    with Pages() as pages:
        pages.add("/x", "through the tunnel")
        host, port = pages.address
        inner = f"GET /x HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n"
        async with _gateway(
            UrlPolicy(private=False, allow=(parse_rule(f"{host}:{port}"),))
        ) as gateway:
            asked = f"CONNECT {host}:{port} HTTP/1.1\r\nHost: {host}:{port}\r\n\r\n{inner}"
            answer = await _said(gateway, asked.encode())
        assert answer.startswith(b"HTTP/1.1 200 Connection established\r\n\r\n")
        assert answer.endswith(b"through the tunnel")


@pytest.mark.parametrize("asked", ["GET http://{0}/ HTTP/1.1", "CONNECT {0} HTTP/1.1"])
@pytest.mark.parametrize(
    "host", ["evil.com:80", "169.254.169.254:80", "127.0.0.1:80", "2130706433:80", "[::1]:80"]
)
async def test_what_is_not_allowed_is_told_and_never_reached(asked: str, host: str) -> None:
    async with _gateway(UrlPolicy(allow=(parse_rule("good.com"),))) as gateway:
        answer = await _said(gateway, (asked.format(host) + f"\r\nHost: {host}\r\n\r\n").encode())
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
        b"GET http://good.com/ HTTP/1.1\r\n\r\n",
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


@contextlib.asynccontextmanager
async def _upstream(
    answer: bytes = b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\ntaken",
) -> AsyncIterator[tuple[str, asyncio.Queue[bytes]]]:
    """A server: its URL, and all the bytes of each connection. It answers the first ones."""
    came: asyncio.Queue[bytes] = asyncio.Queue()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        first = await reader.read(1 << 16)
        writer.write(answer)
        writer.write_eof()
        with contextlib.suppress(ConnectionError):
            first += await reader.read()
        writer.close()
        came.put_nowait(first)

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    async with server:
        yield f"127.0.0.1:{server.sockets[0].getsockname()[1]}", came


SMUGGLED = b"GET /smuggled HTTP/1.1\r\nHost: a\r\n\r\n"


@pytest.mark.boundary
@pytest.mark.parametrize(
    "lines",
    [
        b"Host: {host}\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n",
        b"Host: {host}\r\nTransfer-Encoding: chunked\r\nContent-Length: 0\r\n",
        b"Host: {host}\r\nContent-Length: 0\r\nContent-Length: 40\r\n",
        b"Host: {host}\r\nContent-Length: 0, 40\r\n",
        b"Host: {host}\r\nContent-Length: +5\r\n",
        b"Host: {host}\r\nContent-Length: -0\r\n",
        b"Host: {host}\r\nContent-Length: 1_0\r\n",
        b"Host: {host}\r\nContent-Length: 0x0\r\n",
        b"Host: {host}\r\nContent-Length: \xb2\r\n",
        b"Host: {host}\r\nContent-Length : 0\r\n",
        b"Host: {host}\r\nTransfer-Encoding: xchunked\r\n",
        b"Host: {host}\r\nTransfer-Encoding: chunked, identity\r\n",
        b"Host: {host}\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n",
        b"Host: {host}\r\nTransfer-Encoding\r\n : chunked\r\n",
        b"Host: {host}\r\nHost: evil.com\r\n",
        b"Host: {host}\r\nX: a\rHost: evil.com\r\n",
        b"Host: {host}\r\nX: a\0b\r\n",
        b" Host: {host}\r\n",
        b"Host: {host}\r\nno colon\r\n",
        b"Host: {host}\r\nTransfer-Encoding: chunked\r\n\r\n+1\r\nx\r\n0\r\n",
        b"Host: {host}\r\nTransfer-Encoding: chunked\r\n\r\n1_0\r\nx\r\n0\r\n",
        b"Host: {host}\r\nTransfer-Encoding: chunked\r\n\r\n-1\r\nx\r\n0\r\n",
        b"Host: {host}\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nxx\r\n0\r\n",
    ],
)
async def test_a_request_that_two_servers_could_read_differently_is_not_forwarded(
    lines: bytes,
) -> None:
    async with _upstream() as (host, came), _gateway(UrlPolicy()) as gateway:
        asked = b"POST http://{host}/form HTTP/1.1\r\n" + lines + b"\r\n" + SMUGGLED
        assert await _said(gateway, asked.replace(b"{host}", host.encode())) == b""
        # One that is forwarded is the first that the server gets.
        await _said(gateway, _get(f"http://{host}/right"))
        async with asyncio.timeout(WITHIN_S):
            while not (first := await came.get()):
                pass
        assert first.startswith(b"GET /right ")


@pytest.mark.boundary
@pytest.mark.parametrize(
    ("asked", "seen"),
    [
        # The URL decides, not a Host that says otherwise.
        (
            b"POST http://{host}/a HTTP/1.1\r\nHost: evil.com\r\n\r\n",
            b"POST /a HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n",
        ),
        (
            b"GET http://user:pass@{host} HTTP/1.0\r\n\r\n",
            b"GET / HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n",
        ),
        # Line ends, folded lines and spaces around values leave in one form.
        (
            b"GET http://{host}/a HTTP/1.1\nHost: {host}\nX:  a  \n\n",
            b"GET /a HTTP/1.1\r\nHost: {host}\r\nX: a\r\nConnection: close\r\n\r\n",
        ),
        (
            b"GET http://{host}/a HTTP/1.1\r\nHost: {host}\r\nX: a\r\n Content-Length: 9\r\n\r\n",
            b"GET /a HTTP/1.1\r\nHost: {host}\r\nX: a Content-Length: 9\r\n"
            b"Connection: close\r\n\r\n",
        ),
        # One length, once.
        (
            b"POST http://{host}/a HTTP/1.1\r\nHost: {host}\r\nContent-Length: 2\r\n"
            b"Content-Length: 2\r\n\r\nab",
            b"POST /a HTTP/1.1\r\nHost: {host}\r\nContent-Length: 2\r\nConnection: close\r\n\r\nab",
        ),
        # Extensions and trailers of chunks end here, and what `Connection` names.
        (
            b"POST http://{host}/a HTTP/1.1\r\nHost: {host}\r\nTransfer-Encoding: chunked\r\n"
            b"Connection: X-Hop, Host, Transfer-Encoding\r\nX-Hop: a\r\nTE: trailers\r\n\r\n"
            b"02;a=b\r\nab\r\n0\r\nContent-Length: 3\r\n\r\n",
            b"POST /a HTTP/1.1\r\nHost: {host}\r\nTransfer-Encoding: chunked\r\n"
            b"Connection: close\r\n\r\n2\r\nab\r\n0\r\n\r\n",
        ),
    ],
)
async def test_a_forwarded_request_arrives_in_one_plain_form_and_alone(
    asked: bytes, seen: bytes
) -> None:
    async with _upstream() as (host, came), _gateway(UrlPolicy()) as gateway:
        asked, seen = (text.replace(b"{host}", host.encode()) for text in (asked, seen))
        answer = await _said(gateway, asked + SMUGGLED)
        assert body_of(answer) == b"taken"
        async with asyncio.timeout(WITHIN_S):
            assert await came.get() == seen


@pytest.mark.parametrize(
    "answer",
    [
        b"nonsense\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Length: +5\r\n\r\ntaken",
        b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\ntaken",
        b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\n",
        b"",
    ],
)
async def test_a_response_that_is_no_http_becomes_a_502(answer: bytes) -> None:
    async with _upstream(answer) as (host, _), _gateway(UrlPolicy()) as gateway:
        told = await _said(gateway, _get(f"http://{host}/"))
    assert told.startswith(b"HTTP/1.1 502 Bad Gateway\r\n")
    assert b"the host sent an invalid response" in body_of(told)


async def test_a_response_with_two_lengths_arrives_with_one() -> None:
    answer = (
        b"HTTP/1.1 200 OK\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n"
        b"5\r\ntaken\r\n0\r\n\r\n"
    )
    async with _upstream(answer) as (host, _), _gateway(UrlPolicy()) as gateway:
        told = await _said(gateway, _get(f"http://{host}/"))
    assert b"content-length" not in told.lower()
    assert body_of(told) == b"taken"


async def test_a_response_that_breaks_off_does_not_look_whole() -> None:
    for head in (b"Content-Length: 500", b"Transfer-Encoding: chunked"):
        answer = b"HTTP/1.1 200 OK\r\n" + head + b"\r\n\r\n1f4\r\ntak"
        async with _upstream(answer) as (host, _), _gateway(UrlPolicy()) as gateway:
            told = await _said(gateway, _get(f"http://{host}/"))
        assert b"tak" in told
        with pytest.raises(AssertionError, match="no whole response"):
            body_of(told)


async def test_a_head_of_a_refused_page_has_no_body() -> None:
    async with _gateway(UrlPolicy(allow=(parse_rule("good.com"),))) as gateway:
        told = await _said(gateway, _get("http://evil.com/").replace(b"GET", b"HEAD", 1))
    assert told.startswith(b"HTTP/1.1 403 Forbidden")
    assert told.endswith(b"\r\n\r\n")


async def test_a_server_may_answer_before_it_has_read_the_whole_body() -> None:
    async with _upstream() as (host, _), _gateway(UrlPolicy()) as gateway:
        asked = _get(f"http://{host}/", "Content-Length: 1000000\r\n").replace(b"GET", b"POST", 1)
        assert body_of(await _said(gateway, asked + b"x")) == b"taken"
