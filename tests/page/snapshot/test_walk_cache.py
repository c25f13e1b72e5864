"""A page that has not changed is not walked again, and whatever has changed is seen at once."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from pilothouse.cdp import Command
from pilothouse.page.snapshot.frame_walker import FrameWalker
from pilothouse.page.world.isolated_worlds import CachedWalk
from pilothouse.supervisor import Frame
from tests.browser.browser_with_dialog_places import Stage, staged
from tests.page.snapshot_tab import SnapshotTab, body, click, opened, run, see
from tests.speedup_switches import without_speedups

pytestmark = [
    pytest.mark.browser,
    pytest.mark.asyncio(loop_scope="module"),
    pytest.mark.needs_speedup("page_cache"),
]

# One of everything that can change, with and without a word of it in the tree.
PAGE = """
<style id=sheet>
.cover { position: fixed; inset: 0; background: white; display: none }
.cover.on, #tick:checked ~ .later, #there:target { display: block }
.room { height: 60px; overflow: auto } .tall { height: 3000px }
button { display: block }
</style>
<h1 id=head>Head</h1><p id=words>Words</p><a id=link href=/one>Link</a>
<button id=push aria-label=Push>x</button> <button id=other>Other</button>
<div id=plain>Plain</div><div id=second>Second</div>
<fieldset id=set><legend>Set</legend><input id=text aria-label=Text value=a>
<input id=secret type=password aria-label=Secret>
<input id=radio type=radio aria-label=Radio></fieldset>
<textarea id=area aria-label=Area>a</textarea><div id=editor contenteditable>edit</div>
<select id=one aria-label=One><option>A<option>B</select>
<select id=many multiple aria-label=Many><option>A<option>B</select>
<details id=more><summary>More</summary>Inside</details>
<div id=room class=room><button id=low>Low</button><div class=tall></div></div>
<div id=host></div><div id=shut></div><div id=late style="height:20px;width:20px"></div>
<div id=slots><button id=manual>Manual</button></div>
<dialog id=dialog>Dialog</dialog><div id=pop popover>Popover</div>
<input id=tick type=checkbox aria-label=Tick>
<div id=cover class=cover>Cover</div><div class="cover later">Later</div>
<div id=there class=cover>There</div>
<iframe id=inner title=Inner srcdoc="<button>In</button>"></iframe>
<div class=tall></div>
<script>
host.attachShadow({mode: 'open'}).innerHTML =
  "<style>div { height: 60px; overflow: auto } p { height: 900px }</style>" +
  "<div><button>Open</button><p></p></div>";
