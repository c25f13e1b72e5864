"""Clicks: every kind of press, on every kind of element, with a receipt that is true."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from pilothouse.errors import ToolError
from tests.browser.browser_with_dialog_places import Stage, staged
from tests.page.snapshot_tab import SnapshotTab, click, node, opened, refs, run

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="module")]

# Notes every event of the pointer, and where it went.
NOTES = """<script>var notes = [];
for (const type of ['mousedown', 'mouseup', 'click', 'dblclick', 'auxclick', 'contextmenu'])
  addEventListener(type, e => notes.push([type, e.composedPath()[0].id || e.target.localName,
    e.button, [e.altKey, e.ctrlKey, e.metaKey, e.shiftKey].map(Number).join('')]));
</script>"""


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def stage(chromium_path: Path) -> AsyncIterator[Stage]:
    async with staged() as made:
        made.pages.add("/other.html", "<!doctype html><title>Other</title><h1>Other</h1>")
        yield made


@pytest_asyncio.fixture(loop_scope="module", autouse=True)
async def cleared(stage: Stage) -> AsyncIterator[None]:
    yield
    await stage.clear()


async def kinds(stage: Stage, page: SnapshotTab) -> list[str]:
    noted: list[list[Any]] = await run(stage, page, "notes")
    return [note[0] for note in noted]


# Kinds of presses.


@pytest.mark.parametrize(
    ("options", "events", "said"),
    [
        ({}, ["mousedown", "mouseup", "click"], "clicked"),
        ({"count": 2}, ["mousedown", "mouseup", "click"] * 2 + ["dblclick"], "double-clicked"),
        (
            {"button": "right"},
            ["mousedown", "contextmenu", "mouseup", "auxclick"],
            "right-clicked",
        ),
        ({"button": "middle"}, ["mousedown", "mouseup", "auxclick"], "middle-clicked"),
    ],
)
async def test_each_button_sends_what_a_mouse_would_send(
    stage: Stage, options: dict[str, Any], events: list[str], said: str
) -> None:
    page = await opened(stage, f"{NOTES}<button id=b>Press</button>")
    receipt = await click(page, "#b", **options)
    assert sorted(await kinds(stage, page)) == sorted(events)
    assert receipt.text().startswith(f'{said} button "Press" [e1]')
    assert receipt.hit == "<button#b>"


async def test_three_clicks_choose_a_paragraph(stage: Stage) -> None:
    page = await opened(stage, "<p id=p>Some words here</p>")
    receipt = await click(page, "#p", count=3)
    assert receipt.action == "triple-clicked"
    assert (await run(stage, page, "getSelection() + ''")).strip() == "Some words here"


async def test_modifiers_are_held(stage: Stage) -> None:
    page = await opened(stage, f"{NOTES}<button id=b>Press</button>")
    await click(page, "#b", modifiers=["Shift", "Control"])
    await click(page, "#b", modifiers="Alt+Meta")
    held = [note[3] for note in await run(stage, page, "notes") if note[0] == "click"]
    assert held == ["0101", "1010"]


async def test_a_position_is_counted_from_the_corner(stage: Stage) -> None:
    page = await opened(
        stage,
        """<div id=d style="position:absolute;left:40px;top:30px;width:300px;height:200px;
        background:#ddd" onclick="at = [event.offsetX, event.offsetY].join()"></div>""",
    )
    await click(page, "#d", position=(7, 190))
    assert await run(stage, page, "at") == "7,190"


async def test_a_press_is_held_from_when_the_page_has_it(stage: Stage) -> None:
    # The page is busy when the button goes down: that time is not part of the hold.
    page = await opened(
        stage,
        """<button id=b onmousedown="const until = performance.now() + 200;
        while (performance.now() < until); t = performance.now()"
        onmouseup="held = performance.now() - t">Hold</button>""",
    )
    receipt = await click(page, "#b", hold_ms=120)
    assert receipt.action == "clicked"
    assert await run(stage, page, "held") >= 119  # clocks of pages are coarse


