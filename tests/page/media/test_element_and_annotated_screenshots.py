"""Pictures by ref, in any frame."""

from __future__ import annotations

import io
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio
from PIL import Image

from pilothouse.page.media.screenshot_size_and_annotation import Screenshot
from pilothouse.page.page import Page
from tests.browser.browser_with_dialog_places import WITHIN_S, Stage, staged
from tests.page.snapshot_tab import opened

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="module")]

RED, BLUE = (255, 0, 0), (0, 0, 255)
_BOX = "display:block;width:{0}px;height:{1}px;background:{2};border:0;margin:0;padding:0"


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def stage(chromium_path: Path) -> AsyncIterator[Stage]:
    async with staged() as made:
        yield made


async def shown(stage: Stage) -> Page:
    red = f'<button style="{_BOX.format(60, 40, "red")}" aria-label=Red></button>'
    blue = f'<button style="{_BOX.format(50, 30, "blue")}" aria-label=Blue></button>'
    stage.pages.add("/blue.html", f"<body style=margin:7px>{blue}")
    inner = stage.pages.url("/blue.html", host="localhost")
    frame = f'<iframe src="{inner}" style="transform:scale(2);transform-origin:0 0"></iframe>'
    seen = await opened(stage, f"<body style=margin:11px>{red}<p style=height:1500px>x</p>{frame}")
    page = Page(stage.sup, seen.tab)
    await page.waits.for_selector("button", frame_id=await frame_of(stage, page), timeout=WITHIN_S)
    return page


async def frame_of(stage: Stage, page: Page) -> str:
    tab = page.tab_context.tab_id
    return await stage.sup.wait_for(
        lambda s: next(
            (f.id for f in s.frames.values() if f.tab == tab and "blue" in f.url and f.session), ""
        ),
        WITHIN_S,
    )


def image(picture: Screenshot | None) -> Image.Image:
    assert picture is not None
    return Image.open(io.BytesIO(picture.data)).convert("RGB")


async def test_element_is_pictured_alone_wherever_it_is(stage: Stage) -> None:
    page = await shown(stage)
    red = image((await page.screenshot("button=Red")).value)
    assert (red.size, red.getpixel((30, 20))) == ((60, 40), RED)
    # In a frame of another process, twice as large, below the fold.
    blue = image((await page.screenshot("button=Blue")).value)
    assert (blue.size, blue.getpixel((50, 30))) == ((100, 60), BLUE)


async def test_refs_are_drawn_where_their_elements_are(stage: Stage) -> None:
    page = await shown(stage)
    plain = image((await page.screenshot()).value)
    drawn = image((await page.screenshot(annotate=True)).value)
    assert plain.size == drawn.size
    box = (11 - 3, 11 - 3, 11 + 60 + 3, 11 + 40 + 3)
    assert plain.crop(box).tobytes() != drawn.crop(box).tobytes()
    away = (300, 300, 600, 600)
    assert plain.crop(away).tobytes() == drawn.crop(away).tobytes()


async def test_open_dialog_blocks_a_picture_by_ref_at_once(stage: Stage) -> None:
    page = await shown(stage)
    asked = await page.evaluate("alert('now')")
    outcome = await page.screenshot("button=Red")
    assert [getattr(b, "message", "") for b in outcome.blocked_by] == ["now"]
    await stage.sup.answer(accept=True, tab=page.tab_context.tab_id)
    await stage.sup.actions.result(asked.action_id, WITHIN_S)
