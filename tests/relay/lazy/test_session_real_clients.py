"""Unchanged clients on tabs of a real Chromium that no debugger was attached to: everything works
the first time, and what only sets a page up attaches nothing."""

from __future__ import annotations

import asyncio
import json
import time
import urllib.request
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest
import pytest_asyncio
from playwright.async_api import Browser, Page, Playwright, async_playwright

from tests.chromium import Endpoint, running_chromium
from tests.npm_package_cache import installed, program
from tests.page_server import Pages
from tests.relay.all_lazy_relay import LazyTabs, lazy_tabs

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="module")]

ROOT = Path(__file__).parents[3]
WITHIN_S = 60

MAIN = """<title>Main</title>
<button onclick="this.textContent = 'clicked'">go</button><iframe name=inner src=/inner></iframe>"""
INNER = "<title>Inner</title><p id=inner>inner</p>"


@dataclass
class Desk:
    """A browser with tabs, and a client's view of them."""

    chromium: Endpoint
    pages: Pages
    playwright: Playwright

    def tab(self, path: str) -> None:
        """Open a tab behind everybody's back; its document is there when this returns."""
        opened = json.loads(self._http(f"/json/new?{self.pages.url(path)}", "PUT"))["id"]
        title = path.partition("?")[0].strip("/").capitalize()
        deadline = time.monotonic() + WITHIN_S
        while title not in (t["title"] for t in self._tabs() if t["id"] == opened):
            assert time.monotonic() < deadline, f"{path} did not come within {WITHIN_S} s"

    def close_tabs(self) -> None:
        """All but one."""
        for target in self._tabs()[1:]:
            self._http(f"/json/close/{target['id']}", "GET")

    def _tabs(self) -> list[dict[str, str]]:
        return [t for t in self.chromium.get("/json/list") if t["type"] == "page"]

    def _http(self, path: str, method: str) -> bytes:
        request = urllib.request.Request(f"http://127.0.0.1:{self.chromium.port}{path}")
        request.method = method
        with urllib.request.urlopen(request, timeout=WITHIN_S) as response:
            return bytes(response.read())

    @asynccontextmanager
    async def connected(self, *paths: str) -> AsyncIterator[tuple[Browser, LazyTabs]]:
        """Playwright, connected to tabs at these paths."""
        for path in paths:
            self.tab(path)
        async with asyncio.timeout(WITHIN_S), lazy_tabs(self.chromium.websocket_url) as (url, came):
            browser = await self.playwright.chromium.connect_over_cdp(url)
            try:
                yield browser, came[0]
            finally:
                await browser.close()


@pytest.fixture(scope="module")
def chromium(chromium_path: Path) -> Iterator[Endpoint]:
    with running_chromium(chromium_path, "--site-per-process") as endpoint:
        yield endpoint


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def shared(chromium: Endpoint) -> AsyncIterator[Desk]:
    with Pages() as pages:
        foreign = pages.url("/inner", host="a.localhost")
        for path in ("/main", "/main?1", "/main?2", "/main?3"):
            pages.add(path, MAIN)
        pages.add("/foreign", f"<title>Foreign</title><iframe src='{foreign}'></iframe>")
        pages.add("/inner", INNER)
        pages.add("/other", "<title>Other</title>")
        async with async_playwright() as playwright:
            yield Desk(chromium, pages, playwright)


@pytest.fixture
def desk(shared: Desk) -> Iterator[Desk]:
    yield shared
    shared.close_tabs()


def page_at(browser: Browser, path: str) -> Page:
    return next(page for page in browser.contexts[0].pages if page.url.endswith(path))


async def test_connecting_and_waiting_attach_nothing(desk: Desk) -> None:
    async with desk.connected("/main", "/other", "/foreign") as (browser, tabs):
        paths = {page.url.rpartition("/")[2] for page in browser.contexts[0].pages}
        assert {"main", "other", "foreign"} <= paths
        page = page_at(browser, "/main")
        await page.wait_for_load_state()
        await page.wait_for_load_state("networkidle")
        await page.wait_for_url("**/main")
        await page.add_init_script("window.early = 1")
        await page.set_extra_http_headers({"x-a": "b"})
        assert tabs.attached == []


async def test_a_title_is_read_the_first_time_and_only_its_tab_is_attached(desk: Desk) -> None:
    async with desk.connected("/main", "/other") as (browser, tabs):
        assert await page_at(browser, "/main").title() == "Main"
        assert len(tabs.attached) == 1


async def test_a_locator_clicks_the_first_time(desk: Desk) -> None:
    async with desk.connected("/main") as (browser, _):
        button = page_at(browser, "/main").locator("button")
        await button.click()
        assert await button.inner_text() == "clicked"


