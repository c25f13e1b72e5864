"""A dialog outlives the socket that saw it (fault row F2), on a real Chromium."""

from __future__ import annotations

import statistics
import time
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from pilothouse.cdp import Connection, dial_websocket
from pilothouse.cdp.protocol import Page
from pilothouse.errors import ConnectionLost, ToolError
from pilothouse.supervisor import Options, StandbyConnection, Supervisor
from pilothouse.supervisor import agent_view as view
from pilothouse.supervisor.model import TabKey
from tests.browser.browser_with_dialog_places import WITHIN_S, Stage, furnish, show
from tests.chromium import Endpoint, running_chromium
from tests.page_server import Pages
from tests.soak_extent import repeats
from tests.tcp_proxy import TcpProxy

pytestmark = [pytest.mark.browser, pytest.mark.timeout(600)]

COUNT = repeats(10)


@pytest.fixture(scope="module")
def chromium(chromium_path: Path) -> Iterator[Endpoint]:
    with running_chromium(chromium_path, "--site-per-process") as endpoint:
        yield endpoint


@dataclass(slots=True)
class Held:
    """A stage in somebody else's browser, whose two wires can be cut apart from each other."""

    stage: Stage
    main: TcpProxy
    hold: TcpProxy

    async def drop(self) -> None:
        """Cut the main wire; it is back, with all tabs, when this returns."""
        epoch = self.stage.sup.connection.epoch
        self.main.cut()
        await self.stage.sup.wait_for(
            lambda s: (
                self.stage.sup.connection.epoch > epoch
                and s.connected
                and s.tabs
                and all(t.session for t in s.tabs.values())
            ),
            WITHIN_S,
        )

    async def is_held(self, tab: str) -> None:
        await self.stage.sup.wait_for(lambda s: s.tabs[tab].has_standby, WITHIN_S)


@pytest.fixture
async def held(chromium: Endpoint, pages: Pages) -> AsyncIterator[Held]:
    furnish(pages)
    async with TcpProxy(chromium.port) as main, TcpProxy(chromium.port) as hold:
        wires = [
            await Connection.open(
                dial_websocket(f"ws://127.0.0.1:{proxy.port}{chromium.path}"), reconnects=True
            )
            for proxy in (main, hold)
        ]
        async with wires[0], wires[1]:
            sup = Supervisor(wires[0], Options(owned=False), StandbyConnection(wires[1]))
            await sup.start()
            made = Held(Stage(sup, pages, 0), main, hold)
            yield made
            await made.stage.clear()
            await sup.close()


@pytest.mark.soak
@pytest.mark.timeout(60 + 5 * COUNT)
async def test_dialog_is_answered_after_its_socket_was_killed(held: Held) -> None:
    stage, sup = held.stage, held.stage.sup
    spot = await stage.go("main")
    took = []
    for number in range(COUNT):
        await held.is_held(spot.tab)
        outcome = await stage.run(spot.frame_id, f"got = prompt('number {number}')")
        (dialog,) = outcome.blocked_by
        began = time.perf_counter()
        await held.drop()
        took.append(time.perf_counter() - began)
        assert [d["id"] for d in view.pending_dialogs(sup.state)] == [dialog.id]
        answered = await sup.answer(accept=True, text=f"answer {number}", dialog_id=dialog.id)
        assert (answered.closed.closed_by, answered.already_closed) == ("agent", False)
        with pytest.raises(ConnectionLost):
            await sup.actions.result(outcome.action_id, WITHIN_S)
        top = await stage.loaded(spot.tab)
        assert await stage.value(top.id, "got") == f"answer {number}"
    show(f"{COUNT} drops with a dialog: back in p50 {statistics.median(took) * 1000:.0f} ms")


async def test_a_dialog_that_ends_while_nobody_looks_is_over_when_we_are_back(held: Held) -> None:
    stage, sup = held.stage, held.stage.sup
    spot = await stage.go("main")
    await held.is_held(spot.tab)
    (dialog,) = (await stage.run(spot.frame_id, "got = confirm('hm?')")).blocked_by
    held.main.cut()
    await sup.wait_for(lambda s: not s.connected, WITHIN_S)
    answered = await sup.answer(accept=True, dialog_id=dialog.id)
    assert answered.closed.closed_by == "agent"
    top = await stage.loaded(spot.tab)
    assert await stage.value(top.id, "got") is True
    assert not sup.state.dialogs


async def test_the_holder_dies_and_the_dialog_is_answered_all_the_same(held: Held) -> None:
    stage = held.stage
    spot = await stage.go("main")
    await held.is_held(spot.tab)
    outcome = await stage.run(spot.frame_id, "got = confirm('hm?')")
    held.hold.cut()
    await stage.sup.wait_for(lambda s: not s.tabs[spot.tab].has_standby, WITHIN_S)
    await stage.sup.answer(accept=True, tab=spot.tab)
    assert (await stage.delivered(outcome.action_id))["result"]["value"] is True
    await held.is_held(spot.tab)


async def test_a_dialog_that_lost_both_wires_is_reported_and_a_reload_frees_the_page(
    held: Held,
) -> None:
    stage, sup = held.stage, held.stage.sup
    spot = await stage.go("main")
    await held.is_held(spot.tab)
    loader = sup.state.frames[spot.frame_id].loader
    (dialog,) = (await stage.run(spot.frame_id, "got = confirm('hm?')")).blocked_by
    held.hold.cut()
    await sup.wait_for(lambda s: not s.tabs[spot.tab].has_standby, WITHIN_S)
    await held.drop()
    (shown,) = view.pending_dialogs(sup.state)
    assert "reload" in shown["orphaned"]
    assert any("orphaned_dialog" in line for line in sup.take_notices(TabKey(spot.owner)))
    with pytest.raises(ToolError, match="cannot be answered"):
        await sup.answer(accept=True, dialog_id=dialog.id)
    await sup.session(spot.tab).send(Page.reload(), WITHIN_S)
    top = await stage.loaded(spot.tab, but=loader)
    assert await stage.value(top.id, "got") == "not asked"
    assert not sup.state.dialogs


async def test_a_bridged_dialog_is_dismissed_by_a_drop_and_says_so(held: Held) -> None:
    stage, sup = held.stage, held.stage.sup
    spot = await stage.go("oopif")
    await stage.value(spot.frame_id, "got = 'nothing'")
    outcome = await stage.run(spot.frame_id, "got = confirm('hm?')")
    (dialog,) = outcome.blocked_by
    top = sup.state.tabs[spot.tab].target_id
    await stage.value(top, "new Promise(r => setTimeout(r, 500))")
    await held.drop()
    closed = next(c for c in sup.state.recent_dialogs if c.dialog.id == dialog.id)
    assert closed.closed_by == "connection_lost"
    frame = await stage.loaded(spot.tab, "spot")
    assert await stage.value(frame.id, "got") is False
    assert not sup.state.dialogs
