"""Races of work against what blocks it, on a fake Chrome."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from pilothouse.cdp.protocol import Runtime
from pilothouse.errors import ToolError
from pilothouse.supervisor import Interrupt, Outcome, Supervisor
from pilothouse.supervisor.interruptible_actions import PARKED_KEPT
from tests.fake_chrome import FakeChrome
from tests.supervisor.fake_dialogs import WITHIN_S, close_dialog, open_dialog

EVALUATE = "Runtime.evaluate"


async def parked(chrome: FakeChrome, sup: Supervisor, tab: str) -> Outcome[Any]:
    """Work whose reply Chrome holds back while a dialog of its page is open."""
    chrome.hold(EVALUATE)
    session = sup.session(tab)
    work = session.send(Runtime.evaluate(expression="confirm('sure?')"), 60)
    racing = asyncio.ensure_future(sup.actions.race(tab, work, session))
    await chrome.heard(EVALUATE)
    await open_dialog(chrome, sup, tab, "confirm")
    return await asyncio.wait_for(racing, WITHIN_S)


async def test_work_that_nothing_blocks_gives_its_value(supervised: Supervisor) -> None:
    tab = await supervised.open_tab("ann")
    outcome = await supervised.actions.race(tab, asyncio.sleep(0, "done"))
    assert outcome == Outcome("done")


async def test_work_that_a_dialog_blocks_gives_its_value_after_the_answer(
    fake_chrome: FakeChrome, supervised: Supervisor
) -> None:
    tab = await supervised.open_tab("ann")
    outcome = await parked(fake_chrome, supervised, tab)
    assert outcome.value is None
    (dialog,) = outcome.blocked_by
    assert dialog.id in supervised.state.dialogs
    still = await supervised.actions.result(outcome.action_id, 0)
    assert (still.value, still.action_id) == (None, outcome.action_id)
    close_dialog(fake_chrome, supervised, tab, accepted=True)
    fake_chrome.release()
    ended = await supervised.actions.result(outcome.action_id, WITHIN_S)
    assert ended.value == {"result": {"type": "undefined"}}
    with pytest.raises(ToolError, match=f"there is no action {outcome.action_id}"):
        await supervised.actions.result(outcome.action_id, 0)


async def test_work_that_is_resumed_returns_at_once_while_its_dialog_is_open(
    fake_chrome: FakeChrome, supervised: Supervisor
) -> None:
    tab = await supervised.open_tab("ann")
    outcome = await parked(fake_chrome, supervised, tab)
    again = await supervised.actions.resume(tab, outcome.action_id, 60)
    assert again.action_id == outcome.action_id
    assert [b.id for b in again.blocked_by] == [b.id for b in outcome.blocked_by]


async def test_only_the_newest_blocked_work_is_kept(
    fake_chrome: FakeChrome, supervised: Supervisor
) -> None:
    tab = await supervised.open_tab("ann")
    await open_dialog(fake_chrome, supervised, tab, "alert")
    actions = [
        (await supervised.actions.race(tab, asyncio.sleep(60))).action_id
        for _ in range(PARKED_KEPT + 5)
    ]
    assert list(supervised.actions.parked_on(tab)) == actions[5:]


async def test_work_is_not_started_while_a_dialog_is_open(
    fake_chrome: FakeChrome, supervised: Supervisor
) -> None:
    tab = await supervised.open_tab("ann")
    dialog = await open_dialog(fake_chrome, supervised, tab, "alert")
    started: list[int] = []

    async def work() -> None:
        started.append(1)

    outcome = await supervised.actions.race(tab, work)
    assert [b.id for b in outcome.blocked_by] == [dialog.id]
    assert outcome.action_id == ""
    assert started == []


async def test_work_that_a_crash_ends_is_blocked_by_the_crash(
    fake_chrome: FakeChrome, supervised: Supervisor
) -> None:
    tab = await supervised.open_tab("ann")
    fake_chrome.hold(EVALUATE)
    session = supervised.session(tab)
    racing = asyncio.ensure_future(
        supervised.actions.race(tab, session.send(Runtime.evaluate(expression="1"), 60), session)
    )
    await fake_chrome.heard(EVALUATE)
    fake_chrome.crash(fake_chrome.model.targets[session.target_id])
    outcome = await asyncio.wait_for(racing, WITHIN_S)
    (crash,) = outcome.blocked_by
    assert isinstance(crash, Interrupt)
    assert crash.kind == "crashed"


async def test_the_error_of_work_is_raised(supervised: Supervisor) -> None:
    tab = await supervised.open_tab("ann")

    async def work() -> None:
        raise ToolError("it cannot be done", hint="try another way")

    with pytest.raises(ToolError, match="it cannot be done"):
        await supervised.actions.race(tab, work)
