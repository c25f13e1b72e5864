"""Backends that treat dialogs in their own way, run as the real programs they are."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from pilothouse.cdp import Connection, dial_websocket
from pilothouse.supervisor import (
    ClosedDialog,
    Options,
    State,
    SupervisedConnection,
    Supervisor,
    Supervisors,
)
from tests.auto_dismiss_proxy import AutoDismissing
from tests.chromium import running_chromium
from tests.lightpanda import running_lightpanda
from tests.page_server import Pages

pytestmark = pytest.mark.browser

WITHIN_S = 10.0
OOPIFS = "--site-per-process"


def line_to(url: str, *, held: bool = False) -> Any:
    """An opener for a browser of others."""

    async def dial() -> Connection:
        return await Connection.open(dial_websocket(url), reconnects=True)

    async def opener() -> SupervisedConnection:
        connection = await dial()
        dial_standby = dial if held else None
        return SupervisedConnection(
            connection, owned=False, dial_standby=dial_standby, release=connection.close
        )

    return opener


@asynccontextmanager
async def supervised(
    url: str, *, bridge: str = "auto", held: bool = False
) -> AsyncIterator[Supervisor]:
    """A supervisor of a browser of others."""
    async with asyncio.timeout(60), Supervisors() as supervisors:
        opener = line_to(url, held=held)
        yield await supervisors.get_or_start("agent", url, opener, Options(bridge=bridge))


async def frame_of(sup: Supervisor, tab: str, name: str = "") -> str:
    """The tab's main frame, or the one of that name, once it can be evaluated in."""

    def there(state: State) -> str | None:
        for frame in state.frames.values():
            wanted = frame.name == name if name else not frame.parent
            if frame.tab == tab and wanted and frame.url.startswith("http"):
                return frame.id if state.context_of(frame) else None
        return None

    return await sup.wait_for(there, WITHIN_S)


async def answered(
    sup: Supervisor, frame: str, call: str, held_s: float = 0.0, **answer: Any
) -> tuple[Any, str]:
    """Make a page ask, see that its dialog stays open so long, answer, and tell what the page's
    call returned and who ended it."""
    params = {"expression": call, "returnByValue": True}
    outcome = await sup.cdp("Runtime.evaluate", params, frame_id=frame)
    assert outcome.blocked_by, f"{call} was not held: {outcome.value}"
    if held_s:
        with pytest.raises(TimeoutError):
            await sup.wait_for(lambda s: not s.dialogs, held_s)
    ended = await sup.answer(**answer)
    result = await sup.actions.result(outcome.action_id, WITHIN_S)
    assert result.value is not None
    return result.value["result"].get("value"), ended.closed.closed_by


async def closed_by_itself(sup: Supervisor, frame: str, call: str) -> ClosedDialog:
    """The dialog that a page's call opened and that somebody else closed."""
    params = {"expression": call, "returnByValue": True}
    outcome = await sup.cdp("Runtime.evaluate", params, frame_id=frame)
    if outcome.blocked_by:
        await sup.actions.result(outcome.action_id, WITHIN_S)
    await sup.wait_for(lambda s: s.recent_dialogs and not s.dialogs, WITHIN_S)
    return sup.state.recent_dialogs[-1]


# The first is left open far longer than any backend that answers by itself takes.
CALLS: list[tuple[str, dict[str, Any], Any]] = [
    (
        "prompt('name?', 'nobody')",
        {"accept": True, "text": "the agent", "held_s": 1.0},
        "the agent",
    ),
    ("prompt('name?', 'nobody')", {"accept": True}, "nobody"),
    ("prompt('name?', 'nobody')", {"accept": False}, None),
    ("confirm('sure?')", {"accept": True}, True),
    ("confirm('sure?')", {"accept": False}, False),
    ("alert('look')", {"accept": True}, None),
]


# A Chrome of somebody else.


async def test_chrome_of_others_is_measured_and_its_own_dialogs_are_used(
    chromium_path: Path, pages: Pages
) -> None:
    url = pages.add("/page.html", "<title>page</title>")
    with running_chromium(chromium_path) as endpoint:
        async with supervised(endpoint.websocket_url, held=True) as sup:
            can = sup.capabilities
            assert can["measured"] is True
            assert can["dialog_respond"] == "native"
            assert can["dialog_mode"] == {"page": "native", "oopif": "xhr"}
            assert can["dialog_bridges"] == ["debugger", "xhr"]
            assert can["frame_tree"] is True
            assert can["oopif_evaluate"] is True
            assert sup.state.tabs == {}, "the tab that was tried on is nobody's"
            tab = await sup.open_tab("agent", url)
            frame = await frame_of(sup, tab)
            for call, answer, value in CALLS:
                assert await answered(sup, frame, call, **answer) == (value, "agent")


# A cloud that dismisses dialogs and hangs up.


