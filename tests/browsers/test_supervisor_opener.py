"""Supervisors over the browsers of this room."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from pilothouse.browsers import Browsers, ConnectedKind, HeadlessKind, make_opener
from pilothouse.supervisor.supervisor_registry import Supervisors
from tests.chromium import running_chromium

pytestmark = pytest.mark.browser


async def test_launched_browser_is_supervised_without_a_holder_and_ends_with_its_last_owner() -> (
    None
):
    async with asyncio.timeout(60), Browsers() as browsers, Supervisors() as supervisors:
        kind = HeadlessKind()
        mine, yours = await asyncio.gather(
            *(supervisors.get_or_start(owner, kind, make_opener(browsers, kind)) for owner in "ab")
        )
        assert mine is yours
        assert mine.standby is None
        tab = await mine.open_tab("a")
        assert tab in yours.state.tabs
        await supervisors.stop("a")
        assert mine.connection.root.alive
        await supervisors.stop("b")
        assert not mine.connection.root.alive


async def test_connected_browser_gets_a_holder_and_is_left_running(chromium_path: Path) -> None:
    with running_chromium(chromium_path) as endpoint:
        kind = ConnectedKind(str(endpoint.port))
        async with asyncio.timeout(60), Browsers() as browsers, Supervisors() as supervisors:
            supervisor = await supervisors.get_or_start("a", kind, make_opener(browsers, kind))
            assert supervisor.standby is not None
            tab = await supervisor.open_tab("a")
            held = await supervisor.wait_for(lambda s: s.tabs[tab].has_standby, 10)
            assert held
            assert not supervisor.options.owned
        assert endpoint.get("/json/version")["Browser"]
