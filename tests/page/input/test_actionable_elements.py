"""From a target to a point: who is found, who is waited for, and in which frame."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

from pilothouse.errors import ToolError
from pilothouse.page.input.actionable_elements import Requirements
from pilothouse.page.input.selectors import Query, parse_selector
from pilothouse.page.snapshot.refs import Ref
from tests.browser.browser_with_dialog_places import Stage, staged
from tests.page.snapshot_tab import SnapshotTab, node, opened, refs

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="module")]


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def stage(chromium_path: Path) -> AsyncIterator[Stage]:
    async with staged() as made:
        made.pages.add("/inner.html", "<title>i</title><button>Twin</button><button>Inner</button>")
        yield made


@pytest_asyncio.fixture(loop_scope="module", autouse=True)
async def cleared(stage: Stage) -> AsyncIterator[None]:
    yield
    await stage.clear()


async def test_what_was_found_is_described(stage: Stage) -> None:
    page = await opened(
        stage,
        "<input type=checkbox checked aria-label=Box style='position:fixed;left:90px;top:50px'>",
    )
    element = await page.resolver.resolve("checkbox=Box")
    assert (element.role, element.name, element.selector) == ("checkbox", "Box", "e1")
    assert element.describe() == 'checkbox "Box" [e1]'
    assert (element.facts["local"], element.facts["type"], element.facts["checked"]) == (
        "input",
        "checkbox",
        True,
    )
    box = element.facts["box"]
    assert (element.x, element.y) == (box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)


async def test_a_selector_is_looked_for_in_every_frame_the_main_one_first(stage: Stage) -> None:
    foreign = stage.pages.url("/inner.html", "localhost")
    page = await opened(
        stage, f"<button>Twin</button><iframe title=In src='{foreign}'></iframe>", frames=1
    )
    assert (await page.resolver.resolve("button=Twin")).frame == page.tab_context.main()
    inner = await page.resolver.resolve("button=Inner")
    assert inner.frame.parent == page.tab_context.main().id
    assert inner.session is not page.tab_context.session
    frame = node(await page.snapshot(), "In").ref
    assert (await page.resolver.resolve("button=Twin", frame=frame)).frame == inner.frame
    assert (await page.resolver.resolve("button=Twin", frame=inner.frame.id)).frame == inner.frame
    with pytest.raises(ToolError, match="frame: e999 is not an iframe"):
        await page.resolver.resolve("button=Twin", frame="e999")


async def test_points_need_no_element(stage: Stage) -> None:
    page = await opened(stage, "")
    element = await page.resolver.resolve({"x": 12, "y": 34})
    assert (element.x, element.y, element.world, element.describe()) == (
        12,
        34,
        None,
        "point [12,34]",
    )


@pytest.mark.parametrize(
    ("html", "requirements", "why"),
    [
        ("<input id=t disabled>", Requirements(), "is disabled"),
        ("<input id=t readonly>", Requirements(editable=True), "is read-only"),
        ("<input id=t style='visibility:hidden'>", Requirements(), "is hidden"),
        ("<div id=t></div>", Requirements(), "is hidden"),
        (
            "<div style='height:0;overflow:hidden'><button id=t>x</button></div>",
            Requirements(),
            "is ",
        ),
    ],
)
async def test_what_is_in_the_way_is_said_when_the_time_is_over(
    stage: Stage, html: str, requirements: Requirements, why: str
) -> None:
    page = await opened(stage, html)
    with pytest.raises(ToolError, match=why):
        await page.resolver.resolve("#t", requirements, timeout=0.1)


async def test_needs_can_be_waived(stage: Stage) -> None:
    page = await opened(stage, "<input id=t disabled hidden>")
    requirements = Requirements(visible=False, enabled=False, point=False)
    assert (await page.resolver.resolve("#t", requirements)).facts["local"] == "input"


async def test_an_invalid_selector_fails_at_once(stage: Stage) -> None:
    page = await opened(stage, "")
    began = asyncio.get_running_loop().time()
    for target in ("a[", "xpath=//[", "div:nope("):
        with pytest.raises(ToolError, match="is not a valid selector"):
            await page.resolver.resolve(target)
    assert asyncio.get_running_loop().time() - began < 2


async def test_nothing_that_matches_is_given_up_after_two_seconds(stage: Stage) -> None:
    page = await opened(stage, "<p>nothing here</p>")
    began = asyncio.get_running_loop().time()
    with pytest.raises(ToolError, match="matches nothing"):
        await page.resolver.resolve("button=Never")
    assert 1.5 < asyncio.get_running_loop().time() - began < 6


async def test_hidden_twins_do_not_make_a_selector_ambiguous(stage: Stage) -> None:
    page = await opened(stage, "<button hidden>Save</button><button>Save</button>")
    assert (await page.resolver.resolve("button=Save")).name == "Save"
    assert (await page.resolver.resolve("css=button")).number


async def test_the_field_at_fault_is_named(stage: Stage) -> None:
    page = await opened(stage, "")
    with pytest.raises(ToolError, match=r"^source: expected a selector, got an empty string"):
        await page.resolver.resolve("", name="source")


async def test_a_ref_is_found_in_one_question(stage: Stage) -> None:
    page = await opened(stage, "<button>B</button>")
    ref = refs(await page.snapshot())["B"]
    element = await page.resolver.resolve(f"[ref={ref}]")
    assert element.selector == ref


# Selectors.

_SHOP = (
    "<button>Add item 7</button>"
    + "".join(f"<button>Add item {n}</button>" for n in range(70, 80))
    + """<style>.gone{display:none}</style>
