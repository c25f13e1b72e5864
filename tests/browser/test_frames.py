"""The frame tree of a real Chromium: large, deep, moving, broken (fault rows F4, F10)."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from pilothouse.cdp.protocol import Page
from pilothouse.supervisor import Frame, State
from pilothouse.supervisor import agent_view as view
from tests.browser.browser_with_dialog_places import WITHIN_S, Stage, browser_lives, show
from tests.soak_extent import repeats

pytestmark = [
    pytest.mark.browser,
    pytest.mark.asyncio(loop_scope="module"),
    pytest.mark.timeout(240),
]

# Chrome's own time grows with the square of it.
MANY = repeats(300, 1000)
CHUNK = 10
OOPIFS = 100
STORM_S = 100.0


@pytest_asyncio.fixture(loop_scope="module", autouse=True)
async def cleared(stage: Stage) -> AsyncIterator[None]:
    yield
    await stage.clear()


def frames_of(state: State, tab: str) -> list[Frame]:
    return [frame for frame in state.frames.values() if frame.tab == tab]


@pytest.mark.soak
async def test_very_many_frames_are_all_known(stage: Stage) -> None:
    spot = await stage.go("main")
    began, cpu = time.perf_counter(), time.process_time()
    for _ in range(MANY // CHUNK):
        await stage.value(
            spot.frame_id,
            f"for (let i = 0; i < {CHUNK}; i++) document.body.append("
            "document.createElement('iframe')); 0",
        )
    count = await stage.value(spot.frame_id, "document.querySelectorAll('iframe').length")
    await stage.sup.wait_for(lambda s: len(frames_of(s, spot.tab)) == count + 1, STORM_S)
    took, used = time.perf_counter() - began, time.process_time() - cpu
    show(f"{count} frames: {took:.1f} s, {used:.2f} s of our processor time")
    began = time.perf_counter()
    tree = view.frame_tree(stage.sup.state, spot.tab)
    show(f"frame_tree of them: {(time.perf_counter() - began) * 1000:.1f} ms")
    assert (count, tree["total"], len(tree["children"])) == (MANY, MANY + 1, view.FRAMES_SHOWN)
    assert tree["truncated"]
    last = frames_of(stage.sup.state, spot.tab)[-1]
    await stage.sup.wait_for(lambda s: s.context_of(s.frames[last.id]), WITHIN_S)
    assert await stage.value(last.id, "window.frameElement === parent.document.body.lastChild")
    await stage.value(spot.frame_id, "document.querySelectorAll('iframe').forEach(f => f.remove())")
    await stage.sup.wait_for(lambda s: len(frames_of(s, spot.tab)) == 1, STORM_S)


@pytest.mark.figures
@pytest.mark.alone
async def test_a_hundred_frames_of_other_processes_are_all_evaluable(stage: Stage) -> None:
    sources = [stage.pages.url(f"/part.html?{n}", f"s{n}.localhost") for n in range(OOPIFS)]
    html = "".join(f'<iframe name="n{n}" src="{s}"></iframe>' for n, s in enumerate(sources))
    began = time.perf_counter()
    tab = await stage.sup.open_tab("many", stage.pages.add("/hundred.html", html))

    def all_there(state: State) -> list[Frame] | None:
        found = [
            f
            for f in frames_of(state, tab)
            if view.is_oopif(state, f) and state.context_of(f) and "part" in f.url
        ]
        return found if len(found) == OOPIFS else None

    frames = await stage.sup.wait_for(all_there, STORM_S)
    for frame in frames:
        assert await stage.value(frame.id, "location.href") == frame.url
    show(f"{OOPIFS} OOPIFs known and evaluated in {time.perf_counter() - began:.1f} s")
    tree = view.frame_tree(stage.sup.state, tab)
    assert (tree["total"], tree["total_oopif"]) == (OOPIFS + 1, OOPIFS)
    assert tree["truncated"]


async def test_three_levels_over_three_sites_are_one_tree(stage: Stage) -> None:
    spot = await stage.go("nested_oopif")
    tree = view.frame_tree(stage.sup.state, spot.tab)
    mid, leaf = tree["children"]
    assert (mid["parent_frame_id"], leaf["parent_frame_id"]) == (
        tree["top"]["frame_id"],
        mid["frame_id"],
    )
    hosts = [f["origin"].split("//")[1].split(":")[0] for f in (tree["top"], mid, leaf)]
    assert hosts == ["127.0.0.1", "localhost", "a.localhost"]
    assert len({mid["session_id"], leaf["session_id"], stage.sup.session(spot.tab).id}) == 3
    assert await stage.value(leaf["frame_id"], "location.hostname") == "a.localhost"


@pytest.mark.parametrize("place", ["same_origin", "srcdoc"])
async def test_a_frame_of_the_same_process_is_evaluated_in(stage: Stage, place: str) -> None:
    spot = await stage.go(place)
    assert await stage.value(spot.frame_id, "window !== top && got") == "not asked"
    top = stage.sup.state.tabs[spot.tab].target_id
    assert await stage.value(top, "window === top")
    assert not view.frame_tree(stage.sup.state, spot.tab)["children"][0]["is_oopif"]


async def test_a_removed_frame_is_gone_with_its_session(stage: Stage) -> None:
    spot = await stage.go("nested_oopif")
    top = stage.sup.state.tabs[spot.tab].target_id
    await stage.value(top, "document.querySelector('iframe').remove()")
    await stage.sup.wait_for(
        lambda s: (
            len(frames_of(s, spot.tab)) == 1
            and [i.kind for i in s.sessions.values() if i.tab == spot.tab] == ["page"]
        ),
        WITHIN_S,
    )


async def test_a_frame_moves_to_its_own_process_and_back(stage: Stage) -> None:
    spot = await stage.go("same_origin")
    top = stage.sup.state.tabs[spot.tab].target_id
    frame_id = spot.frame_id
    for host, own in (("localhost", True), ("127.0.0.1", False), ("a.localhost", True)):
        url = stage.pages.url(f"/part.html?{host}", host)
        await stage.value(top, f"document.querySelector('iframe').src = {url!r}")

        def moved(state: State, url: str = url, own: bool = own) -> Frame | None:
            frame = state.frames.get(frame_id)
            if frame is None or frame.url != url or not state.context_of(frame):
                return None
            return frame if view.is_oopif(state, frame) == own else None

        frame = await stage.sup.wait_for(moved, WITHIN_S)
        assert frame.parent == top
        assert await stage.value(frame_id, "location.hostname") == host
    assert len(frames_of(stage.sup.state, spot.tab)) == 2


async def test_a_new_document_forgets_the_frames_of_the_old_one(stage: Stage) -> None:
    spot = await stage.go("nested_oopif")
    url = stage.pages.url("/elsewhere.html")
    await stage.sup.cdp("Page.navigate", {"url": url}, tab=spot.tab)
    await stage.sup.wait_for(
        lambda s: (
            [f.url for f in frames_of(s, spot.tab)] == [url]
            and [i.kind for i in s.sessions.values() if i.tab == spot.tab] == ["page"]
        ),
        WITHIN_S,
    )


async def test_a_crashed_frame_is_reported_and_the_rest_lives(stage: Stage) -> None:
    spot = await stage.go("nested_oopif")
    mid = stage.sup.state.frames[stage.sup.state.frames[spot.frame_id].parent]
    stage.sup.frame(spot.frame_id)[0].send(Page.crash())
    crashed = await stage.interrupt("crashed", spot.tab)
    assert crashed.frame_id == spot.frame_id
    assert spot.frame_id in stage.sup.state.frames
    assert not stage.sup.state.tabs[spot.tab].crashed
    assert await stage.value(mid.id, "location.hostname") == "localhost"
    assert await stage.value(stage.sup.state.tabs[spot.tab].target_id, "1") == 1
    refused = await stage.run(spot.frame_id, "1")
    assert refused.blocked_by == (crashed,)
    assert await browser_lives(stage)
