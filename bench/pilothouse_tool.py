"""Ours, as the other tools are called: the Python API, its event loop in a thread of its own."""

from __future__ import annotations

import asyncio
import re
import threading
from collections.abc import Coroutine
from typing import Any, TypeVar

import uvloop

from bench.chromium import BenchError
from pilothouse.cdp import Connection, dial_websocket
from pilothouse.cdp.protocol import Page as PageDomain
from pilothouse.errors import PilothouseError
from pilothouse.page.input.receipt import Receipt
from pilothouse.page.page import Page
from pilothouse.page.snapshot import SnapshotOptions
from pilothouse.supervisor import Options, Outcome, Supervisor

__all__ = ["Ours"]

PATIENCE_S = 60.0
MOST_READ = 5_000_000

T = TypeVar("T")


class Ours:
    """Our supervisor and the page on top of it. `whole` snapshots have no budget."""

    def __init__(self, where: dict[str, Any], *, whole: bool = True) -> None:
        # As the programs of this package run.
        self._loop = uvloop.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever)
        self._thread.start()
        self._look = SnapshotOptions(budget=0) if whole else SnapshotOptions()
        self._ref = ""
        self._do(self._start(where["ws"]))

    def open(self, url: str) -> None:
        self._do(self._open(url))

    def snapshot(self) -> str:
        taken = self._do(self.page.snapshot(self._look))
        if taken.stale:
            raise BenchError(f"an older snapshot: {taken.stale}")
        return taken.text

    def article(self, whole: bool = False) -> str:
        """The text of the page's article, or of all of it."""
        outcome = self._do(
            self.page.extract(format="text", article=not whole, links=False, images=False)
        )
        if outcome.value is None:
            raise BenchError(f"not read: {outcome.blocked_by}")
        return outcome.value.text

    def evaluate(self, code: str) -> Any:
        """The value of an expression in the page."""
        outcome = self._do(self.page.evaluate(code, limit=MOST_READ))
        if outcome.value is None:
            raise BenchError(f"not evaluated: {outcome.blocked_by}")
        return outcome.value.value

    def acting(self) -> str:
        """The same elements to act on and little else: agent-browser's `-i`."""
        return self._do(self.page.snapshot(SnapshotOptions(budget=0, interactive=True))).text

    def stir(self) -> None:
        """Have the page change a little, so that the next look is one at another page."""
        self._do(self.page.evaluate("document.body.dataset.stirred = performance.now()"))

    def aim(self, role: str, label: str) -> None:
        text = self._do(self.page.snapshot(SnapshotOptions(budget=0))).text
        found = re.search(rf'{role} "{re.escape(label)}" \[ref=(\w+)\]', text)
        if found is None:
            raise BenchError(f"no {role} {label} in our snapshot: {text[:300]!r}")
        self._ref = found[1]

    def click(self) -> str:
        return _said(self._do(self.page.click(self._ref)))

    def fill(self, text: str) -> str:
        return _said(self._do(self.page.fill(self._ref, text)))

    def select(self, option: str) -> str:
        return _said(self._do(self.page.select(self._ref, option)))

    def accept(self) -> None:
        self._do(self.supervisor.answer(accept=True))

    def pids(self) -> list[int]:
        return []  # this process, which is counted with everybody

    def close(self) -> None:
        self._do(self.page.close())
        self._do(self.supervisor.close())
        self._do(self._connection.close())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    def _do(self, work: Coroutine[Any, Any, T]) -> T:
        try:
            return asyncio.run_coroutine_threadsafe(work, self._loop).result(PATIENCE_S)
        except PilothouseError as error:
            raise BenchError(error.format_line()) from error
        except TimeoutError:
            raise BenchError(f"not answered within {PATIENCE_S:g} s") from None

    async def _start(self, url: str) -> None:
        self._connection = await Connection.open(dial_websocket(url))
        self.supervisor = Supervisor(self._connection, Options())
        await self.supervisor.start()
        tab = await self.supervisor.open_tab("bench")
        self.page = Page(self.supervisor, tab)
        await self.page.start()

    async def _open(self, url: str) -> None:
        session = self.page.tab_context.session
        loaded = session.expect(PageDomain.loadEventFired)
        await session.send(PageDomain.navigate(url=url))
        await loaded


def _said(outcome: Outcome[Receipt]) -> str:
    if outcome.blocked_by:
        return f"blocked by {outcome.blocked_by[0].id}"
    return outcome.value.text() if outcome.value is not None else "nothing"
