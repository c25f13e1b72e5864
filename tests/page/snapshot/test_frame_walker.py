"""Snapshots of pages that are more than one document, or that change or hang meanwhile."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

from pilothouse.cdp import Command
from pilothouse.errors import ToolError
from pilothouse.page.snapshot.snapshot import SnapshotOptions
from pilothouse.supervisor import State
from tests.browser.browser_with_dialog_places import WITHIN_S, Stage, staged
from tests.page.snapshot_tab import (
    SnapshotTab,
    all_nodes,
    body,
    click,
    node,
    opened,
    refs,
    run,
    see,
)
from tests.soak_extent import repeats

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="module")]


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def stage(chromium_path: Path) -> AsyncIterator[Stage]:
    async with staged() as made:
        made.pages.add("/small.html", "<!doctype html><title>s</title><button>Small</button>")
        made.pages.add("/deep.html", "<!doctype html><title>d</title><button>Deep</button>")
        deep = made.pages.url("/deep.html", "a.localhost")
        made.pages.add(
            "/mid.html",
            f'<!doctype html><title>m</title><p>middle</p><iframe src="{deep}"></iframe>'
            '<iframe src="/small.html" title="same process"></iframe>',
        )
        yield made


@pytest_asyncio.fixture(loop_scope="module", autouse=True)
async def cleared(stage: Stage) -> AsyncIterator[None]:
    yield
    await stage.clear()


def framed(stage: Stage) -> str:
    mid = stage.pages.url("/mid.html", "localhost")
    return f'<p>top</p><iframe src="{mid}"></iframe><iframe srcdoc="<a href=#>Doc</a>"></iframe>'


async def reload(stage: Stage, page: SnapshotTab) -> None:
    """Load the page's document anew, and wait for it."""
    # Read before: the new document may be there when the answer is.
    old = page.tab_context.main().loader
    await stage.sup.cdp("Page.reload", tab=page.tab)
    await stage.loaded(page.tab, but=old)


# Frames.


async def test_every_frame_stands_in_its_place_with_its_origin(stage: Stage) -> None:
    page = await opened(stage, framed(stage), frames=4)
    port = stage.pages.port
    assert await see(page) == [
        "- text: top",
        f"- iframe [ref=e1] (http://localhost:{port}):",
        "  - text: middle",
        f"  - iframe [ref=f1e1] (http://a.localhost:{port}):",
        '    - button "Deep" [ref=f3e1]',
        '  - iframe "same process" [ref=f1e2]:',
        '    - button "Small" [ref=f4e1]',
        "- iframe [ref=e2]:",
        '  - link "Doc" [ref=f2e1]',
    ]


async def test_a_frame_can_be_looked_at_alone(stage: Stage) -> None:
    page = await opened(stage, framed(stage), frames=4)
    await page.snapshot()
    assert await see(page, root="e2") == ["- iframe [ref=e2]:", '  - link "Doc" [ref=f2e1]']
    assert await see(page, root="f3e1") == ['- button "Deep" [ref=f3e1]']
    assert await see(page, interactive=True, find="small") == [
        f"- iframe [ref=e1] (http://localhost:{stage.pages.port}):",
        '  - iframe "same process" [ref=f1e2]:',
        '    - button "Small" [ref=f4e1]',
    ]


async def test_a_frame_that_hangs_does_not_hold_up_the_others(stage: Stage) -> None:
    stage.pages.add("/hang.html", "<!doctype html><title>h</title><button>Hangs</button>")
    hung = stage.pages.url("/hang.html", "localhost")
    page = await opened(stage, f'<button>Alive</button><iframe src="{hung}"></iframe>', frames=1)
    await page.snapshot()
    inner = page.tab_context.frames()[1]
    session = page.tab_context.session_of(inner)
    session.send(Command("Runtime.evaluate", {"expression": "for (;;) {}"}))
    began = asyncio.get_running_loop().time()
    lines = await see(page)
    assert asyncio.get_running_loop().time() - began < 6
    assert lines[0] == '- button "Alive" [ref=e1]'
    assert "[no-answer]" in lines[1]
    session.send(Command("Runtime.terminateExecution", {}))


@pytest.mark.soak
async def test_a_page_of_very_many_frames_is_bounded(stage: Stage) -> None:
    count = repeats(150, 1000)
    page = await opened(stage, "<button>First</button><div id=d></div><button>Last</button>")
    for start in range(0, count, 50):
        made = f"""for (let n = {start}; n < {start} + 50; n++) {{
            const f = document.createElement('iframe'); f.style.cssText = 'width:40px;height:20px';
            d.append(f); f.contentDocument.body.innerHTML = '<button>B' + n + '</button>'; }} 0"""
        await run(stage, page, made)
    async with asyncio.timeout(15):
        snapshot = await page.snapshot(SnapshotOptions(budget=0))
    assert {"First", "Last"} <= set(refs(snapshot))
    silent = sum(n.role == "iframe" and "no-answer" in n.states for n in all_nodes(snapshot))
    assert snapshot.acting - 2 + silent == count