async def test_hovering_moves_the_pointer_without_a_press(stage: Stage) -> None:
    page = await opened(
        stage,
        f"""{NOTES}<style>#m:hover + p {{ display: block }} p {{ display: none }}</style>
        <button id=m onmouseenter="this.title='entered'">Menu</button><p>Shown</p>""",
    )
    outcome = await page.hover("#m")
    assert outcome.value is not None
    assert outcome.value.text() == 'hovered button "Menu" [e1]; page changed (1 attribute)'
    assert await kinds(stage, page) == []
    assert (
        await run(stage, page, "getComputedStyle(document.querySelector('p')).display") == "block"
    )


async def test_a_point_can_be_clicked(stage: Stage) -> None:
    page = await opened(
        stage, f"{NOTES}<button id=b style='position:fixed;left:50px;top:60px'>At</button>"
    )
    receipt = await click(page, "60,70")
    assert (await run(stage, page, "notes.at(-1)"))[:2] == ["click", "b"]
    assert receipt.changed


@pytest.mark.parametrize(
    ("options", "field"),
    [
        ({"button": "left-ish"}, "button"),
        ({"count": 4}, "count"),
        ({"modifiers": ["Hyper"]}, "modifiers"),
    ],
)
async def test_bad_options_are_refused_before_anything_is_done(
    stage: Stage, options: dict[str, Any], field: str
) -> None:
    page = await opened(stage, f"{NOTES}<button id=b>Press</button>")
    with pytest.raises(ToolError, match=f"^{field}: "):
        await page.click("#b", **options)
    assert await kinds(stage, page) == []


# Kinds of targets.


async def test_every_form_of_target_finds_its_element(stage: Stage) -> None:
    page = await opened(
        stage,
        f"""{NOTES}<button id=b data-testid=go title=Tip>Go there</button>
        <label>Email <input id=i placeholder="you@there"></label><img id=m alt=Logo width=30
        height=30 src="data:,"><a id=l href="#x">Read on</a>""",
    )
    ref = refs(await page.snapshot())["Go there"]
    for target, hit in (
        (ref, "b"),
        ("#b", "b"),
        ("css=[data-testid]", "b"),
        ("text=go there", "b"),
        ('text="Go there"', "b"),
        ("button=Go", "b"),
        ('role=button[name="Go there"]', "b"),
        ("testid=go", "b"),
        ("title=Tip", "b"),
        ("//button", "b"),
        ("label=Email", "i"),
        ("placeholder=you@", "i"),
        ("alt=Logo", "m"),
        ("link=read", "l"),
    ):
        await click(page, target)
        assert (await run(stage, page, "notes.at(-1)"))[:2] == ["click", hit], target


async def test_many_matches_are_refused_with_their_count_and_nth_chooses(stage: Stage) -> None:
    page = await opened(stage, NOTES + "".join(f"<button id=b{n}>Same</button>" for n in range(7)))
    with pytest.raises(ToolError, match=r"matches 7 elements: .* and 2 more") as refused:
        await page.click("button=Same")
    assert "nth" in refused.value.hint
    await click(page, "button=Same", nth=3)
    await click(page, "button=Same", nth=-1)
    noted = [note[1] for note in await run(stage, page, "notes") if note[0] == "click"]
    assert noted == ["b3", "b6"]


async def test_a_checkbox_that_is_drawn_by_its_label_is_clicked_there(stage: Stage) -> None:
    page = await opened(
        stage,
        """<style>input { position: absolute; opacity: 0; width: 0; height: 0 }</style>
        <label><input type=checkbox id=c><span>Agree</span></label>
        <input type=radio id=r name=n><label for=r>Choice</label>""",
    )
    snapshot = await page.snapshot()
    assert sorted(refs(snapshot)) == ["Agree", "Choice"]
    await click(page, refs(snapshot)["Agree"])
    await click(page, refs(snapshot)["Choice"])
    assert await run(stage, page, "[c.checked, r.checked]") == [True, True]


