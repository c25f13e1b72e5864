"""From what a person names to a WebSocket URL, and each way it can be wrong (Must show 5)."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from pilothouse.browsers.endpoint import (
    Endpoint,
    parse_endpoint,
    rewrite_debugger_url,
    wait_for_endpoint,
)
from pilothouse.browsers.running_browser_opener import READY_WITHIN_S
from pilothouse.errors import BrowserError
from pilothouse.security.redaction import redact_endpoint
from tests.page_server import Pages


@pytest.mark.parametrize(
    ("named", "url"),
    [
        ("9222", "http://127.0.0.1:9222"),
        (" 9222 ", "http://127.0.0.1:9222"),
        ("localhost:9222", "http://localhost:9222"),
        ("[::1]:9222", "http://[::1]:9222"),
        ("HTTP://10.0.0.1:9222/", "http://10.0.0.1:9222/"),
        ("wss://cloud.example/x?token=a", "wss://cloud.example/x?token=a"),
    ],
)
def test_port_host_and_url_are_understood(named: str, url: str) -> None:
    assert parse_endpoint(named) == Endpoint(url)


def test_file_and_directory_are_understood(tmp_path: Path) -> None:
    port_file = tmp_path / "DevToolsActivePort"
    assert parse_endpoint(str(tmp_path)) == Endpoint(file=port_file)
    assert parse_endpoint(str(port_file)) == Endpoint(file=port_file)


@pytest.mark.parametrize(
    "named",
    [
        "",
        "chrome",
        "http://",
        "http://:9222",
        "http://a:99999",
        "http://a:x",
        "99999",
        "0",
        "ftp://a/",
        "http://[::1",
        "ws://a b/",
        "file:///etc/passwd",
        "javascript://x",
    ],
)
def test_malformed_endpoint_is_refused_with_the_forms_that_work(named: str) -> None:
    """Must show 5: malformed URL."""
    with pytest.raises(BrowserError) as error:
        parse_endpoint(named)
    assert "http://HOST:PORT" in error.value.hint
    assert "\n" not in error.value.format_line()


def test_secrets_are_left_out() -> None:
    assert redact_endpoint("wss://me:pw@h/p?token=s#f") == "wss://h/p?…"
    assert redact_endpoint("http://h:1/p") == "http://h:1/p"
    with pytest.raises(BrowserError) as error:
        parse_endpoint("ftp://me:pw@h/?token=s")
    assert not {"pw", "token"} & set(error.value.format_line().replace("=", " ").split())


@pytest.mark.parametrize(
    ("said", "asked", "url"),
    [
        ("ws://127.0.0.1:9222/d/1", "http://10.0.0.9:80", "ws://10.0.0.9:80/d/1"),
        ("ws://localhost/d/1", "https://u:p@h.example/?t=1", "wss://h.example/d/1?t=1"),
        ("ws://0.0.0.0:9222/d/1", "http://h:1", "ws://h:1/d/1"),
        ("ws://127.0.0.1:9222/d/1", "http://localhost:9222", "ws://127.0.0.1:9222/d/1"),
        ("wss://other.example/d/1", "http://h:1", "wss://other.example/d/1"),
    ],
)
def test_loopback_of_a_browser_elsewhere_is_not_ours(said: str, asked: str, url: str) -> None:
    assert rewrite_debugger_url(said, urlsplit(asked)) == url


async def refusal(endpoint: Endpoint) -> BrowserError:
    """With the patience that people get: what is final is told before it is used up."""
    began = time.monotonic()
    with pytest.raises(BrowserError) as error:
        await wait_for_endpoint(endpoint, READY_WITHIN_S)
    assert time.monotonic() - began < 5
    assert type(error.value) is BrowserError
    assert "\n" not in error.value.format_line()
    assert error.value.hint
    return error.value


async def test_refused_port_says_how_to_switch_debugging_on(refusing_port: int) -> None:
    """Must show 5: refused port."""
    error = await refusal(parse_endpoint(str(refusing_port)))
    assert "nothing listens" in error.message
    assert "--remote-debugging-port" in error.hint


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ("<html>", "not JSON"),
        ("[]", "webSocketDebuggerUrl"),
        ('{"Browser": "node"}', "webSocketDebuggerUrl"),
        ('{"webSocketDebuggerUrl": "http://x"}', "webSocketDebuggerUrl"),
        (None, "404"),
    ],
)
async def test_server_that_is_no_browser_is_told_apart(
    pages: Pages, body: str | None, words: str
) -> None:
    """Must show 5: non-CDP HTTP server."""
    if body is not None:
        pages.add("/json/version", body)
    error = await refusal(Endpoint(pages.url("/")))
    assert words in error.message


async def test_tls_to_a_plain_port_is_named(pages: Pages) -> None:
    """Must show 5: TLS to plain port."""
    error = await refusal(Endpoint(pages.url("/").replace("http://", "https://")))
    assert "the TLS handshake failed" in error.message


async def test_plain_http_to_a_tls_port_is_named() -> None:
    with Pages(https=True) as secure:
        error = await refusal(Endpoint(secure.url("/").replace("https://", "http://")))
    assert "does not speak HTTP" in error.message
    assert "https://" in error.hint


async def test_certificate_nobody_vouches_for_is_named() -> None:
    with Pages(https=True) as secure:
        error = await refusal(Endpoint(secure.url("/")))
    assert "certificate is not trusted" in error.message


@asynccontextmanager
async def answering(reply: bytes) -> AsyncIterator[int]:
    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(reply)
        writer.close()

    server = await asyncio.start_server(answer, "127.0.0.1", 0)
    async with server:
        yield server.sockets[0].getsockname()[1]


async def test_host_name_chrome_refuses_is_explained() -> None:
    refused = b"HTTP/1.1 500 E\r\n\r\nHost header is specified and is not an IP address"
    async with answering(refused) as port:
        error = await refusal(Endpoint(f"http://localhost:{port}"))
    assert "host name 'localhost'" in error.message
    assert "IP address" in error.hint


async def test_server_that_speaks_something_else_is_named() -> None:
    async with answering(b"SSH-2.0-OpenSSH\r\n") as port:
        error = await refusal(Endpoint(f"http://127.0.0.1:{port}"))
    assert "does not speak HTTP" in error.message


async def test_token_in_the_url_is_not_shown_when_it_fails(pages: Pages) -> None:
    error = await refusal(Endpoint(pages.url("/") + "?token=secret"))
    assert "secret" not in error.format_line()


PORT_FILES: list[tuple[Callable[[Path], object], str]] = [
    (lambda place: place.write_text("not a port\n/x"), "is not a DevToolsActivePort file"),
    (lambda place: place.write_text("1234"), "is not a DevToolsActivePort file"),
    (lambda place: place.write_bytes(b"\xff\xfe\x00"), "cannot be read"),
    (lambda place: place.mkdir(), "cannot be read"),
    (lambda place: None, "no browser with remote debugging uses"),
]


@pytest.mark.parametrize(("make", "words"), PORT_FILES)
async def test_directory_without_a_usable_port_file_is_told(
    tmp_path: Path, make: Callable[[Path], object], words: str
) -> None:
    place = tmp_path / "DevToolsActivePort"
    make(place)
    error = await refusal(Endpoint(file=place))
    assert words in error.message


async def test_missing_file_is_not_waited_for(tmp_path: Path) -> None:
    error = await refusal(parse_endpoint(str(tmp_path / "none" / "file")))
    assert "does not exist" in error.message


async def test_port_file_that_appears_is_found(tmp_path: Path) -> None:
    place = tmp_path / "DevToolsActivePort"
    async with asyncio.timeout(5):
        waiting = asyncio.ensure_future(wait_for_endpoint(Endpoint(file=place), 4))
        await asyncio.sleep(0)
        place.write_text("1234\n/devtools/browser/1\n")
        assert await waiting == "ws://127.0.0.1:1234/devtools/browser/1"


async def test_environment_proxies_are_not_asked(
    pages: Pages, monkeypatch: pytest.MonkeyPatch, refusing_port: int
) -> None:
    monkeypatch.setenv("http_proxy", f"http://127.0.0.1:{refusing_port}")
    pages.add("/json/version", '{"webSocketDebuggerUrl": "ws://127.0.0.1:5/d"}')
    assert await wait_for_endpoint(Endpoint(pages.url("/")), 4) == "ws://127.0.0.1:5/d"
