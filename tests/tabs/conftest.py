"""Fixtures of the tabs' tests: one browser for a whole file."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

from tests.tabs.tabs_setup import Room, furnished


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def room(
    chromium_path: Path, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[Room]:
    """Tabs over one real browser, which ends with the last test of the file."""
    async with furnished(tmp_path_factory.mktemp("files")) as made:
        await made.open("kept", owner="whoever keeps the browser open")
        yield made
