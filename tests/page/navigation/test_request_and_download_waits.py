"""Waits for requests, responses and downloads on a real Chromium."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

from pilothouse.errors import ToolError
from pilothouse.page.navigation.waits import Waits
from pilothouse.page.tab_context import TabContext
from pilothouse.page.world.isolated_worlds import IsolatedWorlds
from pilothouse.supervisor import Options
from tests.browser.browser_with_dialog_places import WITHIN_S, Stage, staged
from tests.page.outcome_value_and_script import got, run

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="module")]

# With an icon of its own: else Chrome asks for one, whenever it likes.
_YARD = "<link rel=icon href=data:,><title>yard</title><p id=p>yard</p>"


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def stage(
    chromium_path: Path, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[Stage]:
    folder = tmp_path_factory.mktemp("downloads")
    async with staged(Options(downloads=str(folder))) as made:
        made.pages.add("/yard.html", _YARD)
        made.pages.add("/data.json", "{}")
        yield made


async def test_requests_and_responses(stage: Stage, waits: Waits, tab_context: TabContext) -> None:
    asked = waits.for_request(lambda r: r.method == "POST", timeout=WITHIN_S)
    answered = waits.for_response("**/data.json", timeout=WITHIN_S)
    await run(stage, tab_context, "fetch('/data.json', {method: 'POST', body: 'x=1'})")
    request = got(await asked)
    assert (request.url, request.post_data) == (stage.pages.url("/data.json"), "x=1")
    response = got(await answered)
    assert (response.status, response.method, response.id) == (200, "POST", request.id)
    never = waits.for_response("**/never", timeout=1.5)
    await run(stage, tab_context, "fetch('/data.json')")
    with pytest.raises(ToolError, match="1 other, the last to"):
        await never


async def test_a_predicate_that_fails_is_told(
    stage: Stage, waits: Waits, tab_context: TabContext
) -> None:
    wait = waits.for_request(lambda r: bool(1 / r.status), timeout=WITHIN_S)
    await run(stage, tab_context, "fetch('/data.json')")
    with pytest.raises(ZeroDivisionError):
        await wait


async def test_a_response_to_a_frame_of_another_process(stage: Stage) -> None:
    spot = await stage.go("oopif")
    tab_context = TabContext(stage.sup, spot.tab)
    wait = Waits(tab_context, IsolatedWorlds(tab_context)).for_response(
        "**/data.json", timeout=WITHIN_S
    )
    await run(stage, tab_context, "fetch('/data.json')", spot.frame_id)
    assert got(await wait).frame_id == spot.frame_id


async def test_a_download_is_followed_to_its_end(
    stage: Stage, waits: Waits, tab_context: TabContext
) -> None:
    url = stage.pages.add_download("/table", "a,b", "table.csv")
    begun = waits.for_download("begun", timeout=WITHIN_S)
    wait = waits.for_download(timeout=WITHIN_S)
    await run(stage, tab_context, f"location = '{url}'")
    assert got(await begun).filename == "table.csv"
    done = got(await wait)
    assert (done.filename, done.state) == ("table.csv", "completed")
    assert await asyncio.to_thread(Path(done.path).read_text) == "a,b"
