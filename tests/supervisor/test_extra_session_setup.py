"""What a tab wants of all its sessions, on a real Chromium; routes and the network log use it."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from pilothouse.cdp import Command, Session
from pilothouse.cdp.protocol import Fetch, Runtime
from pilothouse.errors import CommandFailed, ToolError
from pilothouse.supervisor.extra_session_setup import SessionHook
from tests.browser.browser_with_dialog_places import Stage, staged

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="module")]


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def stage(chromium_path: Path) -> AsyncIterator[Stage]:
    async with staged() as made:
        yield made


@pytest_asyncio.fixture(loop_scope="module", autouse=True)
async def cleared(stage: Stage) -> AsyncIterator[None]:
    yield
    await stage.clear()


async def test_sessions_that_are_there_and_those_to_come_are_reached(stage: Stage) -> None:
    spot = await stage.go("oopif")
    asked: list[str] = []

    def commands(session: Session) -> Sequence[Command[Any]]:
        asked.append(session.target_type)
        return [Runtime.addBinding(name="added")] if session.target_type != "worker" else []

    await stage.sup.session_hooks.put(spot.tab, "mine", SessionHook(commands=commands))
    assert asked == ["page", "iframe"]
    assert await stage.value(spot.frame_id, "typeof added") == "function"
    stage.pages.add("/empty.js", "postMessage(1)")
    wait = "new Promise(r => (window.w = new Worker('/empty.js')).onmessage = () => r(0))"
    await stage.value(spot.frame_id, wait)
    assert asked == ["page", "iframe", "worker"]
    before = stage.sup.state.frames[spot.frame_id].loader
    await stage.sup.cdp("Page.reload", tab=spot.tab)
    inner = await stage.loaded(spot.tab, "spot", but=before)
    assert await stage.value(inner.id, "typeof added") == "function"
    other = await stage.go("main")
    assert await stage.value(other.frame_id, "typeof added") == "undefined"


async def test_requests_nobody_takes_go_on_and_removed_patterns_stop_nothing(
    stage: Stage,
) -> None:
    spot = await stage.go("main")
    stage.pages.add("/data.json", "{}")
    seen: list[str] = []

    def take(event: Any) -> bool:
        seen.append(event.params["request"]["url"])
        return False

    pattern = {"urlPattern": "*data.json*", "requestStage": "Request"}
    await stage.sup.session_hooks.put(
        spot.tab, "mine", SessionHook(patterns=(pattern,), handle=take)
    )
    read = "fetch('/data.json').then(r => r.text())"
    assert await stage.value(spot.frame_id, read) == "{}"
    assert len(seen) == 1
    await stage.sup.session_hooks.remove(spot.tab, "mine")
    await stage.sup.session_hooks.remove(spot.tab, "mine")
    assert await stage.value(spot.frame_id, read) == "{}"
    assert (len(seen), stage.sup.session_hooks.patterns(spot.tab)) == (1, [])


async def test_what_chrome_refuses_is_told(stage: Stage) -> None:
    spot = await stage.go("main")
    wrong: Command[Any] = Command("Nowhere.nothing")
    with pytest.raises(CommandFailed):
        await stage.sup.session_hooks.put(spot.tab, "mine", SessionHook(commands=lambda _: [wrong]))


async def test_additions_end_with_their_tab(stage: Stage) -> None:
    spot = await stage.go("main")
    pattern = {"urlPattern": "*nothing*"}
    await stage.sup.session_hooks.put(spot.tab, "mine", SessionHook(patterns=(pattern,)))
    session = stage.sup.session(spot.tab)
    await stage.sup.close_tab(spot.tab)
    assert stage.sup.session_hooks.patterns(spot.tab) == []
    assert stage.sup.session_hooks.commands(spot.tab, session) == []
    await stage.sup.session_hooks.remove(spot.tab, "mine")
    with pytest.raises(ToolError):
        await stage.sup.session_hooks.put(spot.tab, "mine", SessionHook())


async def test_addition_waits_for_no_renderer_that_is_held_by_a_dialog(stage: Stage) -> None:
    spot = await stage.go("main")
    outcome = await stage.run(spot.frame_id, "alert('wait')")
    assert outcome.blocked_by
    pattern = {"urlPattern": "*nothing*"}
    held = SessionHook(
        commands=lambda _: [Runtime.evaluate(expression="window.later = 1")], patterns=(pattern,)
    )
    await stage.sup.session_hooks.put(spot.tab, "mine", held)
    await stage.sup.answer(accept=True, tab=spot.tab)
    await stage.delivered(outcome.action_id)
    assert await stage.value(spot.frame_id, "window.later") == 1
    await stage.sup.session(spot.tab).send(Fetch.disable())