async def test_areas_of_an_image_map_are_clicked_in_their_shape(stage: Stage) -> None:
    page = await opened(
        stage,
        """<img usemap="#m" width=300 height=100 src="data:,"><map name=m>
        <area shape=rect coords="0,0,100,100" href="#one" alt=One>
        <area shape=circle coords="200,50,40" href="#two" alt=Two>
        <area shape=poly coords="250,0,300,0,300,50" href="#three" alt=Three></map>""",
    )
    found = refs(await page.snapshot())
    assert sorted(found) == ["One", "Three", "Two"]
    for name, ref in found.items():
        await click(page, ref)
        assert await run(stage, page, "location.hash") == f"#{name.lower()}"


async def test_a_link_that_wraps_is_clicked_on_one_of_its_lines(stage: Stage) -> None:
    page = await opened(
        stage,
        """<div style="width:200px;font:20px monospace">words words wo <a href="#w">li nk</a>
        words</div>""",
    )
    await click(page, refs(await page.snapshot())["li nk"])
    assert await run(stage, page, "location.hash") == "#w"


async def test_elements_of_closed_roots_are_clicked_and_no_others_there(stage: Stage) -> None:
    page = await opened(
        stage,
        """<x-box></x-box><script>let root = document.querySelector('x-box')
        .attachShadow({mode: 'closed'}); var hits = [];
        root.innerHTML = '<button>One</button><button>Two</button>';
        root.querySelectorAll('button').forEach(b => b.onclick = () => hits.push(b.textContent));
        var swap = () => root.append(root.firstChild);</script>""",
    )
    found = refs(await page.snapshot())
    await click(page, found["Two"])
    await run(stage, page, "swap()")
    await click(page, found["One"])
    await click(page, found["Two"])
    assert await run(stage, page, "hits") == ["Two", "One", "Two"]


# What is in the way.


async def test_what_is_covered_names_its_cover_at_once(stage: Stage) -> None:
    page = await opened(
        stage,
        f"""{NOTES}<button>Under</button><div id=cover style="position:fixed;inset:0">Cookies?
        </div>""",
    )
    began = asyncio.get_running_loop().time()
    with pytest.raises(ToolError, match=r'"Under" .*is covered by <div#cover> "Cookies\?"'):
        await page.click("button=Under")
    assert asyncio.get_running_loop().time() - began < 2.5
    assert await kinds(stage, page) == []


@pytest.mark.parametrize(
    "cover",
    [
        "left:0;top:0;width:116px;height:40px",
        "left:84px;top:0;width:116px;height:40px",
        "left:0;top:0;width:200px;height:23px",
        "left:0;top:17px;width:200px;height:23px",
        "left:20px;top:4px;width:160px;height:32px",
    ],
    ids=["left", "right", "top", "bottom", "middle"],
)
async def test_what_is_partly_covered_is_clicked_where_it_is_free(stage: Stage, cover: str) -> None:
    page = await opened(
        stage,
        f"""{NOTES}<button id=b style="position:absolute;left:0;top:0;width:200px;height:40px">Half
        </button><div id=c style="position:absolute;background:#eee;{cover}">Cover</div>""",
    )
    assert "covered" not in node(await page.snapshot(), "Half").states
    await click(page, "button=Half")
    hit = [note[1] for note in await run(stage, page, "notes") if note[0] == "click"]
    assert hit == ["b"]


async def test_a_free_part_with_a_use_of_its_own_is_not_clicked_for_what_is_around(
    stage: Stage,
) -> None:
    page = await opened(
        stage,
        f"""{NOTES}<div role=button tabindex=0 aria-label=Card id=card
        style="position:absolute;left:0;top:0;width:200px;height:40px"><button id=x
        aria-label=Remove style="position:absolute;left:150px;width:50px;height:40px">x</button>
        </div><div style="position:absolute;left:0;top:0;width:150px;height:40px">Cover</div>""",
    )
    assert node(await page.snapshot(), "Card").states == ("covered",)
    with pytest.raises(ToolError, match="is covered by"):
        await page.click("#card", timeout=0.1)
    assert await kinds(stage, page) == []


_SKIPS = {
    "top:-100px": "top:0",
    "left:-999em": "left:0",
    "transform:translateY(-300%)": "transform:none",
    "position:fixed;top:-50px": "top:0",
    "top:-100px;transition:top .15s": "top:0",
    "width:1px;height:1px;overflow:hidden;clip:rect(0,0,0,0)": "width:auto;height:auto;clip:auto",
}


