"""The clipboard, on a real Chromium."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

from pilothouse.errors import ToolError
from pilothouse.page.input.clipboard import LONGEST, Clipboard
from pilothouse.page.tab_context import TabContext
from tests.browser.browser_with_dialog_places import Stage, staged

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="module")]

STATE = "navigator.permissions.query({name: 'clipboard-read'}).then(p => p.state)"
SEEN = "[document.visibilityState, document.hasFocus()].join()"


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def stage(chromium_path: Path) -> AsyncIterator[Stage]:
    async with staged() as made:
        made.pages.add("/paste.html", "<textarea autofocus></textarea>")
        yield made


@pytest_asyncio.fixture(loop_scope="module", autouse=True)
async def cleared(stage: Stage) -> AsyncIterator[None]:
    yield
    await stage.clear()


async def opened(stage: Stage, path: str = "/main.html") -> TabContext:
    tab = await stage.sup.open_tab("owner", stage.pages.url(path, "localhost"))
    await stage.loaded(tab)
    return TabContext(stage.sup, tab)


@pytest.mark.parametrize("text", ["plain", "ü\n\tzwei  Zeilen\n", "\U0001f600", "x" * 300_000])
async def test_what_is_written_is_read(stage: Stage, text: str) -> None:
    clipboard = Clipboard(await opened(stage))
    await clipboard.write(text)
    assert await clipboard.read() == text


async def test_a_background_tab_uses_it_and_stays_there(stage: Stage) -> None:
    back, front = await opened(stage), await opened(stage)
    before = [await stage.value(tab_context.main().id, SEEN) for tab_context in (back, front)]
    await Clipboard(back).write("from behind")
    assert await Clipboard(back).read() == "from behind"
    assert [
        await stage.value(tab_context.main().id, SEEN) for tab_context in (back, front)
    ] == before


async def test_no_permission_is_changed(stage: Stage) -> None:
    tab_context = await opened(stage)
    before = await stage.value(tab_context.main().id, STATE)
    await Clipboard(tab_context).write("secret")
    await Clipboard(tab_context).read()
    assert await stage.value(tab_context.main().id, STATE) == before == "denied"


async def test_the_page_pastes_what_was_written(stage: Stage) -> None:
    tab_context = await opened(stage, "/paste.html")
    await Clipboard(tab_context).write("for the page")
    await stage.value(tab_context.main().id, "document.querySelector('textarea').focus(); 0")
    await stage.sup.cdp(
        "Input.dispatchKeyEvent",
        {"type": "rawKeyDown", "commands": ["paste"]},
        tab=tab_context.tab_id,
    )
    pasted = await stage.value(tab_context.main().id, "document.querySelector('textarea').value")
    assert pasted == "for the page"


async def test_an_open_dialog_does_not_matter(stage: Stage) -> None:
    tab_context = await opened(stage)
    await stage.run(tab_context.main().id, "setTimeout(() => alert('wait')); 0")
    await stage.dialog(tab_context.tab_id)
    await Clipboard(tab_context).write("meanwhile")
    assert await Clipboard(tab_context).read() == "meanwhile"
    await stage.sup.answer(accept=True, tab=tab_context.tab_id)


@pytest.mark.parametrize("text", ["", "a\0b", "x" * (LONGEST + 1)])
async def test_a_text_no_clipboard_holds_is_refused(stage: Stage, text: str) -> None:
    with pytest.raises(ToolError, match=r"^text: "):
        await Clipboard(await opened(stage)).write(text)
