"""Progress: what a client hears of a call that takes its time."""

from __future__ import annotations

import asyncio
import threading
from itertools import pairwise
from typing import Any, cast

import pytest

from pilothouse.daemon.rpc.progress import EVERY_S, LONGEST, SLOW_S, Progress
from pilothouse.daemon.rpc.server import RpcClient
from tests.daemon.daemon_process import Home
from tests.page_server import Pages

pytestmark = [pytest.mark.browser, pytest.mark.timeout(180)]


class _Listener:
    """A client that keeps what it is told, and when."""

    def __init__(self) -> None:
        self.heard: list[tuple[float, str]] = []
        self.first = asyncio.Event()

    def progress(self, number: int | str | None, text: str) -> None:
        """As the server's client is told."""
        self.heard.append((asyncio.get_running_loop().time(), text))
        self.first.set()


async def test_short_call_says_nothing() -> None:
    listener = _Listener()
    progress = Progress(cast(RpcClient, listener), 1)
    progress("starting a browser")
    progress.end()
    later = asyncio.Event()
    asyncio.get_running_loop().call_later(SLOW_S + 0.1, later.set)
    async with asyncio.timeout(30):
        await later.wait()
    assert listener.heard == []


async def test_long_call_says_the_latest_late_and_seldom() -> None:
    listener, loop = _Listener(), asyncio.get_running_loop()
    began = loop.time()
    progress = Progress(cast(RpcClient, listener), 1)
    async with asyncio.timeout(30):
        while len(listener.heard) < 3:
            for text in ("old", f"line one\nline two{'x' * 500}\n", " \n"):
                progress(text)
            await asyncio.sleep(0.01)
    progress.end()
    times = [at for at, _ in listener.heard]
    assert times[0] - began >= SLOW_S - 0.001
    assert all(b - a >= EVERY_S - 0.001 for a, b in pairwise(times))
    assert {text for _, text in listener.heard} == {("line two" + "x" * 500)[:LONGEST]}


async def test_nobody_waits_for_the_answer_to_a_notice() -> None:
    progress = Progress(cast(RpcClient, _Listener()), None)
    progress("working")
    progress.end()


class _Call:
    """A call under way on a line of its own, and what is heard of it."""

    def __init__(self, home: Home, owner: str, method: str, **params: Any) -> None:
        self.heard: list[str] = []
        self.answer: Any = None
        self._told = threading.Event()
        self._line = home.line(owner, on_progress=self._hear)
        self._thread = threading.Thread(target=self._call, args=(method, params))
        self._thread.start()

    def _hear(self, progress: dict[str, Any]) -> None:
        self.heard.append(progress["text"])
        self._told.set()

    def _call(self, method: str, params: dict[str, Any]) -> None:
        self.answer = self._line.call(method, **params, timeout=60)

    def first(self) -> str:
        """What is heard first, once it is."""
        assert self._told.wait(30)
        return self.heard[0]

    def done(self) -> Any:
        """Its answer."""
        self._thread.join(30)
        return self.answer


# One print: a run that starts late would report its first line before the second.
UNTIL_GO = "print('first\\nhalfway there')\nwhile not tab.evaluate('window.go'): wait(0.05)"


def test_client_hears_what_its_long_calls_wait_for_and_print(lived_in: Home, served: Pages) -> None:
    line = lived_in.line("slow")
    line.call("open", url=served.add("/now.html", "<title>now</title>"))
    runs = _Call(lived_in, "slow", "run", code=UNTIL_GO)
    assert runs.first() == "halfway there"
    waits = _Call(lived_in, "slow", "tab.evaluate", code="document.title")
    assert waits.first().startswith('waiting for tab "main": busy with run since ')
    line.call("page.cdp", command="Runtime.evaluate", params={"expression": "window.go = 1"})
    assert runs.done()["content"][0]["text"] == "first\nhalfway there\n"
    assert waits.done() == "now"


def test_client_hears_which_page_it_waits_for(lived_in: Home, served: Pages) -> None:
    let_go = served.add_slow("/slow.html", "<title>slow</title>")
    url = served.url("/slow.html")
    opens = _Call(lived_in, "patient", "open", url=url)
    assert opens.first() == f"loading {url}"
    let_go.set()
    assert opens.done()["details"]["title"] == "slow"
