"""An owner joins a running browser, takes its pages, moves to another one, and leaves."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest

from pilothouse.code.client.daemon_connection import DaemonClient, Refused
from tests.browsers.machine_processes import ended
from tests.chromium import ARGS, Endpoint, running_chromium
from tests.chromium_without_new_tabs import no_new_tabs
from tests.consent_proxy import ConsentProxy
from tests.daemon.daemon_process import Home, at_home
from tests.page_server import Pages

pytestmark = [pytest.mark.browser, pytest.mark.timeout(120)]

SANDBOX = ("--no-sandbox",) if os.geteuid() == 0 else ()


@pytest.fixture(scope="module")
def profile(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the user's Chrome would tell its port."""
    place = tmp_path_factory.mktemp("config") / "google-chrome"
    place.mkdir()
    return place


@pytest.fixture(scope="module")
def daemon(chromium_path: Path, profile: Path) -> Iterator[Home]:
    with at_home(chromium_path) as made:
        made.start(XDG_CONFIG_HOME=str(profile.parent))
        yield made


@pytest.fixture(scope="module")
def mine(chromium_path: Path) -> Iterator[Endpoint]:
    """A browser that somebody else runs."""
    with running_chromium(chromium_path) as endpoint:
        yield endpoint


@pytest.fixture(scope="module")
def other(chromium_path: Path) -> Iterator[Endpoint]:
    with running_chromium(chromium_path) as endpoint:
        yield endpoint


@pytest.fixture
def line(daemon: Home, request: pytest.FixtureRequest) -> Iterator[DaemonClient]:
    made = daemon.line(request.node.name[:90])
    yield made
    made.call("close", all=True)
    made.call("disconnect")


def urls(endpoint: Endpoint) -> set[str]:
    return {page["url"] for page in endpoint.get("/json/list") if page["type"] == "page"}


def tell(profile: Path, endpoint: Endpoint) -> None:
    (profile / "DevToolsActivePort").write_text(f"{endpoint.port}\n{endpoint.path}")


def test_connecting_without_an_endpoint_finds_the_browser_and_moves_the_owner_there(
    line: DaemonClient, mine: Endpoint, other: Endpoint, profile: Path, served: Pages
) -> None:
    here, there = (served.add(f"/{name}.html", f"<title>{name}</title>") for name in ("a", "b"))
    line.call("open", url=here)  # in a browser that we launch
    tell(profile, mine)
    joined = line.call("connect")
    assert (joined["endpoint"], joined["closed"]) == (str(profile), ["main"])
    assert joined["product"].startswith("Chrome/")
    assert joined["capabilities"]["dialog_respond"] == "native"
    assert line.call("tabs") == []
    assert line.call("open", url=here)["details"]["browser"] == f"browser at {profile}"
    assert line.call("open", name="shop", target="about:blank")["details"]["url"] == "about:blank"
    assert here in urls(mine)
    # By its port it is the same browser: nothing is left, and nothing is closed.
    again = line.call("connect", endpoint=str(mine.port))
    assert (again["endpoint"], again["closed"]) == (str(profile), [])
    moved = line.call("connect", endpoint=str(other.port))
    assert moved["left"] == str(profile)
    assert (moved["closed"], moved["released"]) == (["main"], ["shop"])
    assert urls(mine) == {"about:blank"}  # what was taken as it was stays
    line.call("open", url=there)
    assert there in urls(other)
    left = line.call("disconnect")
    assert (left["endpoint"], left["closed"]) == (str(other.port), ["main"])
    assert line.call("open", url=here)["details"]["browser"] == "headless browser"
    assert urls(other) == {"about:blank"}


def test_a_browser_that_cannot_be_reached_leaves_everything_as_it_was(
    line: DaemonClient, other: Endpoint, refusing_port: int, served: Pages
) -> None:
    line.call("connect", endpoint=str(other.port))
    line.call("open", url=served.add("/c.html", "<title>c</title>"))
    with pytest.raises(Refused, match="nothing listens"):
        line.call("connect", endpoint=str(refusing_port))
    assert [tab["alive"] for tab in line.call("tabs")] == [True]
    assert line.call("tab.title") == "c"
    # It stays joined though no tab is open in it.
    line.call("close")
    assert line.call("open")["details"]["browser"] == f"browser at {other.port}"


