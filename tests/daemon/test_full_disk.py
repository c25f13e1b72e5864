"""A full disk: what was done is reported as done, and what could not be kept is a notice."""

from __future__ import annotations

import asyncio
import json
import re
import signal
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from pilothouse.code.client.client import Client
from pilothouse.code.client.daemon_connection import Refused
from pilothouse.errors import PilothouseError
from tests.cli.cli_process import run
from tests.daemon.daemon_process import Home
from tests.page_server import Pages
from tests.small_disk import SmallDisk, small_disk

pytestmark = [pytest.mark.browser, pytest.mark.timeout(180)]

ENDS_WITHIN_S = 20.0
_PAGE = "<title>A</title><button onclick=\"document.title='B'\">Go</button><input type=file>"


@pytest.fixture
def disk() -> Iterator[SmallDisk]:
    """The disk that the daemon's directory is on."""
    with small_disk() as made:
        yield made


@pytest.fixture
def cramped(disk: SmallDisk, chromium_path: Path) -> Iterator[Home]:
    """A daemon on that disk, which is not full yet."""
    home = Home(disk.path, chromium_path)
    try:
        yield home
    finally:
        home.stop()


def test_calls_succeed_on_a_full_disk_and_their_replies_carry_a_notice(
    cramped: Home, disk: SmallDisk, served: Pages
) -> None:
    cramped.start()
    line = cramped.line("ann")
    one, two = served.add("/1.html", _PAGE), served.add("/2.html", _PAGE)
    line.call("open", name="kept", url=one)
    disk.fill()
    expected = f"could not write {cramped.paths.ledger}: No space left on device"
    for method, params in (
        ("open", {"url": one}),
        ("tab.goto", {"url": two}),
        ("tab.click", {"target": "button=Go"}),
        ("tab.evaluate", {"code": "1 + 1"}),
        ("close", {"name": "kept"}),
    ):
        line.notices.clear()
        assert line.call(method, **params) is not None
        (notice,) = line.notices
        assert notice.startswith(expected), (method, notice)
    assert line.call("close")["text"] == "Closed main"
    line.call("open", name="kept", url=one)
    answer = line.call("tool", name="browser_navigate", arguments={"url": one})
    assert answer["success"], answer
    assert [told for told in answer["notices"] if told.startswith(expected)]
    assert disk.drafts() == []
    # The file that was there before is whole, and is written again once there is room.
    assert "kept" in str(json.loads(cramped.paths.ledger.read_text()))
    disk.empty()
    line.notices.clear()
    line.call("tab.click", target="button=Go")
    assert line.notices == []
    assert json.loads(cramped.paths.ledger.read_text())["ann"] == [f"kept {one}", f"main {one}"]


def test_daemon_that_closes_idle_tabs_survives_a_full_disk(
    cramped: Home, disk: SmallDisk, served: Pages, tmp_path: Path
) -> None:
    config = tmp_path / "config.yaml"
    config.write_text("daemon:\n  tab_idle_s: 0.3\n")
    cramped.start(PILOTHOUSE_CONFIG=str(config))
    line = cramped.line("ann")
    line.call("open", url=served.add("/1.html", _PAGE))
    disk.fill()
    _until(lambda: line.call("tabs") == [])
    assert line.call("open", url=served.add("/1.html", _PAGE))
    assert cramped.process is not None
    assert cramped.process.poll() is None


def test_command_line_and_python_client_show_the_notice(
    cramped: Home, disk: SmallDisk, served: Pages
) -> None:
    cramped.start()
    disk.fill()
    url = served.add("/1.html", _PAGE)
    with Client("bob", paths=cramped.paths, start=False) as client:
        client.open(url)
        client.tab().click("button=Go")
        assert [notice for notice in client.notices if "No space left on device" in notice]
        assert len(client.notices) == len(set(client.notices))
    done, out, err = asyncio.run(run("open", url, "--json", **cramped.environ()))
    assert done == 0, out + err
    told = json.loads(out)
    assert "No space left on device" in told["notices"][0]


def test_daemon_starts_and_ends_on_a_full_disk(
    cramped: Home, disk: SmallDisk, served: Pages
) -> None:
    disk.fill()
    cramped.start()
    line = cramped.line("ann")
    assert line.call("open", url=served.add("/1.html", _PAGE))["text"].startswith("Opened")
    assert line.call("run", code="1 + 1")["value"] == 2
    cramped.kill(signal.SIGTERM)


@pytest.mark.parametrize(
    ("method", "params"),
    [
        ("serve", {"port": 0}),
        ("relay.start", {"port": 0}),
    ],
)
def test_token_that_cannot_be_written_is_an_error_that_names_it_and_leaves_no_half(
    cramped: Home, disk: SmallDisk, method: str, params: dict[str, Any]
) -> None:
    # The relay's token lies in the data directory.
    cramped.start(PILOTHOUSE_DATA_DIR=str(disk.path))
    disk.fill()
    with pytest.raises(Refused, match=r"could not write .*token: No space left on device"):
        cramped.line("ann").call(method, **params)
    assert list(disk.path.glob("*token*")) == []
    disk.empty()
    assert cramped.line("ann").call(method, **params)


def test_picture_that_cannot_be_written_names_its_path_and_leaves_no_half(
    cramped: Home, disk: SmallDisk, served: Pages
) -> None:
    cramped.start()
    picture = disk.path / "page.png"
    with Client("bob", paths=cramped.paths, start=False) as client:
        tab = client.open(served.add("/1.html", _PAGE))
        picture.write_bytes(b"an older one")
        disk.fill()
        with pytest.raises(PilothouseError, match=rf"{picture}: No space left on device"):
            tab.screenshot(save=str(picture))
    assert picture.read_bytes() == b"an older one"
    assert disk.drafts() == []


def test_upload_that_cannot_be_copied_is_an_error_and_leaves_no_half(
    cramped: Home, disk: SmallDisk, served: Pages, tmp_path: Path
) -> None:
    cramped.start()
    large = tmp_path / "large.bin"
    large.write_bytes(b"x" * 500_000)
    with Client("bob", paths=cramped.paths, start=False) as client:
        tab = client.open(served.add("/1.html", _PAGE))
        disk.fill()
        with pytest.raises(PilothouseError, match="No space left on device"):
            tab.upload("input", str(large))
        assert not [path for path in cramped.paths.uploads.rglob("*") if path.is_file()]
        disk.empty()
        assert tab.upload("input", str(large))


def test_long_text_is_shown_though_the_rest_cannot_be_kept(
    cramped: Home, disk: SmallDisk, served: Pages
) -> None:
    cramped.start()
    line = cramped.line("ann")
    url = served.add("/long.html", "<title>L</title><p>" + "words and more " * 20_000)
    line.call("open", url=url)
    disk.fill()
    code = "document.body.innerText"
    answer = line.call("tool", name="browser_console", arguments={"expression": code})
    assert answer["success"], answer
    assert answer["result"].startswith("words and more")
    assert re.search(r"could not write \S+: No space left on device", answer["result"][-200:])


def _until(question: Callable[[], bool]) -> None:
    give_up = time.monotonic() + ENDS_WITHIN_S
    while not question():
        assert time.monotonic() < give_up
