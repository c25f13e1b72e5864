"""One hub over one browser for each file that asks for it."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest_asyncio

from tests.relay.hub_server import Hosted, hosted


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def place() -> AsyncIterator[Hosted]:
    """The browser with its hub."""
    async with hosted(traced=True) as place:
        yield place