@pytest.mark.parametrize("away", _SKIPS)
async def test_a_skip_link_has_a_ref_and_is_shown_when_it_is_clicked(
    stage: Stage, away: str
) -> None:
    page = await opened(
        stage,
        f"""<style>.skip {{ position:absolute; {away} }} .skip:focus {{ {_SKIPS[away]} }}
        .drawer {{ position:absolute; left:-400px; width:300px }} .drawer a:focus {{ outline:none }}
        </style><a class=skip href=#main>Skip to the words</a>
        <nav class=drawer><a href=#drawn>Drawn</a></nav><p id=main>Words""",
    )
    snapshot = await page.snapshot()
    assert node(snapshot, "Skip to the words").states == ("shown-on-focus",)
    assert "Drawn" not in refs(snapshot)
    await click(page, refs(snapshot)["Skip to the words"])
    assert await run(stage, page, "location.hash") == "#main"


async def test_what_stands_off_the_page_for_good_says_what_to_do(stage: Stage) -> None:
    page = await opened(
        stage,
        """<a id=off href=#off style="position:absolute;left:-5000px">Off</a><p>Words
        <a id=cut href=#cut style="position:absolute;width:1px;height:1px;overflow:hidden;
        clip:rect(0,0,0,0)">Cut</a>
        <button id=rect style="position:absolute;clip:rect(1px,1px,1px,1px)">Rect</button>""",
    )
    snapshot = await page.snapshot()
    assert "Off" not in refs(snapshot)
    assert node(snapshot, "Cut").states == node(snapshot, "Rect").states == ("hidden",)
    for selector in ("#off", "#cut", "#rect"):
        with pytest.raises(ToolError, match="outside the page, or clipped to a point") as refused:
            await page.click(selector, timeout=0.1)
        assert "press Enter" in refused.value.hint


async def test_a_cover_that_goes_away_is_waited_for(stage: Stage) -> None:
    page = await opened(
        stage,
        f"""{NOTES}<button>Under</button><div id=cover style="position:fixed;inset:0"></div>
        <script>setTimeout(() => cover.remove(), 120)</script>""",
    )
    await click(page, "button=Under")
    assert (await kinds(stage, page))[-1] == "click"


@pytest.mark.parametrize(
    "moving",
    [
        "<style>@keyframes m { from { margin-left: 400px } } #b { animation: m .4s }</style>",
        """<script>let x = 300; const go = setInterval(() => { x -= 10;
        b.style.marginLeft = x + 'px'; if (x <= 0) clearInterval(go) }, 12)</script>""",
    ],
    ids=["by CSS", "by script"],
)
async def test_what_moves_is_clicked_where_it_is(stage: Stage, moving: str) -> None:
    page = await opened(
        stage, f"{NOTES}<button id=b>Moving</button><button id=n>Next</button>{moving}"
    )
    await click(page, "#b")
    hit = [note[1] for note in await run(stage, page, "notes") if note[0] == "click"]
    assert hit == ["b"]


async def test_what_will_soon_be_at_rest_is_waited_for(stage: Stage) -> None:
    page = await opened(
        stage,
        f"""{NOTES}<style>@keyframes m {{ from {{ margin-left: 400px }} }}
        #b {{ animation: m .4s steps(1) }}</style><button id=b>Jumps</button>
        <script>b.onanimationend = () => notes.push(['rest'])</script>""",
    )
    await click(page, "#b")
    assert await kinds(stage, page) == ["rest", "mousedown", "mouseup", "click"]


async def test_what_comes_late_is_waited_for(stage: Stage) -> None:
    page = await opened(
        stage,
        f"""{NOTES}<script>setTimeout(() => document.body.insertAdjacentHTML('beforeend',
        '<button id=late>Late</button>'), 300)</script>""",
    )
    await click(page, "button=Late")
    assert (await run(stage, page, "notes.at(-1)"))[:2] == ["click", "late"]


