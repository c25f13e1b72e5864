"""One tab: its frames, the sessions they live in, and what is said when they are gone."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

from pilothouse.errors import ToolError
from pilothouse.page.tab_context import TabContext
from pilothouse.supervisor import Dialog
from tests.browser.browser_with_dialog_places import Stage, staged
from tests.page.snapshot_tab import opened

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="module")]


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def stage(chromium_path: Path) -> AsyncIterator[Stage]:
    async with staged() as made:
        yield made


async def test_frames_are_listed_parents_first_with_their_sessions(stage: Stage) -> None:
    foreign = stage.pages.url("/part.html", "localhost")
    page = await opened(
        stage, f"<iframe src=/part.html></iframe><iframe src='{foreign}'></iframe>", frames=2
    )
    tab_context = page.tab_context
    frames = tab_context.frames()
    assert [frame.parent for frame in frames] == ["", frames[0].id, frames[0].id]
    assert tab_context.main() == frames[0] == tab_context.frame()
    assert tab_context.session_of(frames[1]) is tab_context.session, "the same process"
    assert tab_context.session_of(frames[2]) is not tab_context.session, "another one"
    assert tab_context.tab.id == page.tab


async def test_what_is_not_of_this_tab_is_refused(stage: Stage) -> None:
    page, other = await opened(stage, ""), await opened(stage, "")
    with pytest.raises(ToolError, match="the page has no frame"):
        page.tab_context.frame(other.tab_context.main().id)
    with pytest.raises(ToolError, match="frame: the page has no frame nonsense") as refused:
        page.tab_context.frame("nonsense")
    assert "ref of the iframe" in refused.value.hint
    await stage.sup.close_tab(other.tab)
    with pytest.raises(ToolError):
        _ = other.tab_context.session
    with pytest.raises(ToolError):
        TabContext(stage.sup, "t999").main()


async def test_work_ends_at_once_when_a_dialog_opens(stage: Stage) -> None:
    page = await opened(stage, "")

    async def ask() -> object:
        return await stage.sup.cdp(
            "Runtime.evaluate", {"expression": "confirm('well?')"}, tab=page.tab
        )

    outcome = await page.tab_context.race(ask)
    inner = outcome.value
    blocked = outcome.blocked_by or getattr(inner, "blocked_by", ())
    assert [d.message for d in blocked if isinstance(d, Dialog)] == ["well?"]
    await stage.sup.answer(accept=False)
