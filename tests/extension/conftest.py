"""A stage per module; each test finds it tidy."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

from tests.extension.chrome_relay_and_pages import Stage, open_stage


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def module_stage(chromium_path: Path) -> AsyncIterator[Stage]:
    """The stage of a module."""
    async with open_stage(chromium_path) as stage:
        yield stage


@pytest_asyncio.fixture(loop_scope="module")
async def stage(module_stage: Stage) -> AsyncIterator[Stage]:
    """The stage, tidied up after the test before."""
    module_stage.relay.begins = len(module_stage.relay.told)
    yield module_stage
    await module_stage.tidy()


@pytest.fixture(autouse=True)
def _no_display(monkeypatch: pytest.MonkeyPatch) -> None:
    """A test that wants a screen brings its own."""
    monkeypatch.delenv("DISPLAY", raising=False)
