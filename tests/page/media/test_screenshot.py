"""Screenshots on a real Chromium: sizes, formats, and tabs that nobody looks at."""

from __future__ import annotations

import asyncio
import io
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio
from PIL import Image

from pilothouse.cdp import Command
from pilothouse.cdp.protocol import Emulation, Runtime
from pilothouse.errors import ToolError
from pilothouse.page.media.screenshot import WITHIN_S, ScreenshotCapture
from pilothouse.page.media.screenshot_size_and_annotation import (
    MODEL_BYTES,
    MODEL_EDGE,
    Rect,
    RefBox,
    Screenshot,
)
from pilothouse.page.tab_context import TabContext
from pilothouse.page.world.isolated_worlds import IsolatedWorlds
from pilothouse.supervisor import Outcome
from tests.browser.browser_with_dialog_places import Stage, staged

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="module")]

RED, GREEN, BLUE = (255, 0, 0), (0, 255, 0), (0, 0, 255)

# A red band of 1000, a green one of 1000, then blue; everything that steals focus is noted.
BANDS = """<!doctype html><title>bands</title><style>body{margin:0;background:rgb(0,0,255)}
div{height:1000px}</style><div style="background:rgb(255,0,0)"></div>
<div style="background:rgb(0,255,0)"></div><div></div><script>var seen = [];
for (const kind of ["focus", "blur", "visibilitychange"])
  addEventListener(kind, () => seen.push(kind), true);</script>"""
NOISE = """<!doctype html><style>body{margin:0}canvas{width:100vw;height:100vh}</style>
<canvas></canvas><script>const canvas = document.querySelector("canvas"); canvas.width = innerWidth;
canvas.height = innerHeight; const pen = canvas.getContext("2d");
const image = pen.createImageData(canvas.width, canvas.height); let n = 1;
for (let i = 0; i < image.data.length; i++)
  image.data[i] = i % 4 == 3 ? 255 : (n = n * 16807 % 2147483647) & 255;
pen.putImageData(image, 0, 0);</script>"""


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def stage(chromium_path: Path) -> AsyncIterator[Stage]:
    async with staged() as made:
        made.pages.add("/bands.html", BANDS)
        made.pages.add("/noise.html", NOISE)
        made.pages.add("/tall.html", BANDS + "<div style='height:40000px'></div>")
        yield made


@pytest_asyncio.fixture(loop_scope="module", autouse=True)
async def cleared(stage: Stage) -> AsyncIterator[None]:
    yield
    await stage.clear()


async def opened(stage: Stage, path: str = "/bands.html") -> tuple[str, ScreenshotCapture]:
    tab = await stage.sup.open_tab("camera", stage.pages.url(path))
    await stage.loaded(tab)
    await stage.sup.session(tab).send(
        Emulation.setDeviceMetricsOverride(width=800, height=600, deviceScaleFactor=2, mobile=False)
    )
    tab_context = TabContext(stage.sup, tab)
    return tab, ScreenshotCapture(tab_context, IsolatedWorlds(tab_context))


def picture(outcome: Outcome[Screenshot]) -> Screenshot:
    assert outcome.value is not None, outcome
    return outcome.value


def pixel(shot: Screenshot, x: float, y: float) -> tuple[int, int, int]:
    with Image.open(io.BytesIO(shot.data)) as image:
        assert image.size == (shot.width, shot.height)
        red, green, blue = image.convert("RGB").getpixel((x, y))  # type: ignore[misc,arg-type]
    return red, green, blue


async def value(stage: Stage, tab: str, expression: str) -> object:
    return await stage.value(stage.sup.session(tab).target_id, expression)


async def test_one_image_pixel_is_one_css_pixel_whatever_the_screen(stage: Stage) -> None:
    tab, camera = await opened(stage)
    await value(stage, tab, "scrollTo(0, 900); 0")
    shot = picture(await camera.take())
    assert (shot.width, shot.height, shot.factor) == (800, 600, 1.0)
    assert (shot.css_width, shot.css_height, shot.y) == (800, 600, 900)
    assert (pixel(shot, 400, 90), pixel(shot, 400, 110)) == (RED, GREEN)