def test_a_page_is_only_taken_from_a_browser_that_was_joined(line: DaemonClient) -> None:
    with pytest.raises(Refused, match="target: no browser is connected") as refused:
        line.call("open", target="Inbox")
    assert refused.value.kind == "UsageError"
    assert "connect first" in refused.value.hint
    with pytest.raises(Refused, match="endpoint: expected a string"):
        line.call("connect", endpoint=9222)


async def _called(line: DaemonClient, method: str, **params: Any) -> Any:
    return await asyncio.to_thread(line.call, method, **params)


async def test_a_chrome_that_asks_its_user_asks_once_and_is_waited_for(
    daemon: Home, mine: Endpoint, profile: Path
) -> None:
    one, two = daemon.line("one"), daemon.line("two")
    async with ConsentProxy(mine.port) as chrome:
        chrome.write_profile(profile, mine.path)
        with pytest.raises(Refused, match="does not answer") as refused:
            await _called(one, "connect", timeout=1)
        assert "allow remote debugging" in refused.value.hint
        waiting = [
            asyncio.ensure_future(_called(line, "connect", timeout=60)) for line in (one, two)
        ]
        await chrome.asks(1)
        chrome.allow()
        for joined in await asyncio.gather(*waiting):
            assert joined["product"].startswith("Chrome/")
        assert (await _called(one, "open"))["details"]["browser"] == f"browser at {profile}"
        await _called(one, "close")
        assert (await _called(one, "open"))["details"]["reused"] is False
        assert chrome.asked == 1
        for line in (one, two):
            await _called(line, "close", all=True)
            await _called(line, "disconnect")


async def test_where_no_tab_can_be_opened_the_first_real_page_is_taken(
    daemon: Home, other: Endpoint
) -> None:
    """Electron refuses Target.createTarget; `open` with its cdp_url and no target still works."""
    line = daemon.line("electron")
    async with no_new_tabs(other) as url:
        opened = await _called(line, "open", app={"cdp_url": url})
        assert opened["details"]["url"] == "about:blank"
        assert any("cannot open tabs: using its first page" in notice for notice in line.notices)
        with pytest.raises(
            Refused, match=r"cannot open tabs \(Not supported\) and has no free page"
        ):
            await _called(line, "open", name="second", app={"cdp_url": url})
        assert await _called(line, "tab.evaluate", code="1 + 1") == 2
        line.notices.clear()
        await _called(line, "close", all=True, kill=True)
        assert [notice for notice in line.notices if "keeps running" in notice] == [
            f"browser at {url} keeps running: Pilothouse did not start it"
        ]
    assert urls(other) == {"about:blank"}  # it was there before, and stays


def test_an_application_is_started_with_a_new_folder_used_again_and_ended(
    daemon: Home, chromium_path: Path, tmp_path: Path
) -> None:
    line = daemon.line("apps")
    folder = tmp_path / "new" / "folder"
    app = {"path": str(chromium_path), "args": [*ARGS, *SANDBOX, f"--user-data-dir={folder}"]}
    line.call("open", app=app)
    kept = line.call("close")
    assert kept["text"] == "Released main (left open)"
    assert (kept["details"]["closed"], kept["details"]["released"]) == ([], ["main"])
    (running,) = (p for p in psutil.process_iter() if _is_main(p, folder))
    again = line.call("open", app=app)
    assert again["details"]["browser"] == f"application {chromium_path}"
    line.call("open", name="other", app=app)
    line.notices.clear()
    line.call("close", kill=True)
    assert line.notices == [f"application {chromium_path} keeps running: you have other tabs in it"]
    line.notices.clear()
    assert line.call("close", name="other", kill=True)["details"]["closed"] == ["other"]
    assert line.notices == []
    assert ended([running])


def _is_main(process: psutil.Process, folder: Path) -> bool:
    try:
        command = process.cmdline()
    except psutil.Error:
        return False
    return f"--user-data-dir={folder}" in command and not any("--type=" in a for a in command)
