"""How soon a dialog is known, and that nobody waits for it.

Open to visible is measured from the page: `Date.now()` right before `alert()` against the wall
clock when the state first shows the dialog. Both clocks are this machine's, in whole ms.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Sequence
from typing import Any

import pytest

from pilothouse.supervisor import Dialog
from pilothouse.supervisor.model.effects import Effect
from pilothouse.supervisor.model.events import DialogOpened, Event
from pilothouse.supervisor.model.state import State
from tests.browser.browser_with_dialog_places import Stage, show

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="module")]

TIMES = 40

# Promised: 50 ms (p95) and 250 ms. Machines that run tests are busier than those of users.
VISIBLE_MS = 50
RETURNS_MS = 250
BUSY = 4

COMMANDS: dict[str, dict[str, Any]] = {
    "Runtime.evaluate": {"expression": "1"},
    "Page.captureScreenshot": {},
    "Accessibility.getFullAXTree": {},
    "DOM.getDocument": {},
    "Page.getFrameTree": {},
    "Page.getLayoutMetrics": {},
}


def p95(values: Sequence[float]) -> float:
    return statistics.quantiles(values, n=20)[-1]


def wall_ms() -> float:
    return time.time() * 1000  # noqa: TID251 - it is compared with the page's own clock


@pytest.mark.figures
@pytest.mark.parametrize("place", ["main", "oopif"])
async def test_dialog_is_visible_at_once_and_the_call_returns(stage: Stage, place: str) -> None:
    spot = await stage.spot(place)
    seen: list[float] = []

    def on_event(event: Event, state: State, effects: list[Effect]) -> None:
        if isinstance(event, DialogOpened):
            seen.append(wall_ms())

    leave = stage.sup.observe(on_event)
    visible, returned, went_on = [], [], []
    for _ in range(TIMES):
        outcome = await stage.run(spot.frame_id, "alert(String(Date.now()))")
        back = wall_ms()
        (dialog,) = outcome.blocked_by
        assert isinstance(dialog, Dialog)
        visible.append(seen[-1] - float(dialog.message))
        returned.append(back - float(dialog.message))
        began = time.perf_counter()
        await stage.sup.answer(accept=True, dialog_id=dialog.id)
        await stage.delivered(outcome.action_id)
        went_on.append((time.perf_counter() - began) * 1000)
    leave()
    for name, values in (("visible", visible), ("returned", returned), ("went on", went_on)):
        show(f"{place}: {name} p50 {statistics.median(values):.1f} p95 {p95(values):.1f} ms")
    assert statistics.median(visible) < VISIBLE_MS
    assert p95(visible) < VISIBLE_MS * BUSY
    assert p95(returned) < RETURNS_MS * BUSY


@pytest.mark.figures
@pytest.mark.parametrize("method", COMMANDS)
async def test_no_command_waits_for_a_dialog(stage: Stage, method: str) -> None:
    """A command that is sent while the dialog is open, and one that runs when it opens."""
    spot = await stage.spot("main")
    later = f"setTimeout(() => {{ got = confirm({method!r}) }}, 30); 0"
    await stage.value(spot.frame_id, later)
    slow = {"expression": "new Promise(() => 0)", "awaitPromise": True}
    running = await stage.sup.cdp("Runtime.evaluate", slow, tab=spot.tab)
    dialog = await stage.dialog(spot.tab)
    late_ms = (stage.sup.now() - dialog.opened_at) * 1000
    assert running.blocked_by == (dialog,)
    began = time.perf_counter()
    refused = await stage.sup.cdp(method, COMMANDS[method], tab=spot.tab)
    took_ms = (time.perf_counter() - began) * 1000
    assert refused.blocked_by == (dialog,)
    assert not refused.action_id, "it was not begun"
    show(f"{method}: returned {late_ms:.0f} ms after the dialog opened, refused in {took_ms:.2f}")
    assert late_ms < RETURNS_MS * BUSY
    assert took_ms < RETURNS_MS
    await stage.sup.answer(accept=True, dialog_id=dialog.id)


async def test_other_tabs_and_other_processes_are_not_held_up(stage: Stage) -> None:
    spot = await stage.spot("oopif")
    outcome = await stage.run(spot.frame_id, "confirm('hold')")
    assert outcome.blocked_by
    other = await stage.go("main")
    assert await stage.value(other.frame_id, "1 + 1") == 2
    assert await stage.value(stage.sup.state.tabs[spot.tab].target_id, "2 + 2") == 4
    shot = await stage.sup.cdp("Page.captureScreenshot", tab=other.tab)
    assert shot.value is not None
    await stage.sup.answer(accept=False, tab=spot.tab)
