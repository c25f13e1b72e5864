"""Fixtures of the browsers' tests: a root of their own for runs, and a door to browsers."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

from pilothouse.browsers import Browsers


@pytest.fixture
def root() -> Iterator[Path]:
    """Where the runs of one test lie. Its path is short: sockets are made below it."""
    place = Path(tempfile.mkdtemp(prefix="ph-"))
    yield place
    shutil.rmtree(place, ignore_errors=True)


@pytest.fixture
def environ(root: Path, chromium_path: Path) -> Iterator[dict[str, str]]:
    """An environment whose home is the test's own, free of proxies."""
    home = root.with_name(root.name + "-home")
    kept = {name: value for name, value in os.environ.items() if "PROXY" not in name.upper()}
    for elsewhere in ("XDG_DATA_HOME", "XDG_CACHE_HOME"):
        kept.pop(elsewhere, None)
    yield {**kept, "HOME": str(home), "PILOTHOUSE_BROWSER": str(chromium_path)}
    shutil.rmtree(home, ignore_errors=True)


@pytest.fixture
async def browsers(root: Path, environ: dict[str, str]) -> AsyncIterator[Browsers]:
    """The door. Whatever a test leaves open ends here, and nothing may be left after it."""
    async with Browsers(root=root, environ=environ) as door:
        yield door
    assert os.listdir(root) == []
