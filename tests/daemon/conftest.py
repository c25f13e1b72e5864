"""Fixtures of the daemon's tests."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
import pytest_asyncio

from tests.daemon.daemon_process import Home, at_home, open_daemon
from tests.daemon.shared_user_chrome import Lent, lent_daemon
from tests.page_server import Pages


@pytest.fixture
def home(chromium_path: Path) -> Iterator[Home]:
    """A daemon for one test; it opens when the test starts it."""
    with at_home(chromium_path) as made:
        yield made


@pytest.fixture(scope="module")
def lived_in(chromium_path: Path) -> Iterator[Home]:
    """An open daemon for a whole file."""
    with open_daemon(chromium_path) as made:
        yield made


@pytest.fixture(scope="module")
def served() -> Iterator[Pages]:
    """Pages for a whole file."""
    with Pages() as pages:
        yield pages


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def lent(chromium_path: Path) -> AsyncIterator[Lent]:
    """A daemon with a relay, and a Chrome that is shared with it, for a whole file."""
    async with lent_daemon(chromium_path) as made:
        yield made
