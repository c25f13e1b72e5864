"""Our world in each document: out of the page's reach, made once, gone with its document."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

from pilothouse.cdp import Command
from pilothouse.errors import CommandFailed, InterruptedByNavigation
from tests.browser.browser_with_dialog_places import Stage, staged
from tests.page.snapshot_tab import opened, run

pytestmark = [pytest.mark.asyncio(loop_scope="module")]


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def stage(chromium_path: Path) -> AsyncIterator[Stage]:
    async with staged() as made:
        made.pages.add("/other.html", "<!doctype html><title>Other</title>")
        yield made


@pytest.mark.browser
async def test_the_page_neither_sees_nor_disturbs_our_world(stage: Stage) -> None:
    page = await opened(
        stage,
        """<script>Array.prototype.map = Object.keys = JSON.stringify = () => 'broken';
        var ph = 'the page has one too'; Element.prototype.getBoundingClientRect = null;
        document.querySelectorAll = null; window.getComputedStyle = null</script>
        <button>B</button>""",
    )
    snapshot = await page.snapshot()
    assert snapshot.text.count('- button "B" [ref=e1]') == 1
    assert await run(stage, page, "[ph, typeof pilothousePressed]") == [
        "the page has one too",
        "undefined",
    ]


@pytest.mark.browser
async def test_a_world_is_made_once_for_a_document(stage: Stage) -> None:
    page = await opened(stage, "")
    main = page.tab_context.main()
    first, second = await asyncio.gather(page.worlds.of(main), page.worlds.of(main))
    assert first is second
    assert page.worlds.known(main) is first
    loader = main.loader
    await stage.sup.cdp("Page.navigate", {"url": stage.pages.url("/other.html")}, tab=page.tab)
    await stage.loaded(page.tab, but=loader)
    assert page.worlds.known(page.tab_context.main()) is None
    assert (await page.worlds.of(page.tab_context.main())).loader != loader


@pytest.mark.browser
async def test_numbers_go_on_in_the_next_document(stage: Stage) -> None:
    page = await opened(stage, "<button>A</button>")
    await page.snapshot()
    world = await page.worlds.of(page.tab_context.main())
    assert world.first_number == 1
    loader = page.tab_context.main().loader
    await stage.sup.cdp("Page.reload", tab=page.tab)
    await stage.loaded(page.tab, but=loader)
    assert (await page.worlds.of(page.tab_context.main())).first_number == 2


@pytest.mark.browser
async def test_a_call_whose_document_goes_away_says_so_and_a_read_asks_again(stage: Stage) -> None:
    page = await opened(stage, "<p>first</p>")
    main = page.tab_context.main()
    world = await page.worlds.of(main)
    await stage.sup.cdp("Page.navigate", {"url": stage.pages.url("/other.html")}, tab=page.tab)
    with pytest.raises(CommandFailed):
        await page.worlds.call_in(world, "next")
    await stage.loaded(page.tab, but=main.loader)
    assert await page.worlds.read(main, "next") == 1
    assert issubclass(InterruptedByNavigation, CommandFailed)


@pytest.mark.browser
async def test_what_a_script_throws_is_told(stage: Stage) -> None:
    page = await opened(stage, "")
    with pytest.raises(CommandFailed, match=r"ph\.nothingLikeThat failed: TypeError"):
        await page.worlds.call(page.tab_context.main(), "nothingLikeThat")


@pytest.mark.browser
async def test_a_call_nobody_waits_for_is_no_trouble(stage: Stage) -> None:
    page = await opened(stage, "")
    world = await page.worlds.of(page.tab_context.main())
    page.worlds.call_in(world, "next")
    page.worlds.notify(world, "nothingLikeThat")
    assert await page.worlds.call_in(world, "next") == 1


@pytest.mark.browser
async def test_a_document_written_anew_keeps_its_world(stage: Stage) -> None:
    page = await opened(stage, "<button>Old</button>")
    await page.snapshot()
    frame = page.tab_context.main()
    written = {"frameId": frame.id, "html": "<button>New</button>"}
    await page.tab_context.session.send(Command("Page.setDocumentContent", written))
    assert (await page.snapshot()).text.count('button "New" [ref=e2]') == 1
