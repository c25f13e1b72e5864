"""Dialling a WebSocket: refusals, addresses, secrets and TLS, over real sockets."""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import AsyncIterator
from http import HTTPStatus
from pathlib import Path
from typing import Any

import pytest
from websockets.asyncio.server import ServerConnection, serve
from websockets.http11 import Request, Response

from pilothouse.cdp.websocket.transport import WebSocketTimeouts, dial_websocket
from pilothouse.errors import ConnectionLost
from tests.certificate import self_signed
from tests.websocket_peers import Ear, accept, echo, improper, url


@pytest.fixture(autouse=True)
async def _bounded() -> AsyncIterator[None]:
    async with asyncio.timeout(20):
        yield


async def refusal(address: str, **options: Any) -> str:
    """What the error of a dial that fails says."""
    ear = Ear()
    with pytest.raises(ConnectionLost) as caught:
        await dial_websocket(address, **options)(ear)
    assert ear.heard == []
    assert "\n" not in caught.value.message
    return caught.value.message


# Dials that fail.


async def test_refusal_of_the_server_is_quoted() -> None:
    def forbid(connection: ServerConnection, request: Request) -> Response:
        return connection.respond(HTTPStatus.FORBIDDEN, "not\nyou\n")

    async with serve(echo, "127.0.0.1", 0, process_request=forbid) as server:
        assert (await refusal(url(server, path="/devtools"))).endswith(
            "/devtools: HTTP 403 Forbidden: not you"
        )


