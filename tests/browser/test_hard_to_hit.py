"""Elements that are covered, move, come late or are disabled: in the main frame and three foreign
frames deep, each of them scaled.

The promise in every case: what was acted on is what was named, and only for that is a receipt
given.
"""

from __future__ import annotations

import itertools
import re
from collections import Counter
from collections.abc import AsyncIterator, Iterable

import pytest
import pytest_asyncio

from pilothouse.errors import ToolError
from tests.browser.browser_with_dialog_places import Stage
from tests.browser.ui_framework_pages import PLACES, Shown, show_html
from tests.page.input_tab import done
from tests.soak_extent import MATRIX, matrix

pytestmark = [*MATRIX, pytest.mark.browser, pytest.mark.asyncio(loop_scope="module")]

WITHIN_S = 8.0
PRESSES = 8


@pytest_asyncio.fixture(loop_scope="module", autouse=True)
async def cleared(stage: Stage) -> AsyncIterator[None]:
    yield
    await stage.clear()


def some_of(places: Iterable[str], others: Iterable[str]) -> list[tuple[str, str]]:
    """Cases in which each of both stands; under `./dev soak matrix` each with each."""
    return matrix(itertools.product(places, others), tuple, 1)


# Whoever hears a press notes it under its own name.
COUNTS = """<script>
var hits = {};
for (const type of ['mousedown', 'click'])
  document.addEventListener(type, (e) => {
    const at = e.target.closest('[id]');
    const name = type + ' ' + (at ? at.id : 'page');
    hits[name] = (hits[name] || 0) + 1;
  });
</script>"""
BUTTON = (
    "<button id=save style='position:absolute;left:60px;top:700px;width:90px;height:30px'>Save"
    "</button>" + COUNTS
)
VEIL = "<div id=veil style='position:fixed;inset:0;background:#8888;z-index:9'>We use cookies</div>"


async def hits(shown: Shown, within: str = "spot") -> dict[str, int]:
    """Who was pressed how often."""
    counted: dict[str, int] = await shown.js("hits", within)
    return counted


# Covered.


@pytest.mark.parametrize("place", PLACES)
async def test_a_cover_is_named_and_the_element_works_once_it_is_gone(
    stage: Stage, place: str
) -> None:
    shown = await show_html(stage, BUTTON + VEIL, place)
    with pytest.raises(ToolError, match=r'button "Save" .*is covered by .*"We use cookies"'):
        await shown.page.click("button=Save")
    assert await hits(shown) == {}
    await shown.js("veil.remove()")
    assert done(await shown.page.click("button=Save")).hit
    assert await hits(shown) == {"mousedown save": 1, "click save": 1}


@pytest.mark.parametrize("around", ["top", "around3", "around2"])
async def test_a_cover_in_any_page_around_the_frame_is_named(stage: Stage, around: str) -> None:
    shown = await show_html(stage, BUTTON, "deep")
    await shown.js(f"document.body.insertAdjacentHTML('beforeend', `{VEIL}`)", around)
    with pytest.raises(ToolError, match=r'is covered by .*"We use cookies"'):
        await shown.page.click("button=Save")
    with pytest.raises(ToolError, match="is covered by"):
        await shown.page.click((await shown.page.snapshot()).text.split("[ref=")[-1].split("]")[0])
    assert await hits(shown) == {}
    await shown.js("veil.remove()", around)
    await shown.page.click("button=Save")
    assert await hits(shown) == {"mousedown save": 1, "click save": 1}


@pytest.mark.parametrize("place", PLACES)
async def test_a_cover_that_lets_the_pointer_through_covers_nothing(
    stage: Stage, place: str
) -> None:
    shown = await show_html(
        stage, BUTTON + VEIL.replace("inset", "pointer-events:none;inset"), place
    )
    await shown.page.click("button=Save")
    assert await hits(shown) == {"mousedown save": 1, "click save": 1}


@pytest.mark.parametrize("place", PLACES)
async def test_a_cover_of_the_middle_alone_is_walked_around(stage: Stage, place: str) -> None:
    words = "a place that is very far away from here"
    link = f"<p style='width:140px'>to <a id=far href='#there'>{words}</a></p>"
    dot = "<i id=dot style='position:absolute;background:red;width:12px;height:12px'></i>"
    centred = """<script>
    const box = far.getBoundingClientRect();
    dot.style.left = box.x + box.width / 2 - 6 + 'px';
    dot.style.top = box.y + box.height / 2 - 6 + 'px';
    </script>"""
    shown = await show_html(stage, link + dot + COUNTS + centred, place)
    await shown.page.click("#far")
    assert await hits(shown) == {"mousedown far": 1, "click far": 1}


