"""Snapshots: what is on a page, and the ways to ask for a part of it."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

from pilothouse.errors import ToolError
from pilothouse.page.snapshot.snapshot import SnapshotOptions
from tests.browser.browser_with_dialog_places import Stage, staged
from tests.page.snapshot_tab import all_nodes, body, node, opened, refs, run, see

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="module")]


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def stage(chromium_path: Path) -> AsyncIterator[Stage]:
    async with staged() as made:
        yield made


@pytest_asyncio.fixture(loop_scope="module", autouse=True)
async def cleared(stage: Stage) -> AsyncIterator[None]:
    yield
    await stage.clear()


# What is shown.


async def test_headings_landmarks_lists_tables_and_texts_are_shown(stage: Stage) -> None:
    page = await opened(
        stage,
        """<header><nav aria-label=Main><a href=#a>Home</a></nav></header><main><h1>Fruit</h1>
        <p>We have <b>apples</b> and <i>pears</i>.</p><ul><li>one<li>two <a href=#2>more</a></ul>
        <table><tr><th>Fruit<th>Price<tr><td>Apple<td>1.20<tr><td>Pear<td>
        <tr><td>Plum<td><button>Buy</button></table><div role=heading>Bare</div>
        <h3 aria-level=5>Five</h3></main><footer>© us</footer>""",
    )
    assert await see(page) == [
        "- banner:",
        '  - navigation "Main":',
        '    - link "Home" [ref=e3]',
        "- main:",
        '  - heading "Fruit" [level=1]',
        "  - text: We have apples and pears.",
        "  - list:",
        "    - listitem: one",
        "    - listitem: two",
        '      - link "more" [ref=e8]',
        "  - table:",
        "    - row: Fruit | Price",
        "    - row: Apple | 1.20",
        "    - row: Pear",
        "    - row: Plum",
        '      - button "Buy" [ref=e22]',
        '  - heading "Bare" [level=2]',
        '  - heading "Five" [level=5]',
        "- contentinfo: © us",
    ]


async def test_groups_captions_items_and_named_images_do_not_vanish(stage: Stage) -> None:
    page = await opened(
        stage,
        """<table><caption>Prices</caption><thead><tr><th>Fruit<th>Price</thead>
        <tbody><tr><td>Apple<td>1</tbody><tfoot><tr><td>Sum<td>1</tfoot></table>
        <table><thead><tr><th>Usual</thead><tbody><tr><td>rows</tbody></table>
        <table><thead><tr><th>Fish</thead><tbody aria-label=Fresh><tr><td>Cod</tbody></table>
        <table><tr><td>Laid<td>out<tr><td>by hand<td><button>Go</button></table>
        <ol><li>One</li><li><a href=#2>Two</a></li></ol><dir><li>Three</li></dir>
        <a href=#n aria-label="Our products"><img alt="A crate of pears" width=9 height=9></a>
        <a href=#p><img alt="Plums" width=9 height=9> and more</a>
        <h2 aria-label=Titled><img alt="Map" width=9 height=9></h2>
        <a href=#v aria-label=Veiled><img alt="Secret" width=9 height=9 style="opacity:0"></a>
        <div draggable=true>Card</div>""",
    )
    assert [re.sub(r"e\d+", "e", line) for line in await see(page)] == [
        "- table:",
        "  - caption: Prices",
        "  - rowgroup:",
        "    - row: Fruit | Price",
        "  - rowgroup:",
        "    - row: Apple | 1",
        "  - rowgroup:",
        "    - row: Sum | 1",
        "- table:",
        "  - row: Usual",
        "  - row: rows",
        "- table:",
        "  - row: Fish",
        '  - rowgroup "Fresh":',
        "    - row: Cod",
        "- table:",
        "  - row: Laid | out",
        "  - row: by hand",
        '    - button "Go" [ref=e]',
        "- list:",
        "  - listitem: One",
        '  - link "Two" [ref=e]',
        "- list:",
        "  - listitem: Three",
        '- link "Our products" [ref=e]:',
        '  - img "A crate of pears"',
        '- link "Plums and more" [ref=e]',
        '- heading "Titled" [level=2]:',
        '  - img "Map"',
        '- link "Veiled" [ref=e]',
        "- group: Card",
    ]


async def test_struck_out_and_inserted_text_is_told_from_other_text(stage: Stage) -> None:
    page = await opened(
        stage, "<p>Price <del>10</del> <ins>8</ins>, not <s>12</s></p><del hidden>x</del>"
    )
    assert await see(page) == [
        "- text: Price [deleted: 10] [inserted: 8], not [deleted: 12]",
    ]


async def test_what_the_browser_says_of_a_field_is_said_once_a_person_would_see_it(
    stage: Stage,
) -> None:
    page = await opened(
        stage, "<form><label>Town <input required id=town></label><button>Go</button></form>"
    )
    assert not any("invalid" in line for line in await see(page))
    await run(stage, page, "document.forms[0].requestSubmit(); 0")
    for interactive in (False, True):
        lines = [line.strip() for line in await see(page, interactive=interactive)]
        at = next(n for n, line in enumerate(lines) if "textbox" in line)
        assert lines[at + 1] == '- invalid "Please fill out this field."'


async def test_names_and_refs_behind_a_modal_dialog_stay(stage: Stage) -> None:
    page = await opened(
        stage, "<h1>Shop</h1><button>Buy</button><dialog id=d>Sure?<button>Yes</button></dialog>"
    )
    before = await see(page)
    await run(stage, page, "d.showModal(); 0")
    behind = await see(page)
    assert behind[:2] == [before[0], f"{before[1]} [covered]"]
    await run(stage, page, "d.close(); 0")
    assert await see(page) == before


async def test_alerts_status_and_headings_late_in_a_long_page_are_shown(stage: Stage) -> None:
    many = "".join(f"<p>words number {n}</p>" for n in range(3000))
    late = "<div role=alert>It failed</div><h2>Totals</h2><div><p role=status>3 left</p></div>"
    page = await opened(stage, f"<main>{many}{late}{many}</main>")
    shown = await page.snapshot(SnapshotOptions(budget=1000))
    assert shown.tokens <= 1000
    lines = [line.strip() for line in shown.text.splitlines()]
    for said in ("- alert: It failed", '- heading "Totals" [level=2]', "- status: 3 left"):
        assert said in lines


async def test_states_are_said(stage: Stage) -> None:
    page = await opened(
        stage,
        """<button disabled>Off</button><fieldset disabled><input aria-label=Infield></fieldset>
        <input type=checkbox checked aria-label=Yes><input type=checkbox aria-label=No>
        <input type=checkbox id=half aria-label=Half><script>half.indeterminate = true</script>
        <button aria-pressed=true>Bold</button><button aria-pressed=mixed>Mixed</button>
        <button aria-expanded=false>Menu</button><button aria-expanded=true>Shown</button>
        <input required readonly aria-label=Must><input aria-invalid=true aria-label=Wrong>
        <div role=tab aria-selected=true tabindex=0>Tab</div><a href=# aria-current=page>Here</a>
        <div role=switch aria-checked=true tabindex=0>Wifi</div>
        <details open><summary>More</summary>Inside</details><input autofocus aria-label=Focus>
        <div aria-disabled=true><button>Below</button></div><div inert><button>Inert</button></div>
        """,
    )
    snapshot = await page.snapshot()
    said = {n.name: n.states for n in all_nodes(snapshot) if n.acts and n.states}
    assert said == {
        "Off": ("disabled",),
        "Infield": ("disabled",),
        "Yes": ("checked",),
        "Half": ("checked=mixed",),
        "Bold": ("pressed",),
        "Mixed": ("pressed=mixed",),
        "Menu": ("collapsed",),
        "Shown": ("expanded",),
        "Must": ("required", "readonly"),
        "Wrong": ("invalid",),
        "Tab": ("selected",),
        "Here": ("current",),
        "Wifi": ("checked",),
        "More": ("expanded",),
        "Focus": ("focused",),
        "Below": ("disabled",),
    }
    assert any(line.endswith(": Inert") for line in body(snapshot)), "seen, but nothing to act on"


async def test_values_are_shown_but_never_a_password(stage: Stage) -> None:
    page = await opened(
        stage,
        """<input aria-label=Name value=Anna><input type=password aria-label=Word value=geheim>
        <textarea aria-label=Text>one\ntwo</textarea><input type=range aria-label=Loud value=30>
        <select aria-label=One><option>a<option selected>b<option>c</select>
        <select multiple aria-label=Many><option selected>x<option selected>y</select>
        <progress aria-label=Done max=10 value=4></progress><input type=hidden value=geheim>
        <div contenteditable role=textbox aria-label=Rich>Rich <b>text</b></div>
        <input type=password aria-label=Shown value=geheim><script>
        document.querySelector('[aria-label=Shown]').setAttribute('aria-valuetext', 'geheim')
        </script>""",
    )
    snapshot = await page.snapshot(SnapshotOptions(hidden=True))
    values = {n.name: n.value for n in all_nodes(snapshot) if n.value}
    assert values == {
        "Name": "Anna",
        "Word": "••••••",
        "Text": "one two",
        "Loud": "30",
        "One": "b (or a | c)",
        "Many": "x, y",
        "Done": "4",
        "Rich": "Rich text",
        "Shown": "••••••",
    }
    assert "geheim" not in snapshot.text


async def test_options_that_many_lists_have_are_said_once(stage: Stage) -> None:
    row = "<select aria-label='{}'><option>Red<option{}>Green<option>Blue</select>"
    other = "<select aria-label=Last><option>Red<option>Green</select>"
    page = await opened(stage, row.format("First", "") + row.format("Second", " selected") + other)
    values = {n.name: n.value for n in all_nodes(await page.snapshot())}
    assert values == {
        "First": "Red (or Green | Blue)",
        "Second": "Green (or …)",
        "Last": "Red (or Green)",
    }
    assert "Green (or Red | Blue)" in (await page.snapshot(SnapshotOptions(find="Second"))).text
    # Where options go by other words than their text, nothing is taken for the same.
    page = await opened(stage, row.format("First", "") + row.format("Second", " label=Verde"))
    values = {n.name: n.value for n in all_nodes(await page.snapshot())}
    assert values["Second"] == "Red (or Verde | Blue)"


async def test_a_password_that_is_made_readable_stays_secret(stage: Stage) -> None:
    """Show-password buttons turn the field into one of text: then the page itself shows it."""
    page = await opened(stage, "<input type=password aria-label=Word value=geheim id=w>")
    assert "geheim" not in "\n".join(await see(page))
    await run(stage, page, "w.type = 'text'")
    assert await see(page) == ['- textbox "Word" [ref=e1]: geheim']


HIDDEN = """<style>.sr{position:absolute;width:1px;height:1px;overflow:hidden;clip:rect(0 0 0 0)}
    .sr2{position:absolute;clip-path:inset(50%);width:1px;height:1px;overflow:hidden}</style>
    <p>plainly seen</p><p style="display:none">none secret</p><p hidden>hidden secret</p>
    <p style="visibility:hidden">invisible secret</p><p style="opacity:0">transparent secret</p>
    <p class=sr>sr secret</p><p class=sr2>clipped secret</p>
    <p style="position:absolute;left:-9999px">off secret</p>
    <p style="position:fixed;top:-500px">above secret</p><p style="font-size:0">tiny secret</p>
    <p style="text-indent:-9999px">indent secret</p><div style="height:0;overflow:hidden">
    flat secret</div><div style="width:0;height:0;overflow:hidden"><p>nosize secret</p></div>
    <template>template secret</template><noscript>noscript secret</noscript>
    <p style="transform:scale(0)">scaled secret</p><p style="transform:translateX(-9999px)">
    moved secret</p><p style="color:transparent">colour secret</p>
    <p style="filter:opacity(0)">filter secret</p>
    <div style="content-visibility:hidden"><p>skipped secret</p>bare-skipped secret</div>
    <canvas width=9 height=9>canvas secret</canvas><video>video secret</video>
    <p style="clip-path:circle(0)">circle secret</p><p style="position:relative;left:-5000px">
    shifted secret</p><p style="max-height:0;overflow:hidden;margin:0">max secret</p>
    <p style="color:#fff;background:#fff">white secret</p><p style="font-size:1px">point secret</p>
    <details><summary>Sum</summary>closed secret</details>
    <p><span style="display:inline-block;width:0;overflow:hidden;white-space:nowrap">
    span secret</span></p><p style="visibility:collapse">collapse secret</p>
    <p aria-hidden=true>aria-hidden seen</p>
    <div style="font-size:0"><span style="font-size:16px">gapless seen</span></div>
    <div style="height:0"><p>spilling seen</p></div>
    <div style="overflow:hidden;transform:scale(.5)">scaled seen</div>"""


async def test_text_that_nobody_sees_is_not_shown_by_default(stage: Stage) -> None:
    page = await opened(stage, HIDDEN)
    text = "\n".join(await see(page))
    assert sorted(set(re.findall(r"(\S+) secret", text))) == []
    shown = set(re.findall(r"(\S+) seen", text))
    assert shown == {"plainly", "aria-hidden", "gapless", "spilling", "scaled"}, (
        "what is painted is shown"
    )


async def test_hidden_text_can_be_asked_for(stage: Stage) -> None:
    page = await opened(stage, HIDDEN)
    found = set(re.findall(r"(\S+) secret", "\n".join(await see(page, hidden=True, budget=0))))
    assert {"sr", "off", "transparent", "tiny", "indent", "clipped"} <= found


async def test_names_only_for_screen_readers_are_marked_by_nothing_but_are_names(
    stage: Stage,
) -> None:
    """A name is what an agent calls a thing by; it is no text of the page."""
    page = await opened(stage, "<button aria-label='Close dialog'>x</button>")
    assert await see(page) == ['- button "Close dialog" [ref=e1]']


async def test_text_of_shadow_roots_slots_and_contents_is_in_its_place(stage: Stage) -> None:
    page = await opened(
        stage,
        """<x-open><b slot=s>slotted</b>unslotted</x-open><x-closed>light</x-closed>
        <div style="display:contents"><button>In contents</button></div>
        <script>customElements.define('x-open', class extends HTMLElement { constructor() {
        super(); this.attachShadow({mode: 'open'}).innerHTML =
        'before <slot name=s></slot> after <button>Open</button><slot name=none>fallback</slot>'}})
        customElements.define('x-closed', class extends HTMLElement { constructor() { super();
        this.attachShadow({mode: 'closed'}).innerHTML =
        '<button>Closed</button><x-inner></x-inner>' }})
        customElements.define('x-inner', class extends HTMLElement { constructor() { super();
        this.attachShadow({mode: 'closed'}).innerHTML = '<a href=#>Deeper</a>' }})</script>""",
    )
    for _ in range(2):
        lines = await see(page)
        assert [re.sub(r" \[ref=e\d+\]", "", line) for line in lines] == [
            "- text: before slotted after",
            '- button "Open"',
            "- text: fallback",
            '- button "Closed"',
            '- link "Deeper"',
            '- button "In contents"',
        ]


async def test_things_that_only_listen_or_look_clickable_are_listed(stage: Stage) -> None:
    page = await opened(
        stage,
        """<div id=a>Listens</div><div onclick="1">Inline</div><div style="cursor:pointer">Hand
        <span>inside</span></div><div tabindex=0>Focusable</div><div>Plain</div>
        <x-s></x-s><script>a.addEventListener('click', () => 1);
        document.body.addEventListener('click', () => 1);
        let r = document.querySelector('x-s').attachShadow({mode: 'open'});
        r.innerHTML = '<p>In shadow</p>'; r.firstChild.addEventListener('mousedown', () => 1);
        </script>""",
    )
    assert [re.sub(r"e\d+", "e", line) for line in await see(page)] == [
        "- generic [ref=e]: Listens",
        "- generic [ref=e]: Inline",
        "- generic [ref=e]: Hand inside",
        "- generic [ref=e]: Focusable",
        "- text: Plain",
        "- generic [ref=e]: In shadow",
    ]


async def test_what_begins_to_listen_or_ends_it_is_seen_at_the_next_look(stage: Stage) -> None:
    page = await opened(stage, "<div id=a>Word</div><script>f = () => 1</script>")
    for change, line in [
        ("0", "- text: Word"),
        ("0", "- text: Word"),
        ("a.addEventListener('click', f); 0", "- generic [ref=e]: Word"),
        ("0", "- generic [ref=e]: Word"),
        ("a.removeEventListener('click', f); 0", "- text: Word"),
        ("0", "- text: Word"),
    ]:
        await run(stage, page, change)
        assert [re.sub(r"e\d+", "e", line) for line in await see(page)] == [line]


async def test_what_is_covered_says_so(stage: Stage) -> None:
    page = await opened(
        stage,
        """<button>Under</button><div style="position:fixed;inset:0 0 50% 0;background:#fff">over
        </div><button style="position:fixed;bottom:0">Free</button>""",
    )
    snapshot = await page.snapshot()
    assert node(snapshot, "Under").states == ("covered",)
    assert node(snapshot, "Free").states == ()


# Asking for a part.

MANY = "<main>" + "".join(
    f"<section aria-label='S{n}'><h2>Part {n}</h2><p>Words of part {n}</p><ul>"
    + "".join(f"<li><button>Do {n}.{m}</button> <span>item {m}</span>" for m in range(20))
    + "</ul></section>"
    for n in range(20)
)


async def test_only_what_acts_can_be_asked_for(stage: Stage) -> None:
    page = await opened(stage, MANY)
    lines = await see(page, interactive=True, budget=0)
    assert len(lines) == 400
    assert all(re.fullmatch(r' *- button "Do \d+\.\d+" \[ref=e\d+\]', line) for line in lines)


async def test_a_budget_holds_and_what_is_cut_can_be_expanded_by_ref(stage: Stage) -> None:
    page = await opened(stage, MANY)
    snapshot = await page.snapshot(SnapshotOptions(budget=600))
    assert snapshot.tokens <= 600
    assert snapshot.cut > 400
    assert snapshot.acting == 400
    more = re.search(r"- … (\d+) more \(.*\) \[expand=(e\d+)\]", snapshot.text)
    assert more is not None
    expanded = await page.snapshot(SnapshotOptions(root=more[2], budget=0))
    assert expanded.cut == 0
    assert len(body(expanded)) > int(more[1])
    whole = await page.snapshot(SnapshotOptions(budget=0))
    assert whole.cut == 0
    assert refs(whole) == refs(snapshot)


async def test_a_depth_can_be_asked_for(stage: Stage) -> None:
    page = await opened(stage, MANY)
    lines = await see(page, depth=2, budget=0)
    assert lines[:2] == ["- main:", '  - region "S0":']
    assert re.fullmatch(r"    - … \d+ more \(.*20 button.*\) \[expand=e\d+\]", lines[2])
    assert len(lines) == 1 + 2 * 20


async def test_a_subtree_can_be_asked_for_by_ref(stage: Stage) -> None:
    page = await opened(stage, MANY)
    whole = await page.snapshot(SnapshotOptions(budget=0))
    ref = node(whole, "S7", "region").ref
    part = await page.snapshot(SnapshotOptions(root=ref))
    lines = body(part)
    assert lines[0] == '- region "S7":'
    assert sum("button" in line for line in lines) == 20
    assert refs(part).items() <= refs(whole).items()


async def test_a_root_that_is_no_ref_or_gone_is_refused(stage: Stage) -> None:
    page = await opened(stage, "<main id=m><button>A</button></main>")
    with pytest.raises(ToolError, match="root: 'main' is not a ref"):
        await page.snapshot(SnapshotOptions(root="main"))
    ref = node(await page.snapshot(), "", "main").ref
    await run(stage, page, "m.remove()")
    with pytest.raises(ToolError, match=f"root: {ref} is no longer on the page"):
        await page.snapshot(SnapshotOptions(root=ref))
    with pytest.raises(ToolError):
        await page.snapshot(SnapshotOptions(root="e999"))


async def test_only_the_viewport_can_be_asked_for(stage: Stage) -> None:
    page = await opened(
        stage,
        """<button>Top</button><p>near</p><div style="height:5000px"></div><p>far</p>
        <button>Bottom</button>""",
    )
    assert [line for line in await see(page) if "Bottom" in line]
    lines = await see(page, viewport=True)
    assert [re.sub(r" \[ref.*", "", line) for line in lines] == ['- button "Top"', "- text: near"]
    await run(stage, page, "scrollTo(0, 9999)")
    lines = await see(page, viewport=True)
    assert [re.sub(r" \[ref.*", "", line) for line in lines] == ["- text: far", '- button "Bottom"']


async def test_boxes_can_be_asked_for(stage: Stage) -> None:
    page = await opened(
        stage, "<button style='position:fixed;left:10px;top:20px;width:80px;height:30px'>B</button>"
    )
    assert await see(page, boxes=True) == ['- button "B" [ref=e1] [box=10,20,80,30]']


async def test_text_and_patterns_can_be_found(stage: Stage) -> None:
    page = await opened(stage, MANY)
    snapshot = await page.snapshot(SnapshotOptions(find="do 7.1"))
    assert snapshot.matches == 11
    lines = body(snapshot)
    assert lines[:2] == ["- main:", '  - region "S7":']
    assert sum("button" in line for line in lines) == 11
    pattern = await page.snapshot(SnapshotOptions(find=re.compile(r"^Do 1\d\.19$")))
    assert pattern.matches == 10
    assert (await page.snapshot(SnapshotOptions(find="no such words"))).matches == 0


async def test_a_page_without_anything_is_shown_as_that(stage: Stage) -> None:
    page = await opened(stage, "")
    snapshot = await page.snapshot()
    assert (body(snapshot), snapshot.elements, snapshot.acting) == ([], 0, 0)
    assert snapshot.title == "Seen"