async def test_refusal_whose_body_never_ends_is_told_at_the_deadline() -> None:
    async def behave(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 502 Bad Gateway\r\n\r\nupstream")
        await reader.read()

    async with improper(behave) as address:
        told = await refusal(address, timeouts=WebSocketTimeouts(handshake_s=0.1))
        assert told.endswith(": HTTP 502 Bad Gateway: upstream")


@pytest.mark.parametrize(
    ("response", "reason"),
    [
        (b"HTTP/1.1 302 Found\r\nLocation: ws://elsewhere/\r\n\r\n", "a redirect"),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi", "HTTP 200 OK: hi"),
        (b"+PONG\r\n", "not an HTTP response"),
        (b"HTTP/1.1 101 Sw", "not an HTTP response"),
        (b"", "closed without a response"),
    ],
)
async def test_server_that_is_no_websocket_server_is_named(response: bytes, reason: str) -> None:
    async def behave(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(response)

    async with improper(behave) as address:
        assert reason in await refusal(address)


async def test_extension_nobody_offered_is_refused() -> None:
    async def behave(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        answer = await accept(reader)
        writer.write(answer[:-2] + b"Sec-WebSocket-Extensions: permessage-deflate\r\n\r\n")
        await reader.read()

    async with improper(behave) as address:
        assert "extension we did not offer" in await refusal(address)


async def test_closed_port_refuses(unused_tcp_port: int) -> None:
    told = await refusal(f"ws://127.0.0.1:{unused_tcp_port}/")
    assert told == f"no WebSocket at ws://127.0.0.1:{unused_tcp_port}/: connection refused"


async def test_silent_server_is_given_up_at_the_deadline() -> None:
    gone = asyncio.Event()

    async def behave(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read()
        gone.set()

    async with improper(behave) as address:
        told = await refusal(address, timeouts=WebSocketTimeouts(handshake_s=0.05))
        assert told.endswith(": no response within 0.05 s")
        await gone.wait()


async def test_cancelled_dial_leaves_no_socket_behind() -> None:
    asked, gone = asyncio.Event(), asyncio.Event()

    async def behave(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        asked.set()
        await reader.read()
        gone.set()

    async with improper(behave) as address:
        dialling = asyncio.ensure_future(dial_websocket(address)(Ear()))
        await asked.wait()
        dialling.cancel()
        with pytest.raises(asyncio.CancelledError):
            await dialling
        await gone.wait()


@pytest.mark.parametrize(
    "address",
    ["http://h/", "ws://", "nonsense", "ws://u:secret#x@h/", "ws://[secret", "ws://h:secret/"],
)
async def test_what_is_no_websocket_address_is_not_shown(address: str) -> None:
    assert await refusal(address) == "no WebSocket: the address is not a ws:// or wss:// URL"


async def test_name_that_cannot_be_one_is_told() -> None:
    assert (await refusal("ws://a..b/?secret")).startswith("no WebSocket at ws://a..b/: ")


async def test_header_that_cannot_be_sent_fails_the_dial() -> None:
    told = await refusal("ws://127.0.0.1:1/", headers={"X": "secret\r\n"})
    assert "the header X" in told
    assert "secret" not in told


# Secrets.


async def test_userinfo_becomes_authorization_and_query_is_sent() -> None:
    seen: list[tuple[str, str]] = []

    async def behave(connection: ServerConnection) -> None:
        request = connection.request
        assert request is not None
        seen.append((request.path, request.headers["Authorization"]))
        await connection.send("ok")
        await connection.wait_closed()

    ear = Ear()
    async with serve(behave, "127.0.0.1", 0) as server:
        address = url(server, path="/a b?token=t%20k#part").replace("//", "//u%40x:pw@")
        wire = await dial_websocket(address)(ear)
        await ear.hear(1)
        wire.close()
        await ear.loss()
    assert seen == [("/a%20b?token=t%20k", "Basic dUB4OnB3")]


async def test_tokens_are_in_no_error_even_when_the_server_echoes_them() -> None:
    def forbid(connection: ServerConnection, request: Request) -> Response:
        told = f"{request.path} {request.headers['Authorization']} {request.headers['X-Key']}"
        return connection.respond(HTTPStatus.FORBIDDEN, told + " t0k en+ user99")

    async with serve(echo, "127.0.0.1", 0, process_request=forbid) as server:
        address = url(server, path="/p?token=t0k%20en%2B&x=1").replace("//", "//user99:pa55word@")
        told = await refusal(address, headers={"X-Key": "sesame-open"})
    assert "HTTP 403" in told
    for secret in ("t0k", "user99", "pa55word", "sesame", "token=", "Basic dX"):
        assert secret not in told


async def test_tokens_are_in_no_reason_of_a_loss() -> None:
    async def behave(connection: ServerConnection) -> None:
        await connection.close(1008, "bad token s3cr3t")

    async with serve(behave, "127.0.0.1", 0) as server:
        ear = Ear()
        await dial_websocket(url(server, path="/?token=s3cr3t"))(ear)
        assert await ear.loss() == "closed by the other side (1008) bad token ***"


# TLS.


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("tls") / "server.pem"
    path.write_text(self_signed(["localhost"], ["127.0.0.1"]))
    return path


@pytest.fixture
def server_tls(certificate: Path) -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)
    return context


async def test_messages_go_over_tls_when_the_certificate_is_trusted(
    certificate: Path, server_tls: ssl.SSLContext
) -> None:
    ear = Ear()
    async with serve(echo, "127.0.0.1", 0, ssl=server_tls, max_size=None) as server:
        trusting = ssl.create_default_context(cafile=certificate)
        wire = await dial_websocket(url(server, "wss"), tls=trusting)(ear)
        wire.write(b"x" * 2_000_000)
        wire.write(b"y")
        heard = await ear.hear(2)
        assert [len(text) for _, text in heard] == [2_000_000, 1]
        wire.close()
        assert await ear.loss() == "closed by us"


async def test_certificate_nobody_trusts_is_told(server_tls: ssl.SSLContext) -> None:
    async with serve(echo, "127.0.0.1", 0, ssl=server_tls) as server:
        assert "TLS: self-signed certificate" in await refusal(url(server, "wss"))


async def test_tls_to_a_plain_port_is_told() -> None:
    async def behave(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read(1)
        writer.write(b"HTTP/1.1 400 Bad Request\r\n\r\n")

    async with improper(behave) as address:
        assert "does not speak TLS" in await refusal(address.replace("ws:", "wss:"))


async def test_plain_to_a_tls_port_is_told(server_tls: ssl.SSLContext) -> None:
    # asyncio's servers hang up without a word; others send a TLS alert or an HTTP error.
    async def behave(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(b"\x15\x03\x01\x00\x02\x02\x46")

    async with improper(behave) as address:
        assert "the port speaks TLS (is it wss://?)" in await refusal(address)
    async with serve(echo, "127.0.0.1", 0, ssl=server_tls) as server:
        assert "closed" in await refusal(url(server))
