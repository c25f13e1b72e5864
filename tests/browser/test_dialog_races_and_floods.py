"""Dialogs that ended browsers, hid behind each other or never stopped (fault rows F7, F8b, F9)."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

from pilothouse.cdp import Connection, Session, dial_websocket
from pilothouse.cdp.protocol import Page, Target
from pilothouse.supervisor import Options, Policy, Supervisor
from pilothouse.supervisor import agent_view as view
from pilothouse.supervisor.model import TabKey
from tests.browser.browser_with_dialog_places import WITHIN_S, Stage, browser_lives, show
from tests.chromium import running_chromium
from tests.page_server import Pages
from tests.soak_extent import repeats

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="module")]

COUNT = repeats(10, 50)
STORM = 1000


@pytest_asyncio.fixture(loop_scope="module", autouse=True)
async def cleared(stage: Stage) -> AsyncIterator[None]:
    yield
    await stage.clear()


async def two_frames(stage: Stage) -> tuple[str, str, str]:
    """A tab with two frames, each in a process of its own."""
    sources = [stage.pages.url("/part.html", host=h) for h in ("localhost", "a.localhost")]
    frames = "".join(f'<iframe name="f{i}" src="{s}"></iframe>' for i, s in enumerate(sources))
    tab = await stage.sup.open_tab("two", stage.pages.add("/two.html", frames))
    first, second = [await stage.loaded(tab, f"f{i}") for i in range(2)]
    return tab, first.id, second.id


async def test_two_frames_of_a_tab_ask_at_once_and_both_are_answered(stage: Stage) -> None:
    """F8b: natively the second dialog would destroy the first and be lost itself."""
    tab, first, second = await two_frames(stage)
    top = stage.sup.state.tabs[tab].target_id
    asked = [await stage.run(f, f"got = prompt('{i}')") for i, f in enumerate((first, second, top))]
    ids = [outcome.blocked_by[0].id for outcome in asked]
    assert [d["message"] for d in view.pending_dialogs(stage.sup.state, tab)] == ["0", "1", "2"]
    for number in (2, 0, 1):
        await stage.sup.answer(accept=True, text=f"to {number}", dialog_id=ids[number])
    results = [(await stage.delivered(o.action_id))["result"]["value"] for o in asked]
    assert results == ["to 0", "to 1", "to 2"]


@pytest.mark.soak
@pytest.mark.timeout(60 + 5 * COUNT)
async def test_tabs_close_while_their_frames_ask_and_the_browser_lives(stage: Stage) -> None:
    for _ in range(COUNT):
        tab, first, second = await two_frames(stage)
        for frame in (first, second):
            assert (await stage.run(frame, "confirm('leave?')")).blocked_by
        await stage.sup.close_tab(tab)
        assert not stage.sup.state.dialogs
    assert await browser_lives(stage)


async def test_removed_frame_takes_its_dialog_with_it_and_the_browser_lives(stage: Stage) -> None:
    spot = await stage.go("oopif")
    outcome = await stage.run(spot.frame_id, "confirm('still here?')")
    top = stage.sup.state.tabs[spot.tab].target_id
    await stage.value(top, "document.querySelector('iframe').remove()")
    closed = await stage.sup.wait_for(
        lambda s: next((c for c in s.recent_dialogs if c.dialog.tab == spot.tab), None), WITHIN_S
    )
    assert closed.dialog.id == outcome.blocked_by[0].id
    assert closed.closed_by == "navigation"
    await stage.sup.close_tab(spot.tab)
    assert await browser_lives(stage)


async def test_a_tab_that_is_just_navigating_is_closed_all_the_same(stage: Stage) -> None:
    """Chromium forgets about half of such closes, though it answers that all went well."""
    for _ in range(10):
        tab = await stage.sup.open_tab("closer", stage.pages.url("/main.html"))
        stage.sup.session(tab).send(Page.navigate(url=stage.pages.url("/elsewhere.html")))
        await stage.sup.close_tab(tab)
        assert tab not in stage.sup.state.tabs


@pytest.mark.figures
async def test_a_storm_of_alerts_is_counted_and_forgotten(stage: Stage) -> None:
    """F7: 1,000 under auto_dismiss, < 20 ms each, the ring stays small."""
    spot = await stage.go("main")
    stage.sup.set_policy(TabKey(spot.owner), Policy("auto_dismiss"))
    before = stage.sup.state.dialogs_count
    began = time.perf_counter()
    outcome = await stage.run(spot.frame_id, f"for (let i = 0; i < {STORM}; i++) alert(i); 'over'")
    value = outcome.value or await stage.delivered(outcome.action_id)
    each = (time.perf_counter() - began) / STORM * 1000
    show(f"storm of {STORM} alerts: {each:.2f} ms each")
    assert value["result"]["value"] == "over"
    assert stage.sup.state.dialogs_count - before == STORM
    recent = stage.sup.state.recent_dialogs
    assert len(recent) == 20
    assert [c.dialog.message for c in recent] == [str(i) for i in range(STORM - 20, STORM)]
    assert {c.closed_by for c in recent} == {"auto_policy"}
    assert not stage.sup.state.dialogs
    assert each < 50


async def test_a_storm_nobody_answers_has_one_dialog_pending(stage: Stage) -> None:
    spot = await stage.go("main")
    outcome = await stage.run(spot.frame_id, "for (let i = 0; i < 5; i++) alert(i); 'over'")
    for number in range(5):
        dialog = await stage.dialog(spot.tab)
        assert [d.message for d in stage.sup.state.dialogs.values()] == [str(number)]
        await stage.sup.answer(accept=True, dialog_id=dialog.id)
    assert (await stage.delivered(outcome.action_id))["result"]["value"] == "over"


async def test_answering_twice_says_that_it_was_closed(stage: Stage) -> None:
    spot = await stage.go("main")
    await stage.run(spot.frame_id, "got = confirm('once?')")
    dialog = await stage.dialog(spot.tab)
    both = await asyncio.gather(
        stage.sup.answer(accept=True, dialog_id=dialog.id),
        stage.sup.answer(accept=False, dialog_id=dialog.id),
    )
    assert sorted(answered.already_closed for answered in both) == [False, True]
    again = await stage.sup.answer(accept=False, dialog_id=dialog.id)
    assert again.already_closed
    assert again.closed.accepted
    assert await stage.value(spot.frame_id, "got") is True


async def test_another_client_answers_and_our_late_answer_hurts_nobody(
    chromium_path: Path, pages: Pages
) -> None:
    """F9: closed_by remote; a late answer gives already_closed."""
    url = pages.add("/main.html", "<title>main</title>")
    with running_chromium(chromium_path) as endpoint:
        async with (
            await Connection.open(dial_websocket(endpoint.websocket_url)) as ours,
            await Connection.open(dial_websocket(endpoint.websocket_url)) as theirs,
        ):
            sup = Supervisor(ours, Options(owned=False))
            await sup.start()
            tab = await sup.open_tab("we", url)
            other = await attached(theirs, sup.state.tabs[tab].target_id)
            await other.send(Page.enable())
            stage = Stage(sup, pages, 0)
            top = await stage.loaded(tab)
            outcome = await stage.run(top.id, "prompt('who?')")
            await other.send(Page.handleJavaScriptDialog(accept=True, promptText="they"))
            result = await stage.delivered(outcome.action_id)
            assert result["result"]["value"] == "they"
            late = await sup.answer(accept=True, text="we", dialog_id=outcome.blocked_by[0].id)
            assert late.already_closed
            assert (late.closed.closed_by, late.closed.text) == ("remote", "they")
            await sup.close()


async def attached(connection: Connection, target_id: str) -> Session:
    made = await connection.send(Target.attachToTarget(targetId=target_id, flatten=True))
    return next(s for s in connection.sessions.values() if s.id == made["sessionId"])