# Out of sight.


@pytest.mark.parametrize(("place", "host"), some_of(PLACES, ("127.0.0.1", "a.localhost")))
async def test_a_place_in_a_frame_too_large_to_be_seen_at_once_is_scrolled_to(
    stage: Stage, place: str, host: str
) -> None:
    stage.pages.add("/tall.html", f"<!doctype html>{BUTTON}")
    tall = stage.pages.url("/tall.html", host=host)
    html = (
        "<div style='height:900px'></div><div style='width:200px;height:150px;overflow:auto'>"
        f"<iframe name=tall src='{tall}' style='width:600px;height:1400px;border:0'></iframe></div>"
    )
    shown = await show_html(stage, html, place)
    await shown.page.click("button=Save")
    frame = await stage.loaded(shown.page.tab_context.tab_id, "tall")
    assert await stage.value(frame.id, "hits") == {"mousedown save": 1, "click save": 1}


# Moving.

SLIDE = "@keyframes slide { from { left: 60px } to { left: 380px } }"
DECOYS = "".join(
    f"<button id=decoy{n} style='position:absolute;left:{20 + 50 * n}px;top:700px;width:45px;"
    "height:30px'>No</button>"
    for n in range(9)
)


@pytest.mark.parametrize("place", PLACES)
async def test_an_element_that_comes_to_rest_is_hit_there(stage: Stage, place: str) -> None:
    style = f"<style>{SLIDE} #save {{ z-index:3; animation: slide .7s linear 1 both }}</style>"
    shown = await show_html(stage, style + DECOYS + BUTTON, place)
    receipt = done(await shown.page.click("button=Save", timeout=WITHIN_S))
    assert "Save" in receipt.target
    assert await hits(shown) == {"mousedown save": 1, "click save": 1}


MOVERS = {
    "animation": f"""<style>{SLIDE}
    #save {{ z-index: 3; animation: slide .5s linear infinite alternate }}
    </style>""",
    "script": """<script>
    let at = 0;
    setInterval(() => { at = (at + 37) % 320; save.style.left = 60 + at + 'px'; }, 8);
    </script>""",
    "jumps": """<script>
    addEventListener('mousemove', () => { save.style.left = 60 + Math.random() * 320 + 'px'; });
    </script>""",
}


async def presses(shown: Shown) -> dict[str, int]:
    """Press some times; what the receipts say was pressed and clicked."""
    said: Counter[str] = Counter()
    for _ in range(PRESSES):
        try:
            receipt = done(await shown.page.click("#save", timeout=0.4))
        except ToolError as error:
            if not re.search("keeps moving|was not hit|covered|hidden|scrolled", str(error)):
                raise
            continue
        said["mousedown save"] += 1
        # Carried away between press and release: that is said too.
        assert receipt.action in ("clicked", "pressed")
        said["click save"] += receipt.action == "clicked"
    return dict(+said)


@pytest.mark.parametrize(("place", "mover"), some_of(PLACES, MOVERS))
async def test_a_restless_element_is_hit_or_refused_and_nothing_else_is_hit(
    stage: Stage, place: str, mover: str
) -> None:
    shown = await show_html(stage, DECOYS + BUTTON + MOVERS[mover], place)
    said = await presses(shown)
    assert await hits(shown) == said


FRAME_MOVERS = {
    "animation": """<style>
    @keyframes drift { from { left: 0 } to { left: 300px } }
    #inner { position: relative; animation: drift .5s linear infinite alternate }
    </style>""",
    "script": """<script>
    let at = 0;
    inner.style.position = 'relative';
    setInterval(() => { at = (at + 61) % 300; inner.style.left = at + 'px'; }, 8);
    </script>""",
}


@pytest.mark.parametrize(
    ("place", "mover"),
    some_of(("own", "deep", "mixed"), FRAME_MOVERS),
)
async def test_a_restless_frame_is_hit_or_refused_and_nothing_around_it_is_hit(
    stage: Stage, place: str, mover: str
) -> None:
    shown = await show_html(stage, BUTTON, place, around=COUNTS + FRAME_MOVERS[mover])
    said = await presses(shown)
    assert await hits(shown) == said
    assert await hits(shown, "top" if place == "own" else "around2") == {}


# Late.


