"""What separates a relay from a proxy, item by item: real Chromium, real extension, real clients.

Items that a client's broad script shows are held there (HELD_ELSEWHERE); a test sees to it that
each of those checks is there and is not excused.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import re
import signal
import time
from pathlib import Path
from typing import Any

import pytest

from pilothouse.relay.extension.installation import install
from tests.conformance.client_run_comparison import FLAGS, HERE
from tests.conformance.known_differences import allowed
from tests.conformance.relay_browsers import came
from tests.conformance.relayed_extension_chrome import Room, page_at, until
from tests.extension.chrome_with_extension import chrome_with_extension

pytestmark = [pytest.mark.browser, pytest.mark.timeout(600)]

TABS = 60
DISCARDED = 10
CONNECTS_WITHIN_S = 1.5

HELD_ELSEWHERE = {
    "a foreign frame, one nested in it, and a worker there": (
        "playwright:foreign_and_nested_frames",
        "playwright:worker_in_a_nested_foreign_frame",
        "puppeteer:frames_of_all_sites",
    ),
    "popup event": ("playwright:popup_event_and_opener", "puppeteer:popup_and_opener"),
    "events of a session of one's own": (
        "playwright:screencast_frames",
        "puppeteer:screencast_frames",
    ),
    "a picture of 20 MB": ("playwright:screenshot_of_twenty_megabytes",),
    "Puppeteer connects, opens and lists pages": ("puppeteer:new_page_is_listed",),
}


async def sixty_tabs(room: Room) -> int:
    """Sixty tabs, ten of them discarded, one in a process that stands still; that process."""
    before = await renderers(room)
    await room.tab("/other.html", "a.localhost")
    stopped = (await renderers(room) - before).pop()
    for number in range(TABS - 2):
        await room.chrome.open(room.site.url(f"/blank.html?{number}"))
    await room.chrome.in_worker(
        "(async () => { const tabs = (await chrome.tabs.query({}))"
        ".filter((tab) => tab.url.includes('/blank.html?') && !tab.active);"
        f" for (const tab of tabs.slice(0, {DISCARDED})) await chrome.tabs.discard(tab.id); }})()"
    )
    return stopped


async def renderers(room: Room) -> set[int]:
    """Ids of the browser's renderer processes."""
    told = await room.chrome.call("SystemInfo.getProcessInfo")
    return {p["id"] for p in told["processInfo"] if p["type"] == "renderer"}


@contextlib.contextmanager
def standing_still(process: int) -> Any:
    """A process that does nothing meanwhile."""
    os.kill(process, signal.SIGSTOP)
    try:
        yield
    finally:
        os.kill(process, signal.SIGCONT)


def seconds_since(started: float) -> float:
    """How long ago that was."""
    return time.monotonic() - started


@pytest.mark.figures
@pytest.mark.alone
@pytest.mark.asyncio(loop_scope="module")
async def test_sixty_tabs_are_listed_at_once_and_none_is_attached(room: Room) -> None:
    with standing_still(await sixty_tabs(room)):
        started = time.monotonic()
        context = await room.client()
        took = seconds_since(started)
        assert len(context.pages) == TABS
        assert await room.attached() == []
        assert took < CONNECTS_WITHIN_S


@pytest.mark.asyncio(loop_scope="module")
async def test_tab_that_was_never_attached_works_the_first_time(room: Room) -> None:
    urls = [await room.tab(f"/form.html?{n}") for n in range(4)]
    frames = await room.tab("/oopif.html")
    context = await room.client()
    assert await room.attached() == []
    title, click, evaluate, goto = [await page_at(context, url) for url in urls]
    assert await title.title() == "Form"
    await click.locator("#b").click()
    assert await click.text_content("#n") == "1"
    assert await evaluate.evaluate("location.search") == "?2"
    answer = await goto.goto(room.site.url("/other.html"))
    assert answer is not None
    assert (answer.status, await goto.title()) == (200, "Other")
    framed = await page_at(context, frames)
    leaf = framed.frame_locator("[name=f]").frame_locator("[name=f]")
    await leaf.get_by_role("button").click()
    assert await leaf.get_by_role("button").text_content() == "hit"
    assert len(framed.frames) == 3


@pytest.mark.asyncio(loop_scope="module")
async def test_init_scripts_and_bindings_given_before_the_attach_hold(room: Room) -> None:
    url = await room.tab("/popped.html")
    context = await room.client()
    page = await page_at(context, url)
    await page.add_init_script("window.early = 'early'")
    await page.expose_function("double", lambda number: number * 2)
    assert await page.evaluate("double(21)") == 42
    await page.reload()
    assert await page.evaluate("made") == "early"


