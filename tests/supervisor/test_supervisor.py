"""What the supervisor does for its callers, on a fake Chrome."""

from __future__ import annotations

import asyncio

import pytest

from pilothouse.errors import ConnectionLost, ToolError
from pilothouse.supervisor import Policy, Supervisor
from pilothouse.supervisor.model import TabKey
from tests.fake_chrome import FakeChrome
from tests.supervisor.fake_dialogs import WITHIN_S, open_dialog


async def test_a_tab_is_set_up_before_it_goes_to_its_address(
    fake_chrome: FakeChrome, supervised: Supervisor
) -> None:
    tab = await supervised.open_tab("ann", "http://a.test/")
    assert supervised.state.tabs[tab].owner == "ann"
    session = supervised.session(tab).id
    said = [r.method for r in fake_chrome.received if r.session_id == session]
    resumes = said.index("Runtime.runIfWaitingForDebugger")
    assert said.index("Page.enable") < resumes < said.index("Page.navigate")


async def test_a_wait_ends_with_the_supervisor(supervised: Supervisor) -> None:
    waiting: asyncio.Future[None] = asyncio.ensure_future(supervised.wait_for(lambda s: None, 60))
    await asyncio.sleep(0)
    await supervised.close()
    with pytest.raises(ConnectionLost, match="supervision ended"):
        await asyncio.wait_for(waiting, WITHIN_S)


async def test_a_wait_that_nothing_ends_times_out(supervised: Supervisor) -> None:
    with pytest.raises(TimeoutError):
        await supervised.wait_for(lambda s: None, 0.01)


async def test_a_tab_or_frame_that_is_gone_says_what_to_do(supervised: Supervisor) -> None:
    with pytest.raises(ToolError, match="there is no tab t-99 now"):
        supervised.session("t-99")
    with pytest.raises(ToolError, match="there is no frame F99 now"):
        supervised.frame("F99")


async def test_notices_are_taken_once_and_only_by_their_owner(supervised: Supervisor) -> None:
    supervised.add_notice(TabKey("ann"), "one")
    supervised.add_notice(TabKey("bob"), "two")
    assert supervised.take_notices(TabKey("ann")) == ["one"]
    assert supervised.take_notices(TabKey("ann")) == []
    assert supervised.take_notices(TabKey("bob")) == ["two"]


async def test_an_owner_that_is_forgotten_leaves_no_policy(supervised: Supervisor) -> None:
    usual = supervised.state.policy_of(TabKey("ann"))
    supervised.set_policy(TabKey("ann"), Policy("auto_accept"))
    assert supervised.state.policy_of(TabKey("ann")) == Policy("auto_accept")
    supervised.forget(TabKey("ann"))
    assert supervised.state.policy_of(TabKey("ann")) == usual


async def test_a_closed_tab_leaves_the_state(supervised: Supervisor) -> None:
    tab = await supervised.open_tab("ann")
    await supervised.close_tab(tab)
    assert tab not in supervised.state.tabs


async def test_commands_of_the_browser_process_are_sent_while_a_dialog_is_open(
    fake_chrome: FakeChrome, supervised: Supervisor
) -> None:
    tab = await supervised.open_tab("ann")
    dialog = await open_dialog(fake_chrome, supervised, tab, "alert")
    outcome = await supervised.cdp("Page.bringToFront", tab=tab)
    assert (outcome.value, outcome.blocked_by) == ({}, ())
    blocked = await supervised.cdp("Runtime.evaluate", {"expression": "1"}, tab=tab)
    assert [b.id for b in blocked.blocked_by] == [dialog.id]
