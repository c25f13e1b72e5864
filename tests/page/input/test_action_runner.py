"""What comes of a click: each kind of effect is in the receipt, and nothing else is."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

from pilothouse.errors import ToolError
from pilothouse.page.navigation.waits import Waits
from pilothouse.supervisor import Dialog, Options
from tests.browser.browser_with_dialog_places import Stage, staged
from tests.page.snapshot_tab import SnapshotTab, click, opened, refs, run

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="module")]


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def stage(
    chromium_path: Path, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[Stage]:
    folder = tmp_path_factory.mktemp("downloads")
    async with staged(Options(downloads=str(folder))) as made:
        made.pages.add("/other.html", "<!doctype html><title>Other</title><h1>Other</h1>")
        made.pages.add_download("/file.txt", "the file", "file.txt")
        yield made


@pytest_asyncio.fixture(loop_scope="module", autouse=True)
async def cleared(stage: Stage) -> AsyncIterator[None]:
    yield
    await stage.clear()


async def test_a_dead_button_changes_nothing_but_the_focus(stage: Stage) -> None:
    page = await opened(stage, "<button>Dead</button><span>words</span>")
    first = await click(page, "button=Dead")
    assert first.text() == 'clicked button "Dead" [e1]; focus on button "Dead"'
    second = await click(page, "button=Dead")
    assert not second.changed
    assert second.text() == 'clicked button "Dead" [e1]; nothing changed'


async def test_what_alerts_and_status_say_anew_is_told(stage: Stage) -> None:
    page = await opened(
        stage,
        """<p role=status id=s>2 left</p><div aria-live=polite id=l></div><p role=alert>Old</p>
        <p role=alert id=h style=visibility:hidden></p><button onclick="s.textContent='1 left';
        l.textContent='Saved'; h.textContent='unseen'">Take</button><button>Dead</button>""",
    )
    receipt = await click(page, "button=Take")
    assert receipt.alerts == ("status: 1 left", "alert: Saved")
    assert "; status: 1 left; alert: Saved; " in receipt.text()
    assert (await click(page, "button=Dead")).alerts == ()


async def test_a_form_that_the_browser_refuses_to_submit_is_told(stage: Stage) -> None:
    page = await opened(
        stage,
        """<form action=/other.html><label>Town <input required id=t></label>
        <button>Go</button><button formnovalidate type=button onclick="t.checkValidity()">Check
        </button></form>""",
    )
    refused = await click(page, "button=Go")
    assert refused.refused == ("Town: Please fill out this field.",)
    assert "not submitted: Town: Please fill out this field." in refused.text()
    checked = await click(page, "button=Check")
    assert (checked.refused, checked.invalid) == ((), ("Town: Please fill out this field.",))
    await run(stage, page, "t.value = 'Rome'")
    assert (await click(page, "button=Go")).navigated.startswith("went to ")


async def test_changes_of_the_page_are_counted(stage: Stage) -> None:
    page = await opened(
        stage,
        """<p id=p>0</p><x-s></x-s><script>
        const root = document.querySelector('x-s').attachShadow({mode: 'open'});</script>
        <button onclick="p.append('x', 'y')">Add</button>
        <button onclick="p.firstChild.remove()">Remove</button>
        <button onclick="p.className = 'c'">Attribute</button>
        <button onclick="p.firstChild.data = 'new'">Text</button>
        <button onclick="root.append('deep')">Shadow</button>
        <input type=checkbox aria-label=Box>""",
    )
    await page.snapshot()
    for name, word in (
        ("Add", "nodes added"),
        ("Remove", "removed"),
        ("Attribute", "attributes"),
        ("Text", "texts"),
        ("Shadow", "nodes added"),
    ):
        receipt = await click(page, f"button={name}")
        assert receipt.dom[word] > 0, receipt
    receipt = await click(page, "checkbox=Box")
    assert receipt.dom["inputs"] == 2, "input and change"


@pytest.mark.figures
async def test_a_change_30_ms_after_the_click_is_counted(stage: Stage) -> None:
    page = await opened(
        stage,
        "<p id=p></p><button onclick=\"setTimeout(() => p.append('late'), 30)\">Late</button>",
    )
    await page.snapshot()
    assert (await click(page, "button=Late")).dom["nodes added"] > 0


