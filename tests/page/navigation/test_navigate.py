"""Navigations of every kind on a real Chromium: each ends in an outcome, none in a hang."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

from pilothouse.cdp.protocol import Page, Runtime
from pilothouse.errors import PilothouseError, ToolError
from pilothouse.page.input.receipt import DOWNLOADS_OFF
from pilothouse.page.navigation.navigate import Navigation
from pilothouse.page.navigation.navigation_tracker import NavigationOutcome, Redirect
from pilothouse.page.tab_context import TabContext
from pilothouse.page.world.isolated_worlds import IsolatedWorlds
from pilothouse.supervisor import Dialog, Outcome
from tests.browser.browser_with_dialog_places import WITHIN_S, Stage, staged

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="module")]

_PLAIN = "<title>plain</title><h1>plain</h1>"


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def stage(chromium_path: Path) -> AsyncIterator[Stage]:
    async with staged() as made:
        made.pages.add("/plain.html", _PLAIN)
        made.pages.add("/second.html", "<title>second</title>")
        yield made


@pytest_asyncio.fixture(loop_scope="module")
async def tab_context(stage: Stage) -> AsyncIterator[TabContext]:
    yield TabContext(stage.sup, await stage.sup.open_tab("traveller"))
    await stage.clear()


@pytest_asyncio.fixture(loop_scope="module")
async def nav(tab_context: TabContext) -> Navigation:
    return Navigation(tab_context, IsolatedWorlds(tab_context))


def arrived(outcome: Outcome[NavigationOutcome]) -> NavigationOutcome:
    assert outcome.value is not None, outcome
    return outcome.value


async def run(tab_context: TabContext, expression: str) -> None:
    await tab_context.session.send(Runtime.evaluate(expression=expression, userGesture=True))


async def test_a_page_arrives_with_status_and_title(stage: Stage, nav: Navigation) -> None:
    url = stage.pages.url("/plain.html")
    got = arrived(await nav.goto(url))
    assert (got.url, got.kind, got.status, got.title) == (url, "document", 200, "plain")
    assert (got.loaded, got.timed_out, got.redirects) == ("load", False, ())


async def test_an_address_without_a_scheme_is_local_http(stage: Stage, nav: Navigation) -> None:
    got = arrived(await nav.goto(f"localhost:{stage.pages.port}/plain.html"))
    assert got.url == stage.pages.url("/plain.html", "localhost")


async def test_redirects_are_told_with_their_statuses(stage: Stage, nav: Navigation) -> None:
    last = stage.pages.url("/plain.html")
    second = stage.pages.add_redirect("/hop2", last, status=301)
    first = stage.pages.add_redirect("/hop1", second)
    got = arrived(await nav.goto(first))
    assert got.redirects == (Redirect(first, 302), Redirect(second, 301))
    assert (got.url, got.status) == (last, 200)


async def test_a_page_that_moves_on_while_it_loads_is_followed(
    stage: Stage, nav: Navigation
) -> None:
    first = stage.pages.add("/moves.html", "<script>location = '/plain.html'</script>")
    got = arrived(await nav.goto(first))
    assert (got.url, got.title) == (stage.pages.url("/plain.html"), "plain")
    assert got.redirects == (Redirect(first, 200, "page"),)


async def test_a_fragment_stays_in_the_document(stage: Stage, nav: Navigation) -> None:
    url = stage.pages.url("/plain.html")
    await nav.goto(url)
    got = arrived(await nav.goto(f"{url}#part"))
    assert (got.kind, got.url, got.title) == ("same_document", f"{url}#part", "plain")


async def test_a_download_is_an_outcome(stage: Stage, nav: Navigation) -> None:
    got = arrived(await nav.goto(stage.pages.add_download("/file", "data", "file.csv")))
    assert (got.kind, got.timed_out) == ("download", False)
    assert got.error == DOWNLOADS_OFF, "this browser keeps none"


async def test_no_content_leaves_the_page_where_it_is(stage: Stage, nav: Navigation) -> None:
    await nav.goto(stage.pages.url("/plain.html"))
    got = arrived(await nav.goto(stage.pages.add("/nothing", "", status=204)))
    assert (got.kind, got.status) == ("no_content", 204)


async def test_an_error_page_carries_the_error(nav: Navigation, refusing_port: int) -> None:
    url = f"http://127.0.0.1:{refusing_port}/"
    got = arrived(await nav.goto(url))
    assert (got.kind, got.url, got.error) == ("error_page", url, "net::ERR_CONNECTION_REFUSED")


async def test_a_missing_page_is_a_document_with_its_status(stage: Stage, nav: Navigation) -> None:
    got = arrived(await nav.goto(stage.pages.url("/nowhere.html")))
    assert (got.kind, got.status) == ("document", 404)


async def test_an_address_that_is_no_page_is_refused(nav: Navigation) -> None:
    for url in ("mailto:anna@example.com", "about:BLANK", "blob:chrome://settings/1"):
        with pytest.raises(ToolError, match="URLs are not allowed"):
            await nav.goto(url)


async def test_blank_and_data_pages_arrive(nav: Navigation) -> None:
    assert arrived(await nav.goto("about:blank")).kind == "document"
    got = arrived(await nav.goto("data:text/html,<title>inline</title>"))
    assert (got.kind, got.title) == ("document", "inline")


async def test_back_forward_and_reload(stage: Stage, nav: Navigation) -> None:
    first, second = stage.pages.url("/plain.html"), stage.pages.url("/second.html")
    await nav.goto(first)
    await nav.goto(second)
    assert arrived(await nav.back()).url == first
    assert arrived(await nav.forward()).url == second
    got = arrived(await nav.reload(ignore_cache=True))
    assert (got.url, got.status, got.title) == (second, 200, "second")


async def test_back_within_a_document(stage: Stage, nav: Navigation) -> None:
    url = stage.pages.url("/plain.html")
    await nav.goto(url)
    await nav.goto(f"{url}#part")
    got = arrived(await nav.back())
    assert (got.kind, got.url) == ("same_document", url)


async def test_the_first_page_has_none_before_it(stage: Stage, nav: Navigation) -> None:
    await nav.goto(stage.pages.url("/plain.html"))
    with pytest.raises(ToolError, match="no page before") as caught:
        await nav.back()
    assert "goto" in caught.value.hint
    with pytest.raises(ToolError, match="no page after"):
        await nav.forward()


async def test_a_timeout_says_what_was_reached_and_what_hangs(
    stage: Stage, nav: Navigation
) -> None:
    gate = stage.pages.add_slow("/slow.png", b"")
    url = stage.pages.add("/hangs.html", "<title>hangs</title><img src=/slow.png>")
    got = arrived(await nav.goto(url, timeout=1.0))
    assert (got.kind, got.loaded, got.timed_out) == ("document", "domcontentloaded", True)
    assert "/slow.png" in got.hanging[0]
    gate.set()


async def test_a_server_that_never_answers_leaves_it_pending(
    stage: Stage, nav: Navigation, tab_context: TabContext
) -> None:
    gate = stage.pages.add_slow("/never.html", _PLAIN)
    url = stage.pages.url("/never.html")
    got = arrived(await nav.goto(url, timeout=0.5))
    assert (got.kind, got.asked, got.loaded, got.timed_out) == ("pending", url, "", True)
    assert got.url == "about:blank", "that page is still there"
    assert url in got.hanging[0]
    gate.set()  # it was not stopped: it still arrives
    await stage.sup.wait_for(lambda state: state.tabs[tab_context.tab_id].url == url, WITHIN_S)


async def test_a_tab_that_is_closed_ends_its_navigation(
    stage: Stage, nav: Navigation, tab_context: TabContext
) -> None:
    gate = stage.pages.add_slow("/closed.png", b"")
    url = stage.pages.add("/closed.html", "<title>closed</title><img src=/closed.png>")
    current = asyncio.ensure_future(nav.goto(url))
    await stage.pages.visited("/closed.png")
    await stage.sup.close_tab(tab_context.tab_id)
    with pytest.raises(PilothouseError):
        await asyncio.wait_for(current, WITHIN_S)
    gate.set()


async def test_a_slow_image_does_not_hold_up_the_earlier_states(
    stage: Stage, nav: Navigation
) -> None:
    gate = stage.pages.add_slow("/late.png", b"")
    url = stage.pages.add("/late.html", "<title>late</title><img src=/late.png>")
    for state in ("commit", "domcontentloaded"):
        assert not arrived(await nav.goto(url, state, timeout=WITHIN_S)).timed_out
    got = arrived(await nav.goto(url, "networkidle2", timeout=WITHIN_S))
    assert (got.loaded, got.timed_out) == ("networkidle2", False)
    gate.set()


async def test_network_idle_waits_for_requests_after_load(stage: Stage, nav: Navigation) -> None:
    gate = stage.pages.add_slow("/data.json", "{}")
    url = stage.pages.add("/fetches.html", "<script>onload = () => fetch('/data.json')</script>")
    current = asyncio.ensure_future(nav.goto(url, "networkidle0", timeout=WITHIN_S))
    await stage.pages.visited("/data.json")
    assert not current.done()
    gate.set()
    got = arrived(await current)
    assert (got.loaded, got.hanging) == ("networkidle0", ())


async def test_settled_waits_for_what_scripts_still_write(
    stage: Stage, nav: Navigation, tab_context: TabContext
) -> None:
    script = "let n = 0; setInterval(() => { if (++n <= 4) p.append(n) }, 100)"
    url = stage.pages.add("/writes.html", f"<p id=p></p><script>{script}</script>")
    assert arrived(await nav.goto(url, "settled")).loaded == "settled"
    said = await stage.value(tab_context.main().id, "p.textContent")
    assert said == "1234"


async def test_settled_is_capped_where_a_page_never_rests(stage: Stage, nav: Navigation) -> None:
    html = "<p id=p></p><script>setInterval(() => p.append('x'), 50)</script>"
    url = stage.pages.add("/restless.html", html)
    got = arrived(await asyncio.wait_for(nav.goto(url, "settled"), WITHIN_S))
    assert (got.loaded, got.timed_out) == ("settled", False)


async def test_a_dialog_while_loading_returns_at_once(
    stage: Stage, nav: Navigation, tab_context: TabContext
) -> None:
    html = "<title>asks</title><script>confirm('go on?')</script>"
    outcome = await asyncio.wait_for(nav.goto(stage.pages.add("/asks.html", html)), WITHIN_S)
    (dialog,) = outcome.blocked_by
    assert isinstance(dialog, Dialog)
    assert dialog.message == "go on?"
    await stage.sup.answer(accept=True, dialog_id=dialog.id)
    got: NavigationOutcome = await stage.delivered(outcome.action_id)
    assert (got.title, got.loaded) == ("asks", "load")


async def test_time_spent_on_a_dialog_does_not_count(stage: Stage, nav: Navigation) -> None:
    html = "<title>asks</title><script>confirm('go on?')</script>"
    outcome = await nav.goto(stage.pages.add("/asks2.html", html), timeout=1.5)
    (dialog,) = outcome.blocked_by
    still = await stage.sup.actions.result(outcome.action_id, 2.0)
    assert still.value is None
    await stage.sup.answer(accept=True, dialog_id=dialog.id)
    got: NavigationOutcome = await stage.delivered(outcome.action_id)
    assert not got.timed_out


async def test_leaving_a_page_that_asks_first(
    stage: Stage, nav: Navigation, tab_context: TabContext
) -> None:
    await nav.goto(stage.pages.add("/stay.html", "<script>onbeforeunload = () => 1</script>stay"))
    await run(tab_context, "0")
    for accept, kind in ((False, "aborted"), (True, "document")):
        outcome = await nav.goto(stage.pages.url("/plain.html"))
        (dialog,) = outcome.blocked_by
        await stage.sup.answer(accept=accept, dialog_id=dialog.id)
        got: NavigationOutcome = await stage.delivered(outcome.action_id)
        assert got.kind == kind


async def test_a_page_that_hangs_can_be_left(
    stage: Stage, nav: Navigation, tab_context: TabContext
) -> None:
    await nav.goto(stage.pages.url("/plain.html"))
    hang = tab_context.session.send(Runtime.evaluate(expression="for(;;);"), 30.0)
    got = arrived(await asyncio.wait_for(nav.goto(stage.pages.url("/second.html")), WITHIN_S * 2))
    assert (got.kind, got.title) == ("document", "second")
    assert hang.done()


async def test_a_crashed_page_can_be_reloaded(
    stage: Stage, nav: Navigation, tab_context: TabContext
) -> None:
    await nav.goto(stage.pages.url("/plain.html"))
    tab_context.session.send(Page.crash())
    await stage.interrupt("crashed", tab_context.tab_id)
    got = arrived(await nav.goto(stage.pages.url("/second.html")))
    assert got.title == "second"


async def test_bad_input_is_refused_before_anything_is_done(
    nav: Navigation, tab_context: TabContext
) -> None:
    before = tab_context.main().url
    for url, word in (
        ("javascript:alert(1)", "javascript"),
        ("chrome://settings", "belong to the browser"),
        ("file:///etc/passwd", "not allowed"),
        ("", "empty"),
        ("http://", "no host"),
    ):
        with pytest.raises(ToolError, match=word):
            await nav.goto(url)
    with pytest.raises(ToolError, match="wait_until"):
        await nav.goto("https://example.com", "loaded")
    assert tab_context.main().url == before


async def test_stop_keeps_what_is_there(stage: Stage, nav: Navigation) -> None:
    gate = stage.pages.add_slow("/stopped.png", b"")
    url = stage.pages.add("/stopped.html", "<title>stopped</title><img src=/stopped.png>")
    await nav.goto(url, "domcontentloaded")
    await nav.stop()
    got = arrived(await nav.goto(f"{url}#there"))
    assert got.kind == "same_document"
    gate.set()


async def test_a_background_tab_loads_as_well(stage: Stage, nav: Navigation) -> None:
    await stage.sup.open_tab("other", stage.pages.url("/plain.html"))
    got = arrived(await nav.goto(stage.pages.url("/oopif.html"), "settled"))
    assert got.loaded == "settled"
