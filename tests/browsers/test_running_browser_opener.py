"""Browsers somebody else runs."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from pilothouse.browsers import Browsers, ConnectedKind
from pilothouse.browsers.endpoint import may_ask_consent, parse_endpoint
from pilothouse.browsers.running_browser_opener import connect
from pilothouse.cdp import Status
from pilothouse.errors import BrowserError
from tests.chromium import Endpoint, running_chromium
from tests.consent_proxy import ConsentProxy
from tests.fake_chrome import FakeChrome
from tests.page_server import Pages
from tests.tcp_proxy import TcpProxy


@pytest.fixture(scope="module")
def running(chromium_path: Path) -> Iterator[Endpoint]:
    """One browser for all tests here: connecting must not harm it."""
    with running_chromium(chromium_path) as endpoint:
        yield endpoint


@pytest.mark.browser
@pytest.mark.parametrize("form", ["port", "http", "ws", "file", "directory"])
async def test_every_form_of_endpoint_connects_and_closing_only_disconnects(
    browsers: Browsers, running: Endpoint, tmp_path: Path, form: str
) -> None:
    port_file = tmp_path / "DevToolsActivePort"
    port_file.write_text(f"{running.port}\n{running.path}")
    named = {
        "port": str(running.port),
        "http": f"http://localhost:{running.port}/",
        "ws": running.websocket_url,
        "file": str(port_file),
        "directory": str(tmp_path),
    }[form]
    async with asyncio.timeout(10):
        handle = await browsers.acquire(ConnectedKind(named))
        assert handle.product.startswith("Chrome/")
        assert (handle.owned, handle.pid) == (False, None)
        assert (await handle.target()).type == "page"
        await handle.release(kill=True)
    assert handle.connection.status is Status.CLOSED
    assert running.get("/json/version")["Browser"] == handle.product


@pytest.mark.browser
async def test_dropped_connection_is_restored(browsers: Browsers, running: Endpoint) -> None:
    async with asyncio.timeout(15), TcpProxy(running.port) as proxy:
        handle = await browsers.acquire(ConnectedKind(f"http://127.0.0.1:{proxy.port}"))
        dropped = asyncio.Event()
        handle.connection.on_status(lambda _: dropped.set())
        proxy.cut()
        await dropped.wait()
        await handle.connection.wait_open(10)
        assert await handle.targets()
        assert (await browsers.acquire(ConnectedKind(f"http://127.0.0.1:{proxy.port}"))).alive


async def refusal(browsers: Browsers, endpoint: str) -> BrowserError:
    async with asyncio.timeout(5):
        with pytest.raises(BrowserError) as error:
            await browsers.acquire(ConnectedKind(endpoint))
    assert "\n" not in error.value.format_line()
    assert error.value.hint
    return error.value


async def test_refused_ports_are_told_in_time(
    browsers: Browsers, tmp_path: Path, refusing_port: int
) -> None:
    """Must show 5: refused port, over http, ws and a stale file; each in less than 5 s."""
    port = refusing_port
    stale = tmp_path / "DevToolsActivePort"
    stale.write_text(f"{port}\n/devtools/browser/1")
    errors = await asyncio.gather(
        *(refusal(browsers, named) for named in (str(port), f"ws://127.0.0.1:{port}/x", str(stale)))
    )
    assert all("nothing listens" in error.message for error in errors), errors
    assert str(stale) in errors[2].message


async def test_deadline_that_cuts_off_a_try_does_not_hide_what_the_tries_before_it_said(
    refusing_port: int,
) -> None:
    async def hold_up_the_loop() -> None:
        while True:
            time.sleep(0.2)  # noqa: ASYNC251 - a busy machine
            await asyncio.sleep(0.01)

    busy = asyncio.ensure_future(hold_up_the_loop())
    endpoint = parse_endpoint(f"ws://127.0.0.1:{refusing_port}/x")
    for within in (0.40, 0.44, 0.48, 0.52, 0.56, 0.60, 0.64, 0.68):
        with pytest.raises(BrowserError, match="nothing listens"):
            await connect(endpoint, within)
    busy.cancel()


async def test_wrong_servers_are_told(browsers: Browsers, pages: Pages) -> None:
    """Must show 5: non-CDP HTTP server, TLS to plain port."""
    plain = pages.url("/page?token=secret")
    for scheme, words in (("http", "404"), ("https", "TLS"), ("ws", "404"), ("wss", "TLS")):
        error = await refusal(browsers, plain.replace("http", scheme, 1))
        assert words in error.message, scheme
        assert "secret" not in error.format_line()


async def test_websocket_without_tls_to_a_tls_port_is_told(browsers: Browsers) -> None:
    with Pages(https=True) as secure:
        error = await refusal(browsers, secure.url("/x?token=secret").replace("https", "ws", 1))
    assert "wss://" in error.hint
    assert "secret" not in error.format_line()


async def test_websocket_that_speaks_no_cdp_is_told(
    browsers: Browsers, fake_chrome: FakeChrome
) -> None:
    fake_chrome.hold("Browser.getVersion")
    error = await refusal(browsers, fake_chrome.websocket_url)
    assert "does not speak CDP" in error.message


async def test_browser_that_moved_is_found_again(
    browsers: Browsers, fake_chrome: FakeChrome, pages: Pages
) -> None:
    """F1: a reconnect asks anew where the browser is."""
    url = f'{{"webSocketDebuggerUrl": "{fake_chrome.websocket_url}"}}'
    pages.add("/json/version", url)
    async with asyncio.timeout(10):
        handle = await browsers.acquire(ConnectedKind(pages.url("/")))
        fake_chrome.drop()
        await fake_chrome.has_wires(0)
        await handle.connection.wait_open(5)
        await fake_chrome.has_wires(1)
    assert len(pages.visits_to("/json/version")) == 2


async def test_browser_that_asks_its_user_asks_once_however_many_want_it(
    browsers: Browsers, fake_chrome: FakeChrome, tmp_path: Path
) -> None:
    """One socket waits for the consent; who gives up meanwhile does not take the question back."""
    async with asyncio.timeout(20), ConsentProxy(fake_chrome.port) as chrome:
        chrome.write_profile(tmp_path, "/devtools/browser/fake")
        kind = ConnectedKind(str(tmp_path))
        browsers.prepare(kind, within=60)
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.2):
                await browsers.acquire(kind)
        await chrome.asks(1)
        waiting = [asyncio.ensure_future(browsers.acquire(kind)) for _ in range(3)]
        chrome.allow()
        handles = await asyncio.gather(*waiting)
        assert len({id(handle.connection) for handle in handles}) == 1
        assert chrome.asked == 1


@pytest.mark.parametrize(("endpoint", "asks"), [("/profile", True), ("~/x", True), ("9222", False)])
def test_only_a_browser_that_is_named_by_its_profile_may_ask(endpoint: str, asks: bool) -> None:
    assert may_ask_consent(endpoint) is asks
    assert may_ask_consent("nonsense at all") is False
