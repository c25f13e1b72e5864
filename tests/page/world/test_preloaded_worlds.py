"""Documents of a tab that was looked at are ready before anybody asks: their worlds are known, they
are warm, and where frames stand is told without asking for it."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import pytest
import pytest_asyncio

from pilothouse.page.world.iframe_elements import FrameElements
from pilothouse.page.world.isolated_worlds import NAME
from pilothouse.supervisor import Frame, State
from tests.browser.browser_with_dialog_places import WITHIN_S, Stage, staged
from tests.page.snapshot_tab import SnapshotTab, inner_frames, opened, refs, run, see
from tests.speedup_switches import without_speedups

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="module")]

IDLE = "new Promise(r => requestIdleCallback(() => requestIdleCallback(() => r(1))))"


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def stage(chromium_path: Path) -> AsyncIterator[Stage]:
    async with staged() as made:
        deep = "<!doctype html><title>d</title><button>Deep {}</button>"
        for number in range(4):
            made.pages.add(f"/deep{number}.html", deep.format(number))
        inner = "".join(
            f'<iframe title="I{n}" src="{made.pages.url(f"/deep{n}.html", host)}"></iframe>'
            for n, host in enumerate(("a.localhost", "localhost"))
        )
        made.pages.add("/mid.html", f"<!doctype html><title>m</title><p>Middle</p>{inner}")
        made.pages.add("/plain.html", "<!doctype html><title>p</title><button>Next</button>")
        yield made


@contextmanager
def sent(stage: Stage) -> Iterator[list[str]]:
    """The methods of the commands that are sent meanwhile."""
    methods: list[str] = []

    def note(way: str, frame: bytes) -> None:
        if way == "send":
            methods.append(json.loads(frame)["method"])

    leave = stage.sup.connection.trace(note)
    try:
        yield methods
    finally:
        leave()


async def goes(stage: Stage, seen: SnapshotTab, path: str) -> None:
    old = seen.tab_context.main().loader
    await stage.sup.cdp("Page.navigate", {"url": stage.pages.url(path)}, tab=seen.tab)
    await stage.loaded(seen.tab, but=old)


@pytest.mark.needs_speedup("warm_up")
async def test_the_next_document_is_looked_at_without_asking_for_its_world(stage: Stage) -> None:
    seen = await opened(stage, "<button>First</button>")
    assert await see(seen) == ['- button "First" [ref=e1]']
    await goes(stage, seen, "/plain.html")
    with sent(stage) as methods:
        assert await see(seen) == ['- button "Next" [ref=e2]']
    assert "Page.createIsolatedWorld" not in methods
    assert methods.count("Runtime.callFunctionOn") == 1


async def test_a_document_that_began_before_anybody_looked_is_seen_whole(stage: Stage) -> None:
    mid = stage.pages.url("/mid.html", "localhost")
    seen = await opened(stage, f'<iframe src="{mid}"></iframe><button>Top</button>', frames=3)
    for _ in range(2):
        assert sorted(refs(await seen.snapshot())) == ["Deep 0", "Deep 1", "Top"]


@pytest.mark.needs_speedup("warm_up")
async def test_a_warm_document_has_given_no_number_away(stage: Stage) -> None:
    seen = await opened(stage, "<button>First</button>")
    await see(seen)
    await goes(stage, seen, "/plain.html")
    for _ in range(4):
        await run(stage, seen, IDLE)
    world = seen.worlds.preloaded(seen.tab_context.main())
    assert world is not None
    assert await seen.worlds.call_in(world, "next") == 1
    assert await see(seen) == ['- button "Next" [ref=e2]']


async def test_the_page_cannot_tell_that_a_world_is_there(stage: Stage) -> None:
    seen = await opened(stage, "<button>First</button>")
    await see(seen)
    stage.pages.add(
        "/watching.html",
        """<!doctype html><title>w</title><button>W</button><script>
        window.told = [];
        for (const type of ['addEventListener', 'requestIdleCallback']) {
          const was = window[type];
          window[type] = function (...a) { told.push(type); return was.apply(this, a); };
        }</script>""",
    )
    await goes(stage, seen, "/watching.html")
    assert await run(stage, seen, "told.join()") == ""
    for _ in range(4):
        await run(stage, seen, IDLE.replace("requestIdleCallback", "setTimeout"))
    await see(seen)
    assert await run(stage, seen, f"told.join() + typeof ph + typeof {NAME}") == (
        "undefinedundefined"
    )


# What is done to a page of five frames, and how many there are then.
EDITS = {
    "0": 5,
    "document.body.prepend(made(2, 'localhost'))": 6,
    "document.querySelector('iframe:last-of-type').remove()": 5,
    "document.body.insertBefore(made(3, 'a.localhost'), document.querySelector('p'))": 6,
    "document.querySelector('iframe').style.display = 'none'": 6,
    "document.body.append(document.querySelector('iframe'))": 6,
    "shadowed.attachShadow({mode: 'open'}).append(made(1, 'localhost'))": 7,
}


def _just(tab: str, count: int, state: State) -> list[Frame] | None:
    found = inner_frames(state, tab, count)
    return found if found is not None and len(found) == count else None


async def test_frames_are_put_where_chrome_says_they_stand(stage: Stage) -> None:
    made = f"""const made = (n, host) => {{ const f = document.createElement('iframe');
        f.title = 'N' + n; f.src = 'http://' + host + ':{stage.pages.port}/deep' + n + '.html';
        return f; }}"""
    mid = stage.pages.url("/mid.html", "localhost")
    html = f"""<script>{made}</script><div id=shadowed></div>
      <iframe title="M" src="{mid}"></iframe><p>Text</p>
      <iframe title="S" src="/deep2.html"></iframe><iframe srcdoc="<a href=#>Doc</a>"></iframe>"""
    seen = await opened(stage, html, frames=5)
    for edit, count in EDITS.items():
        await run(stage, seen, f"{edit}, 0")
        inner = await stage.sup.wait_for(partial(_just, seen.tab, count), WITHIN_S)
        await seen.snapshot()
        asked = FrameElements(seen.tab_context, seen.worlds)
        await asked.find(inner)
        for frame in inner:
            assert seen.frame_elements.known(frame.id) in (None, asked.known(frame.id)), (
                edit,
                frame.url,
            )


async def test_frames_need_no_question_about_their_places(stage: Stage) -> None:
    mid = stage.pages.url("/mid.html", "localhost")
    html = f'<iframe title="M" src="{mid}"></iframe><iframe srcdoc="<a href=#>Doc</a>"></iframe>'
    seen = await opened(stage, html, frames=4)
    with sent(stage) as methods:
        assert sorted(refs(await seen.snapshot())) == ["Deep 0", "Deep 1", "Doc"]
    assert "DOM.getFrameOwner" not in methods


async def test_a_frame_in_a_shadow_root_is_asked_for(stage: Stage) -> None:
    html = """<div id=host></div><script>host.attachShadow({mode: 'open'}).innerHTML =
      '<iframe title=Shadowed src="/deep3.html"></iframe>';</script>"""
    seen = await opened(stage, html, frames=1)
    assert sorted(refs(await seen.snapshot())) == ["Deep 3"]


async def test_nothing_is_prepared_if_the_setting_is_off(stage: Stage) -> None:
    with without_speedups("warm_up"):
        seen = await opened(stage, "<button>First</button>")
    with sent(stage) as methods:
        assert 'button "First"' in "".join(await see(seen))
        await goes(stage, seen, "/plain.html")
        assert 'button "Next"' in "".join(await see(seen))
    assert methods.count("Page.createIsolatedWorld") == 2
    assert "Page.addScriptToEvaluateOnNewDocument" not in methods
