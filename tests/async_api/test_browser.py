"""`pilothouse.launch()`: a browser of the program's own, without a daemon."""

from __future__ import annotations

import inspect
from collections.abc import AsyncIterator
from pathlib import Path

import psutil
import pytest

import pilothouse
from pilothouse import AsyncPage, Blocked, Browser, PilothouseError, ToolError, UsageError
from tests.page_server import Pages

pytestmark = pytest.mark.browser

HTML = """data:text/html,<title>Hi</title>
<button onclick='document.title = prompt(`Name?`)'>Sign in</button>
<a href='data:text/plain,hello' download='greeting.txt'>Get it</a>
<a href='about:blank' target='_blank'>Window</a>
<input aria-label='Email'>"""


@pytest.fixture
async def browser(chromium_path: Path) -> AsyncIterator[Browser]:
    async with pilothouse.launch(executable=str(chromium_path)) as made:
        yield made


async def test_a_page_is_opened_read_and_acted_on(browser: Browser) -> None:
    page = await browser.new_page(HTML)
    assert await page.title() == "Hi"
    filled = await page.fill("label=Email", "ann@example.com")
    assert filled["value"] == "ann@example.com"
    assert await page.count("input") == 1
    assert "Email" in str(await page.snapshot())
    picture = await page.screenshot()
    assert picture.raw.startswith(b"\x89PNG")
    assert "Chrome" in browser.version


async def test_a_dialog_raises_blocked_and_its_answer_lets_the_call_end(browser: Browser) -> None:
    page = await browser.new_page(HTML)
    with pytest.raises(Blocked) as blocked:
        await page.click("button=Sign in")
    assert blocked.value.blocked_by[0]["message"] == "Name?"
    await page.handle_dialog(text="Ada")
    clicked = await page.result(blocked.value.action_id)
    assert "Name?" in clicked["text"]
    assert await page.title() == "Ada"


async def test_dialogs_are_answered_by_themselves_when_launched_so(chromium_path: Path) -> None:
    executable = str(chromium_path)
    async with pilothouse.launch(executable=executable, dialogs="dismiss") as browser:
        page = await browser.new_page(HTML)
        assert (await page.click("button=Sign in"))["dialogs"]
        assert await page.title() == "null"


async def test_a_popup_is_a_page(browser: Browser) -> None:
    page = await browser.new_page(HTML)
    clicked = await page.click("text=Window")
    (popup,) = clicked["new_tabs"]
    assert popup in [each.name for each in browser.pages()]
    await page.close()
    assert [each.name for each in browser.pages()] == [popup]


async def test_downloads_are_kept_in_the_folder_that_was_named(
    chromium_path: Path, tmp_path: Path
) -> None:
    executable, folder = str(chromium_path), tmp_path / "got"
    with Pages() as pages:
        async with pilothouse.launch(executable=executable, downloads=folder) as browser:
            page = await browser.new_page(pages.url("/empty"))
            await page.evaluate(
                "document.body.innerHTML = \"<a href='data:text/plain,hello' "
                "download='greeting.txt'>Get it</a>\""
            )
            (got,) = (await page.click("text=Get it"))["downloads"]
            assert got["path"] == str(folder / "greeting.txt")
    assert (folder / "greeting.txt").read_text() == "hello"


async def test_closing_ends_the_browser_and_is_repeatable(chromium_path: Path) -> None:
    before = set(psutil.Process().children(recursive=True))
    browser = await pilothouse.launch(executable=str(chromium_path))
    processes = [p for p in psutil.Process().children(recursive=True) if p not in before]
    assert processes
    await browser.close()
    await browser.close()
    _, left = psutil.wait_procs(processes, timeout=5)
    assert not left
    with pytest.raises(ToolError, match="closed"):
        await browser.new_page()


async def test_a_browser_that_is_not_there_is_reported_by_launch() -> None:
    with pytest.raises(PilothouseError, match="nowhere"):
        await pilothouse.launch(executable="/nowhere/chromium")


def test_a_wrong_option_is_refused_by_name() -> None:
    with pytest.raises(UsageError, match="dialogs") as refused:
        pilothouse.launch(dialogs="maybe")
    assert "accept" in refused.value.hint


def test_a_wrong_viewport_is_refused_by_field() -> None:
    with pytest.raises(UsageError, match=r"viewport\.height"):
        pilothouse.launch(viewport={"width": 800})
    with pytest.raises(UsageError, match=r"viewport\.size"):
        pilothouse.launch(viewport={"width": 800, "height": 600, "size": 2})


async def test_a_downloads_folder_that_cannot_be_made_is_refused_by_name(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(UsageError, match="downloads") as refused:
        await pilothouse.launch(downloads=tmp_path / "file")
    assert "another path" in refused.value.hint


def test_every_method_of_a_page_is_awaited_and_documented() -> None:
    for name, method in inspect.getmembers(AsyncPage, inspect.isfunction):
        if not name.startswith("_"):
            assert inspect.iscoroutinefunction(method), name
            assert inspect.getdoc(method), name