async def test_a_larger_scale_shows_more_pixels(stage: Stage) -> None:
    _, camera = await opened(stage)
    shot = picture(await camera.take(scale=2, clip=Rect(100, 100, 50, 30)))
    assert (shot.width, shot.height, shot.factor) == (100, 60, 0.5)


async def test_the_whole_page_is_seen_and_stays_where_it_was(stage: Stage) -> None:
    tab, camera = await opened(stage)
    shot = picture(await camera.take(full_page=True))
    assert (shot.width, shot.height) == (800, 3000)
    assert [pixel(shot, 400, y) for y in (10, 1500, 2990)] == [RED, GREEN, BLUE]
    assert await value(stage, tab, "[scrollY, innerHeight].join()") == "0,600"


async def test_a_clip_counts_from_the_pages_corner_in_view_or_not(stage: Stage) -> None:
    tab, camera = await opened(stage)
    for scrolled in (0, 700):
        await value(stage, tab, f"scrollTo(0, {scrolled}); 0")
        shot = picture(await camera.take(clip=Rect(0, 990, 100, 20)))
        assert (shot.width, shot.height) == (100, 20)
        assert (pixel(shot, 50, 5), pixel(shot, 50, 15)) == (RED, GREEN)


@pytest.mark.parametrize("format", ["png", "jpeg", "webp"])
async def test_every_format_is_what_it_says(stage: Stage, format: str) -> None:
    _, camera = await opened(stage)
    shot = picture(await camera.take(format=format))
    with Image.open(io.BytesIO(shot.data)) as image:
        assert (image.format or "").lower() == format
    assert shot.mime == f"image/{format}"


async def test_a_page_too_long_to_paint_is_shown_smaller_and_says_so(stage: Stage) -> None:
    _, camera = await opened(stage, "/tall.html")
    shot = picture(await camera.take(full_page=True))
    assert shot.height <= 16_384
    assert "because no image may be longer" in shot.note
    assert pixel(shot, 10, 10 / shot.factor) == RED
    assert pixel(shot, 10, shot.height - 10) == BLUE


async def test_a_models_copy_keeps_within_its_limits(stage: Stage) -> None:
    _, camera = await opened(stage, "/noise.html")
    noise = picture(await camera.take(for_model=True))
    assert len(noise.data) <= MODEL_BYTES
    assert max(noise.width, noise.height) <= MODEL_EDGE
    assert noise.factor == pytest.approx(800 / noise.width)
    _, camera = await opened(stage)
    plain = picture(await camera.take(for_model=True, full_page=True))
    assert (plain.height, plain.mime) == (1024, "image/jpeg")
    assert plain.factor == pytest.approx(3000 / 1024, rel=0.01)


async def test_a_models_copy_of_something_tiny_is_enlarged(stage: Stage) -> None:
    _, camera = await opened(stage)
    shot = picture(await camera.take(for_model=True, clip=Rect(10, 10, 20, 10)))
    assert (shot.width, shot.height) == (400, 200)
    assert shot.factor == pytest.approx(0.05)


async def test_refs_are_drawn_onto_the_picture(stage: Stage) -> None:
    _, camera = await opened(stage)
    marks = [RefBox("e7", 100, 100, 200, 80)]
    shot = picture(await camera.take(ref_boxes=marks))
    assert (shot.width, shot.height) == (800, 600)
    assert pixel(shot, 300, 150) != RED
    assert pixel(shot, 200, 150) == RED


