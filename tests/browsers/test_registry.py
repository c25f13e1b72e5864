"""The door: single flight, counting, ageing, giving up. Driven with a kind of the test's own."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from pilothouse.browsers import Browsers
from pilothouse.browsers.opener_interface import BrowserVersion, OpenedBrowser, OpenerContext
from pilothouse.cdp import Connection, dial_pipe
from pilothouse.errors import BrowserError


@dataclass(frozen=True)
class Toy:
    """A kind that the product does not know."""

    name: str = "toy"

    def describe(self) -> str:
        return f"toy {self.name}"


@dataclass
class Workshop:
    """Opens toys, and knows what became of them."""

    opened: list[OpenedBrowser] = field(default_factory=list)
    closed: list[bool] = field(default_factory=list)
    started: int = 0
    cancelled: int = 0
    cut_off: int = 0
    fails: bool = False
    asked: asyncio.Event = field(default_factory=asyncio.Event)
    ended: asyncio.Event = field(default_factory=asyncio.Event)
    open_gate: asyncio.Event = field(default_factory=asyncio.Event)
    close_gate: asyncio.Event = field(default_factory=asyncio.Event)
    far_ends: list[socket.socket] = field(default_factory=list)

    async def open(self, kind: Toy, grounds: OpenerContext) -> OpenedBrowser:
        self.started += 1
        self.asked.set()
        try:
            await self.open_gate.wait()
        except asyncio.CancelledError:
            self.cancelled += 1
            raise
        if self.fails:
            raise BrowserError("out of toys", hint="buy some")
        ours, theirs = socket.socketpair()
        self.far_ends.append(theirs)
        connection = await Connection.open(dial_pipe(ours), name=kind.describe())

        async def close(kill: bool) -> None:
            await self.close_gate.wait()
            self.closed.append(kill)
            self.ended.set()
            await connection.close()

        self.opened.append(
            OpenedBrowser(kind, connection, BrowserVersion("Toy/1"), close, kill_now=self._cut_off)
        )
        return self.opened[-1]

    def _cut_off(self) -> None:
        self.cut_off += 1
        self.close_gate.set()


@pytest.fixture
async def shop() -> AsyncIterator[Workshop]:
    shop = Workshop()
    shop.open_gate.set()
    shop.close_gate.set()
    yield shop
    for far_end in shop.far_ends:
        far_end.close()


@pytest.fixture
async def door(root: Path, shop: Workshop) -> AsyncIterator[Browsers]:
    openers: dict[type, Any] = {Toy: shop.open}
    async with asyncio.timeout(10), Browsers(root=root, openers=openers) as door:
        yield door


async def test_many_callers_cause_one_launch(door: Browsers, shop: Workshop) -> None:
    handles = await asyncio.gather(*(door.acquire(Toy()) for _ in range(20)))
    assert shop.started == 1
    assert len({id(handle.connection) for handle in handles}) == 1
    assert door.open_kinds() == [Toy()]


async def test_kinds_that_differ_do_not_share(door: Browsers, shop: Workshop) -> None:
    one, other = await asyncio.gather(door.acquire(Toy("a")), door.acquire(Toy("b")))
    assert one.connection is not other.connection


async def test_last_holder_closes(door: Browsers, shop: Workshop) -> None:
    one, other = await door.acquire(Toy()), await door.acquire(Toy())
    await one.release()
    await one.release()
    assert shop.closed == []
    assert other.alive
    await other.release()
    assert shop.closed == [False]
    assert not other.alive
    assert door.open_kinds() == []


async def test_wish_to_kill_is_remembered_until_the_last_holder_leaves(
    door: Browsers, shop: Workshop
) -> None:
    one, other = await door.acquire(Toy()), await door.acquire(Toy())
    await one.release(kill=True)
    await other.release()
    assert shop.closed == [True]


async def test_what_was_opened_ahead_is_taken_over_by_the_first_who_wants_it(
    door: Browsers, shop: Workshop
) -> None:
    door.prepare(Toy())
    door.prepare(Toy())
    await shop.asked.wait()
    async with await door.acquire(Toy()):
        assert (shop.started, shop.closed) == (1, [])
    assert shop.closed == [False]


async def test_what_was_opened_ahead_and_nobody_wants_is_ended(
    door: Browsers, shop: Workshop
) -> None:
    door.prepare(Toy(), within=0.01)
    await shop.ended.wait()
    assert (shop.closed, door.open_kinds()) == ([False], [])
    async with await door.acquire(Toy()):
        assert shop.started == 2


async def test_what_could_not_be_opened_ahead_is_told_to_who_asks(
    door: Browsers, shop: Workshop
) -> None:
    shop.fails = True
    door.prepare(Toy())
    with pytest.raises(BrowserError, match="out of toys"):
        await door.acquire(Toy())
    with pytest.raises(BrowserError, match="out of toys"):
        await door.acquire(Toy())
    assert shop.started == 2


async def test_handle_is_released_by_its_block(door: Browsers, shop: Workshop) -> None:
    async with await door.acquire(Toy()):
        assert shop.closed == []
    assert shop.closed == [False]


async def test_stale_handle_is_replaced(door: Browsers, shop: Workshop) -> None:
    """F3: what is closed for good is not given out again, and its remains are ended at once."""
    first = await door.acquire(Toy())
    lost = asyncio.Event()
    first.connection.on_status(lambda _: lost.set())
    shop.far_ends[0].close()
    await lost.wait()
    second = await door.acquire(Toy())
    assert second.alive
    assert shop.started == 2
    assert shop.closed == [False]
    await first.release()
    assert second.alive


async def test_failure_reaches_every_waiter_and_the_next_one_tries_again(
    door: Browsers, shop: Workshop
) -> None:
    shop.fails = True
    outcomes = await asyncio.gather(
        *(door.acquire(Toy()) for _ in range(3)), return_exceptions=True
    )
    assert [str(outcome) for outcome in outcomes] == ["out of toys"] * 3
    assert len({id(outcome) for outcome in outcomes}) == 3
    assert shop.started == 1
    shop.fails = False
    await door.acquire(Toy())
    assert shop.started == 2


async def test_launch_that_all_callers_gave_up_is_cancelled(door: Browsers, shop: Workshop) -> None:
    shop.open_gate.clear()
    waiting = [asyncio.ensure_future(door.acquire(Toy())) for _ in range(3)]
    await shop.asked.wait()
    for task in waiting:
        task.cancel()
    await asyncio.gather(*waiting, return_exceptions=True)
    shop.open_gate.set()
    await door.acquire(Toy())
    assert (shop.started, shop.cancelled, len(shop.opened)) == (2, 1, 1)


async def test_one_caller_that_gives_up_does_not_disturb_the_others(
    door: Browsers, shop: Workshop
) -> None:
    shop.open_gate.clear()
    impatient = asyncio.ensure_future(door.acquire(Toy()))
    patient = asyncio.ensure_future(door.acquire(Toy()))
    await shop.asked.wait()
    impatient.cancel()
    with pytest.raises(asyncio.CancelledError):
        await impatient
    shop.open_gate.set()
    assert (await patient).alive
    assert shop.cancelled == 0


async def test_next_launch_waits_until_the_last_one_has_ended(
    door: Browsers, shop: Workshop
) -> None:
    shop.close_gate.clear()
    releasing = asyncio.ensure_future((await door.acquire(Toy())).release())
    again = asyncio.ensure_future(door.acquire(Toy()))
    for _ in range(10):
        await asyncio.sleep(0)
    assert shop.started == 1
    shop.close_gate.set()
    await releasing
    assert (await again).alive


async def test_close_tells_those_who_wait(door: Browsers, shop: Workshop) -> None:
    shop.open_gate.clear()
    waiting = asyncio.ensure_future(door.acquire(Toy()))
    await shop.asked.wait()
    await door.close()
    with pytest.raises(BrowserError, match="being closed"):
        await waiting
    with pytest.raises(BrowserError, match="this browser is closed"):
        await door.acquire(Toy())


async def test_close_cuts_off_what_does_not_end(door: Browsers, shop: Workshop) -> None:
    """F20: closing is bounded, however a browser behaves."""
    await door.acquire(Toy())
    shop.close_gate.clear()
    async with asyncio.timeout(2.5):
        await door.close()
    assert shop.cut_off == 1


async def test_unknown_kind_is_refused_with_those_there_are(door: Browsers) -> None:
    @dataclass(frozen=True)
    class Unknown(Toy):
        pass

    with pytest.raises(BrowserError, match="Unknown") as error:
        await door.acquire(Unknown())
    assert "Toy" in error.value.hint
