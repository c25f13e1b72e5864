"""The network log on a real Chromium."""

from __future__ import annotations

import asyncio
import base64
import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
import pytest_asyncio

from pilothouse.errors import CommandTimeout, SessionGone, ToolError
from pilothouse.page.network.har import HarPage, build_har
from pilothouse.page.network.request_log import NetworkLog
from pilothouse.page.tab_context import TabContext
from tests.browser.browser_with_dialog_places import WITHIN_S, Stage, staged
from tests.page.network.test_har import FORMAT, offences

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="module")]

PIXEL = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def stage(chromium_path: Path) -> AsyncIterator[Stage]:
    async with staged() as made:
        made.pages.add("/data.json", '{"a":1}')
        made.pages.add("/pixel.png", PIXEL)
        made.pages.add("/none", b"", status=204)
        made.pages.add_redirect("/first", "/second")
        made.pages.add_redirect("/second", "/data.json?redirected")
        yield made


@pytest_asyncio.fixture(loop_scope="module", autouse=True)
async def cleared(stage: Stage) -> AsyncIterator[None]:
    yield
    await stage.clear()


class Watched:
    """A tab whose requests are watched."""

    def __init__(self, stage: Stage, tab: str) -> None:
        self.stage = stage
        self.tab = tab
        self.log = NetworkLog(TabContext(stage.sup, tab))

    async def show(self, path: str, host: str = "127.0.0.1") -> None:
        """Load a page and wait for it."""
        before = self.stage.sup.state.frames[self.stage.sup.session(self.tab).target_id].loader
        url = self.stage.pages.url(path, host)
        await self.stage.sup.cdp("Page.navigate", {"url": url}, tab=self.tab)
        self.top = await self.stage.loaded(self.tab, but=before)

    async def run(self, script: str, frame: str = "") -> Any:
        """Evaluate in the main frame, or another one."""
        return await self.stage.value(frame or self.top.id, script)

    async def quiet(self) -> None:
        """Until nothing is in flight."""
        async with asyncio.timeout(WITHIN_S):
            while self.log.in_flight():
                await self.run("new Promise(r => setTimeout(r, 10))")

    def seen(self, **asked: Any) -> list[tuple[str, int]]:
        """Path and status of requests, favicons left out."""
        found = [e for e in self.log.entries(**asked) if "favicon" not in e.url]
        return [(e.url.partition(str(self.stage.pages.port))[2] or e.url, e.status) for e in found]


async def watched(stage: Stage, path: str = "/main.html") -> Watched:
    made = Watched(stage, await stage.sup.open_tab("net"))
    await made.log.start()
    await made.show(path)
    return made


async def test_requests_are_listed_from_the_first_on_and_end(stage: Stage) -> None:
    tab = await watched(stage)
    await tab.run("fetch('/first').then(r => r.text())")
    await tab.run("fetch('/none').then(r => r.status)")
    await tab.run("fetch('/pixel.png', {method: 'HEAD'}).then(r => r.status)")
    await tab.quiet()
    assert tab.seen() == [
        ("/main.html", 200),
        ("/first", 302),
        ("/second", 302),
        ("/data.json?redirected", 200),
        ("/none", 204),
        ("/pixel.png", 200),
    ]
    assert tab.seen(failed=True) == []
    entry = tab.log.entries(url="redirected")[0]
    assert (entry.type, entry.mime, entry.size) == ("Fetch", "application/json", 7)
    assert entry.took_ms > 0
    assert "Sec-Fetch-Mode" in entry.request_headers


async def test_fetch_whose_body_is_not_read_is_not_in_flight(stage: Stage) -> None:
    tab = await watched(stage)
    await tab.run("window.kept = []; fetch('/data.json').then(r => kept.push(r))")
    await tab.quiet()
    assert tab.seen()[-1] == ("/data.json", 200)


async def test_request_is_in_flight_until_its_answer(stage: Stage) -> None:
    gate = stage.pages.add_slow("/slow", "late")
    tab = await watched(stage)
    await tab.quiet()
    before = stage.sup.now()
    begun = tab.log.expect(lambda e: e.url.endswith("/slow"), "request", WITHIN_S)
    await tab.run("window.late = fetch('/slow').then(r => r.text()); 0")
    await begun
    (open_one,) = tab.log.in_flight()
    assert (open_one.type, open_one.responded) == ("Fetch", False)
    assert before <= open_one.since <= stage.sup.now()
    gate.set()
    assert await tab.run("late") == "late"
    await tab.quiet()


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost"])
async def test_navigation_cuts_off_what_is_open(stage: Stage, host: str) -> None:
    gate = stage.pages.add_slow("/cut", "never")
    tab = await watched(stage)
    asked = tab.log.expect(lambda e: e.url.endswith("?img"), "request", WITHIN_S)
    await tab.run("fetch('/cut?fetch').catch(() => 0); new Image().src = '/cut?img'; 0")
    await asked
    ended = tab.log.expect(lambda e: "/cut" in e.url, "end", WITHIN_S)
    await tab.show("/main.html", host)
    assert "navigation" in (await ended).failed
    await tab.quiet()
    assert {e.state for e in tab.log.entries(url="/cut")} == {"failed"}
    gate.set()


