"""A browser that is stopped (SIGSTOP) or a daemon without free files holds no call up for long."""

from __future__ import annotations

import asyncio
import contextlib
import os
import resource
import signal
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import psutil
import pytest

from pilothouse.code.client.daemon_connection import Refused
from tests.browsers.machine_processes import ended
from tests.daemon.daemon_process import Home, at_home
from tests.page_server import Pages

pytestmark = [pytest.mark.browser, pytest.mark.figures, pytest.mark.timeout(180)]

TIMEOUT_S = 4.0
# From the call to its reply: the caller's timeout and a second.
ANSWERED_WITHIN_S = TIMEOUT_S + 1.0


@pytest.fixture
def daemon(chromium_path: Path) -> Iterator[Home]:
    with at_home(chromium_path) as made:
        made.start()
        yield made


def browsers(home: Home) -> list[psutil.Process]:
    """Every process of the daemon's browsers."""
    found = []
    for process in home.family()[1:]:
        with contextlib.suppress(psutil.Error):
            if "--remote-debugging-pipe" in process.cmdline():
                found += [process, *process.children(recursive=True)]
    assert found
    return found


def signalled(processes: list[psutil.Process], number: signal.Signals) -> None:
    for process in processes:
        with contextlib.suppress(psutil.Error):
            process.send_signal(number)


async def test_every_call_on_a_stopped_browser_is_bounded_by_the_callers_timeout(
    daemon: Home, pages: Pages
) -> None:
    asyncio.get_running_loop().set_default_executor(ThreadPoolExecutor(32))
    url = pages.add("/here.html", "<title>here</title><button id=b>b</button>")
    calls: dict[str, dict[str, Any]] = {
        "tabs": {},
        "status": {},
        "open": {"name": "new", "url": url, "timeout": TIMEOUT_S},
        "close": {"timeout": TIMEOUT_S},
        "page.cdp": {"command": "Page.getLayoutMetrics", "timeout": TIMEOUT_S},
        "run": {"code": "tab.title()", "timeout": TIMEOUT_S},
        "tab.goto": {"url": url, "timeout": TIMEOUT_S},
        "tab.evaluate": {"code": "1", "timeout": TIMEOUT_S},
        "tab.click": {"target": "#b", "timeout": TIMEOUT_S},
        "tab.snapshot": {"timeout": TIMEOUT_S},
        "tab.screenshot": {"timeout": TIMEOUT_S},
        "tab.cookies": {"timeout": TIMEOUT_S},
        "tab.wait_for": {"text": "never", "timeout": TIMEOUT_S},
    }
    lines = {name: daemon.line(name) for name in calls}
    for line in lines.values():
        await asyncio.to_thread(line.call, "open", url=url)
    stopped = browsers(daemon)

    unhelpful: list[str] = []

    def timed(name: str) -> float:
        began = time.monotonic()
        try:
            lines[name].call(name, **calls[name])
        except Refused as refused:
            if not refused.hint:
                unhelpful.append(refused.message)
        return time.monotonic() - began

    signalled(stopped, signal.SIGSTOP)
    try:
        took = await asyncio.gather(*(asyncio.to_thread(timed, name) for name in calls))
    finally:
        signalled(stopped, signal.SIGCONT)
    late = {name: s for name, s in zip(calls, took, strict=True) if s > ANSWERED_WITHIN_S}
    assert late == {}
    assert unhelpful == []
    opened = await asyncio.to_thread(lines["tabs"].call, "open", url=url)
    assert opened["details"]["title"] == "here"


async def test_a_daemon_with_a_stopped_browser_ends_soon(daemon: Home, pages: Pages) -> None:
    url = pages.add("/here.html", "<title>here</title>")
    line = daemon.line("me")
    for name in ("one", "two", "three"):
        await asyncio.to_thread(line.call, "open", name=name, url=url)
    stopped = browsers(daemon)
    signalled(stopped, signal.SIGSTOP)
    began = time.monotonic()
    await asyncio.to_thread(line.call, "stop")
    assert daemon.process is not None
    await asyncio.to_thread(daemon.process.wait, 30)
    assert time.monotonic() - began < ANSWERED_WITHIN_S
    assert ended(stopped, 5.0)


async def test_a_daemon_without_free_files_says_so_in_plain_words_and_recovers(
    daemon: Home, pages: Pages
) -> None:
    url = pages.add("/here.html", "<title>here</title>")
    line = daemon.line("me")
    assert daemon.process is not None
    pid = daemon.process.pid
    usual = resource.prlimit(pid, resource.RLIMIT_NOFILE)
    used = max(int(one) for one in os.listdir(f"/proc/{pid}/fd"))
    resource.prlimit(pid, resource.RLIMIT_NOFILE, (used + 1, usual[1]))
    try:
        with pytest.raises(Refused) as refused:
            await asyncio.to_thread(line.call, "open", url=url)
    finally:
        resource.prlimit(pid, resource.RLIMIT_NOFILE, usual)
    assert "Errno" not in refused.value.message
    assert "too many files and connections are open" in refused.value.message
    assert "ulimit -n" in refused.value.hint
    opened = await asyncio.to_thread(line.call, "open", url=url)
    assert opened["details"]["title"] == "here"
