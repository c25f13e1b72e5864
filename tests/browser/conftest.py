"""Fixtures of the tests that need a real browser."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest_asyncio

from tests.browser.browser_with_dialog_places import Stage, staged


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def stage(chromium_path: Path) -> AsyncIterator[Stage]:
    """One supervised browser for a whole file, with dialogs held as `auto` chooses."""
    async with staged() as made:
        yield made
