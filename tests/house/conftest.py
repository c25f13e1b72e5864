"""Fixtures of the house's tests."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.house.home import Home, at_home, open_house
from tests.pages import Pages


@pytest.fixture
def home(chromium_path: Path) -> Iterator[Home]:
    """A house for one test; it opens when the test starts it."""
    with at_home(chromium_path) as made:
        yield made


@pytest.fixture(scope="module")
def lived_in(chromium_path: Path) -> Iterator[Home]:
    """An open house for a whole file."""
    with open_house(chromium_path) as made:
        yield made


@pytest.fixture(scope="module")
def served() -> Iterator[Pages]:
    """Pages for a whole file."""
    with Pages() as pages:
        yield pages