window.closedRoot = shut.attachShadow({mode: 'closed'});
closedRoot.innerHTML = "<button>Closed</button>";
const root = slots.attachShadow({mode: 'open', slotAssignment: 'manual'});
root.innerHTML = "<slot></slot>";
window.hear = () => {};
second.addEventListener('click', hear);
</script>
"""

CHANGES = {
    "words": "words.firstChild.data = 'Others'",
    "a name": "push.setAttribute('aria-label', 'Shove')",
    "a name as a property": "push.ariaLabel = 'Shove'",
    "a name by others": "push.ariaLabelledByElements = [head]",
    "an element goes": "other.remove()",
    "an element comes": "document.body.append(document.createElement('button'))",
    "an order": "document.body.prepend(push)",
    "a title": "document.title = 'Another'",
    "an address": "history.pushState(0, '', '/moved.html')",
    "in an open root": "host.shadowRoot.querySelector('button').textContent = 'Opened'",
    "in a closed root": "closedRoot.querySelector('button').ariaLabel = 'Unclosed'",
    "in a frame": "inner.contentDocument.querySelector('button').ariaLabel = 'Within'",
    "a frame goes": "inner.remove()",
    "a new root": "late.attachShadow({mode: 'open'}).innerHTML = '<button>Late</button>'",
    "a slot": "root.firstChild.assign(manual)",
    "a rule": "sheet.sheet.insertRule('#push { display: none !important }', 0)",
    "a rule altered": "sheet.sheet.cssRules[4].style.display = 'none'",
    "a sheet off": "sheet.sheet.disabled = true",
    "a sheet more": (
        "{ const s = new CSSStyleSheet(); s.replaceSync('#push { visibility: hidden }');"
        " document.adoptedStyleSheets = [s] }"
    ),
    "a style": "push.style.display = 'none'",
    "a value": "text.value = 'b'",
    "a password": "secret.value = 'b'",
    "a text area": "area.value = 'b'",
    "an editor": "editor.textContent = 'edited'",
    "a tick": "tick.checked = true",
    "half a tick": "tick.indeterminate = true",
    "a radio": "radio.checked = true",
    "an option": "one.selectedIndex = 1",
    "one of many options": "many.options[1].selected = true",
    "details": "more.open = true",
    "disabled": "push.disabled = true",
    "a fieldset": "set.disabled = true",
    "inert": "set.inert = true",
    "a focus": "other.focus()",
    "a cover": "cover.classList.add('on')",
    "a cover by a rule": "sheet.sheet.insertRule('#cover { display: block }', 4)",
    "a cover by an address": "location.hash = 'there'",
    "a modal dialog": "dialog.showModal()",
    "a popover": "pop.showPopover()",
    "an animation": "cover.animate([{display: 'block'}], {duration: 1, fill: 'forwards'}).finish()",
    "a place": "push.animate([{translate: '0 2000px'}], {duration: 1, fill: 'forwards'}).finish()",
    "a listener": "plain.addEventListener('click', hear)",
    "a listener less": "second.removeEventListener('click', hear)",
    "a scrolled page": "scrollTo(0, 900)",
    "a scrolled room": "room.scrollTop = 500",
    "a scrolled room in a root": "host.shadowRoot.querySelector('div').scrollTop = 500",
}
# A scrolled element can be scrolled to: it is said as before.
UNSAID = {"a scrolled page", "a scrolled room", "a scrolled room in a root", "a place"}


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def stage(chromium_path: Path) -> AsyncIterator[Stage]:
    async with staged() as made:
        yield made


@pytest.fixture
def walks(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The frames that were walked: whether one was is told by nothing that comes out of it."""
    walked: list[str] = []
    walk_document = FrameWalker._walk_document

    async def noted(self: FrameWalker, page: Any, frame: Frame) -> Any:
        answer = await walk_document(self, page, frame)
        if not isinstance(answer, CachedWalk):
            walked.append(frame.id)
        return answer

    monkeypatch.setattr(FrameWalker, "_walk_document", noted)
    return walked


async def settled(seen: SnapshotTab, walks: list[str], **look: Any) -> list[str]:
    """What a page says that is looked at until nobody needs to walk it."""
    for _ in range(6):
        before = len(walks)
        said = await see(seen, **look)
        if len(walks) == before:
            return said
    raise AssertionError("it is walked again and again")


async def shown(seen: SnapshotTab) -> tuple[str, str, list[str]]:
    """Address, title and lines."""
    taken = await seen.snapshot()
    return taken.url, taken.title, body(taken)


async def test_a_page_as_it_was_is_not_walked_again(stage: Stage, walks: list[str]) -> None:
    seen = await opened(stage, PAGE)
    said = await settled(seen, walks, budget=0)
    del walks[:]
    assert await see(seen, budget=0) == said
    # Less of the same page.
    found = await see(seen, budget=0, interactive=True)
    assert 0 < len(found) < len(said)
    assert walks == []


async def test_every_snapshot_walks_if_the_setting_is_off(stage: Stage, walks: list[str]) -> None:
    with without_speedups("page_cache"):
        seen = await opened(stage, PAGE)
    said = await see(seen)
    for _ in range(3):
        del walks[:]
        assert await see(seen) == said
        assert walks != []


async def test_what_was_done_here_is_walked_at_once(stage: Stage, walks: list[str]) -> None:
    seen = await opened(stage, PAGE)
    await settled(seen, walks)
    del walks[:]
    await click(seen, "#more")
    assert any("Inside" in line for line in await see(seen))
    assert seen.tab_context.main().id in walks


@pytest.mark.parametrize("change", CHANGES)
async def test_what_has_changed_is_seen(stage: Stage, change: str, walks: list[str]) -> None:
    seen = await opened(stage, PAGE)
    await settled(seen, walks)
    before = await shown(seen)
    await run(stage, seen, CHANGES[change])
    now = await shown(seen)
    assert now == await shown(SnapshotTab(stage.sup, seen.tab))
    assert (now == before) is (change in UNSAID)