async def test_an_unchanged_page_is_not_sent_again(stage: Stage) -> None:
    tab, camera = await opened(stage)
    first = picture(await camera.take())
    again = picture(await camera.take(if_changed=first.digest))
    assert (again.unchanged, again.data) == (True, b"")
    await value(stage, tab, "document.body.firstElementChild.style.background = '#123456'; 0")
    assert picture(await camera.take(if_changed=first.digest)).data


async def test_two_pictures_at_once_are_both_taken(stage: Stage) -> None:
    _, camera = await opened(stage)
    for outcome in await asyncio.gather(camera.take(), camera.take(), camera.take()):
        assert pixel(picture(outcome), 10, 10) == RED


# Tabs that nobody looks at.


async def test_a_background_tab_is_painted_afresh_and_nobody_loses_the_focus(stage: Stage) -> None:
    tab, camera = await opened(stage)
    front = await stage.sup.open_tab("person", stage.pages.url("/bands.html"))
    await stage.loaded(front)
    looked = "document.visibilityState + document.hasFocus()"
    assert await value(stage, front, looked) == "visibletrue"
    assert await value(stage, tab, looked) == "hiddenfalse"
    await value(stage, tab, "seen.length = 0")
    await value(stage, front, "seen.length = 0")
    for colour in (GREEN, BLUE, (9, 9, 9), RED):
        paint = f"document.body.firstElementChild.style.background = 'rgb{colour}'; 0"
        await value(stage, tab, paint)
        async with asyncio.timeout(WITHIN_S + 1):
            shot = picture(await camera.take())
        assert pixel(shot, 400, 300) == colour
    assert pixel(picture(await camera.take(full_page=True)), 400, 1500) == GREEN
    assert await value(stage, front, looked) == "visibletrue"
    assert await value(stage, tab, looked) == "hiddenfalse"
    assert await value(stage, front, "seen.join()") == ""
    assert await value(stage, tab, "seen.join()") == "", "the page itself notices nothing"


async def test_a_frozen_tab_is_painted(stage: Stage) -> None:
    tab, camera = await opened(stage)
    front = await stage.sup.open_tab("person", stage.pages.url("/bands.html"))
    await stage.loaded(front)
    freeze: Command[object] = Command("Page.setWebLifecycleState", {"state": "frozen"})
    await stage.sup.session(tab).send(freeze)
    async with asyncio.timeout(WITHIN_S + 1):
        assert pixel(picture(await camera.take()), 400, 300) == RED


async def test_a_dialog_ends_the_wait_at_once(stage: Stage) -> None:
    tab, camera = await opened(stage)
    await stage.run(stage.sup.session(tab).target_id, "setTimeout(() => alert('hi')); 0")
    dialog = await stage.dialog(tab)
    async with asyncio.timeout(WITHIN_S):
        outcome = await camera.take()
    assert outcome.value is None
    assert [blocker.id for blocker in outcome.blocked_by] == [dialog.id]


async def test_a_page_that_never_comes_to_rest_is_not_waited_for(stage: Stage) -> None:
    tab, camera = await opened(stage)
    session = stage.sup.session(tab)
    busy = session.send(Runtime.evaluate(expression="for (;;);"), 60)
    try:
        async with asyncio.timeout(WITHIN_S + 1.5):
            try:
                outcome = await camera.take()
            except ToolError as error:
                assert "did not paint the tab within 3 s" in error.message  # noqa: PT017
            else:
                assert outcome.blocked_by, "its renderer is told to hang"
    finally:
        await session.send(Runtime.terminateExecution())
        await asyncio.gather(busy_end(busy), return_exceptions=True)


async def busy_end(busy: object) -> None:
    await busy  # type: ignore[misc]


@pytest.mark.parametrize("wish", [{"format": "gif"}, {"quality": 3}, {"scale": 99.0}])
async def test_impossible_wishes_are_refused(stage: Stage, wish: dict[str, float]) -> None:
    _, camera = await opened(stage)
    with pytest.raises(ToolError, match=next(iter(wish))):
        await camera.take(**wish)  # type: ignore[arg-type]
