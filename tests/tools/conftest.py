"""Fixtures of the tools' tests: one daemon for all of them, each test its own owner."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.daemon.daemon_process import Home, at_home
from tests.page_server import Pages
from tests.tools.tool_caller import Agent


@pytest.fixture(scope="package")
def served() -> Iterator[Pages]:
    """Pages, and the mock services that the daemon is set up with."""
    with Pages() as pages:
        yield pages


@pytest.fixture(scope="package")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where this daemon may save pictures."""
    return tmp_path_factory.mktemp("shots")


@pytest.fixture(scope="package")
def open_daemon(chromium_path: Path, served: Pages, folder: Path) -> Iterator[Home]:
    """A daemon with a mock model that sees and a mock search page, all on loopback."""
    config = folder / "config.yaml"
    config.write_text(
        f"""
browser:
  screenshotDir: {folder}
  downloadDir: {folder / "downloads"}
vision:
  url: {served.url("/v1")}
  model: mock-eyes
search:
  backend: page
  url: {served.url("/search.html")}?q={{query}}
"""
    )
    with at_home(chromium_path) as made:
        made.start(PILOTHOUSE_CONFIG=str(config))
        made.line("who keeps the browser open").call("open")
        yield made


@pytest.fixture
def agent(open_daemon: Home, request: pytest.FixtureRequest) -> Iterator[Agent]:
    """Somebody with no tabs yet."""
    line = open_daemon.line(request.node.name[:90])
    yield Agent(line)
    line.call("close", all=True)