<button class=gone>Remove</button><button>Remove all</button>
<button>Total</button><button>TOTAL</button>
<table><tr id=ada><td>Ada</td><td><button data-name="Edit Ada">Edit</button>
<button>Drop</button></td></tr>
<tr id=bob><td>Bob</td><td><button data-name="Edit Bob">Edit</button>
<button data-name="Drop Bob">Drop</button></td></tr></table>
<p>Sign in to go on</p><a href=#s data-name=link>Sign in</a>
<a href=#h data-name=home><img alt=Homepage width=20 height=20></a><h2>Homepage</h2>
<ul id=list><li>One <b>word</b></li><li class=gone>Two</li><li>Three</li></ul>
<div id=host></div><script>host.attachShadow({mode: 'open'}).innerHTML =
  '<section><button id=inner>Within</button></section>'</script>
<iframe srcdoc='<button>Framed</button>'></iframe>"""
)


# What is found first, by its text or id; None: nothing.
_FOUND = {
    "button=Add item 7": "Add item 7",
    "button=add item 7": "Add item 7",
    "text=Add item 7": "Add item 7",
    "label=Add item 7": "Add item 7",
    "aria/Add item 7": "Add item 7",
    "button:has-text('Add item 7')": "Add item 7",
    "button=Add item >> nth=1": "Add item 70",
    "button=Add item nth=-1": "Add item 79",
    "button=Remove": "Remove all",
    "button=TOTAL": "TOTAL",
    "button=Total": "Total",
    "text=Sign in": "link",
    "aria/Homepage": "home",
    'aria/Homepage[role="heading"]': "Homepage",
    "tr:has-text('Bob') >> button=Edit": "Edit Bob",
    "tr:has-text('Bob') button >> nth=1": "Drop Bob",
    "tr >> nth=-1 >> text=Drop": "Drop Bob",
    "//tr[2] >> .//button[1]": "Edit Bob",
    "text=Ada >> xpath=..//button[1]": "Edit Ada",
    "text=Ada >> .. >> text=Edit": "Edit Ada",
    "#ada ::-p-text(Edit)": "Edit Ada",
    "#ada button::-p-text(Edit)": "Edit Ada",
    "#list > ::-p-text(Three)": "Three",
    "#list > ::-p-text(word)": None,
    "#list li >> nth=1": "Three",
    "#host >>> #inner": "Within",
    "#host >>> ::-p-aria(Within)": "Within",
    ">>> #inner": "Within",
    "section >> button=Within": "Within",
}


async def found_by(page: SnapshotTab, selector: str) -> str | None:
    try:
        element = await page.resolver.resolve(selector, timeout=0)
    except ToolError as error:
        return None if "matches nothing" in error.message else error.message
    target = Ref(0, element.number)
    said: str = (await page.resolver.call_on(target, "inspect", "attr", "data-name"))["value"]
    return said or (await page.resolver.call_on(target, "inspect", "text", ""))["value"]


async def test_selectors_find_the_one_that_is_meant(stage: Stage) -> None:
    page = await opened(stage, _SHOP)
    assert {selector: await found_by(page, selector) for selector in _FOUND} == _FOUND


async def test_several_that_match_are_told_with_a_selector_that_works(stage: Stage) -> None:
    page = await opened(stage, _SHOP)
    with pytest.raises(ToolError, match=r"'button=Edit' matches 2 elements: ") as refused:
        await page.resolver.resolve("button=Edit")
    assert "'button=Edit >> nth=0' for the first" in refused.value.hint
    first = await page.resolver.resolve("button=Edit >> nth=0")
    assert (await page.resolver.resolve("button=Edit", nth=0)).number == first.number
    with pytest.raises(ToolError, match="nth is out of range, it matches 2 elements"):
        await page.resolver.resolve("button=Edit >> nth=2", timeout=0)


async def test_a_frame_is_named_by_its_name_or_a_part_of_its_address(stage: Stage) -> None:
    stage.pages.add("/pay.html", "<button>Twin</button>")
    inner = "".join(f"<iframe name=n{n} src='/pay.html?{n}'></iframe>" for n in (1, 2))
    page = await opened(stage, f"<button>Twin</button>{inner}", frames=2)
    second = await page.resolver.resolve("button=Twin", frame="n2")
    assert second.frame.url.endswith("/pay.html?2")
    assert (await page.resolver.resolve("button=Twin", frame="pay.html?2")).frame == second.frame
    with pytest.raises(ToolError, match=r"frame: 'pay\.html' matches 2 frames"):
        await page.resolver.resolve("button=Twin", frame="pay.html")
    with pytest.raises(ToolError, match="frame: the page has no frame Payment"):
        await page.resolver.resolve("button=Twin", frame="Payment")


async def test_steps_do_not_lead_into_frames_and_say_so(stage: Stage) -> None:
    page = await opened(stage, _SHOP)
    with pytest.raises(ToolError, match="matches nothing") as refused:
        await page.resolver.resolve("iframe >> button=Framed", timeout=0)
    assert "frame=" in refused.value.hint


async def test_what_matches_is_counted_as_it_is_chosen(stage: Stage) -> None:
    page = await opened(stage, _SHOP)
    for selector, count in (
        ("button=Add item 7", 1),
        ('button="Add item"', 0),
        ("button=Add item", 11),
        ("button=Edit >> nth=1", 1),
        ("button=Edit >> nth=2", 0),
        ("#list >> li", 3),
    ):
        target = parse_selector(selector)
        assert isinstance(target, Query)
        assert (await page.resolver.call_on(target, "inspect", "count", ""))["value"] == count, (
            selector
        )
