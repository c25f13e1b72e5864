"""Hearing one tab on a real Chromium: all its processes, and no other tab."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from pilothouse.cdp import SessionId
from pilothouse.page.navigation.tab_event_listener import TabEventListener
from pilothouse.page.tab_context import TabContext
from tests.browser.browser_with_dialog_places import WITHIN_S, Stage, staged

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="module")]


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def stage(chromium_path: Path) -> AsyncIterator[Stage]:
    async with staged() as made:
        yield made


async def test_requests_of_every_process_of_the_tab_are_heard(stage: Stage) -> None:
    spot = await stage.go("oopif")
    other = await stage.go("main")
    heard: asyncio.Queue[tuple[str, SessionId]] = asyncio.Queue()

    def note(method: str, params: Mapping[str, Any], session: SessionId, at: float) -> None:
        heard.put_nowait((params["request"]["url"], session))

    known: set[SessionId] = set()
    tab_context = TabContext(stage.sup, spot.tab)
    listener = TabEventListener(tab_context, ["Network.requestWillBeSent"], note, network=known)
    assert len(listener.replies) == len(known) == 2
    await stage.run(other.frame_id, "fetch('/other'); 0")
    await stage.run(spot.frame_id, "fetch('/inner'); 0")
    await stage.run(tab_context.main().id, "fetch('/outer'); 0")
    async with asyncio.timeout(WITHIN_S):
        got = [await heard.get(), await heard.get()]
    assert {url.rpartition("/")[2] for url, _ in got} == {"inner", "outer"}
    assert len({session for _, session in got}) == 2
    listener.close()
    await stage.run(tab_context.main().id, "fetch('/late'); 0")
    assert not TabEventListener(tab_context, [], note, network=known).replies
    assert heard.empty()


async def test_a_frame_that_comes_later_is_heard_too(stage: Stage) -> None:
    spot = await stage.go("main")
    tab_context = TabContext(stage.sup, spot.tab)
    came = asyncio.Event()

    def note(method: str, params: Mapping[str, Any], session: SessionId, at: float) -> None:
        if params["request"]["url"].endswith("/from-the-frame"):
            came.set()

    listener = TabEventListener(tab_context, ["Network.requestWillBeSent"], note, network=set())
    url = stage.pages.url("/part.html", "localhost")
    html = f'<iframe name="spot" src="{url}"></iframe>'
    await stage.run(spot.frame_id, f"document.body.insertAdjacentHTML('beforeend', '{html}'); 0")
    frame = await stage.loaded(spot.tab, "spot")
    await stage.run(frame.id, "fetch('/from-the-frame'); 0")
    async with asyncio.timeout(WITHIN_S):
        await came.wait()
    listener.close()
