"""Scrolling on a real Chromium: how far it went is what the receipt says."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

from pilothouse.errors import ToolError
from tests.browser.browser_with_dialog_places import Stage, staged
from tests.page.input_tab import FRAMES, done, show_page

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="module")]


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def stage(chromium_path: Path) -> AsyncIterator[Stage]:
    async with staged() as made:
        yield made


@pytest_asyncio.fixture(loop_scope="module", autouse=True)
async def cleared(stage: Stage) -> AsyncIterator[None]:
    yield
    await stage.clear()


TALL = """<style>body { margin: 0 } #tall { height: 3000px }</style>
<div id=box style="height:100px;width:200px;overflow:auto">
<div style="height:400px">inner</div></div>
<div id=tall>tall</div><button id=low>Low</button>"""


@pytest.mark.parametrize("within", FRAMES)
async def test_the_wheel_scrolls_an_element_or_its_page_in_every_frame(
    stage: Stage, within: str
) -> None:
    hands = await show_page(stage, TALL, within)
    # A wheel turns by pixels of the window: in a frame at half its size it goes twice as far.
    by = 120 if within != "nested" else 240
    receipt = done(await hands.wheel.scroll(0, 120, "#box"))
    assert receipt.scrolled
    assert (receipt.value["dy"], receipt.value["height"]) == (by, 300)
    assert f"moved by 0,{by}: <div#box> is at 0,{by} of 0,300" in receipt.notes
    assert await hands.js("[box.scrollTop, scrollY]") == [by, 0]
    receipt = done(await hands.wheel.scroll(0, 120, "#tall"))
    assert await hands.js("scrollY") == by == receipt.value["dy"]


async def test_the_end_is_told(stage: Stage) -> None:
    hands = await show_page(stage, TALL)
    assert done(await hands.wheel.scroll(0, 250)).value["dy"] == 250
    receipt = done(await hands.wheel.to_edge("bottom"))
    assert receipt.value["y"] == receipt.value["height"]
    receipt = done(await hands.wheel.scroll(0, 500))
    assert not receipt.scrolled
    assert receipt.notes[0].startswith("it is at the end: the page is at")
    assert done(await hands.wheel.to_edge("top")).value["y"] == 0
    assert await hands.js("scrollY") == 0


async def test_a_page_that_scrolls_in_a_box_is_scrolled_there(stage: Stage) -> None:
    hands = await show_page(
        stage,
        "<style>html, body { height: 100%; margin: 0; overflow: hidden }</style>"
        "<main id=m style='height:100%; overflow:auto'><div style='height:5000px'>x</div></main>",
    )
    receipt = done(await hands.wheel.scroll(dy=300))
    assert receipt.notes[0].startswith("moved by 0,300: <main#m>")
    done(await hands.wheel.to_edge("bottom"))
    assert await hands.js("m.scrollTop + m.clientHeight") == 5000


async def test_the_page_is_meant_even_if_a_frame_is_in_its_middle(stage: Stage) -> None:
    hands = await show_page(stage, "<p id=inner style='height:4000px'>x</p>", "oopif")
    main = stage.sup.state.tabs[hands.tab].target_id
    await stage.value(main, "document.body.style.height = '4000px'; 0")
    done(await hands.wheel.scroll(dy=150))
    assert await stage.value(main, "scrollY") == 150
    assert await hands.js("scrollY") == 0


async def test_an_element_is_brought_into_view_with_its_frame(stage: Stage) -> None:
    hands = await show_page(stage, TALL, "oopif")
    main = stage.sup.state.tabs[hands.tab].target_id
    push = "document.body.style.paddingTop = '2000px'; 0"
    await stage.value(main, push)
    receipt = done(await hands.wheel.into_view("#low"))
    assert receipt.scrolled
    assert await hands.js("low.getBoundingClientRect().bottom <= innerHeight")
    assert await stage.value(main, "scrollY") > 1000
    receipt = done(await hands.wheel.into_view("#low"))
    assert receipt.notes == ("it was in view already",)


async def test_a_tab_in_the_background_is_scrolled_too(stage: Stage) -> None:
    hands = await show_page(stage, TALL)
    await stage.sup.open_tab("front", stage.pages.url("/main.html"))
    receipt = done(await hands.wheel.scroll(0, 200))
    assert await hands.js("scrollY") == 200
    assert receipt.notes[1] == "scrolled by script because the tab is in the background"


async def test_a_page_that_keeps_the_wheel_for_itself_did_not_scroll(stage: Stage) -> None:
    hands = await show_page(
        stage,
        TALL + "<script>addEventListener('wheel', (e) => { e.preventDefault(); "
        "low.textContent = 'zoomed' }, {passive: false})</script>",
    )
    receipt = done(await hands.wheel.scroll(0, 200))
    assert not receipt.scrolled
    assert receipt.notes[0].startswith("it did not scroll")
    assert await hands.js("low.textContent") == "zoomed"


async def test_bad_distances_are_refused(stage: Stage) -> None:
    hands = await show_page(stage, TALL)
    for wrong in ({}, {"dy": float("inf")}, {"dx": True}):
        with pytest.raises(ToolError):
            await hands.wheel.scroll(**wrong)
    with pytest.raises(ToolError, match="edge"):
        await hands.wheel.to_edge("end")
