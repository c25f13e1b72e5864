"""One supervisor per browser: shared, rebound, ended."""

from __future__ import annotations

import asyncio
import threading

import pytest

from pilothouse.cdp import Connection, Status, dial_websocket
from pilothouse.errors import BrowserError, ConnectionLost
from pilothouse.supervisor import Options, Policy, State, TabKey
from pilothouse.supervisor.supervisor_registry import SupervisedConnection, Supervisors
from tests.fake_chrome import FakeChrome

WITHIN_S = 5.0


class Door:
    """Opens lines to a fake browser and counts what goes through it."""

    def __init__(self, chrome: FakeChrome, *, held: bool = False) -> None:
        self.opened = 0
        self.released = 0
        self.knocked = asyncio.Event()
        self.gate = asyncio.Event()
        self.gate.set()
        self._chrome = chrome
        self._held = held

    async def dial(self) -> Connection:
        return await Connection.open(dial_websocket(self._chrome.websocket_url))

    async def __call__(self) -> SupervisedConnection:
        self.opened += 1
        self.knocked.set()
        await self.gate.wait()
        connection = await self.dial()

        async def release() -> None:
            self.released += 1
            await connection.close()

        return SupervisedConnection(
            connection, dial_standby=self.dial if self._held else None, release=release
        )


async def test_asking_again_gives_the_same_supervisor(fake_chrome: FakeChrome) -> None:
    door = Door(fake_chrome)
    async with Supervisors() as supervisors:
        first = await supervisors.get_or_start("agent", "here", door)
        assert await supervisors.get_or_start("agent", "here", door) is first
        assert supervisors.get("agent") is first
        assert door.opened == 1


async def test_ten_who_ask_at_once_share_one_start(fake_chrome: FakeChrome) -> None:
    door = Door(fake_chrome)
    async with Supervisors() as supervisors, asyncio.timeout(WITHIN_S):
        asked = [supervisors.get_or_start("agent", "here", door) for _ in range(10)]
        assert len(set(await asyncio.gather(*asked))) == 1
        assert door.opened == 1


async def test_owners_of_one_browser_share_its_supervisor_until_the_last_stops(
    fake_chrome: FakeChrome,
) -> None:
    door = Door(fake_chrome)
    async with Supervisors() as supervisors, asyncio.timeout(WITHIN_S):
        one, two = await asyncio.gather(
            supervisors.get_or_start("one", "here", door),
            supervisors.get_or_start("two", "here", door),
        )
        assert one is two
        await supervisors.stop("one")
        assert supervisors.get("one") is None
        assert supervisors.get("two") is two
        assert door.released == 0
        await supervisors.stop("two")
        assert door.released == 1
        assert two.connection.status is Status.CLOSED


async def test_another_endpoint_ends_the_old_one_and_starts_with_a_state_of_its_own(
    fake_chrome: FakeChrome,
) -> None:
    old_door = Door(fake_chrome)
    async with Supervisors() as supervisors, asyncio.timeout(WITHIN_S), FakeChrome() as other:
        old = await supervisors.get_or_start("agent", "here", old_door)
        await old.open_tab("agent")
        new = await supervisors.get_or_start("agent", "there", Door(other))
        assert old_door.released == 1
        assert new is not old
        assert all(tab.owner != "agent" for tab in new.state.tabs.values())
        assert supervisors.get("agent") is new


async def test_failed_start_is_an_error_for_all_who_wait_and_the_next_try_is_a_fresh_one(
    fake_chrome: FakeChrome,
) -> None:
    async def shut() -> SupervisedConnection:
        raise BrowserError("no browser here")

    async with Supervisors() as supervisors, asyncio.timeout(WITHIN_S):
        failed = await asyncio.gather(
            supervisors.get_or_start("one", "here", shut),
            supervisors.get_or_start("two", "here", shut),
            return_exceptions=True,
        )
        assert [type(error) for error in failed] == [BrowserError, BrowserError]
        assert supervisors.get("one") is None
        assert await supervisors.get_or_start("one", "here", Door(fake_chrome))


async def test_browser_that_takes_no_orders_is_given_back(fake_chrome: FakeChrome) -> None:
    door = Door(fake_chrome)

    def drop(params: object) -> dict[str, object]:
        fake_chrome.drop()
        return {}

    fake_chrome.answer("Browser.getVersion", drop)
    async with Supervisors() as supervisors, asyncio.timeout(WITHIN_S):
        with pytest.raises(ConnectionLost):
            await supervisors.get_or_start("agent", "here", door)
        await supervisors.stop_all()
        assert door.released == 1


