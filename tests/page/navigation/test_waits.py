"""Waits on a real Chromium, armed before what they wait for, in every frame."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

from pilothouse.errors import ToolError
from pilothouse.page.navigation.waits import Waits
from pilothouse.page.tab_context import TabContext
from pilothouse.page.world.isolated_worlds import IsolatedWorlds
from tests.browser.browser_with_dialog_places import WITHIN_S, Stage, staged
from tests.page.outcome_value_and_script import got, run

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="module")]

_SHADOW = """<title>yard</title><p id=p>yard</p><div id=host></div>
<script>
host.attachShadow({mode: "open"}).innerHTML = "<i id=deep hidden>in the shade</i>"
</script>"""


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def stage(chromium_path: Path) -> AsyncIterator[Stage]:
    async with staged() as made:
        made.pages.add("/yard.html", _SHADOW)
        made.pages.add("/data.json", "{}")
        yield made


async def test_an_element_that_comes_later(
    stage: Stage, waits: Waits, tab_context: TabContext
) -> None:
    wait = waits.for_selector("#late", timeout=WITHIN_S)
    await run(stage, tab_context, "setTimeout(() => { p.innerHTML = '<b id=late>late</b>' }, 150)")
    found = got(await wait)
    assert (found.count, found.visible, found.frame_id) == (1, 1, tab_context.main().id)


async def test_each_state_of_an_element(
    stage: Stage, waits: Waits, tab_context: TabContext
) -> None:
    assert got(await waits.for_selector("#deep", "attached")).visible == 0
    assert got(await waits.for_selector("#deep", "hidden")).count == 1
    shown = waits.for_selector("#deep", timeout=WITHIN_S)
    await run(stage, tab_context, "host.shadowRoot.getElementById('deep').hidden = false")
    assert got(await shown).visible == 1
    gone = waits.for_selector("#deep", "detached", timeout=WITHIN_S)
    await run(stage, tab_context, "host.remove()")
    assert got(await gone).count == 0


async def test_a_timeout_says_how_many_matched(waits: Waits) -> None:
    with pytest.raises(ToolError, match="matches 1 element, 0 of them visible"):
        await waits.for_selector("#deep", timeout=1.5)
    with pytest.raises(ToolError, match="css"):
        await waits.for_selector("p >> text")


async def test_text_is_found_in_shadow_roots(
    stage: Stage, waits: Waits, tab_context: TabContext
) -> None:
    wait = waits.for_text("In  the SHADE", timeout=WITHIN_S)
    with pytest.raises(ToolError, match="0 of 1 frame shows it"):
        await waits.for_text("in the shade", timeout=1.5)
    await run(stage, tab_context, "host.shadowRoot.getElementById('deep').hidden = false")
    assert got(await wait).frame_id == tab_context.main().id
    gone = waits.for_text("in the shade", gone=True, timeout=WITHIN_S)
    await run(stage, tab_context, "host.remove()")
    await gone


@pytest.mark.parametrize("where", ["same_origin", "oopif", "nested_oopif", "background"])
async def test_text_and_elements_in_any_frame(stage: Stage, where: str) -> None:
    spot = await stage.go(where)
    tab_context = TabContext(stage.sup, spot.tab)
    waits = Waits(tab_context, IsolatedWorlds(tab_context))
    text = waits.for_text("it is here", timeout=WITHIN_S)
    element = waits.for_selector("#new", frame_id=spot.frame_id, timeout=WITHIN_S)
    code = "document.body.insertAdjacentHTML('beforeend', '<p id=new>it is <b>here</b>')"
    await run(stage, tab_context, code, spot.frame_id)
    assert got(await text).frame_id == spot.frame_id
    assert got(await element).frame_id == spot.frame_id
    await stage.clear()


async def test_waits_go_on_in_the_next_document(
    stage: Stage, waits: Waits, tab_context: TabContext
) -> None:
    stage.pages.add("/goal.html", "<h1 id=goal>the goal</h1>")
    selector = waits.for_selector("#goal", timeout=WITHIN_S)
    text = waits.for_text("the goal", timeout=WITHIN_S)
    url = waits.for_url("**/goal.html", timeout=WITHIN_S)
    code = waits.for_function("document.querySelector('#goal').textContent", timeout=WITHIN_S)
    await run(stage, tab_context, "location = '/goal.html'")
    assert got(await url) == stage.pages.url("/goal.html")
    assert got(await code).value == "the goal"
    assert got(await selector).visible == 1
    assert got(await text).visible == 1


async def test_addresses_within_the_document(
    stage: Stage, waits: Waits, tab_context: TabContext
) -> None:
    by_part = waits.for_url("#there", timeout=WITHIN_S)
    by_expression = waits.for_url(re.compile(r"step=\d+$"), timeout=WITHIN_S)
    await run(stage, tab_context, "location.hash = 'there'")
    assert got(await by_part).endswith("/yard.html#there")
    await run(stage, tab_context, "history.pushState(1, '', '?step=2')")
    assert got(await by_expression).endswith("?step=2")
    with pytest.raises(ToolError, match="the tab is at http"):
        await waits.for_url("nowhere", timeout=0.5)


async def test_a_function_is_asked_until_it_is_true(
    stage: Stage, waits: Waits, tab_context: TabContext
) -> None:
    wait = waits.for_function("min => window.score >= min && {score}", 3, timeout=WITHIN_S)
    await run(stage, tab_context, "window.score = 2")
    await run(stage, tab_context, "setTimeout(() => score++, 100)")
    assert got(await wait).value == {"score": 3}
    with pytest.raises(ToolError, match="the last value was False"):
        await waits.for_function("score > 100", timeout=1.5)
    with pytest.raises(ToolError, match="the last call failed: ReferenceError"):
        await waits.for_function("missing.length", timeout=1.5)
    with pytest.raises(ToolError, match="SyntaxError"):
        await waits.for_function("oh no", timeout=WITHIN_S)


async def test_a_popup_is_known_by_its_tab(
    stage: Stage, waits: Waits, tab_context: TabContext
) -> None:
    wait = waits.for_popup(timeout=WITHIN_S)
    await run(stage, tab_context, "window.open('/main.html', '', 'noopener')")
    assert stage.sup.state.tabs[got(await wait)].opener == tab_context.tab_id


async def test_idle_is_no_change_and_no_request(
    stage: Stage, waits: Waits, tab_context: TabContext
) -> None:
    gate = stage.pages.add_slow("/held.json", "{}")
    wait = waits.for_idle(timeout=WITHIN_S)
    await run(
        stage, tab_context, "fetch('/held.json').then(r => r.text()).then(t => p.append(t)); 0"
    )
    await stage.pages.visited("/held.json")
    assert not wait.done
    gate.set()
    assert (await wait).blocked_by == ()
    assert await stage.value(tab_context.main().id, "p.textContent") == "yard{}"


async def test_bad_input_is_refused(waits: Waits) -> None:
    for wrong in (
        lambda: waits.for_selector("p", "shown"),
        lambda: waits.for_selector(" "),
        lambda: waits.for_text(""),
        lambda: waits.for_url(""),
        lambda: waits.for_download("started"),
        lambda: waits.for_idle(1),
        lambda: waits.for_text("x", timeout=0),
        lambda: waits.for_selector("p", frame_id="gone"),
    ):
        with pytest.raises(ToolError):
            wrong()
