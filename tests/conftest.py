"""Fixtures every test may ask for."""

from __future__ import annotations

import signal
import socket
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from pilothouse import speedup_switches
from pilothouse.settings import load as load_settings
from scripts.readability_build_hook import fetch_library
from tests.chromium import find_chromium
from tests.fake_chrome import FakeChrome
from tests.page_server import Pages

# How long an example takes is the machine's affair: the first text that is drawn in a fresh clone
# has its tables made, which took 3.5 s once beside browsers.
settings.register_profile("daemon", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("daemon")

# A shell that runs the tests in the background has them ignore these, and so would all they start.
for _number in (signal.SIGINT, signal.SIGQUIT, signal.SIGHUP):
    if signal.getsignal(_number) is signal.SIG_IGN:
        _usual = signal.default_int_handler if _number is signal.SIGINT else signal.SIG_DFL
        signal.signal(_number, _usual)


def pytest_configure(config: pytest.Config) -> None:
    """A checkout that was installed before the library was locked, or changed, gets it now.

    The environment says which speed-ups the tests use (`./dev soak switches`), as for a daemon."""
    speedup_switches.use(load_settings(Path("no-settings-file")).speedups)
    if not hasattr(config, "workerinput"):  # those that share the work find it there
        fetch_library(Path(__file__).parents[1])


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Where workers share the files, those that take long come first: none of them begins when the
    others have nothing left to do. The rest keeps its order, so that a folder's files follow each
    other and share what has the scope of a package."""
    if hasattr(config, "workerinput"):
        items.sort(key=lambda item: item.get_closest_marker("early") is None)


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Skip a test of a speed-up that the environment has switched off."""
    for mark in item.iter_markers("needs_speedup"):
        if not getattr(speedup_switches.in_use(), mark.args[0]):
            pytest.skip(f"speedups.{mark.args[0]} is switched off")


@pytest.fixture(scope="session")
def chromium_path() -> Path:
    """The real browser. Its absence is a failure: a skipped promise is a broken one."""
    found = find_chromium()
    if found is None:
        pytest.fail("no Chromium found: install one or name it with PILOTHOUSE_BROWSER")
    return found


@pytest.fixture
async def fake_chrome() -> AsyncIterator[FakeChrome]:
    """A browser made of sockets and scripts, listening on loopback."""
    async with FakeChrome() as chrome:
        yield chrome


@pytest.fixture
def pages() -> Iterator[Pages]:
    """A server of pages under three host names that count as different sites."""
    with Pages() as served:
        yield served


@pytest.fixture
def https_pages() -> Iterator[Pages]:
    """The same over TLS, with a certificate nobody trusts."""
    with Pages(https=True) as served:
        yield served


@pytest.fixture
def refusing_port() -> Iterator[int]:
    """A port that refuses: bound, so that nobody else gets it, and listening to nobody."""
    with socket.socket() as bound:
        bound.bind(("127.0.0.1", 0))
        yield int(bound.getsockname()[1])
