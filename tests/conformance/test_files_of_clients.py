"""Files of the machine and clients of the relay: unchanged Playwright on a managed browser and
on the user's Chrome uploads what it may, and finds what it downloads."""

from __future__ import annotations

import tempfile
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path

import pytest
import pytest_asyncio
from playwright.async_api import BrowserContext, Page, async_playwright
from playwright.async_api import Error as PlaywrightError

from pilothouse.browsers.kinds import HeadlessKind
from tests.conformance.client_run_comparison import FLAGS
from tests.conformance.conformance_site import Site
from tests.conformance.relay_browsers import lent
from tests.conformance.relayed_extension_chrome import WITHIN_MS, Room
from tests.page_server import Pages
from tests.relay.relay_and_daemon_setup import Relayed, relayed

pytestmark = [
    pytest.mark.browser,
    pytest.mark.timeout(300),
    pytest.mark.asyncio(loop_scope="module"),
]

FORM = "<title>form</title><input type=file id=f multiple>"
READ = "async () => Promise.all([...document.querySelector('#f').files].map((f) => f.text()))"


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def declared() -> AsyncIterator[Path]:
    """The one folder that the user has declared."""
    with tempfile.TemporaryDirectory(prefix="ph-declared-") as folder:
        yield Path(folder)


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def daemon(declared: Path) -> AsyncIterator[Relayed]:
    """A relay whose clients get a managed browser."""
    args = tuple(flag for flag in FLAGS if flag != "--disable-back-forward-cache")
    async with relayed(usual=HeadlessKind(args=args), declared=(declared,)) as relay:
        yield relay


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def kept_room(chromium_path: Path, declared: Path) -> AsyncIterator[Room]:
    """A lent Chrome behind a relay with that folder."""
    with Site() as site:
        async with (
            async_playwright() as driver,
            lent(chromium_path, declared=(declared,)) as (relay, chrome),
        ):
            yield Room(relay, chrome, site, driver)


@pytest_asyncio.fixture(params=["daemon", "extension"], loop_scope="module")
async def client(
    request: pytest.FixtureRequest, daemon: Relayed, room: Room
) -> AsyncIterator[Callable[[], Awaitable[BrowserContext]]]:
    """How a Playwright client comes, as the owner "shop"."""
    opened: list[BrowserContext] = []

    async def come() -> BrowserContext:
        if request.param == "extension":
            return await room.client(attach="owned", owner="shop")
        url = daemon.url(owner="shop")
        browser = await room.driver.chromium.connect_over_cdp(url, timeout=WITHIN_MS)
        opened.append(browser.contexts[0])
        return browser.contexts[0]

    yield come
    for context in opened:
        assert context.browser is not None
        await context.browser.close()


async def chosen(page: Page, *paths: str) -> list[str]:
    """Have Chrome read files for a page, as Puppeteer does; what the page gets of them."""
    session = await page.context.new_cdp_session(page)
    found = await session.send("Runtime.evaluate", {"expression": "document.querySelector('#f')"})
    asked = {"files": list(paths), "objectId": found["result"]["objectId"]}
    await session.send("DOM.setFileInputFiles", asked)
    texts: list[str] = await page.evaluate(READ)
    return texts


async def test_chrome_reads_files_of_allowed_folders_for_a_client_and_no_others(
    client: Callable[[], Awaitable[BrowserContext]], declared: Path
) -> None:
    (declared / "a.txt").write_text("from a declared folder")
    (declared / "out.txt").unlink(missing_ok=True)
    (declared / "out.txt").symlink_to("/etc/hostname")
    with Pages() as pages:
        page = await (await client()).new_page()
        await page.goto(pages.add("/form.html", FORM))
        assert await chosen(page, str(declared / "a.txt")) == ["from a declared folder"]
        await page.evaluate("document.querySelector('#f').value = ''")
        for path in ("/etc/hostname", "/etc/shadow", str(declared / "out.txt")):
            with pytest.raises(PlaywrightError) as caught:
                await chosen(page, path)
            assert "Pilothouse refuses DOM.setFileInputFiles" in caught.value.message
            assert f"{declared}" in caught.value.message
            assert await page.evaluate(READ) == []
        # Where the refusal says that files may be put.
        uploads = caught.value.message.partition("allowed folders: ")[2].partition(",")[0]
        (Path(uploads) / "b.txt").write_text("from its own folder")
        assert await chosen(page, str(Path(uploads) / "b.txt")) == ["from its own folder"]
        # Playwright reads files itself, as the user who runs it.
        (declared.parent / f"{declared.name}.txt").write_text("the client's own")
        await page.set_input_files("#f", str(declared.parent / f"{declared.name}.txt"))
        assert await page.evaluate(READ) == ["the client's own"]
        (declared.parent / f"{declared.name}.txt").unlink()


async def test_files_are_neither_dropped_nor_opened_by_a_drop(
    client: Callable[[], Awaitable[BrowserContext]],
) -> None:
    with Pages() as pages:
        context = await client()
        page = await context.new_page()
        await page.goto(pages.add("/drop.html", "<title>drop</title>"))
        session = await context.new_cdp_session(page)
        for data in (
            {"items": [], "files": ["/etc/hostname"], "dragOperationsMask": 1},
            _link("file:///etc/hostname"),
            _link("chrome://settings"),
            _link("about:version"),
        ):
            asked = {"type": "dragEnter", "x": 5, "y": 5, "data": data}
            with pytest.raises(PlaywrightError, match="Pilothouse refuses"):
                await session.send("Input.dispatchDragEvent", asked)


def _link(url: str) -> dict[str, object]:
    item = {"mimeType": "text/uri-list", "data": url}
    return {"items": [item], "files": [], "dragOperationsMask": 1}


async def test_client_with_another_folder_for_temporary_files_finds_its_downloads(
    daemon: Relayed, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    with Pages() as pages:
        link = pages.add_download("/file", b"whole", "file.txt")
        url = pages.add("/link.html", f"<a id=a href='{link}'>x</a>")
        async with async_playwright() as driver:
            browser = await driver.chromium.connect_over_cdp(daemon.url(), timeout=WITHIN_MS)
            page = await browser.contexts[0].new_page()
            await page.goto(url)
            async with page.expect_download() as expected:
                await page.click("#a")
            download = await expected.value
            assert (await download.path()).is_relative_to(tmp_path)
            await download.save_as(tmp_path / "saved.txt")
            assert (tmp_path / "saved.txt").read_text() == "whole"
            await browser.close()
