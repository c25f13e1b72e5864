"""F23 for real: the bar that Chrome shows while an agent is on a tab, and the user's hand on it."""

from __future__ import annotations

import asyncio
import contextlib
from pathlib import Path
from typing import Any

import pytest

from tests.extension.chrome_relay_and_pages import Stage, open_stage
from tests.extension.chrome_with_extension import on_a_screen
from tests.extension.fake_relay import WITHIN_S, WireError
from tests.extension.x_screen import Block, Screen

pytestmark = [pytest.mark.browser, pytest.mark.timeout(300)]

# The one button in Chrome's own blue, "Cancel", and where the page begins at the latest.
BUTTON, LEAST, ABOVE = (11, 87, 208), 500, 250
FROM_THE_EDGE = 30


async def _look(screen: Screen) -> Block | None:
    """Where "Cancel" is."""
    return await asyncio.to_thread(screen.block, BUTTON, LEAST, ABOVE)


async def _press(screen: Screen, stage: Stage, *, cross: bool = False) -> None:
    """Press "Cancel", or the cross at the right end of its bar. The bar slides in: whoever was too
    early presses again, where it is then."""
    window = await stage.on_panel("chrome.windows.getLastFocused()")
    edge, since = window["left"] + window["width"], len(stage.relay.told)
    before, pressed = None, None
    async with asyncio.timeout(WITHIN_S):
        while not any(method == "tabDetached" for method, _ in stage.relay.told[since:]):
            found = await _look(screen)
            if found is not None and found == before and found != pressed:
                x, y = found.middle
                await asyncio.to_thread(screen.click, edge - FROM_THE_EDGE if cross else x, y)
                pressed = found
            before = found


async def _bar_is_gone(screen: Screen) -> None:
    async with asyncio.timeout(WITHIN_S):
        while await _look(screen) is not None:
            continue


async def _all_is_taken_back(stage: Stage, tabs: list[int], since: int) -> None:
    for tab_id in tabs:

        def is_it(told: dict[str, Any], tab_id: int = tab_id) -> bool:
            return bool(told["tabId"] == tab_id)

        told = await stage.relay.until("tabDetached", is_it, since)
        assert told["reason"] == "canceled_by_user"
        await stage.relay.until("tabRemoved", is_it, since)
        with pytest.raises(WireError, match="pressed Cancel on Chrome's debugging bar"):
            await stage.relay.ask("attachTab", tabId=tab_id)
    assert (await stage.relay.ask("listTabs"))["tabs"] == []
    # Nothing is held, whatever comes; also for a worker that starts anew.
    welcomes = stage.relay.welcomes()
    await stage.chrome.kill_worker()
    await stage.relay.wait(lambda: stage.relay.welcomes() > welcomes)
    assert (await stage.relay.ask("listTabs"))["tabs"] == []
    held = await stage.on_panel(
        "chrome.debugger.getTargets().then("
        "  (all) => all.filter((one) => one.attached).map((one) => one.tabId))"
    )
    assert not set(tabs) & set(held)


async def test_the_bar_s_cancel_and_its_cross_take_all_tabs_back_for_good(
    chromium_path: Path,
) -> None:
    with on_a_screen() as environment:
        async with open_stage(chromium_path, environment=environment) as stage:
            with contextlib.closing(Screen(environment["DISPLAY"])) as screen:
                tabs = [await stage.held(f"<title>{name}</title>") for name in ("one", "two")]
                since = len(stage.relay.told)
                await _press(screen, stage)
                await _all_is_taken_back(stage, tabs, since)
                await _bar_is_gone(screen)
                # The user allows agents again, and changes their mind.
                await stage.press("allow")
                tabs = [await stage.held(f"<title>{name}</title>") for name in ("three", "four")]
                since = len(stage.relay.told)
                await _press(screen, stage, cross=True)
                await _all_is_taken_back(stage, tabs, since)
                await _bar_is_gone(screen)
