"""A room with a lent Chrome per module; each test leaves it tidy."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest_asyncio
from playwright.async_api import async_playwright

from tests.conformance.conformance_site import Site
from tests.conformance.relay_browsers import lent
from tests.conformance.relayed_extension_chrome import Room


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def kept_room(chromium_path: Path) -> AsyncIterator[Room]:
    """One for all tests here."""
    with Site() as site:
        async with (
            async_playwright() as driver,
            lent(chromium_path, "--renderer-process-limit=6") as (relay, chrome),
        ):
            yield Room(relay, chrome, site, driver)


@pytest_asyncio.fixture(loop_scope="module")
async def room(kept_room: Room) -> AsyncIterator[Room]:
    """The room, tidied up after each test."""
    yield kept_room
    await kept_room.tidy()