async def test_what_never_comes_fails_fast(stage: Stage) -> None:
    page = await opened(stage, "<p>nothing</p>")
    with pytest.raises(ToolError, match="matches nothing on the page now"):
        await page.click("button=Never", timeout=0.2)


async def test_a_disabled_button_is_not_clicked_and_one_that_wakes_is(stage: Stage) -> None:
    page = await opened(
        stage,
        f"""{NOTES}<button id=off disabled>Off</button><button id=soon disabled>Soon</button>
        <script>setTimeout(() => soon.disabled = false, 200)</script>""",
    )
    await click(page, "button=Soon")
    with pytest.raises(ToolError, match=r'button "Off" .*is disabled'):
        await page.click("button=Off", timeout=0.2)
    hit = [note[1] for note in await run(stage, page, "notes") if note[0] == "click"]
    assert hit == ["soon"]


async def test_what_is_hidden_says_so(stage: Stage) -> None:
    page = await opened(stage, "<button style='visibility:hidden'>Ghost</button>")
    with pytest.raises(ToolError, match="is hidden"):
        await page.click("css=button", timeout=0.2)


# Scrolling.


async def test_what_is_out_of_view_is_scrolled_to(stage: Stage) -> None:
    page = await opened(
        stage,
        f"""{NOTES}<div style="position:sticky;top:0;height:80px;background:#eee">Head</div>
        <div style="height:3000px"></div><div style="height:150px;overflow:auto;width:300px">
        <div style="height:2000px;width:2000px"></div>
        <button id=deep style="margin-left:1500px">Deep</button></div>
        <div style="height:3000px"></div><button id=last>Last</button>
        <div style="position:sticky;bottom:0;height:60px;background:#eee">Foot</div>""",
    )
    found = refs(await page.snapshot())
    for name in ("Deep", "Last"):
        await click(page, found[name])
        assert (await run(stage, page, "notes.at(-1)"))[:2] == ["click", name.lower()]


async def test_what_a_sticky_header_would_cover_is_moved_from_under_it(stage: Stage) -> None:
    page = await opened(
        stage,
        f"""{NOTES}<div style="position:fixed;top:0;left:0;right:0;height:70%;background:#eee">
        Head</div><div style="height:3000px"></div><button id=b>Below</button>
        <div style="height:3000px"></div>""",
    )
    await run(stage, page, "scrollTo(0, 2950)")
    await click(page, "#b")
    assert (await run(stage, page, "notes.at(-1)"))[:2] == ["click", "b"]


async def test_documents_without_a_doctype_are_scrolled_too(stage: Stage) -> None:
    stage.pages.add(
        "/quirks.html",
        "<div style='height:3000px'>far</div><button onclick=\"this.title='hit'\">Low</button>",
    )
    page = await opened(stage, "<iframe src=/quirks.html width=300 height=200></iframe>", frames=1)
    receipt = await click(page, refs(await page.snapshot())["Low"])
    assert receipt.dom["attributes"] == 1


async def test_frames_scaled_and_nested_three_deep_are_clicked_in(stage: Stage) -> None:
    pages = stage.pages
    frame = '<iframe src="{}" style="{}" width=500 height=260></iframe>'.format
    scaled = "transform:scale(.7) translate(20px,30px);transform-origin:0 0;border:7px solid"
    pages.add("/leaf.html", "<button onclick=\"this.textContent='Hit'\">Leaf</button>")
    third = pages.url("/leaf.html", "localhost")
    pages.add("/two.html", f"<p>two</p>{frame(third, 'zoom:1.3;padding:5px')}")
    second = pages.url("/two.html", "a.localhost")
    pages.add("/one.html", f"<p style='height:600px'>one</p>{frame(second, scaled)}")
    first = pages.url("/one.html", "localhost")
    page = await opened(stage, f"<p>top</p>{frame(first, scaled)}", frames=3)
    snapshot = await page.snapshot()
    leaf = node(snapshot, "Leaf")
    assert leaf.ref.startswith("f3e")
    receipt = await click(page, leaf.ref)
    assert receipt.dom["nodes added"] == 1
    assert node(await page.snapshot(), "Hit").ref.startswith("f3e")