async def test_a_link_says_where_it_led(stage: Stage) -> None:
    page = await opened(stage, '<a href="/other.html">Go on</a>')
    receipt = await click(page, "link=Go on")
    url = stage.pages.url("/other.html")
    assert (receipt.url, receipt.navigated) == (url, f"went to {url}")
    assert page.tab_context.main().url == url


async def test_the_receipt_of_a_link_waits_until_the_new_page_is_parsed(stage: Stage) -> None:
    stage.pages.add("/parts.html", "<title>Parts</title><script src=/part.js></script><p id=end>")
    let = stage.pages.add_slow("/part.js", "")
    page = await opened(stage, "<a href=/parts.html>Go on</a>")
    clicking = stage.sup.tasks.start(click(page, "link=Go on"), "click")
    await stage.pages.visited("/part.js")
    assert not clicking.done(), "the script holds the parser up"
    let.set()
    receipt = await clicking
    assert (receipt.title, receipt.focus) == ("Parts", "")
    assert await run(stage, page, "document.querySelectorAll('#end').length") == 1


async def test_a_page_that_cannot_be_reached_is_told_by_its_own_address(stage: Stage) -> None:
    page = await opened(stage, '<a href="http://127.0.0.1:1/">Go on</a>')
    receipt = await click(page, "link=Go on")
    assert receipt.url == "http://127.0.0.1:1/"
    assert receipt.navigated == "went to http://127.0.0.1:1/, which could not be reached"
    with pytest.raises(ToolError, match=r"shows an error page: http://127\.0\.0\.1:1/ failed"):
        await Waits(page.tab_context, page.worlds).for_url("/elsewhere", 0.3)


async def test_a_form_that_is_sent_says_where_it_led(stage: Stage) -> None:
    page = await opened(
        stage, "<form action=/other.html><input name=q value=v><button>Send</button></form>"
    )
    receipt = await click(page, "button=Send")
    assert receipt.navigated == f"went to {stage.pages.url('/other.html?q=v')}"


async def test_a_move_within_the_document_is_told_apart(stage: Stage) -> None:
    page = await opened(
        stage,
        """<a href="#part">Part</a><button onclick="history.pushState(0, '', '/elsewhere')">
        Route</button>""",
    )
    receipt = await click(page, "link=Part")
    assert receipt.navigated.endswith("#part (same document)")
    receipt = await click(page, "button=Route")
    assert receipt.navigated == f"address is {stage.pages.url('/elsewhere')} (same document)"


async def test_a_new_tab_is_named(stage: Stage) -> None:
    page = await opened(
        stage,
        """<button onclick="window.open('/other.html')">Pop</button>
        <a href="/other.html" target=_blank>Blank</a>""",
    )
    for target in ("button=Pop", "link=Blank"):
        receipt = await click(page, target)
        (tab,) = receipt.new_tabs
        assert stage.sup.state.tabs[tab].opener == page.tab
        assert receipt.navigated == ""


async def test_a_download_is_named(stage: Stage) -> None:
    page = await opened(stage, '<a href="/file.txt">Load</a>')
    receipt = await click(page, "link=Load")
    assert [(one["filename"], one["state"]) for one in receipt.downloads] == [
        ("file.txt", "completed")
    ]
    assert receipt.url.endswith(".html"), "the page is still there"


async def test_a_dialog_ends_the_click_at_once_and_its_receipt_comes_later(stage: Stage) -> None:
    page = await opened(stage, "<button onclick=\"this.title = confirm('sure?')\">Ask</button>")
    outcome = await page.click("button=Ask")
    (dialog,) = outcome.blocked_by
    assert isinstance(dialog, Dialog)
    assert (outcome.value, dialog.message) == (None, "sure?")
    await stage.sup.answer(accept=True)
    receipt = await stage.delivered(outcome.action_id)
    assert receipt.dialogs == ("confirm 'sure?'",)
    assert receipt.dom["attributes"] == 1


