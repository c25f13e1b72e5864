"""Dragging on a real Chromium: with the pointer and as HTML drag and drop."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

from pilothouse.errors import ToolError
from tests.browser.browser_with_dialog_places import Stage, staged
from tests.page.input_tab import FRAMES, InputTab, done, show_page

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="module")]


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def stage(chromium_path: Path) -> AsyncIterator[Stage]:
    async with staged() as made:
        yield made


@pytest_asyncio.fixture(loop_scope="module", autouse=True)
async def cleared(stage: Stage) -> AsyncIterator[None]:
    yield
    await stage.clear()


PAGE = """<style>
body { margin: 0; height: 2500px } .b { position: absolute; width: 80px; height: 40px }
</style>
<div class=b id=card draggable=true style="left:10px;top:10px;background:pink">Card</div>
<div class=b id=zone style="left:300px;top:10px;background:palegreen">Zone</div>
<div class=b id=wall style="left:300px;top:100px;background:gray">Wall</div>
<div class=b id=far style="left:300px;top:2000px;background:palegreen">Far</div>
<a class=b id=link href=/x.html style="left:10px;top:100px">A link</a>
<div class=b id=thumb style="left:10px;top:200px;background:gold">Thumb</div>
<input class=b id=field style="left:300px;top:200px">
<script>
var heard = [];
for (const type of ['mousedown', 'mouseup', 'dragstart', 'dragend', 'drop'])
  document.addEventListener(type, (e) => heard.push(type + ' ' + e.target.id), true);
card.ondragstart = (e) => e.dataTransfer.setData('text/plain', 'the card');
for (const one of [zone, far]) {
  one.ondragover = (e) => e.preventDefault();
  one.ondrop = (e) => {
    e.preventDefault();
    one.textContent = e.dataTransfer.getData('text/plain');
  };
}
var moves = 0;
thumb.onpointerdown = (e) => {
  thumb.setPointerCapture(e.pointerId);
  const [x, y] = [e.clientX - thumb.offsetLeft, e.clientY - thumb.offsetTop];
  thumb.onpointermove = (m) => {
    moves++;
    thumb.style.left = m.clientX - x + 'px';
    thumb.style.top = m.clientY - y + 'px';
  };
  thumb.onpointerup = () => { thumb.onpointermove = null; heard.push('let go'); };
};
</script>"""


@pytest.mark.parametrize("within", FRAMES)
async def test_html_drag_and_drop_carries_the_data_in_every_frame(
    stage: Stage, within: str
) -> None:
    hands = await show_page(stage, PAGE, within)
    receipt = done(await hands.drags.drag("#card", "#zone"))
    assert receipt.value == {"how": "html5", "on": "<div#zone>"}
    assert await hands.js("zone.textContent") == "the card"
    assert await hands.js("heard") == [
        "mousedown card",
        "dragstart card",
        "drop zone",
        "dragend card",
    ]
    # The button is up again: the next press is a press of its own.
    receipt = done(await hands.mouse.click("#wall"))
    assert await hands.js("heard.slice(-2)") == ["mousedown wall", "mouseup wall"]


@pytest.mark.parametrize("within", FRAMES)
async def test_a_drag_with_the_pointer_moves_what_follows_it(stage: Stage, within: str) -> None:
    hands = await show_page(stage, PAGE, within)
    receipt = done(await hands.drags.drag("#thumb", by=(120, 30), steps=6))
    assert receipt.value["how"] == "pointer"
    left, top = await hands.js("[thumb.offsetLeft, thumb.offsetTop]")
    assert abs(left - 130) <= 2
    assert abs(top - 230) <= 2
    assert await hands.js("moves") >= 4
    assert "let go" in await hands.js("heard")


async def test_a_drop_nobody_takes_is_no_success(stage: Stage) -> None:
    hands = await show_page(stage, PAGE)
    with pytest.raises(ToolError, match="did not accept the drop"):
        await hands.drags.drag("#card", "#wall")
    assert (await hands.js("heard"))[-1] == "dragend card"


async def test_links_become_drags_only_after_a_long_way_and_text_fields_take_them(
    stage: Stage,
) -> None:
    hands = await show_page(stage, PAGE)
    receipt = done(await hands.drags.drag("#link", "#field"))
    assert receipt.value["how"] == "html5"
    assert (await hands.js("field.value")).endswith("/x.html")


async def test_a_destination_out_of_sight_is_scrolled_to_during_the_drag(stage: Stage) -> None:
    hands = await show_page(stage, PAGE)
    done(await hands.drags.drag("#card", "#far"))
    assert await hands.js("far.textContent") == "the card"


async def test_a_drag_goes_from_frame_to_frame_of_one_site_and_of_two(stage: Stage) -> None:
    for within in ("same", "oopif"):
        hands = await show_page(stage, PAGE, within)
        main = stage.sup.state.tabs[hands.tab].target_id
        await stage.value(
            main,
            """document.body.insertAdjacentHTML('afterbegin', '<div id=goal>Goal</div>');
            goal.ondragover = (e) => e.preventDefault();
            goal.ondrop = (e) => { e.preventDefault();
              goal.textContent = e.dataTransfer.getData('text/plain') }; 0""",
        )
        receipt = done(await hands.drags.drag("#card", "#goal"))
        assert receipt.value["how"] == "html5"
        assert await stage.value(main, "goal.textContent") == "the card"


async def test_the_button_is_up_after_a_failure_and_after_a_cancel(stage: Stage) -> None:
    hands = await show_page(stage, PAGE)
    # The destination goes away when the drag begins.
    await hands.js("thumb.addEventListener('pointermove', () => zone.remove()); 0")
    with pytest.raises(ToolError, match="matches nothing"):
        await hands.drags.drag("#thumb", "#zone")
    await until_heard(hands, "let go")
    await hands.js("heard.length = 0")
    dragging = asyncio.ensure_future(hands.drags.drag("#thumb", by=(300, 0), steps=200))
    await until_heard(hands, "mousedown thumb")
    # As the supervisor does when it closes.
    next(task for task in asyncio.all_tasks() if task.get_name() == "action").cancel()
    await asyncio.gather(dragging, return_exceptions=True)
    await until_heard(hands, "let go")


async def until_heard(hands: InputTab, what: str) -> None:
    async with asyncio.timeout(5):
        while what not in await hands.js("heard"):
            await hands.js("new Promise(r => setTimeout(r, 10))")


async def test_bad_drags_are_refused_before_anything_is_done(stage: Stage) -> None:
    hands = await show_page(stage, PAGE)
    for wrong in (
        {"destination": None},
        {"destination": "#zone", "by": (1, 1)},
        {"by": (0, 0)},
        {"destination": "#zone", "steps": 0},
        {"destination": "#nowhere"},
    ):
        with pytest.raises(ToolError):
            await hands.drags.drag("#card", **wrong)
    assert await hands.js("heard") == []


async def test_a_drag_works_in_a_tab_in_the_background(stage: Stage) -> None:
    hands = await show_page(stage, PAGE)
    await stage.sup.open_tab("front", stage.pages.url("/main.html"))
    done(await hands.drags.drag("#card", "#zone"))
    assert await hands.js("zone.textContent") == "the card"