async def test_closed_wire_is_not_handed_out_again(fake_chrome: FakeChrome) -> None:
    door = Door(fake_chrome)
    async with Supervisors() as supervisors, asyncio.timeout(WITHIN_S):
        first = await supervisors.get_or_start("agent", "here", door)
        await first.connection.close()
        assert supervisors.get("agent") is None
        second = await supervisors.get_or_start("agent", "here", door)
        assert second is not first
        assert (door.opened, door.released) == (2, 1)


async def test_stop_all_also_ends_what_is_still_starting(fake_chrome: FakeChrome) -> None:
    door = Door(fake_chrome)
    door.gate.clear()
    supervisors = Supervisors()
    async with asyncio.timeout(WITHIN_S):
        starting = asyncio.ensure_future(supervisors.get_or_start("agent", "here", door))
        await door.knocked.wait()
        await supervisors.stop_all()
        with pytest.raises(ConnectionLost, match="stopped"):
            await starting
    assert supervisors.get("agent") is None


async def test_caller_who_gives_up_alone_ends_the_start(fake_chrome: FakeChrome) -> None:
    door = Door(fake_chrome)
    async with Supervisors() as supervisors, asyncio.timeout(WITHIN_S):
        door.gate.clear()
        starting = asyncio.ensure_future(supervisors.get_or_start("agent", "here", door))
        await door.knocked.wait()
        starting.cancel()
        await asyncio.wait({starting})
        door.gate.set()
        assert await supervisors.get_or_start("agent", "here", door)
        assert door.opened == 2


async def test_caller_who_gives_up_does_not_end_the_start_of_another(
    fake_chrome: FakeChrome,
) -> None:
    door = Door(fake_chrome)
    door.gate.clear()
    async with Supervisors() as supervisors, asyncio.timeout(WITHIN_S):
        first = asyncio.ensure_future(supervisors.get_or_start("one", "here", door))
        second = asyncio.ensure_future(supervisors.get_or_start("two", "here", door))
        await door.knocked.wait()
        first.cancel()
        await asyncio.wait({first})
        door.gate.set()
        assert await second is supervisors.get("two")
        assert door.opened == 1


async def test_stopping_who_never_started_is_harmless() -> None:
    supervisors = Supervisors()
    await supervisors.stop("nobody")
    await supervisors.stop_all()
    assert supervisors.get("nobody") is None


async def test_browser_has_the_options_of_its_first_owner(fake_chrome: FakeChrome) -> None:
    door = Door(fake_chrome)
    async with Supervisors() as supervisors:
        accept = Policy("auto_accept")
        await supervisors.get_or_start("one", "here", door, Options(policy=accept))
        sup = await supervisors.get_or_start("two", "here", door, Options())
        assert sup.state.policy_of(TabKey()) == accept


async def test_browser_on_a_network_is_held_by_a_second_wire_that_ends_with_it(
    fake_chrome: FakeChrome,
) -> None:
    async with Supervisors() as supervisors:
        sup = await supervisors.get_or_start("agent", "here", Door(fake_chrome, held=True))
        assert sup.standby is not None
        assert fake_chrome.connected == 2
        tab = await sup.open_tab("agent")
        await sup.wait_for(lambda s: s.tabs[tab].has_standby, WITHIN_S)
    assert sup.standby.connection.status is Status.CLOSED


async def test_second_wire_that_cannot_be_had_is_done_without(fake_chrome: FakeChrome) -> None:
    async def refused() -> Connection:
        raise ConnectionLost("one at a time")

    async def opener() -> SupervisedConnection:
        connection = await Connection.open(dial_websocket(fake_chrome.websocket_url))
        return SupervisedConnection(connection, dial_standby=refused, release=connection.close)

    async with Supervisors() as supervisors:
        assert (await supervisors.get_or_start("agent", "here", opener)).standby is None


async def test_another_thread_reads_a_whole_state_while_the_loop_changes_it(
    fake_chrome: FakeChrome,
) -> None:
    async with Supervisors() as supervisors:
        sup = await supervisors.get_or_start("agent", "here", Door(fake_chrome))
        seen: list[State] = []
        done = threading.Event()

        def read() -> None:
            while not done.is_set():
                state = sup.state
                # Half a step would show a tab whose session is not there yet, or no more.
                assert all(t.session in state.sessions for t in state.tabs.values())
                if not seen or seen[-1] is not state:
                    seen.append(state)

        reading = asyncio.ensure_future(asyncio.to_thread(read))
        for _ in range(5):
            tab = await sup.open_tab("agent")
            await sup.close_tab(tab)
        done.set()
        await reading
        assert len(seen) > 1