async def test_leaving_a_page_that_asks_first_is_a_dialog(stage: Stage) -> None:
    page = await opened(
        stage,
        """<a href="/other.html">Leave</a><button>Dirty</button>
        <script>addEventListener('beforeunload', e => e.preventDefault())</script>""",
    )
    await click(page, "button=Dirty")
    outcome = await page.click("link=Leave")
    (dialog,) = outcome.blocked_by
    assert isinstance(dialog, Dialog)
    assert dialog.type == "beforeunload"
    await stage.sup.answer(accept=False)
    receipt = await stage.delivered(outcome.action_id)
    assert receipt.navigated == "" or "has started" in receipt.navigated
    assert (await run(stage, page, "document.title")) == "Seen", "it stayed"


async def test_errors_of_the_console_are_told(stage: Stage) -> None:
    page = await opened(
        stage,
        """<button onclick="console.error('oh no')">Say</button>
        <button onclick="nothing.there">Throw</button>""",
    )
    assert any("oh no" in error for error in (await click(page, "button=Say")).console_errors)
    assert any(
        "nothing is not defined" in error
        for error in (await click(page, "button=Throw")).console_errors
    )


async def test_a_tab_that_closes_itself_is_told(stage: Stage) -> None:
    opener = await opened(stage, "<button onclick=\"window.open('/closing.html')\">Open</button>")
    stage.pages.add(
        "/closing.html", "<title>c</title><button onclick='window.close()'>Close</button>"
    )
    (tab,) = (await click(opener, "button=Open")).new_tabs
    await stage.loaded(tab)
    receipt = await click(SnapshotTab(stage.sup, tab), "button=Close")
    assert receipt.navigated == "the tab closed"


async def test_a_page_that_leaves_before_the_press_is_no_success(stage: Stage) -> None:
    """The press may even land on the next document: it is not what was asked for."""
    page = await opened(stage, "<button>Here</button>")
    ref = refs(await page.snapshot())["Here"]
    element = page.resolver.resolve
    gone = stage.pages.url("/other.html")

    async def leave_first(*args: object, **options: object) -> object:
        found = await element(*args, **options)  # type: ignore[arg-type]
        await stage.sup.cdp("Page.navigate", {"url": gone}, tab=page.tab)
        return found

    page.resolver.resolve = leave_first  # type: ignore[assignment,method-assign]
    with pytest.raises(ToolError, match="the page navigated before the press reached it"):
        await page.click(ref)


async def test_nothing_is_left_behind_that_would_stop_a_person(stage: Stage) -> None:
    page = await opened(
        stage,
        """<button>Agent</button><button style="position:fixed;left:200px;top:200px"
        onclick="this.textContent='Person was here'">Person</button>""",
    )
    await click(page, "button=Agent")
    for kind in ("mousePressed", "mouseReleased"):
        what = {"type": kind, "x": 210, "y": 210, "button": "left", "clickCount": 1}
        await stage.sup.cdp("Input.dispatchMouseEvent", what, tab=page.tab)
    assert await run(stage, page, "document.body.innerText.includes('Person was here')")


async def test_a_press_that_is_cut_short_is_not_called_a_click(stage: Stage) -> None:
    page = await opened(
        stage,
        """<button id=b onmousedown="this.remove()">Vanish</button><script>var hits = 0;
        addEventListener('click', () => hits++)</script>""",
    )
    receipt = await click(page, "#b")
    assert receipt.action == "pressed"
    assert "no click resulted" in receipt.text()
    assert await run(stage, page, "hits") == 0


async def test_clicks_of_two_clients_do_not_disturb_each_other(stage: Stage) -> None:
    page = await opened(
        stage,
        "".join(f"<button onclick='hits.push({n})'>B{n}</button>" for n in range(6))
        + "<script>var hits = []</script>",
    )
    other = SnapshotTab(stage.sup, page.tab)
    async with asyncio.timeout(30):
        done = await asyncio.gather(
            *(click(page if n % 2 else other, f"button=B{n}") for n in range(6)),
            return_exceptions=True,
        )
    hits = await run(stage, page, "hits")
    succeeded = [n for n, result in enumerate(done) if not isinstance(result, BaseException)]
    assert sorted(hits) == succeeded
