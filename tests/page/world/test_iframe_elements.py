"""Where frames stand in their parents."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

from pilothouse.supervisor import State
from tests.browser.browser_with_dialog_places import WITHIN_S, Stage, staged
from tests.page.snapshot_tab import node, opened, run

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="module")]


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def stage(chromium_path: Path) -> AsyncIterator[Stage]:
    async with staged() as made:
        yield made


async def test_each_frame_is_known_by_its_element(stage: Stage) -> None:
    foreign = stage.pages.url("/part.html", "localhost")
    page = await opened(
        stage,
        f"<iframe title=near src=/part.html></iframe><iframe title=far src='{foreign}'></iframe>",
        frames=2,
    )
    main, near, far = page.tab_context.frames()
    assert await page.frame_elements.of(main) is None
    await page.frame_elements.find([near, far])
    snapshot = await page.snapshot()
    for frame, title in ((near, "near"), (far, "far")):
        owner = page.frame_elements.known(frame.id)
        assert owner is not None
        assert owner[0] == main.id
        assert node(snapshot, title).ref == f"e{owner[1]}"


async def test_a_frame_stays_known_when_it_goes_to_another_process(stage: Stage) -> None:
    page = await opened(stage, "<iframe src=/part.html></iframe>", frames=1)
    inner = page.tab_context.frames()[1]
    before = await page.frame_elements.of(inner)
    assert before is not None
    foreign = stage.pages.url("/part.html", "a.localhost")
    await run(stage, page, f"document.querySelector('iframe').src = {foreign!r}")

    def there(state: State) -> bool:
        frame = state.frames.get(inner.id)
        return frame is not None and frame.url == foreign and bool(frame.session)

    await stage.sup.wait_for(there, WITHIN_S)
    assert page.frame_elements.known(inner.id) == before


async def test_a_frame_that_is_gone_is_nowhere(stage: Stage) -> None:
    page = await opened(stage, "<iframe src=/part.html></iframe>", frames=1)
    inner = page.tab_context.frames()[1]
    await run(stage, page, "document.querySelector('iframe').remove()")
    assert await page.frame_elements.of(inner) is None
    assert page.frame_elements.known(inner.id) is None


async def test_a_frame_is_asked_for_again_when_its_parent_is_another_document(
    stage: Stage,
) -> None:
    page = await opened(stage, "<iframe src=/part.html></iframe>", frames=1)
    inner = page.tab_context.frames()[1]
    await page.frame_elements.of(inner)
    loader = page.tab_context.main().loader
    await stage.sup.cdp("Page.reload", tab=page.tab)
    await stage.loaded(page.tab, but=loader)
    assert page.frame_elements.known(inner.id) is None
