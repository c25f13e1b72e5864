"""Names and roles that our worlds ask for must not show in the page's own world."""

from __future__ import annotations

import pytest

from pilothouse.browsers import Browsers, HeadlessKind
from pilothouse.page.page import Page
from pilothouse.supervisor import Options, Supervisor
from tests.browser.browser_with_dialog_places import Stage, furnish
from tests.page_server import Pages

pytestmark = pytest.mark.browser

ASKED = "['computedRole', 'computedName'].filter(name => name in document.body).length"


async def test_page_and_frames_cannot_see_what_our_worlds_use(pages: Pages) -> None:
    furnish(pages)
    async with Browsers() as browsers:
        handle = await browsers.acquire(HeadlessKind(args=("--site-per-process",)))
        supervisor = Supervisor(handle.connection, Options(page_setup=handle.page_setup))
        await supervisor.start()
        stage = Stage(supervisor, pages, handle.pid or 0)
        spot = await stage.go("nested_oopif")
        assert await stage.value(stage.sup.state.tabs[spot.tab].target_id, ASKED) == 0
        assert await stage.value(spot.frame_id, ASKED) == 0
        page = Page(supervisor, spot.tab)
        for frame in page.tab_context.frames():
            assert (await page.worlds.of(frame)).has_computed_names
        await supervisor.close()
