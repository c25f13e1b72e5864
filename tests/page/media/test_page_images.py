"""The list of a page's images, on a real Chromium."""

from __future__ import annotations

import io
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio
from PIL import Image

from pilothouse.page.media.page_images import Images, PageImage
from pilothouse.page.tab_context import TabContext
from pilothouse.page.world.isolated_worlds import IsolatedWorlds
from tests.browser.browser_with_dialog_places import Stage, staged

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="module")]


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def stage(chromium_path: Path) -> AsyncIterator[Stage]:
    async with staged() as made:
        out = io.BytesIO()
        Image.new("RGB", (40, 30)).save(out, "PNG")
        made.pages.add("/i.png", out.getvalue())
        made.pages.add("/part.html", "<img src=/i.png alt=inner>")
        yield made


async def listed(stage: Stage, html: str, **wish: bool | int) -> list[PageImage]:
    tab = await stage.sup.open_tab("x", stage.pages.add("/images.html", html))
    await stage.loaded(tab)
    if "<iframe" in html:
        await stage.loaded(tab, "part")
    tab_context = TabContext(stage.sup, tab)
    outcome = await Images(tab_context, IsolatedWorlds(tab_context)).find_all(**wish)  # type: ignore[arg-type]
    assert outcome.value is not None
    await stage.sup.close_tab(tab)
    return outcome.value


async def test_an_image_is_told_with_both_its_sizes_and_its_place(stage: Stage) -> None:
    html = "<!doctype html><body style='margin:0'><img src=/i.png alt=' a  cat' "
    html += "style='position:absolute;left:10px;top:2000px;width:80px'>"
    (image,) = await listed(stage, html)
    assert (image.kind, image.alt, image.src) == ("img", "a cat", stage.pages.url("/i.png"))
    assert (image.natural_width, image.natural_height) == (40, 30)
    assert (image.x, image.y, image.width, image.height) == (10, 2000, 80, 60)
    assert (image.visible, image.in_viewport, image.loaded) == (True, False, True)


async def test_images_of_every_frame_and_shadow_root_are_told(stage: Stage) -> None:
    source = stage.pages.url("/part.html", host="localhost")
    html = f"<img src=/i.png alt=outer><iframe name=part src={source}></iframe><x-a></x-a><script>"
    html += "document.querySelector('x-a').attachShadow({mode:'open'}).innerHTML="
    html += "'<img src=/i.png alt=shadow>'</script>"
    found = await listed(stage, html)
    assert [image.alt for image in found] == ["outer", "shadow", "inner"]
    assert found[2].frame != found[0].frame


async def test_backgrounds_are_told_when_asked_for(stage: Stage) -> None:
    html = "<div style='background:url(/i.png),url(/j.png);width:9px;height:9px'></div>"
    assert await listed(stage, html) == []
    found = await listed(stage, html, backgrounds=True)
    assert [(image.kind, image.src[-6:]) for image in found] == [
        ("background", "/i.png"),
        ("background", "/j.png"),
    ]


async def test_hidden_small_and_broken_images_can_be_told_apart(stage: Stage) -> None:
    html = "<img src=/i.png alt=seen><img src=/i.png alt=hidden style='visibility:hidden'>"
    html += "<img src=/none.png alt=broken style='width:5px;height:5px'>"
    assert [image.alt for image in await listed(stage, html, hidden=False)] == ["seen", "broken"]
    assert [image.alt for image in await listed(stage, html, least=20)] == ["seen", "hidden"]
    assert [image.loaded for image in await listed(stage, html)] == [True, True, False]
