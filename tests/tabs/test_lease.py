"""One call at a time on a tab, in the order they came."""

from __future__ import annotations

import asyncio

import pytest

from pilothouse.asyncio_tasks import Tasks
from pilothouse.errors import ToolError
from pilothouse.tabs.lease import Lease
from pilothouse.tabs.progress import report_progress_to


async def test_calls_get_their_turn_in_the_order_they_came() -> None:
    lease, tasks, turns = Lease("main"), Tasks(), list[int]()
    inside = 0

    async def call(number: int) -> None:
        nonlocal inside
        async with lease.hold(f"call {number}", 5.0):
            inside += 1
            assert inside == 1
            turns.append(number)
            await asyncio.sleep(0)
            inside -= 1

    calls = [tasks.start(call(number), f"call {number}") for number in range(20)]
    async with asyncio.timeout(5):
        await asyncio.gather(*calls)
    assert turns == list(range(20))
    assert lease.holder == ""


async def test_holder_is_named_while_it_holds() -> None:
    lease = Lease("main")
    async with lease.hold("click", 1.0):
        assert lease.holder == "click"
    assert lease.holder == ""


async def test_turn_that_does_not_come_says_who_holds_the_tab_and_for_how_long() -> None:
    lease = Lease("main")
    async with lease.hold("run", 1.0):
        with pytest.raises(ToolError, match=r'tab "main" is busy with run for \d+\.\d s') as busy:
            async with lease.hold("click", 0.02):
                raise AssertionError("it was not free")
    assert "longer timeout" in busy.value.hint
    async with lease.hold("click", 0.02):
        assert lease.holder == "click"


async def test_turn_is_given_on_after_an_error() -> None:
    lease = Lease("main")
    with pytest.raises(ZeroDivisionError):
        async with lease.hold("run", 1.0):
            raise ZeroDivisionError
    async with lease.hold("click", 0.5):
        assert lease.holder == "click"


async def test_who_gives_up_waiting_does_not_stop_those_behind() -> None:
    lease, tasks, came = Lease("main"), Tasks(), list[str]()

    async def call(name: str) -> None:
        async with lease.hold(name, 5.0):
            came.append(name)

    async with asyncio.timeout(5), lease.hold("first", 1.0):
        impatient = tasks.start(call("impatient"), "impatient")
        patient = tasks.start(call("patient"), "patient")
        await asyncio.sleep(0)
        impatient.cancel()
        await asyncio.gather(impatient, return_exceptions=True)
    await patient
    assert came == ["patient"]


async def test_who_waits_is_told_for_what_and_when_its_turn_has_come() -> None:
    lease, heard = Lease("main"), list[str]()
    with report_progress_to(heard.append):
        async with lease.hold("run", 1.0):
            assert heard == []
            with pytest.raises(ToolError):
                async with lease.hold("click", 0.02):
                    raise AssertionError("it was not free")
    assert heard == ['waiting for tab "main": busy with run since 0 s']
    heard.clear()
    tasks, held = Tasks(), asyncio.Event()

    async def hold() -> None:
        async with lease.hold("run", 1.0):
            held.set()
            await asyncio.sleep(0)

    async with asyncio.timeout(5):
        holds = tasks.start(hold(), "hold")
        await held.wait()
        with report_progress_to(heard.append):
            async with lease.hold("click", 5.0):
                assert heard[1:] == ["click"]
        await holds