@pytest.mark.asyncio(loop_scope="module")
async def test_cookies_of_the_context_are_the_users(room: Room) -> None:
    await room.tab("/cookie.html")
    context = await room.client("owned")
    told = await context.cookies(room.site.url("/"))
    assert [(c.get("name"), c.get("value")) for c in told] == [("served", "yes")]


@pytest.mark.asyncio(loop_scope="module")
async def test_download_is_told(room: Room) -> None:
    context = await room.client("owned")
    page = await context.new_page()
    await page.goto(room.site.url("/downloads.html"))
    async with page.expect_download() as told:
        await page.click("#a")
    assert (await told.value).suggested_filename == "file.bin"


@pytest.mark.asyncio(loop_scope="module")
async def test_cancel_on_chromes_bar_is_final_until_the_user_allows_it(room: Room) -> None:
    context = await room.client("owned")
    page = await context.new_page()
    await page.goto(room.site.url("/form.html"))
    ends = asyncio.ensure_future(page.wait_for_event("close"))
    # What the button on the bar comes to: there is no other way to press it from here.
    await room.chrome.in_worker(
        "chrome.tabs.query({}).then((tabs) => chrome.debugger.onDetach.dispatch("
        "{tabId: tabs.find((tab) => tab.url.includes('/form.html')).id}, 'canceled_by_user'))"
    )
    await ends
    with pytest.raises(Exception, match="the user"):
        await context.new_page()
    panel = await room.chrome.open_page("settings/settings.html")
    await room.chrome.evaluate(
        panel,
        "(async () => { const port = chrome.runtime.connect(); port.postMessage({action: 'allow'});"
        " await new Promise((done) => port.onMessage.addListener("
        "({view}) => view && !view.stopped && done())); })()",
    )
    await until(lambda: room.lent.status()["state"] == "connected")
    again = await (await room.client("owned")).new_page()
    await again.goto(room.site.url("/other.html"))
    assert await again.title() == "Other"


@pytest.mark.asyncio(loop_scope="module")
async def test_second_profile_is_another_browser(room: Room, chromium_path: Path) -> None:
    folder = room.relay.files / "second"
    second = install(folder, room.relay.port, room.relay.pairings, share="all")
    names = {str(status["install"]) for status in room.relay.relay.extensions.status()}
    async with chrome_with_extension(chromium_path, folder, *FLAGS) as chrome:
        await came(room.relay, 2)
        await chrome.open(room.site.url("/other.html"))
        with pytest.raises(Exception, match="several Chromes"):
            await room.client()
        other = await room.client("owned", profile=second.install)
        page = await other.new_page()
        await page.goto(room.site.url("/blank.html"))
        first = await room.client("owned", profile=names.pop())
        assert first.pages == []
        assert [await page.title() for page in other.pages] == ["Blank"]
    for _, lent in room.relay.relay.extensions.connected():
        if lent.hello.install == second.install:
            lent.close("it is not waited for")
    await came(room.relay, 1)


MADE_READY = """<!doctype html><title>Made ready</title>
<button id=b onclick="this.textContent = 'pressed'">b</button><iframe src="/child.html"></iframe>
<script>localStorage.made = performance.now()</script>"""
# What it makes ready says so; only then it goes there.
MAKES_READY = """<!doctype html><title>Makes ready</title><script type=speculationrules>
{"prerender": [{"urls": ["/made-ready.html"], "eagerness": "immediate"}]}</script>
<script>addEventListener("storage", () => { location.href = "/made-ready.html" })</script>"""
ACTIVATED = "performance.getEntriesByType('navigation')[0].activationStart"


@pytest.mark.parametrize("attach", ["lazy", "eager"])
@pytest.mark.asyncio(loop_scope="module")
async def test_tab_that_was_prerendered_works(room: Room, attach: str) -> None:
    made = room.site.add("/made-ready.html", MADE_READY)
    await room.chrome.open(room.site.add("/makes-ready.html", MAKES_READY))

    async def is_there() -> bool:
        # While it is made ready it is a target of its own already, and no tab yet.
        found = [t for t in await room.chrome.targets() if t.get("subtype") != "prerender"]
        return made in [target["url"] for target in found]

    await until(is_there)
    page = await page_at(await room.client(attach), made)
    assert await page.title() == "Made ready"
    assert await page.evaluate(ACTIVATED) > 0
    await page.click("#b")
    assert await page.text_content("#b") == "pressed"
    assert await page.frames[1].title() == "Child"
    await page.goto(room.site.url("/form.html"))
    await page.click("#b")
    assert await page.text_content("#n") == "1"


@pytest.mark.asyncio(loop_scope="module")
async def test_page_that_would_be_prerendered_works_for_who_is_there(room: Room) -> None:
    page = await (await room.client("owned")).new_page()
    await page.goto(room.site.url("/prerender.html"))
    await page.click("#go")
    await page.wait_for_url("**/other.html")
    assert await page.title() == "Other"
    assert await page.evaluate("document.querySelector('p').textContent") == "other"