@pytest.mark.parametrize("place", PLACES)
async def test_an_element_that_comes_late_is_awaited(stage: Stage, place: str) -> None:
    late = "<div id=room></div>" + COUNTS
    shown = await show_html(stage, late, place)
    await shown.js(
        "setTimeout(() => room.innerHTML = '<button id=save>Save</button><input id=mail>', 400); 0"
    )
    receipt = done(await shown.page.click("button=Save", timeout=WITHIN_S))
    assert "Save" in receipt.focus
    assert await hits(shown) == {"mousedown save": 1, "click save": 1}
    assert done(await shown.page.fill("#mail", "a@b.c")).value == "a@b.c"


@pytest.mark.parametrize("place", PLACES)
async def test_an_element_that_is_shown_late_is_awaited(stage: Stage, place: str) -> None:
    shown = await show_html(stage, f"<div id=room hidden>{BUTTON}</div>", place)
    with pytest.raises(ToolError, match="is hidden"):
        await shown.page.click("#save", timeout=0.2)
    await shown.js("setTimeout(() => room.hidden = false, 300); 0")
    await shown.page.click("#save", timeout=WITHIN_S)
    assert await hits(shown) == {"mousedown save": 1, "click save": 1}


async def test_an_element_in_a_frame_that_comes_late_is_awaited(stage: Stage) -> None:
    shown = await show_html(stage, BUTTON, "deep")
    # The innermost frame goes and comes again: the same page, another document, another process.
    await shown.js(
        "const source = inner.src; inner.remove();"
        "setTimeout(() => { const next = document.createElement('iframe');"
        "next.name = 'late'; next.style = 'width:300px;height:200px;transform:scale(.7)';"
        "next.src = source; document.body.prepend(next); }, 300); 0",
        "around2",
    )
    receipt = done(await shown.page.click("button=Save", timeout=WITHIN_S))
    assert "Save" in receipt.target
    late = await stage.loaded(shown.page.tab_context.tab_id, "late")
    assert await stage.value(late.id, "hits") == {"mousedown save": 1, "click save": 1}


# Disabled.


SWITCHES = {
    "save.disabled = true": "save.disabled = false",
    "save.ariaDisabled = 'true'": "save.ariaDisabled = null",
    "set.disabled = true": "set.disabled = false",
}


@pytest.mark.parametrize(("place", "off"), some_of(PLACES, SWITCHES))
async def test_a_disabled_element_is_refused_and_awaited_until_it_is_enabled(
    stage: Stage, place: str, off: str
) -> None:
    shown = await show_html(stage, f"<fieldset id=set><input id=mail>{BUTTON}</fieldset>", place)
    await shown.js(f"{off}; 0")
    with pytest.raises(ToolError, match=r'button "Save" .*is disabled'):
        await shown.page.click("button=Save", timeout=0.2)
    assert await hits(shown) == {}
    await shown.js(f"setTimeout(() => {{ {SWITCHES[off]} }}, 300); 0")
    await shown.page.click("button=Save", timeout=WITHIN_S)
    assert await hits(shown) == {"mousedown save": 1, "click save": 1}


@pytest.mark.parametrize("place", PLACES)
async def test_disabled_and_read_only_fields_take_nothing_until_they_are_opened(
    stage: Stage, place: str
) -> None:
    html = (
        "<input id=mail disabled aria-label=Mail><input id=fixed readonly aria-label=Fixed>"
        "<input type=checkbox id=yes disabled aria-label=Yes>"
        "<select id=one disabled aria-label=One><option>a<option>b</select>"
    )
    shown = await show_html(stage, html, place)
    page = shown.page
    with pytest.raises(ToolError, match=r'"Mail" .*is disabled'):
        await page.fill("#mail", "x", timeout=0.2)
    with pytest.raises(ToolError, match=r'"Fixed" .*is read-only'):
        await page.fill("#fixed", "x", timeout=0.2)
    with pytest.raises(ToolError, match=r'"Yes" .*is disabled'):
        await page.check("#yes", timeout=0.2)
    with pytest.raises(ToolError, match=r'"One" .*is disabled'):
        await page.select("#one", "b", timeout=0.2)
    assert await shown.js("mail.value + fixed.value + yes.checked + one.value") == "falsea"
    await shown.js("mail.disabled = fixed.readOnly = yes.disabled = one.disabled = false")
    await page.fill("#mail", "x")
    await page.fill("#fixed", "y")
    await page.check("#yes")
    await page.select("#one", "b")
    assert await shown.js("mail.value + fixed.value + yes.checked + one.value") == "xytrueb"
