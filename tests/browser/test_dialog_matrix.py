"""Every dialog, in every place, ended in every way, held in every mode (fault row F8).

`dialog_matrix_cells.py` lists the cells and says why the others cannot exist. Each cell asserts
what the agent sees while it is open, who closed it, what the page got, and what the interrupted
call returns.
"""

from __future__ import annotations

import itertools
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from pilothouse.cdp.protocol import Page
from pilothouse.supervisor import ClosedDialog, Dialog, Options, Outcome, Policy
from pilothouse.supervisor.model import TabKey
from tests.browser.browser_with_dialog_places import WITHIN_S, Spot, Stage, staged
from tests.browser.dialog_matrix_cells import CELLS, DEFAULT, TEXT, Cell
from tests.soak_extent import MATRIX, matrix

pytestmark = [*MATRIX, pytest.mark.browser, pytest.mark.asyncio(loop_scope="module")]

MODES = ("auto", "native", "xhr", "debugger")

POLICIES = {
    "agent": Policy(),
    "navigation": Policy(),
    "tab_closed": Policy(),
    "watchdog": Policy(timeout_s=0.15),
}


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def stage(chromium_path: Path, request: pytest.FixtureRequest) -> AsyncIterator[Stage]:
    async with staged(Options(bridge=request.param)) as made:
        yield made


def policy(cell: Cell) -> Policy:
    if cell.ender == "auto_policy":
        return Policy("auto_accept" if cell.accept else "auto_dismiss")
    return POLICIES[cell.ender]


async def unblocked(stage: Stage, outcome: Outcome[Any]) -> Any:
    """A policy's answer blocks nobody, unless the machine is too busy to give it in 200 ms."""
    if not outcome.blocked_by:
        return outcome.value
    assert all(
        isinstance(b, Dialog) and b.answer_sent_by == "auto_policy" for b in outcome.blocked_by
    )
    return await stage.delivered(outcome.action_id)


async def ended(stage: Stage, before: int) -> ClosedDialog:
    """The dialog that came after so many others, once it is over."""
    return await stage.sup.wait_for(
        lambda s: next((c for c in s.recent_dialogs if c.dialog.id == f"d-{before + 1}"), None),
        WITHIN_S,
    )


def columns(cell: Cell) -> tuple[str, str, str, str]:
    return (cell.type, cell.place, cell.answer, cell.ender)


HELD = matrix(
    itertools.product(MODES, [c for c in CELLS if c.type != "beforeunload"]),
    lambda case: (case[0], *columns(case[1])),
)
LEAVING = matrix([c for c in CELLS if c.type == "beforeunload"], columns)


@pytest.mark.parametrize(
    ("stage", "cell"), HELD, indirect=["stage"], scope="module", ids=[f"{m}-{c}" for m, c in HELD]
)
async def test_dialog_ends_as_it_should(stage: Stage, cell: Cell) -> None:
    spot = await stage.spot(cell.place)
    stage.sup.set_policy(TabKey(spot.owner), policy(cell))
    before = stage.sup.state.dialogs_count
    outcome = await stage.run(spot.frame_id, cell.asks)
    if cell.ender == "auto_policy":
        result: Any = await unblocked(stage, outcome)
    else:
        (dialog,) = outcome.blocked_by
        assert dialog.frame_id == spot.frame_id
        assert dialog.tab == spot.tab
        await end(stage, cell, spot)
        if cell.ender in ("navigation", "tab_closed"):
            await check_gone(stage, cell, spot, before)
            return
        result = await stage.delivered(outcome.action_id)
    closed = await ended(stage, before)
    assert (closed.dialog.type, closed.dialog.message) == (cell.type, "Sure?")
    assert closed.dialog.default_prompt == (DEFAULT if cell.type == "prompt" else "")
    assert closed.closed_by == cell.ender
    assert closed.accepted == cell.accept
    assert result["result"].get("value") == cell.page_gets
    assert await stage.value(spot.frame_id, "got") == cell.page_gets


async def end(stage: Stage, cell: Cell, spot: Spot) -> None:
    match cell.ender:
        case "agent":
            answered = await stage.sup.answer(
                accept=cell.accept, text=TEXT if cell.answer == "text" else None, tab=spot.tab
            )
            assert not answered.already_closed
        case "navigation":
            url = stage.pages.url("/elsewhere.html")
            await stage.sup.session(spot.tab).send(Page.navigate(url=url), WITHIN_S)
        case "tab_closed":
            await stage.sup.close_tab(spot.tab)


async def check_gone(stage: Stage, cell: Cell, spot: Spot, before: int) -> None:
    closed = await ended(stage, before)
    assert not closed.accepted
    if cell.ender == "tab_closed":
        assert closed.closed_by == "agent"
        assert spot.tab not in stage.sup.state.tabs
        return
    url = stage.pages.url("/elsewhere.html")
    await stage.sup.wait_for(lambda s: s.tabs[spot.tab].url == url, WITHIN_S)
    assert (await ended(stage, before)).closed_by == "navigation"


@pytest.mark.parametrize("cell", LEAVING, ids=str)
@pytest.mark.parametrize("stage", ["auto"], indirect=True, scope="module")
async def test_leaving_is_asked_about_and_ends_as_it_should(stage: Stage, cell: Cell) -> None:
    """It is native in every mode: no script can stand in for it."""
    spot = await stage.spot(cell.place)
    stage.sup.set_policy(TabKey(spot.owner), policy(cell))
    before = stage.sup.state.dialogs_count
    asks = "onbeforeunload = event => { got = 'asked'; event.preventDefault(); return 'x' }; 0"
    await stage.run(spot.frame_id, asks, gesture=True)
    url = stage.pages.url("/elsewhere.html")
    outcome = await stage.sup.cdp("Page.navigate", {"url": url}, tab=spot.tab)
    if cell.ender == "auto_policy":
        result: Any = await unblocked(stage, outcome)
    else:
        (dialog,) = outcome.blocked_by
        assert dialog.frame_id == spot.frame_id
        await end(stage, cell, spot)
        if cell.ender == "tab_closed":
            await check_gone(stage, cell, spot, before)
            return
        result = await stage.delivered(outcome.action_id)
    closed = await ended(stage, before)
    assert (closed.dialog.type, closed.dialog.via) == ("beforeunload", "native")
    assert closed.closed_by == cell.ender
    assert closed.accepted == cell.accept
    assert ("ERR_ABORTED" in result.get("errorText", "")) == (not cell.accept)
    if cell.accept:
        await stage.sup.wait_for(lambda s: s.tabs[spot.tab].url == url, WITHIN_S)
    else:
        assert await stage.value(spot.frame_id, "got") == "asked"