async def test_frames_are_there_after_the_first_command(desk: Desk) -> None:
    async with desk.connected("/main", "/foreign") as (browser, _):
        page = page_at(browser, "/main")
        assert await page.frame_locator("iframe").locator("#inner").inner_text() == "inner"
        assert await page.frame("inner").evaluate("document.title") == "Inner"  # type: ignore[union-attr]
        foreign = page_at(browser, "/foreign")
        assert await foreign.frame_locator("iframe").locator("#inner").inner_text() == "inner"


async def test_an_early_init_script_works_from_the_next_document_on(desk: Desk) -> None:
    async with desk.connected("/main") as (browser, tabs):
        page = page_at(browser, "/main")
        await page.add_init_script("window.early = 1")
        assert await page.evaluate("typeof window.early") == "undefined"
        response = await page.goto(desk.pages.url("/other"))
        assert response is not None
        assert response.status == 200
        assert await page.evaluate("window.early") == 1
        assert await page.title() == "Other"
        assert tabs.session(desk.pages.url("/main")).is_transparent


async def test_a_navigation_is_the_first_command(desk: Desk) -> None:
    async with desk.connected("/main") as (browser, _):
        page = page_at(browser, "/main")
        await page.goto(desk.pages.url("/other"))
        assert (page.url, await page.title()) == (desk.pages.url("/other"), "Other")


async def test_an_exposed_function_is_there_now_and_after_a_reload(desk: Desk) -> None:
    async with desk.connected("/main") as (browser, _):
        page = page_at(browser, "/main")
        await page.expose_function("plus", lambda number: number + 1)
        assert await page.evaluate("plus(1)") == 2
        await page.reload()
        assert await page.evaluate("plus(2)") == 3


async def test_a_second_session_on_the_tab_is_lazy_too(desk: Desk) -> None:
    async with desk.connected("/main") as (browser, tabs):
        page = page_at(browser, "/main")
        session = await page.context.new_cdp_session(page)
        await session.send("Page.enable")
        assert tabs.attached == []
        script = {"expression": "document.title"}
        assert (await session.send("Runtime.evaluate", script))["result"]["value"] == "Main"
        assert len(tabs.attached) == 1
        assert await page.title() == "Main"
        assert len(tabs.attached) == 2


async def test_a_tab_that_goes_elsewhere_by_itself_is_followed_without_a_debugger(
    desk: Desk,
) -> None:
    gate = desk.pages.add_slow("/go", "go")
    body = (
        "<title>Wanders</title><script>fetch('/go').then(() => location.href = '/other')</script>"
    )
    desk.pages.add("/wanders", body)
    async with desk.connected("/wanders") as (browser, tabs):
        page = page_at(browser, "/wanders")
        async with page.expect_event("framenavigated", timeout=WITHIN_S * 1000):
            gate.set()
        await page.wait_for_url("**/other")
        assert tabs.attached == []
        assert await page.title() == "Other"


async def test_nothing_made_up_reaches_the_browser(desk: Desk) -> None:
    async with desk.connected("/main") as (browser, tabs):
        page = page_at(browser, "/main")
        assert await page.evaluate("1 + 1") == 2
        assert await page.locator("button").inner_text() == "go"
        sent = [json.loads(params) for _, params in tabs.sent]
        ids = [p.get(key, 0) for p in sent for key in ("contextId", "executionContextId")]
        assert any(ids)
        assert max(ids) < 2**30


async def test_puppeteer_finds_everything_working_the_first_time(desk: Desk) -> None:
    for path in ("/main?1", "/main?2", "/main?3"):
        desk.tab(path)
    wanted = ROOT / "tests" / "conformance" / "package.json"
    packages = await asyncio.to_thread(installed, wanted, ROOT / ".dev" / "conformance")
    script = Path(__file__).parent / "lazy_puppeteer.mjs"
    async with asyncio.timeout(WITHIN_S), lazy_tabs(desk.chromium.websocket_url) as (url, came):
        node = await asyncio.create_subprocess_exec(
            program("node"),
            str(script),
            str(packages / "node_modules"),
            url,
            desk.pages.url(""),
            stdout=asyncio.subprocess.PIPE,
        )
        try:
            out, _ = await node.communicate()
        finally:
            if node.returncode is None:
                node.kill()
                await node.wait()
    assert node.returncode == 0
    seen = json.loads(out)
    assert len(seen.pop("pages")) == 4
    assert seen == {
        "title": "Main",
        "frames": ["/inner", "/main"],
        "inner": "inner",
        "clicked": "clicked",
        "tooLate": "undefined",
        "status": 200,
        "early": 1,
        "plus": 2,
        "plusAgain": 3,
        "raw": "Main",
        "afterRaw": "Main",
    }
    # One tab each, and one more for the session of its own on the third; none for the fourth.
    assert len(came[0].attached) == 4
