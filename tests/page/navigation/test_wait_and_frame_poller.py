"""How a wait ends on a real Chromium: by a dialog, by its tab, by whoever made it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from pilothouse.errors import ToolError
from pilothouse.page.navigation.wait_and_frame_poller import Wait
from pilothouse.page.navigation.waits import Waits
from pilothouse.page.tab_context import TabContext
from pilothouse.supervisor import Dialog, Options
from tests.browser.browser_with_dialog_places import WITHIN_S, Stage, staged
from tests.page.outcome_value_and_script import got, run

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="module")]

_YARD = "<title>yard</title><p id=p>yard</p>"


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def stage(
    chromium_path: Path, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[Stage]:
    folder = tmp_path_factory.mktemp("downloads")
    async with staged(Options(downloads=str(folder))) as made:
        made.pages.add("/yard.html", _YARD)
        made.pages.add("/data.json", "{}")
        yield made


async def test_a_dialog_ends_any_wait_at_once(
    stage: Stage, waits: Waits, tab_context: TabContext
) -> None:
    wait = waits.for_selector("#after", timeout=1.0)
    code = "setTimeout(() => { confirm('well?'); p.innerHTML = '<i id=after>after</i>' }, 50)"
    await run(stage, tab_context, code)
    outcome = await asyncio.wait_for(wait, WITHIN_S)
    (blocker,) = outcome.blocked_by
    assert isinstance(blocker, Dialog)
    assert blocker.tab == tab_context.tab_id
    held = await stage.sup.actions.result(outcome.action_id, 1.5) if outcome.action_id else None
    assert held is None or held.value is None
    await stage.sup.answer(accept=True, dialog_id=blocker.id)
    assert got(await wait).visible == 1


async def test_a_tab_that_is_closed_ends_its_waits(
    stage: Stage, waits: Waits, tab_context: TabContext
) -> None:
    wait = waits.for_response("**/never", timeout=30.0)
    await stage.sup.close_tab(tab_context.tab_id)
    with pytest.raises(ToolError, match="was closed"):
        await asyncio.wait_for(wait, WITHIN_S)


async def test_a_cancelled_wait_leaves_nothing_behind(
    stage: Stage, waits: Waits, tab_context: TabContext
) -> None:
    # The first look at a tab prepares its documents to come, whether or not its wait goes on.
    await waits.for_selector("#p")
    await stage.value(tab_context.main().id, "1")  # answered after that
    await _some_turns()
    before = len(stage.sup.tasks)
    made: list[Wait[Any]] = [waits.for_text("x"), waits.for_response("x"), waits.for_selector("x")]
    await stage.value(tab_context.main().id, "1")  # they ask meanwhile
    for wait in made:
        wait.cancel()
    assert all(wait.done for wait in made)
    await _some_turns()
    # A poll that was sent ends with its reply, however long the browser takes.
    async with asyncio.timeout(WITHIN_S):
        while len(stage.sup.tasks) > before:
            await stage.value(tab_context.main().id, "1")
            await _some_turns()


async def _some_turns() -> None:
    """A task that is cancelled, or done, ends in the turns of the loop after that."""
    for _ in range(5):
        await asyncio.sleep(0)


async def test_a_wait_shorter_than_a_look_still_looks_once(waits: Waits) -> None:
    for _ in range(20):
        with pytest.raises(ToolError, match="it matches 0 elements"):
            await waits.for_selector("#none", timeout=0.001)
        assert got(await waits.for_selector("#p", timeout=0.001)).count == 1
