"""Errors about pages of a browser that was there before, provoked through a real daemon."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from pilothouse.code.client.daemon_connection import DaemonClient, Refused
from tests.chromium import Endpoint, running_chromium
from tests.daemon.daemon_process import Home, open_daemon

pytestmark = [pytest.mark.browser, pytest.mark.timeout(180)]


@pytest.fixture(scope="module")
def theirs(chromium_path: Path) -> Iterator[Endpoint]:
    """Somebody's browser, with one page."""
    with running_chromium(chromium_path) as made:
        yield made


@pytest.fixture(scope="module")
def home(chromium_path: Path) -> Iterator[Home]:
    """An open daemon without a browser of its own."""
    with open_daemon(chromium_path, browser=False) as made:
        yield made


def _open(line: DaemonClient, theirs: Endpoint, **more: Any) -> Any:
    url = f"http://127.0.0.1:{theirs.port}"
    return line.call("open", name="theirs", app={"cdp_url": url, **more})


def _pages(theirs: Endpoint) -> list[dict[str, Any]]:
    return [target for target in theirs.get("/json/list") if target["type"] == "page"]


def test_pages_of_another_browser(home: Home, theirs: Endpoint) -> None:
    """In one test: each step leaves what the next one needs."""
    line = home.line("")

    with pytest.raises(Refused, match="no page matches 'no-such-page'") as unmatched:
        _open(line, theirs, target="no-such-page")
    assert "there are: 'about:blank' about:blank" in unmatched.value.message
    assert "part of the URL or title" in unmatched.value.hint
    assert line.call("tabs") == []

    _open(line, theirs, target="ABOUT:BLANK")
    assert line.call("tab.url", tab="theirs") == "about:blank"
    with pytest.raises(Refused, match="is bound to a different browser") as bound:
        line.call("open", name="theirs")
    assert "close it first" in bound.value.hint

    for page in _pages(theirs):
        line.call("page.cdp", tab="theirs", command="Page.close")
        assert page["url"] == "about:blank"
    while line.call("tabs")[0]["alive"]:  # bounded by the test's own timeout
        os.sched_yield()
    with pytest.raises(Refused, match='tab "theirs" is not alive') as gone:
        line.call("tab.title", tab="theirs")
    assert "reopen it" in gone.value.hint

    while _pages(theirs):  # bounded by the test's own timeout
        os.sched_yield()
    with pytest.raises(Refused, match="the browser has no page to work on") as none:
        _open(line, theirs, target="anything")
    assert "open a window in it" in none.value.hint

    opened = _open(line, theirs)
    assert opened["details"]["browser"] == f"browser at http://127.0.0.1:{theirs.port}"
    assert line.call("close", name="theirs")["details"]["closed"] == ["theirs"]