@pytest.mark.parametrize("bridge", ["auto", "debugger", "xhr"])
async def test_prompt_gets_the_agent_s_text_though_the_cloud_dismisses_dialogs(
    chromium_path: Path, pages: Pages, bridge: str
) -> None:
    pages.add("/part.html", "<title>part</title>")
    src = pages.url("/part.html", host="localhost")
    url = pages.add("/page.html", f'<title>page</title><iframe name="part" src="{src}"></iframe>')
    async with (
        AutoDismissing(chromium_path, OOPIFS) as cloud,
        supervised(cloud.websocket_url, bridge=bridge) as sup,
    ):
        assert sup.capabilities["dialog_respond"] == "bridge"
        assert sup.capabilities["beforeunload_respond"] == "no"
        expected = "debugger" if bridge == "auto" else bridge
        assert sup.capabilities["dialog_mode"] == {"page": expected, "oopif": expected}
        tab = await sup.open_tab("agent", url)
        for name in ("", "part"):
            frame = await frame_of(sup, tab, name)
            for call, answer, value in CALLS:
                assert await answered(sup, frame, call, **answer) == (value, "agent")
        assert {closed.dialog.via for closed in sup.state.recent_dialogs} == {expected}


async def test_native_dialog_on_the_cloud_is_seen_to_be_closed_by_somebody_else(
    chromium_path: Path, pages: Pages
) -> None:
    url = pages.add("/page.html", "<title>page</title>")
    async with (
        AutoDismissing(chromium_path) as cloud,
        supervised(cloud.websocket_url, bridge="native") as sup,
    ):
        assert sup.capabilities["dialog_detect"] is True
        assert sup.capabilities["dialog_respond"] == "no"
        tab = await sup.open_tab("agent", url)
        await cloud.sees(url)
        closed = await closed_by_itself(sup, await frame_of(sup, tab), "confirm('sure?')")
        assert closed.dialog.message == "sure?"
        assert (closed.closed_by, closed.accepted) == ("remote", False)


async def test_supervisor_comes_back_when_the_cloud_hangs_up_over_an_open_dialog(
    chromium_path: Path, pages: Pages
) -> None:
    url = pages.add("/page.html", "<title>page</title>")
    async with AutoDismissing(chromium_path) as cloud, supervised(cloud.websocket_url) as sup:
        tab = await sup.open_tab("agent", url)
        old, frame = sup.session(tab), await frame_of(sup, tab)
        ask = {"expression": "got = 'nothing'; got = prompt('still?')"}
        assert (await sup.cdp("Runtime.evaluate", ask, frame_id=frame)).blocked_by
        await cloud.client_leaves()
        assert cloud.dropped == 1
        # No event tells the page's answer any more; it went on as if dismissed.
        await sup.wait_for(lambda s: s.recent_dialogs, WITHIN_S)
        assert sup.state.recent_dialogs[-1].closed_by == "connection_lost"
        await sup.wait_for(
            lambda s: s.connected and s.tabs[tab].session not in ("", old.id), WITHIN_S
        )
        await sup.wait_ready(tab)
        frame = await frame_of(sup, tab)
        read = {"expression": "got", "returnByValue": True}
        outcome = await sup.cdp("Runtime.evaluate", read, frame_id=frame)
        assert outcome.value is not None
        assert outcome.value["result"]["value"] is None
        got = await answered(sup, frame, "prompt('still?')", accept=True, text="yes")
        assert got == ("yes", "agent")


# Lightpanda: no Chromium, dismisses at once.


async def test_lightpanda_s_abilities_are_found_out_though_it_calls_itself_chrome(
    chromium_path: Path,
) -> None:
    with running_lightpanda() as url:
        async with supervised(url) as sup:
            can = sup.capabilities
            assert can["backend"].startswith("Chrome/")
            assert can["measured"] is True
            assert can["dialog_detect"] is True
            # It announces a pause at `debugger` and goes on at once; a request it does hold.
            assert can["dialog_bridges"] == ["xhr"]
            assert can["dialog_respond"] == "bridge"
            assert can["beforeunload_respond"] == "no"
            assert can["oopif_evaluate"] is False
            assert can["extensions"] is False


async def test_prompt_gets_the_agent_s_text_on_lightpanda(pages: Pages) -> None:
    url = pages.add("/page.html", "<title>page</title><h1>hello</h1>")
    with running_lightpanda() as browser:
        async with supervised(browser) as sup:
            tab = await sup.open_tab("agent", url)
            frame = await frame_of(sup, tab)
            for call, answer, value in CALLS:
                assert await answered(sup, frame, call, **answer) == (value, "agent")


async def test_native_dialog_on_lightpanda_is_seen_to_be_closed_by_somebody_else(
    pages: Pages,
) -> None:
    url = pages.add("/page.html", "<title>page</title><h1>hello</h1>")
    with running_lightpanda() as browser:
        async with supervised(browser, bridge="native") as sup:
            assert sup.capabilities["dialog_respond"] == "no"
            tab = await sup.open_tab("agent", url)
            closed = await closed_by_itself(sup, await frame_of(sup, tab), "confirm('sure?')")
            assert (closed.closed_by, closed.accepted) == ("remote", False)


async def test_bridge_that_cannot_work_on_lightpanda_is_said_to_be_unanswerable() -> None:
    with running_lightpanda() as browser:
        async with supervised(browser, bridge="debugger") as sup:
            assert sup.capabilities["dialog_mode"]["page"] == "debugger"
            assert sup.capabilities["dialog_respond"] == "no"
            assert "cannot be answered" in sup.capabilities["why"]