async def test_frame_of_another_process_is_watched_from_its_first_request(stage: Stage) -> None:
    inside = stage.pages.url("/inside.html", host="localhost")
    stage.pages.add("/inside.html", "<script>fetch('/data.json?in').then(r => r.text())</script>")
    stage.pages.add("/outside.html", f"<iframe name=spot src={inside}></iframe>")
    tab = await watched(stage)
    for _ in range(2):
        ended = tab.log.expect(lambda e: e.url.endswith("?in"), "end", WITHIN_S)
        await tab.show("/outside.html")
        entry = await ended
        assert (entry.where, entry.status) == ("iframe", 200)
        assert stage.sup.state.frames[entry.frame].name == "spot"
        await tab.quiet()
    assert tab.seen(failed=True) == []


async def test_removed_frame_of_another_process_leaves_nothing_open(stage: Stage) -> None:
    gate = stage.pages.add_slow("/held", "never")
    tab = await watched(stage, "/oopif.html")
    inner = await stage.loaded(tab.tab, "spot")
    asked = tab.log.expect(lambda e: e.url.endswith("/held"), "request", WITHIN_S)
    await tab.run("fetch('/held').catch(() => 0); 0", inner.id)
    await asked
    ended = tab.log.expect(lambda e: e.url.endswith("/held"), "end", WITHIN_S)
    await tab.run("document.querySelector('iframe').remove()")
    assert (await ended).state == "failed"
    await tab.quiet()
    gate.set()


async def test_worker_and_what_it_asks_for_are_seen(stage: Stage) -> None:
    script = "fetch('/data.json?w').then(r => r.text()).then(t => postMessage(t))"
    stage.pages.add("/asks.js", script)
    tab = await watched(stage)
    wait = "new Promise(r => (window.w = new Worker('/asks.js')).onmessage = e => r(e.data))"
    assert await tab.run(wait) == '{"a":1}'
    await tab.quiet()
    assert tab.seen()[1:] == [("/asks.js", 200), ("/data.json?w", 200)]
    asked = tab.log.entries(url="?w")[0]
    assert (asked.where, asked.response_headers["Content-Type"]) == ("worker", "application/json")
    assert (await tab.log.body(asked.id)).text == '{"a":1}'


async def test_what_nobody_waits_for_is_listed_and_not_in_flight(stage: Stage) -> None:
    gate = stage.pages.add_slow("/stream", "data: x\n\n")
    beacon = stage.pages.add_slow("/beacon", "")
    tab = await watched(stage)
    await tab.quiet()
    ended = tab.log.expect(lambda e: e.type == "WebSocket", "end", WITHIN_S)
    await tab.run(
        "window.es = new EventSource('/stream'); navigator.sendBeacon('/beacon', 'b');"
        "new WebSocket(location.href.replace('http', 'ws')); fetch('data:text/plain,x'); 0"
    )
    assert (await ended).failed
    kinds = {e.type for e in tab.log.entries()} - {"Document", "Other"}
    assert kinds >= {"EventSource", "Ping", "WebSocket"}
    assert tab.log.in_flight() == []
    gate.set()
    beacon.set()


async def test_icon_that_chrome_asks_for_by_itself_is_listed_and_not_in_flight(
    stage: Stage,
) -> None:
    gate = stage.pages.add_slow("/icon.png", PIXEL)
    stage.pages.add("/iconic.html", "<link rel=icon href=/icon.png>")
    tab = Watched(stage, await stage.sup.open_tab("icon"))
    await tab.log.start()
    asked = tab.log.expect(lambda e: e.url.endswith("/icon.png"), "request", WITHIN_S)
    await tab.show("/iconic.html")
    icon = await asked
    assert (icon.type, icon.state) == ("Other", "pending")
    assert "/icon.png" not in [urlsplit(e.url).path for e in tab.log.in_flight()]
    gate.set()


async def test_bodies_outlive_their_document(stage: Stage) -> None:
    tab = await watched(stage)
    await tab.run("fetch('/data.json').then(r => r.text())")
    image = "new Promise(r => { const i = new Image(); i.onload = r; i.src = '/pixel.png' })"
    await tab.run(image + ".then(() => 0)")
    await tab.quiet()
    text, picture = tab.log.entries(url="/data.json")[0], tab.log.entries(url="/pixel.png")[0]
    await tab.show("/main.html", "localhost")
    assert (await tab.log.body(text.id)).text == '{"a":1}'
    body = await tab.log.body(picture.id)
    assert (body.base64, body.mime) == (True, "image/png")
    assert base64.b64decode(body.text) == PIXEL


