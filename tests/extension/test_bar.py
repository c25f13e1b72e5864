"""F23 for real: the bar that Chrome shows while an agent is on a tab, and the user's hand on it."""

from __future__ import annotations

import asyncio
import contextlib
from pathlib import Path
from typing import Any

import pytest

from tests.extension.chrome import on_a_screen
from tests.extension.peer import WITHIN_S, WireError
from tests.extension.room import Room, furnished
from tests.extension.screen import Block, Screen

pytestmark = [pytest.mark.browser, pytest.mark.timeout(300)]

# The one button in Chrome's own blue, "Cancel", and where the page begins at the latest.
BUTTON, LEAST, ABOVE = (11, 87, 208), 500, 250
FROM_THE_EDGE = 30


async def _look(screen: Screen) -> Block | None:
    """Where "Cancel" is."""
    return await asyncio.to_thread(screen.block, BUTTON, LEAST, ABOVE)


async def _press(screen: Screen, room: Room, *, cross: bool = False) -> None:
    """Press "Cancel", or the cross at the right end of its bar. The bar slides in: whoever was too
    early presses again, where it is then."""
    window = await room.on_panel("chrome.windows.getLastFocused()")
    edge, since = window["left"] + window["width"], len(room.peer.told)
    before, pressed = None, None
    async with asyncio.timeout(WITHIN_S):
        while not any(method == "tabDetached" for method, _ in room.peer.told[since:]):
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


async def _all_is_taken_back(room: Room, tabs: list[int], since: int) -> None:
    for tab_id in tabs:

        def is_it(told: dict[str, Any], tab_id: int = tab_id) -> bool:
            return bool(told["tabId"] == tab_id)

        told = await room.peer.until("tabDetached", is_it, since)
        assert told["reason"] == "canceled_by_user"
        await room.peer.until("tabRemoved", is_it, since)
        with pytest.raises(WireError, match="pressed Cancel on Chrome's debugging bar"):
            await room.peer.ask("attachTab", tabId=tab_id)
    assert (await room.peer.ask("listTabs"))["tabs"] == []
    # Nothing is held, whatever comes; also for a worker that starts anew.
    welcomes = room.peer.welcomes()
    await room.chrome.kill_worker()
    await room.peer.wait(lambda: room.peer.welcomes() > welcomes)
    assert (await room.peer.ask("listTabs"))["tabs"] == []
    held = await room.on_panel(
        "chrome.debugger.getTargets().then("
        "  (all) => all.filter((one) => one.attached).map((one) => one.tabId))"
    )
    assert not set(tabs) & set(held)


async def test_the_bar_s_cancel_and_its_cross_take_all_tabs_back_for_good(
    chromium_path: Path,
) -> None:
    with on_a_screen() as environment:
        async with furnished(chromium_path, environment=environment) as room:
            with contextlib.closing(Screen(environment["DISPLAY"])) as screen:
                tabs = [await room.held(f"<title>{name}</title>") for name in ("one", "two")]
                since = len(room.peer.told)
                await _press(screen, room)
                await _all_is_taken_back(room, tabs, since)
                await _bar_is_gone(screen)
                # The user allows agents again, and changes their mind.
                await room.press("allow")
                tabs = [await room.held(f"<title>{name}</title>") for name in ("three", "four")]
                since = len(room.peer.told)
                await _press(screen, room, cross=True)
                await _all_is_taken_back(room, tabs, since)
                await _bar_is_gone(screen)
