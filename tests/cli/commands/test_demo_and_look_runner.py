"""The commands without a daemon, from outside: what they print, where, and how they exit."""

from __future__ import annotations

import asyncio
import json
import signal
import time
from pathlib import Path

import psutil
import pytest

from tests.chromium import running_chromium
from tests.cli.cli_process import run, start
from tests.page_server import Pages


async def test_error_is_one_line_on_stderr_and_exit_code_one() -> None:
    code, out, err = await run("look", "--cdp-url", "not a url")
    assert (code, out) == (1, "")
    assert err.startswith("pilothouse: ")
    assert len(err.splitlines()) == 1


@pytest.mark.browser
async def test_demo_shows_a_dialog_of_a_foreign_frame_answered_and_the_page_going_on() -> None:
    code, out, err = await run("demo")
    assert (code, err) == (0, "")
    assert "own process" in out
    assert "blocked by confirm d-1: Take the pilot aboard?" in out
    assert "closed by agent" in out
    assert "went on: aboard" in out


@pytest.mark.browser
async def test_demo_as_json_is_one_document() -> None:
    code, out, err = await run("demo", "--json")
    assert (code, err) == (0, "")
    told = json.loads(out)
    (tab,) = told["tabs"]
    assert (tab["title"], tab["frame_tree"]["total_oopif"]) == ("Harbour", 2)
    assert told["dialog"]["closed"]["page_got"] is True
    assert abs(told["dialog"]["closed"]["opened_at"] - time.time()) < 60  # noqa: TID251


@pytest.mark.browser
async def test_look_opens_a_page_and_page_text_cannot_steer_the_terminal(pages: Pages) -> None:
    pages.add("/", "<title>\x1b[31m[bold]red</title>")
    code, out, _ = await run("look", pages.url("/"))
    assert code == 0
    assert "\x1b[31m" not in out
    assert "[bold]red" in out


@pytest.mark.browser
async def test_look_at_a_running_browser_leaves_it_running(
    chromium_path: Path, pages: Pages
) -> None:
    pages.add("/", "<title>Mine</title>")
    with running_chromium(chromium_path) as endpoint:
        port = str(endpoint.port)
        code, out, err = await run("look", pages.url("/"), "--cdp-url", port, "--json")
        assert (code, err) == (0, "")
        assert json.loads(out)["tabs"][0]["title"] == "Mine"
        assert endpoint.get("/json/version")["Browser"]


@pytest.mark.browser
@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, 143), (signal.SIGINT, 130)])
async def test_signal_ends_it_within_three_seconds_and_leaves_no_browser(
    pages: Pages, number: signal.Signals, code: int
) -> None:
    """F20."""
    gate = pages.add_slow("/", "<p>late")
    process = await start("look", pages.url("/"))
    await pages.visited("/")
    children = psutil.Process(process.pid).children(recursive=True)
    started = time.monotonic()
    process.send_signal(number)
    async with asyncio.timeout(10):
        await process.communicate()
    gate.set()
    assert time.monotonic() - started < 3
    assert process.returncode == code
    gone, alive = psutil.wait_procs(children, timeout=3)
    assert alive == []
    assert gone