async def test_a_page_that_navigates_meanwhile_is_seen_as_one_of_the_two(stage: Stage) -> None:
    stage.pages.add("/after.html", "<!doctype html><title>After</title><button>After</button>")
    for wait in range(0, 40, 5):
        page = await opened(stage, "<button>Before</button>" + "<p>word</p>" * 200)
        await run(stage, page, f"setTimeout(() => location = '/after.html', {wait}); 0")
        snapshot = await page.snapshot()
        assert set(refs(snapshot)) in ({"Before"}, {"After"}), snapshot.text
        await stage.sup.close_tab(page.tab)


async def test_a_document_that_has_only_just_begun_is_waited_for(stage: Stage) -> None:
    page = await opened(stage, "<p>Old</p>")
    late = "document.write('<button>Late</button>'); document.close()"
    await run(stage, page, f"document.open(); setTimeout(() => {{ {late} }}, 50); 0")
    assert set(refs(await page.snapshot())) == {"Late"}


async def test_a_document_in_which_nothing_comes_is_shown_empty(stage: Stage) -> None:
    page = await opened(stage, "<p>Old</p>")
    await run(stage, page, "document.open(); 0")
    assert (await page.snapshot()).elements == 0


# Dialogs.


async def test_a_dialog_gives_the_last_snapshot_at_once_marked_stale(stage: Stage) -> None:
    page = await opened(stage, "<button onclick='alert(1)'>Ask</button><p>words</p>")
    before = await page.snapshot()
    outcome = await page.click("button=Ask")
    assert outcome.blocked_by
    began = asyncio.get_running_loop().time()
    for look in (SnapshotOptions(), SnapshotOptions(diff=True)):
        snapshot = await page.snapshot(look)
        assert snapshot.stale == "a dialog holds the page"
        assert [d["message"] for d in snapshot.pending_dialogs] == ["1"]
        assert body(snapshot) == body(before)
        assert snapshot.boundary != before.boundary, "no boundary is used twice"
        assert not snapshot.is_diff
    assert asyncio.get_running_loop().time() - began < 2
    await stage.sup.answer(accept=True)
    await stage.delivered(outcome.action_id)
    assert (await page.snapshot()).stale == ""


async def test_a_dialog_before_any_snapshot_says_so(stage: Stage) -> None:
    page = await opened(stage, "<p>words</p>")
    outcome = await stage.run(page.tab_context.main().id, "alert('first')")
    assert outcome.blocked_by
    snapshot = await page.snapshot()
    assert snapshot.stale
    assert (snapshot.acting, len(snapshot.pending_dialogs)) == (0, 1)
    await stage.sup.answer(accept=True)


async def test_a_dialog_never_gives_a_snapshot_of_the_page_before(stage: Stage) -> None:
    page = await opened(stage, "<a href=/next.html>Next</a>")
    await page.snapshot()
    stage.pages.add("/next.html", "<button onclick='alert(1)'>Ask</button>")
    await click(page, "link=Next")
    outcome = await page.click("button=Ask")
    snapshot = await page.snapshot()
    assert snapshot.text == "(no snapshot of this page yet: a dialog holds the page)"
    assert (snapshot.url, snapshot.nodes) == (stage.pages.url("/next.html"), [])
    await stage.sup.answer(accept=True)
    await stage.delivered(outcome.action_id)


# Clients.


async def test_each_client_has_differences_of_its_own(stage: Stage) -> None:
    page = await opened(
        stage, "<p id=p>one</p>" + "".join(f"<a href=#{n}>L{n}</a>" for n in range(30))
    )
    await page.snapshot(client="a")
    await run(stage, page, "p.textContent = 'two'")
    await page.snapshot(client="b")
    await run(stage, page, "p.textContent = 'three'")
    for client, was in (("a", "one"), ("b", "two")):
        snapshot = await page.snapshot(SnapshotOptions(diff=True), client=client)
        assert snapshot.is_diff
        assert body(snapshot) == [f"- - text: {was}", "+ - text: three"]
    again = await page.snapshot(SnapshotOptions(diff=True), client="a")
    assert body(again) == ["(nothing changed)"]
    assert again.tokens < 10


async def test_a_first_look_or_one_at_another_page_is_whole(stage: Stage) -> None:
    page = await opened(stage, "<a href=/small.html>Go</a>" + "<p>words</p>" * 5)
    first = await page.snapshot(SnapshotOptions(diff=True), client="a")
    assert not first.is_diff
    await click(page, "link=Go")
    second = await page.snapshot(SnapshotOptions(diff=True), client="a")
    assert not second.is_diff
    assert body(second) == ['- button "Small" [ref=e2]']


# Refs.


async def test_refs_stay_while_their_elements_do(stage: Stage) -> None:
    page = await opened(stage, "<button id=a>A</button><button id=b>B</button><p id=p>x</p>")
    first = refs(await page.snapshot())
    await run(
        stage,
        page,
        "p.before(a); b.className = 'x';"
        "a.insertAdjacentHTML('beforebegin', '<i>n</i><button>C</button>')",
    )
    second = refs(await page.snapshot())
    assert first.items() <= second.items()
    assert len(set(second.values())) == 3


