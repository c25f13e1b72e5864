"""A tab that is made before anybody asks: who takes it, and what is left if nobody does."""

from __future__ import annotations

import asyncio
import contextlib
import os
import tempfile
from collections.abc import AsyncIterator
from pathlib import Path

import psutil
import pytest

from pilothouse.browsers import Browsers, Headless
from pilothouse.browsers.launch import Ahead
from pilothouse.cdp.protocol import Target
from pilothouse.errors import BrowserError
from pilothouse.supervisor import Supervisors
from pilothouse.tabs.request import OpenRequest
from pilothouse.tabs.spare import Spare
from pilothouse.tabs.tabs import Tabs
from tests.browsers.living import ended, mentioning

pytestmark = [pytest.mark.browser, pytest.mark.timeout(120)]

KIND = Headless()
WITHIN_S = 30.0


@contextlib.asynccontextmanager
async def house(
    waits: float = WITHIN_S, kind: Headless = KIND
) -> AsyncIterator[tuple[Spare, Tabs]]:
    """A spare tab in the making, and the tabs of a house that may take it."""
    async with Browsers() as browsers, Supervisors() as supervisors:
        spare = Spare(browsers, supervisors, waits=waits)
        spare.make(kind)
        try:
            yield spare, Tabs(browsers, supervisors, usual=lambda: kind, spare=spare)
        finally:
            await spare.close()


async def test_the_first_tab_is_the_spare_one_and_the_second_has_a_jar_of_its_own() -> None:
    async with house() as (_, tabs):
        mine = (await tabs.open("alice", OpenRequest())).tab
        theirs = (await tabs.open("bob", OpenRequest())).tab
        state = mine.supervisor.state
        assert (mine.tab_id, theirs.tab_id) == ("t1", "t2")
        assert state.tabs["t1"].owner == mine.key
        assert state.tabs["t1"].context != state.tabs["t2"].context
        assert [tab.name for tab in tabs.of("alice")] == ["main"]
        assert len(state.tabs) == 2


async def test_two_who_come_at_once_do_not_get_the_same() -> None:
    async with house() as (_, tabs):
        opened = await asyncio.gather(*(tabs.open(who, OpenRequest()) for who in "abc"))
        assert {one.tab.tab_id for one in opened} == {"t1", "t2", "t3"}
        contexts = {tab.context for tab in opened[0].tab.supervisor.state.tabs.values()}
        assert len(contexts) == 3


async def test_what_nobody_takes_is_ended_with_its_browser() -> None:
    async with house(waits=0.01) as (spare, tabs), asyncio.timeout(WITHIN_S):
        for there in (False, True):
            while bool(spare.browsers.open_kinds()) is there:  # noqa: ASYNC110 - nobody tells of it
                await asyncio.sleep(0.01)
        assert (await tabs.open("alice", OpenRequest())).tab.tab_id == "t1"


async def test_nothing_is_left_of_a_browser_that_was_launched_ahead_in_vain() -> None:
    with tempfile.TemporaryDirectory(prefix="ph-") as place:  # sockets want a short path
        ahead = Ahead(root=Path(place))
        ahead.launch(KIND)
        browser = psutil.Process(ahead.launched[KIND].pid)
        async with Browsers(ahead=ahead) as browsers, Supervisors() as supervisors:
            spare = Spare(browsers, supervisors, waits=0.5)
            spare.make(KIND)
            assert await asyncio.to_thread(ended, [browser], WITHIN_S)
        assert os.listdir(place) == []
        assert mentioning(Path(place)) == []


async def test_what_nobody_takes_leaves_the_browser_to_those_who_use_it() -> None:
    async with house() as (spare, tabs):
        home = await tabs.lodge("program", OpenRequest())
        await spare.drop()
        listed = await home.supervisor.connection.send(Target.getTargets())
        assert not [one for one in listed["targetInfos"] if one["type"] == "page"]
        assert (await tabs.open("alice", OpenRequest())).tab.supervisor is home.supervisor


async def test_a_program_beside_us_finds_no_tab_that_it_did_not_open() -> None:
    async with house() as (_, tabs):
        home = await tabs.lodge("program", OpenRequest())
        assert not home.blank
        assert tabs.of("program") == []


async def test_tab_that_died_meanwhile_is_not_given_away() -> None:
    async with house() as (_, tabs):
        supervisor = (await tabs.lodge("program", OpenRequest())).supervisor
        await supervisor.wait_for(lambda state: state.tabs, WITHIN_S)
        await supervisor.close_tab("t1")
        assert (await tabs.open("alice", OpenRequest())).tab.tab_id == "t2"


async def test_what_could_not_be_made_is_told_to_who_opens_a_tab() -> None:
    async with house(kind=Headless(executable="/bin/false")) as (_, tabs):
        with pytest.raises(BrowserError, match="did not start"):
            await tabs.open("alice", OpenRequest())
