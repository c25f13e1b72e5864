"""The page server: what tests rely on when they open its addresses."""

from __future__ import annotations

import asyncio
import http.client
import ssl
from pathlib import Path

import pytest

from pilothouse.cdp import Connection, dial_websocket
from pilothouse.cdp.protocol import Page, Target
from tests.chromium import running_chromium
from tests.page_server import Pages


def fetch(
    pages: Pages, path: str, headers: dict[str, str] | None = None
) -> tuple[int, str, http.client.HTTPMessage]:
    """Ask for a path as a plain client."""
    connection = http.client.HTTPConnection("127.0.0.1", pages.port, timeout=5)
    try:
        connection.request("GET", path, headers=headers or {})
        response = connection.getresponse()
        return response.status, response.read().decode(), response.msg
    finally:
        connection.close()


def test_added_page_is_served_with_its_headers_and_the_visit_is_noted(pages: Pages) -> None:
    pages.add("/a.html", "<p>ä", headers={"X-Test": "1"})
    status, body, headers = fetch(pages, "/a.html?q=1", {"Host": f"a.localhost:{pages.port}"})
    assert (status, body, headers["X-Test"]) == (200, "<p>ä", "1")
    assert headers["Content-Type"] == "text/html; charset=utf-8"
    assert [(v.host, v.path) for v in pages.visits] == [("a.localhost", "/a.html?q=1")]


def test_unknown_path_is_404(pages: Pages) -> None:
    assert fetch(pages, "/nowhere")[0] == 404


def test_redirect_and_download_say_so_in_their_headers(pages: Pages) -> None:
    pages.add_redirect("/from", pages.url("/to", host="localhost"))
    pages.add_download("/file.bin", b"data", "name.bin")
    status, _, headers = fetch(pages, "/from")
    assert (status, headers["Location"]) == (302, f"http://localhost:{pages.port}/to")
    status, body, headers = fetch(pages, "/file.bin")
    assert (status, body) == (200, "data")
    assert headers["Content-Disposition"] == 'attachment; filename="name.bin"'


def test_protected_page_asks_for_the_password(pages: Pages) -> None:
    pages.add_protected("/secret", "inside", "user", "pass")
    status, _, headers = fetch(pages, "/secret")
    assert (status, headers["WWW-Authenticate"]) == (401, 'Basic realm="pages"')
    assert fetch(pages, "/secret", {"Authorization": "Basic dXNlcjpwYXNz"})[:2] == (200, "inside")


async def test_slow_page_answers_when_its_gate_opens(pages: Pages) -> None:
    gate = pages.add_slow("/slow", "at last")
    answer = asyncio.ensure_future(asyncio.to_thread(fetch, pages, "/slow"))
    async with asyncio.timeout(5):
        await pages.visited("/slow")
        assert not answer.done()
        gate.set()
        assert (await answer)[1] == "at last"


def test_https_pages_show_a_certificate_for_their_names_that_nobody_trusts() -> None:
    with Pages(https=True) as pages:
        pages.add("/a.html", "safe")
        with pytest.raises(ssl.SSLCertVerificationError, match="self-signed"):
            fetch_https(pages, "/a.html", ssl.create_default_context())
        trusting = ssl.create_default_context(cadata=ssl.get_server_certificate(pages.address))
        assert fetch_https(pages, "/a.html", trusting) == "safe"


def fetch_https(pages: Pages, path: str, context: ssl.SSLContext) -> str:
    """Ask for a path over TLS."""
    connection = http.client.HTTPSConnection(*pages.address, timeout=5, context=context)
    try:
        connection.request("GET", path)
        return connection.getresponse().read().decode()
    finally:
        connection.close()


@pytest.mark.browser
@pytest.mark.parametrize("trusting", [False, True])
async def test_chromium_opens_https_pages_only_when_told_to_trust_them(
    chromium_path: Path, trusting: bool
) -> None:
    flags = ["--ignore-certificate-errors"] if trusting else []
    with Pages(https=True) as pages, running_chromium(chromium_path, *flags) as endpoint:
        url = pages.add("/a.html", "safe")
        dial = dial_websocket(endpoint.websocket_url)
        async with asyncio.timeout(20), await Connection.open(dial) as connection:
            page = (await connection.send(Target.createTarget(url="about:blank")))["targetId"]
            await connection.send(Target.attachToTarget(targetId=page, flatten=True))
            session = next(s for s in connection.sessions.values() if s.target_id == page)
            outcome = await session.send(Page.navigate(url=url))
    assert outcome.get("errorText") == (None if trusting else "net::ERR_CERT_AUTHORITY_INVALID")


@pytest.mark.browser
async def test_frames_of_the_three_names_are_processes_of_their_own(
    pages: Pages, chromium_path: Path
) -> None:
    inner = pages.url("/inner.html", host="a.localhost")
    middle = pages.url("/middle.html", host="localhost")
    pages.add("/inner.html", "inner")
    pages.add("/middle.html", f"<iframe src='{inner}'></iframe>")
    top = pages.add("/top.html", f"<iframe src='{middle}'></iframe>")
    with running_chromium(chromium_path, "--site-per-process") as endpoint:
        dial = dial_websocket(endpoint.websocket_url)
        async with asyncio.timeout(20), await Connection.open(dial) as connection:
            page = (await connection.send(Target.createTarget(url="about:blank")))["targetId"]
            await connection.send(Target.attachToTarget(targetId=page, flatten=True))
            session = next(s for s in connection.sessions.values() if s.target_id == page)
            await session.send(Page.enable())
            loaded = session.expect(Page.loadEventFired)
            await session.send(Page.navigate(url=top))
            await loaded
            infos = (await connection.send(Target.getTargets()))["targetInfos"]
    frames = sorted(info["url"] for info in infos if info["type"] == "iframe")
    assert frames == sorted([inner, middle])