async def test_refs_are_never_used_again_in_another_document(stage: Stage) -> None:
    page = await opened(stage, "<a href=/small.html>Go</a><button>A</button>")
    given = set(refs(await page.snapshot()).values())
    await click(page, "link=Go")
    for _ in range(3):
        await reload(stage, page)
        now = set(refs(await page.snapshot()).values())
        assert not now & given
        given |= now


async def test_refs_are_not_given_twice_after_going_back(stage: Stage) -> None:
    page = await opened(stage, "<a href=/small.html>Go</a><button id=a>A</button>")
    first = refs(await page.snapshot())
    loader = page.tab_context.main().loader
    await click(page, "link=Go")
    second = refs(await page.snapshot())
    await run(stage, page, "history.back()")
    main = page.tab_context.main().id

    def is_back(state: State) -> bool:
        return not state.frames[main].url.endswith("/small.html")

    await stage.sup.wait_for(is_back, WITHIN_S)
    await stage.loaded(page.tab)
    await run(
        stage,
        page,
        "document.body.insertAdjacentHTML('beforeend', '<button>New</button>')",
    )
    third = refs(await page.snapshot())
    kept = page.tab_context.main().loader == loader
    for name, ref in third.items():
        assert ref not in second.values()
        assert (ref in first.values()) == (kept and first.get(name) == ref)
    # Every ref that is shown can be used.
    await click(page, third["A"])
    await click(page, third["New"])


async def test_a_changed_name_is_a_new_ref_and_the_old_one_names_the_nearest(stage: Stage) -> None:
    page = await opened(stage, "<button id=b>Save draft</button><button>Other</button>")
    old = refs(await page.snapshot())["Save draft"]
    await run(stage, page, "b.textContent = 'Publish'")
    with pytest.raises(ToolError, match="that element is a different one now") as refused:
        await page.click(old)
    new = refs(await page.snapshot())["Publish"]
    assert new != old
    assert refused.value.hint == f'nearest now: button "Publish" [{new}]'
    await run(
        stage,
        page,
        "b.replaceWith(Object.assign(document.createElement('button'), {textContent: 'Publish'}))",
    )
    with pytest.raises(ToolError, match="it is no longer on the page") as refused:
        await page.click(new)
    assert (
        refused.value.hint
        == f'nearest now: button "Publish" [{refs(await page.snapshot())["Publish"]}]'
    )


async def test_a_ref_of_an_earlier_document_names_what_is_like_it(stage: Stage) -> None:
    page = await opened(stage, "<a href='?again'>Again</a><button>Save</button>")
    old = refs(await page.snapshot())["Save"]
    await click(page, "link=Again")
    await stage.loaded(page.tab)
    with pytest.raises(ToolError, match="another document") as refused:
        await page.click(old)
    found = re.fullmatch(r'nearest now: button "Save" \[(e\d+)\]', refused.value.hint)
    assert found is not None
    assert refs(await page.snapshot())["Save"] == found[1], "the ref it names is good"
    with pytest.raises(ToolError, match="no snapshot has given this ref"):
        await page.click("e9999")


async def test_refs_that_a_refusal_names_are_not_given_again(stage: Stage) -> None:
    page = await opened(stage, "<button>Save</button>")
    old = refs(await page.snapshot())["Save"]
    for _ in range(2):
        await reload(stage, page)
    with pytest.raises(ToolError) as refused:
        await page.click(old)
    named = re.findall(r"\[(e\d+)\]", refused.value.hint)
    await reload(stage, page)
    assert named
    assert refs(await page.snapshot())["Save"] not in named


async def test_a_frame_that_is_gone_says_so(stage: Stage) -> None:
    page = await opened(stage, framed(stage), frames=4)
    ref = node(await page.snapshot(), "Deep").ref
    await run(stage, page, "document.querySelector('iframe').remove()")
    with pytest.raises(ToolError, match="its frame is gone"):
        await page.click(ref)


async def test_everything_that_is_listed_can_be_clicked(stage: Stage) -> None:
    page = await opened(
        stage,
        """<p id=p>Para</p><div onclick="1">Div</div><span style="cursor:pointer">Span</span>
        <li onclick="1">Item</li><h2 onclick="1">Head</h2><td onclick="1">Cell</td>
        <section tabindex=0>Section</section><img onclick="1" width=20 height=20 src="data:,">
        <svg onclick="1" width=20 height=20><rect width=20 height=20 /></svg>
        <label onclick="1">Label</label><summary>Sum</summary><b onclick="1" title=t>Bold</b>
        <script>p.addEventListener('click', () => 1)</script>""",
    )
    snapshot = await page.snapshot()
    listed = [n for n in all_nodes(snapshot) if n.acts]
    assert len(listed) >= 10
    for one in listed:
        receipt = await click(page, one.ref)
        assert receipt.action == "clicked", one


async def test_two_tabs_know_nothing_of_each_other(stage: Stage) -> None:
    one, two = (
        await opened(stage, "<button>One</button>"),
        await opened(stage, "<button>Two</button>"),
    )
    assert list(refs(await one.snapshot())) == ["One"]
    assert list(refs(await two.snapshot())) == ["Two"]
    assert isinstance(one, SnapshotTab)
