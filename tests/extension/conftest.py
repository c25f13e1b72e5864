"""A room per module; each test finds it tidy."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

from tests.extension.room import Room, furnished


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def kept_room(chromium_path: Path) -> AsyncIterator[Room]:
    """The room of a module."""
    async with furnished(chromium_path) as room:
        yield room


@pytest_asyncio.fixture(loop_scope="module")
async def room(kept_room: Room) -> AsyncIterator[Room]:
    """The room, tidied up after the test before."""
    kept_room.peer.begins = len(kept_room.peer.told)
    yield kept_room
    await kept_room.tidy()


@pytest.fixture(autouse=True)
def _no_display(monkeypatch: pytest.MonkeyPatch) -> None:
    """A test that wants a screen brings its own."""
    monkeypatch.delenv("DISPLAY", raising=False)