@pytest.mark.asyncio(loop_scope="module")
async def test_web_page_gets_no_token_and_no_line(room: Room) -> None:
    context = await room.client("owned")
    page = await context.new_page()
    await page.goto(room.site.url("/blank.html"))
    port, token = room.relay.port, room.relay.token
    read = await page.evaluate(
        "url => fetch(url).then(r => r.text(), e => 'no: ' + e.message)",
        f"http://127.0.0.1:{port}/json/version",
    )
    assert token not in read
    for path in (f"/cdp?token={token}", "/cdp", "/extension", "/client-slot"):
        opened = await page.evaluate(
            "url => new Promise(done => { const s = new WebSocket(url);"
            " s.onopen = () => done('open'); s.onerror = () => done('refused') })",
            f"ws://127.0.0.1:{port}{path}",
        )
        assert opened == "refused", path


@pytest.mark.asyncio(loop_scope="module")
async def test_manual_mode_tells_of_no_tab_that_was_not_given(room: Room) -> None:
    given, secret = await room.tab("/form.html"), await room.tab("/other.html")
    await room.set(mode="manual")
    try:
        await room.press("attach", given)
        context = await room.client()
        session = await context.browser.new_browser_cdp_session()  # type: ignore[union-attr]
        told: list[object] = []
        for event in ("targetCreated", "targetInfoChanged"):
            session.on(f"Target.{event}", lambda params: told.append(params))
        await session.send("Target.setDiscoverTargets", {"discover": True})
        await room.tab("/other.html?later")
        told.append(await session.send("Target.getTargets"))
        assert [page.url for page in context.pages] == [given]
        assert await context.pages[0].title() == "Form"
        assert given in str(told)
        for name in (secret, "Other", "chrome-extension"):
            assert name not in str(told)
            assert name not in str(room.lent.status())
    finally:
        await room.set(mode="auto")


@pytest.mark.asyncio(loop_scope="module")
async def test_read_only_lets_nothing_be_changed_by_who_is_there_already(room: Room) -> None:
    url = await room.tab("/form.html")
    context = await room.client()
    page = await page_at(context, url)
    await page.fill("#name", "before")
    session = await context.new_cdp_session(page)
    await room.set(readOnly=True)
    try:
        refused = re.compile("read only is on")
        with pytest.raises(Exception, match=refused):
            await page.evaluate("document.title = 'changed'")
        with pytest.raises(Exception, match=refused):
            await page.click("#b")
        with pytest.raises(Exception, match=refused):
            await page.goto(room.site.url("/other.html"))
        with pytest.raises(Exception, match=refused):
            await session.send("Input.insertText", {"text": "x"})
        acts = await session.send("Runtime.evaluate", {"expression": "document.title = 'changed'"})
        assert refused.search(acts["exceptionDetails"]["exception"]["description"])
        for reads, value in (("document.title", "Form"), ("location.href", url)):
            asked = {"expression": reads, "throwOnSideEffect": True}
            told = await session.send("Runtime.evaluate", asked)
            assert told["result"]["value"] == value
        sneaks = {"expression": "document.title = 'changed'", "throwOnSideEffect": True}
        told = await session.send("Runtime.evaluate", sneaks)
        assert refused.search(told["exceptionDetails"]["exception"]["description"])
    finally:
        await room.set(readOnly=False)
    # Once it is lifted the same page works as before.
    assert [await page.title(), await page.input_value("#name")] == ["Form", "before"]
    await page.click("#b")
    assert await page.text_content("#n") == "1"


@pytest.mark.asyncio(loop_scope="module")
async def test_long_evaluate_has_no_time_limit(room: Room) -> None:
    context = await room.client("owned")
    page = await context.new_page()
    await page.goto(room.site.url("/blank.html"))
    waiting = asyncio.ensure_future(page.evaluate("new Promise(done => { window.done = done })"))
    await page.wait_for_function("() => typeof window.done === 'function'")
    # For the relay two minutes go by: a limit of its own for commands would end this one.
    loop = asyncio.get_running_loop()
    usual = loop.time
    loop.time = lambda: usual() + 120  # type: ignore[method-assign]
    await page.evaluate("new Promise(done => setTimeout(done, 100))")
    assert not waiting.done()
    await page.evaluate("done('after a while')")
    assert await waiting == "after a while"


def test_items_held_by_the_scripts_are_there_and_not_excused() -> None:
    scripts = "\n".join(path.read_text() for path in HERE.rglob("*.mjs"))
    for item, checks in HELD_ELSEWHERE.items():
        for check in checks:
            client, _, name = check.partition(":")
            assert f"async {name}(" in scripts, item
            assert name not in allowed("extension", client), item