async def test_a_page_with_nothing_to_act_on_is_brought_up_to_date(
    stage: Stage, walks: list[str]
) -> None:
    seen = await opened(stage, "<style id=sheet>p { color: red }</style><p>Words</p>")
    assert await settled(seen, walks) == ["- text: Words"]
    await run(stage, seen, "sheet.sheet.insertRule('p { display: none }', 0)")
    assert await see(seen) == []


async def test_where_somebody_stops_the_counting_a_page_is_walked(
    stage: Stage, walks: list[str]
) -> None:
    seen = await opened(stage, "<style id=sheet>p { color: red }</style><p>Words</p>")
    await settled(seen, walks)
    await seen.tab_context.session.send(Command("Performance.disable"))
    for _ in range(3):
        assert await see(seen) == ["- text: Words"]
    await run(stage, seen, "sheet.sheet.insertRule('p { display: none }', 0)")
    assert await see(seen) == []


async def test_another_size_of_the_window_is_seen(stage: Stage, walks: list[str]) -> None:
    narrow = "<style>@media (width < 500px) { #b { display: none } }</style>"
    seen = await opened(stage, narrow + "<button id=b>Wide</button>")
    assert await settled(seen, walks) == ['- button "Wide" [ref=e1]']
    size = {"width": 400, "height": 300, "deviceScaleFactor": 1, "mobile": False}
    await seen.tab_context.session.send(Command("Emulation.setDeviceMetricsOverride", size))
    assert await see(seen) == []


async def test_an_element_of_the_pages_own_making_is_always_asked(
    stage: Stage, walks: list[str]
) -> None:
    seen = await opened(
        stage,
        """<own-one tabindex=0>Own</own-one><script>
        customElements.define('own-one', class extends HTMLElement {
          constructor() { super(); window.internals = this.attachInternals() } })
        internals.role = 'button'</script>""",
    )
    for _ in range(3):
        assert await see(seen) == ['- button "Own" [ref=e1]']
    await run(stage, seen, "internals.role = 'link'")
    assert await see(seen) == ['- link "Own" [ref=e2]']


@pytest.mark.parametrize("written", [False, True])
async def test_what_scrolls_over_a_button_is_seen(
    stage: Stage, written: bool, walks: list[str]
) -> None:
    """Nothing to act on moves; and a page that writes itself anew loses its listeners."""
    page = """<div id=room style="height: 100px; width: 200px; overflow: auto">
    <button style="position: sticky; top: 0; width: 100px; height: 20px">Stays</button>
    <div style="height: 50px"></div>
    <div style="position: relative; z-index: 1; background: red; height: 60px">Cover</div>
    <div style="height: 1000px"></div></div>"""
    seen = await opened(stage, "" if written else page)
    if written:
        await see(seen)
        await run(stage, seen, f"document.open(); document.write({page!r}); document.close()")
    assert '- button "Stays" [ref=e1]' in await settled(seen, walks)
    scrolled = "new Promise((done) => { room.onscroll = done; room.scrollTop = 80 })"
    await run(stage, seen, scrolled)
    assert '- button "Stays" [ref=e1] [covered]' in await see(seen)


async def test_a_frame_of_another_site_that_changes_is_walked_alone(
    stage: Stage, walks: list[str]
) -> None:
    stage.pages.add("/foreign.html", "<button id=b>Foreign</button>")
    url = stage.pages.url("/foreign.html", "localhost")
    seen = await opened(stage, f"<p>Around</p><iframe src={url}></iframe>", frames=1)
    await settled(seen, walks)
    (inner,) = (frame for frame in seen.tab_context.frames() if frame.parent)
    del walks[:]
    await stage.value(inner.id, "b.ariaLabel = 'Stranger'")
    said = await see(seen)
    assert any('button "Stranger"' in line for line in said)
    assert walks == [inner.id]
    assert said == await see(SnapshotTab(stage.sup, seen.tab))


async def test_two_who_look_at_a_tab_do_not_keep_walks_of_each_other(
    stage: Stage, walks: list[str]
) -> None:
    seen = await opened(stage, "<button id=b>Old</button>")
    await settled(seen, walks)
    other = SnapshotTab(stage.sup, seen.tab)
    await run(stage, seen, "b.ariaLabel = 'New'")
    assert await settled(other, walks) == ['- button "New" [ref=e2]']
    assert await see(seen) == ['- button "New" [ref=e2]']
