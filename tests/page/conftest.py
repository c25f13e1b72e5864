"""Fixtures of the page's tests; each file has a `stage` of its own."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest_asyncio

from pilothouse.page.navigation.waits import Waits
from pilothouse.page.tab_context import TabContext
from pilothouse.page.world.isolated_worlds import IsolatedWorlds
from tests.browser.browser_with_dialog_places import Stage


@pytest_asyncio.fixture(loop_scope="module")
async def tab_context(stage: Stage) -> AsyncIterator[TabContext]:
    """A tab on the stage's /yard.html."""
    tab = await stage.sup.open_tab("waiter", stage.pages.url("/yard.html"))
    await stage.loaded(tab)
    yield TabContext(stage.sup, tab)
    await stage.clear()


@pytest_asyncio.fixture(loop_scope="module")
async def waits(tab_context: TabContext) -> Waits:
    """The waits of that tab."""
    return Waits(tab_context, IsolatedWorlds(tab_context))