async def test_body_that_cannot_be_had_says_why(stage: Stage) -> None:
    tab = await watched(stage)
    await tab.run("fetch('/first').then(r => r.text())")
    await tab.run("fetch('http://127.0.0.1:9/').catch(() => 0)")
    await tab.quiet()
    log = tab.log
    for url, why in (("/first", "redirect"), (":9/", "it failed")):
        with pytest.raises(ToolError, match=why):
            await log.body(log.entries(url=url)[0].id)
    with pytest.raises(ToolError, match="more than 3"):
        await log.body(log.entries(url="redirected")[0].id, max_bytes=3)
    with pytest.raises(ToolError, match="no request r999"):
        await log.body("r999")


async def test_body_of_what_is_under_way_is_waited_for(stage: Stage) -> None:
    gate = stage.pages.add_slow("/later", "at last")
    tab = await watched(stage)
    asked = tab.log.expect(lambda e: e.url.endswith("/later"), "request", WITHIN_S)
    await tab.run("window.t = fetch('/later').then(r => r.text()); 0")
    entry = await asked
    with pytest.raises(ToolError, match="not ended"):
        await tab.log.body(entry.id, deadline=0.05)
    body = asyncio.ensure_future(tab.log.body(entry.id, deadline=WITHIN_S))
    gate.set()
    assert (await body).text == "at last"


async def test_post_data_is_had_short_or_long(stage: Stage) -> None:
    tab = await watched(stage)
    for size in (5, 100_000):
        send = f"fetch('/data.json?{size}', {{method: 'POST', body: 'p'.repeat({size})}})"
        await tab.run(send + ".then(r => r.text())")
        entry = tab.log.entries(url=f"?{size}")[0]
        assert len(await tab.log.post_data(entry.id)) == size
    assert await tab.log.post_data(tab.log.entries()[0].id) == ""


async def test_wait_is_armed_before_the_action(stage: Stage) -> None:
    tab = await watched(stage)
    answer = tab.log.expect(lambda e: e.status == 302, "response", WITHIN_S)
    await tab.run("fetch('/first').then(r => r.text())")
    assert (await answer).url.endswith("/first")
    never = tab.log.expect(lambda e: False, "request", 0.02)
    with pytest.raises(CommandTimeout):
        await never


async def test_tab_that_closes_ends_waits(stage: Stage) -> None:
    tab = await watched(stage)
    never = tab.log.expect(lambda e: False, "request", WITHIN_S)
    await stage.sup.close_tab(tab.tab)
    with pytest.raises(SessionGone):
        await never
    assert tab.log.in_flight() == []


async def test_other_tabs_and_popups_are_not_in_the_log(stage: Stage) -> None:
    tab = await watched(stage)
    await stage.sup.open_tab("other", stage.pages.url("/popup.html?other"))
    url = stage.pages.url("/popup.html?mine")
    await stage.run(tab.top.id, f"window.open({url!r}); 0", gesture=True)
    popup = await stage.sup.wait_for(
        lambda s: next((t.id for t in s.tabs.values() if t.opener == tab.tab), None), WITHIN_S
    )
    await stage.loaded(popup)
    assert tab.seen() == [("/main.html", 200)]


async def test_question_of_a_dialog_is_no_request_of_the_page(stage: Stage) -> None:
    tab = await watched(stage, "/oopif.html")
    inner = await stage.loaded(tab.tab, "spot")
    outcome = await stage.run(inner.id, "confirm('sure?')")
    assert outcome.blocked_by
    assert not [flying for flying in tab.log.in_flight() if ".invalid" in flying.url]
    await stage.sup.answer(accept=True, tab=tab.tab)
    await stage.delivered(outcome.action_id)
    assert ".invalid" not in json.dumps([e.as_dict() for e in tab.log.entries()])


async def test_closed_log_hears_nothing_and_can_be_started_again(stage: Stage) -> None:
    tab = await watched(stage)
    await tab.run("fetch('/data.json?1').then(r => r.text())")
    await tab.log.close()
    await tab.run("fetch('/data.json?2').then(r => r.text())")
    await tab.log.start()
    await tab.run("fetch('/data.json?3').then(r => r.text())")
    assert [path for path, _ in tab.seen(url="/data.json")] == ["/data.json?1", "/data.json?3"]


async def test_archive_of_a_real_page_is_valid(stage: Stage) -> None:
    tab = await watched(stage, "/oopif.html")
    await tab.run("document.cookie = 'who=me'; fetch('/first').then(r => r.text())")
    await tab.quiet()
    entries = tab.log.entries()
    bodies = {e.id: await tab.log.body(e.id) for e in entries if e.type == "Document"}
    made = build_har(entries, [HarPage("p1", "page", entries[0].started)], bodies)
    assert offences(made["log"], FORMAT) == []
    assert "who=me" not in json.dumps(made)
    for entry in made["log"]["entries"]:
        assert 0 <= entry["time"] < 60_000
