"""A slow server is waited for, and not called a hung page; a page that hangs still is."""

from __future__ import annotations

import asyncio
import re
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from pilothouse.code.client.daemon_connection import DaemonClient
from pilothouse.supervisor.interruptible_actions import (
    COMMITS_WITHIN_S,
    PROBE_AFTER_S,
    PROBE_WITHIN_S,
)
from tests.daemon.daemon_process import Home, open_daemon
from tests.page_server import Pages

pytestmark = [pytest.mark.browser, pytest.mark.timeout(180)]

# Longer than a renderer may be silent before it is called hung.
SLOW_S = PROBE_AFTER_S + PROBE_WITHIN_S + 1.0
TOLD_WITHIN_S = 30.0
_SLOW = "<title>came</title>here at last"
_HANGS = "<script>for (;;);</script>"


class Caller:
    """A client with one call under way, and what it was told meanwhile."""

    def __init__(self, home: Home, owner: str) -> None:
        self._told = threading.Condition()
        self._words: list[str] = []
        self.line: DaemonClient = home.line(owner, on_progress=self._hear)

    def _hear(self, progress: dict[str, Any]) -> None:
        with self._told:
            self._words.append(progress["text"])
            self._told.notify_all()

    def waited(self, host: str, seconds: float) -> None:
        """Return once it was told that the server has been waited for so long."""

        def long_enough() -> bool:
            found = [re.fullmatch(rf"waiting for {host}, (\d+) s", text) for text in self._words]
            return any(int(one[1]) >= seconds for one in found if one)

        with self._told:
            assert self._told.wait_for(long_enough, TOLD_WITHIN_S), self._words


@pytest.fixture(autouse=True)
async def many_threads() -> None:
    """A thread waits for each call that is under way."""
    asyncio.get_running_loop().set_default_executor(ThreadPoolExecutor(32))


@pytest.fixture(scope="module")
def daemon(chromium_path: Path) -> Iterator[Home]:
    with open_daemon(chromium_path) as made:
        yield made


def _page(pages: Pages) -> str:
    return pages.add(
        "/start.html",
        "<title>start</title><a id=link href=/link.html>link</a>"
        "<form action=/form.html method=post><button id=send>send</button></form>"
        "<iframe name=inside src=/inside.html></iframe>"
        f"<iframe name=outside src='{pages.url('/inside.html', 'localhost')}'></iframe>",
    )


async def test_a_slow_server_is_waited_for_and_told_of_however_it_was_asked(
    daemon: Home, pages: Pages
) -> None:
    start, host = _page(pages), f"{pages.address[0]}:{pages.port}"
    pages.add("/inside.html", "inside")
    slow = {
        name: pages.add_slow(f"/{name}.html", _SLOW)
        for name in ("goto", "link", "form", "reload", "back", "frame", "oopif")
    }
    for name in ("reload", "back"):
        pages.add(f"/{name}.html", "<title>before</title>")

    def prepare(name: str) -> Caller:
        caller = Caller(daemon, name)
        url = pages.url(f"/{name}.html") if name in ("reload", "back") else start
        caller.line.call("open", url=url)
        if name == "back":
            caller.line.call("tab.goto", url=start)
        return caller

    callers = dict(
        zip(slow, await asyncio.gather(*(asyncio.to_thread(prepare, n) for n in slow)), strict=True)
    )
    for name in ("reload", "back"):
        slow[name] = pages.add_slow(f"/{name}.html", _SLOW)
    away = "window.frames.{}.location = '{}'; 1"
    asks: dict[str, Callable[[DaemonClient], Any]] = {
        "goto": lambda line: line.call("tab.goto", url=pages.url("/goto.html")),
        "link": lambda line: line.call("tab.click", target="#link"),
        "form": lambda line: line.call("tab.click", target="#send"),
        "reload": lambda line: line.call("tab.reload"),
        "back": lambda line: line.call("tab.back"),
        "frame": lambda line: line.call(
            "tab.evaluate", code=away.format("inside", pages.url("/frame.html"))
        ),
        "oopif": lambda line: line.call(
            "tab.evaluate", code=away.format("outside", pages.url("/oopif.html", "localhost"))
        ),
    }

    def ask(name: str) -> Any:
        caller = callers[name]
        answer = asks[name](caller.line)
        if name in ("link", "form", "frame", "oopif"):
            # A click does not wait for ever; what is asked of the page next does.
            caller.line.call("tab.wait_for", text="here at last", timeout=60)
        return answer

    running = {name: asyncio.ensure_future(asyncio.to_thread(ask, name)) for name in slow}
    for name in ("goto", "link", "form", "reload", "back"):
        await asyncio.to_thread(callers[name].waited, re.escape(host), SLOW_S)
    assert not [name for name, one in running.items() if one.done() and one.exception()]
    for gate in slow.values():
        gate.set()
    answers = dict(zip(running, await asyncio.gather(*running.values()), strict=True))
    assert {n: a["blocked_by"] for n, a in answers.items() if _blocked(a)} == {}
    for name in ("goto", "link", "form", "reload", "back"):
        told = await asyncio.to_thread(callers[name].line.call, "tab.title")
        assert told == "came"


def _blocked(answer: Any) -> bool:
    return isinstance(answer, dict) and bool(answer.get("blocked_by"))


async def test_the_callers_timeout_decides_how_long_a_server_is_waited_for(
    daemon: Home, pages: Pages
) -> None:
    start = _page(pages)
    pages.add("/inside.html", "inside")
    gate = pages.add_slow("/link.html", _SLOW)
    caller = Caller(daemon, "impatient")
    await asyncio.to_thread(caller.line.call, "open", url=start)
    began = time.monotonic()
    url = pages.url("/link.html")
    answer = await asyncio.to_thread(caller.line.call, "tab.goto", url=url, timeout=SLOW_S)
    assert SLOW_S - 0.5 < time.monotonic() - began < SLOW_S + 1
    assert (answer["kind"], answer["timed_out"]) == ("pending", True)
    gate.set()


async def test_a_page_that_hangs_during_or_after_a_slow_navigation_is_reported(
    daemon: Home, pages: Pages
) -> None:
    await asyncio.gather(*(_hangs(when, daemon, pages) for when in ("during", "after")))


async def _hangs(when: str, daemon: Home, pages: Pages) -> None:
    gate = pages.add_slow(f"/{when}.html", _HANGS if when == "after" else _SLOW)
    loop = "setTimeout(() => { for (;;); }, 300);" if when == "during" else ""
    link = f"<a id=a href=/{when}.html onclick='{loop}'>x</a>"
    # Each as a site of its own: they must not share a renderer.
    host = "127.0.0.1" if when == "during" else "localhost"
    pages.add(f"/before-{when}.html", link)
    caller = Caller(daemon, f"hangs {when}")
    await asyncio.to_thread(caller.line.call, "open", url=pages.url(f"/before-{when}.html", host))

    def go() -> Any:
        clicked = caller.line.call("tab.click", target="#a")
        if _blocked(clicked):
            return clicked
        return caller.line.call("tab.wait_for", text="here at last", timeout=60)

    running = asyncio.ensure_future(asyncio.to_thread(go))
    await asyncio.to_thread(caller.waited, re.escape(f"{host}:{pages.port}"), SLOW_S)
    assert not running.done()
    gate.set()
    opened = time.monotonic()
    answer = await running
    assert [blocker["kind"] for blocker in answer["blocked_by"]] == ["hung"]
    assert time.monotonic() - opened < PROBE_AFTER_S + COMMITS_WITHIN_S + 2
    await asyncio.to_thread(caller.line.call, "close", all=True)
