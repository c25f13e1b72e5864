"""Rules for requests on a real Chromium, beside passwords and dialogs that share the filter."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from pilothouse.cdp.protocol import Fetch
from pilothouse.errors import ToolError
from pilothouse.page.network.route_rules import BlockRequest, ChangeRequest, MockResponse
from pilothouse.page.network.routes import Routes
from pilothouse.page.tab_context import TabContext
from pilothouse.security.file_access import FileAccess
from pilothouse.supervisor.extra_session_setup import SessionHook
from tests.browser.browser_with_dialog_places import WITHIN_S, Spot, Stage, staged

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="module")]


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def stage(chromium_path: Path) -> AsyncIterator[Stage]:
    async with staged() as made:
        made.pages.add("/data.json", "from the server")
        made.pages.add_protected("/secret.json", "the secret", "anna", "geheim")
        made.pages.add_protected("/secret.html", "the secret", "anna", "geheim")
        made.pages.add_redirect("/away", "/data.json?away")
        yield made


@pytest_asyncio.fixture(loop_scope="module", autouse=True)
async def cleared(stage: Stage) -> AsyncIterator[None]:
    yield
    await stage.clear()


class Routed:
    """A spot, and the rules of its tab."""

    def __init__(self, stage: Stage, spot: Spot) -> None:
        self.stage = stage
        self.spot = spot
        self.routes = Routes(TabContext(stage.sup, spot.tab))

    async def get(self, path: str, options: str = "{}", host: str = "") -> Any:
        """What `fetch` of a path gives: the text of the body, or the error."""
        url = self.stage.pages.url(path, host) if host else path
        script = f"fetch({url!r}, {options}).then(r => r.text(), e => String(e))"
        return await self.stage.value(self.spot.frame_id, script)


async def routed(stage: Stage, spot: str = "main") -> Routed:
    return Routed(stage, await stage.go(spot))


@pytest.mark.parametrize("spot", ["main", "oopif", "nested_oopif"])
async def test_mock_answers_in_every_frame_and_sends_nothing(stage: Stage, spot: str) -> None:
    tab = await routed(stage, spot)
    path = f"/mocked/{spot}"
    await tab.routes.add("**/mocked/*", MockResponse(body=b"made up"))
    assert await tab.get(path) == "made up"
    assert stage.pages.visits_to(path) == []


@pytest.mark.parametrize("host", ["localhost", "a.localhost"])
@pytest.mark.parametrize("options", ["{}", "{credentials: 'include', method: 'PUT'}"])
async def test_mock_of_another_site_can_be_read(stage: Stage, host: str, options: str) -> None:
    tab = await routed(stage)
    await tab.routes.add("/mocked", MockResponse(body=b"made up"), times=1)
    assert await tab.get("/mocked", options, host) == "made up"
    assert tab.routes.list()[0]["left"] == 0


async def test_block_fails_the_request_and_others_go_on(stage: Stage) -> None:
    tab = await routed(stage)
    await tab.routes.add("re:/data\\.json\\?(a|b)$", BlockRequest())
    assert await tab.get("/data.json?a") == "TypeError: Failed to fetch"
    assert await tab.get("/data.json?c") == "from the server"


async def test_block_by_type_leaves_other_types_alone(stage: Stage) -> None:
    tab = await routed(stage)
    await tab.routes.add("**/data.json", BlockRequest(), types=["image"])
    image = "new Promise(r => { const i = new Image(); i.onerror = r; i.src = '/data.json?img' })"
    await stage.value(tab.spot.frame_id, image + ".then(() => 0)")
    assert stage.pages.visits_to("/data.json?img") == []
    assert await tab.get("/data.json") == "from the server"


async def test_change_alters_what_is_sent(stage: Stage) -> None:
    tab = await routed(stage)
    await tab.routes.add("/changed", ChangeRequest(url=stage.pages.url("/data.json?changed")))
    await tab.routes.add(
        "/data.json?sent",
        ChangeRequest(method="POST", headers={"X-Added": "1", "X-Gone": None}, post_data=b"posted"),
    )
    assert await tab.get("/changed") == "from the server"
    await tab.get("/data.json?sent", "{headers: {'X-Gone': '1', 'X-Kept': '2'}}")
    (visit,) = stage.pages.visits_to("/data.json?sent")
    assert (visit.method, visit.body) == ("POST", b"posted")
    names = {name.lower() for name in visit.headers}
    assert {"x-added", "x-kept"} <= names
    assert "x-gone" not in names


async def test_newest_rule_wins_as_often_as_it_may(stage: Stage) -> None:
    tab = await routed(stage)
    first = await tab.routes.add("/data.json", MockResponse(body=b"first"))
    await tab.routes.add("/data.json", MockResponse(body=b"second"), times=2)
    answers = [await tab.get("/data.json") for _ in range(3)]
    assert answers == ["second", "second", "first"]
    assert [(r["used"], r.get("left")) for r in tab.routes.list()] == [(2, 0), (1, None)]
    await tab.routes.remove(first)
    assert await tab.get("/data.json") == "from the server"
    with pytest.raises(ToolError, match="no rule"):
        await tab.routes.remove(first)
    await tab.routes.add("/data.json", BlockRequest())
    assert await tab.routes.clear() == 2
    assert await tab.get("/data.json") == "from the server"


async def test_hop_of_a_redirect_is_a_request_like_any_other(stage: Stage) -> None:
    tab = await routed(stage)
    await tab.routes.add("?away", MockResponse(body=b"caught"))
    assert await tab.get("/away") == "caught"


async def test_rules_outlive_navigations_and_reach_later_frames(stage: Stage) -> None:
    tab = await routed(stage)
    before = stage.sup.state.frames[tab.spot.frame_id].loader
    await tab.routes.add("/mocked", MockResponse(body=b"made up"))
    url = stage.pages.url("/oopif.html", host="a.localhost")
    await stage.sup.cdp("Page.navigate", {"url": url}, tab=tab.spot.tab)
    await stage.loaded(tab.spot.tab, but=before)
    inner = await stage.loaded(tab.spot.tab, "spot")
    for frame in (tab.spot.frame_id, inner.id):
        read = "fetch('/mocked').then(r => r.text())"
        assert await stage.value(frame, read) == "made up"


async def test_document_itself_can_be_mocked(stage: Stage) -> None:
    tab = await routed(stage)
    before = stage.sup.state.frames[tab.spot.frame_id].loader
    page = MockResponse(body=b"<title>made up</title>", content_type="text/html")
    await tab.routes.add("http://nowhere.invalid/", page, types=["Document"])
    await stage.sup.cdp("Page.navigate", {"url": "http://nowhere.invalid/"}, tab=tab.spot.tab)
    top = await stage.loaded(tab.spot.tab, but=before)
    assert await stage.value(top.id, "document.title") == "made up"


async def test_popup_has_rules_of_its_own(stage: Stage) -> None:
    tab = await routed(stage)
    await tab.routes.add("**", MockResponse(body=b"made up"), types=["xhr"])
    url = stage.pages.url("/popup.html")
    await stage.run(tab.spot.frame_id, f"window.open({url!r}); 0", gesture=True)
    popup = await stage.sup.wait_for(
        lambda s: next((t.id for t in s.tabs.values() if t.opener == tab.spot.tab), None), WITHIN_S
    )
    frame = await stage.loaded(popup)
    read = "fetch('/data.json').then(r => r.text())"
    assert await stage.value(frame.id, read) == "from the server"


async def test_workers_of_the_tab_keep_to_the_rules(stage: Stage) -> None:
    tab = await routed(stage)
    await tab.routes.add("/mocked", MockResponse(body=b"made up"))
    stage.pages.add("/asks.js", "fetch('/mocked').then(r => r.text()).then(t => postMessage(t))")
    wait = "new Promise(r => (window.w = new Worker('/asks.js')).onmessage = e => r(e.data))"
    assert await stage.value(tab.spot.frame_id, wait) == "made up"


async def test_service_worker_of_the_tab_keeps_to_the_rules(stage: Stage) -> None:
    tab = await routed(stage)
    await tab.routes.add("/mocked", MockResponse(body=b"made up"))
    script = (
        "oninstall = () => skipWaiting(); onactivate = e => e.waitUntil(clients.claim());"
        "onfetch = e => e.request.url.includes('/asked') && e.respondWith(fetch('/mocked'))"
    )
    stage.pages.add("/service.js", script)
    taken = "new Promise(r => navigator.serviceWorker.oncontrollerchange = () => r(0))"
    start = f"navigator.serviceWorker.register('/service.js'); {taken}"
    await stage.value(tab.spot.frame_id, start)
    assert await tab.get("/asked") == "made up"
    leave = "navigator.serviceWorker.getRegistration().then(r => r.unregister())"
    await stage.value(tab.spot.frame_id, leave)


# Beside the other two who use the filter.


async def test_dialogs_of_foreign_frames_are_held_beside_rules_for_everything(
    stage: Stage,
) -> None:
    tab = await routed(stage, "oopif")
    await tab.routes.add("**", BlockRequest())
    outcome = await stage.run(tab.spot.frame_id, "prompt('name?')")
    assert outcome.blocked_by
    await stage.sup.answer(accept=True, text="anna", tab=tab.spot.tab)
    assert (await stage.delivered(outcome.action_id))["result"]["value"] == "anna"
    assert (await tab.get("/data.json")).startswith("TypeError")


@pytest.mark.parametrize("rule", [True, False])
async def test_password_for_a_page_is_asked_for_beside_rules(stage: Stage, rule: bool) -> None:
    tab = await routed(stage)
    if rule:
        await tab.routes.add("**", ChangeRequest(headers={"X-All": "1"}))
    host = "localhost" if rule else "a.localhost"
    url = stage.pages.url("/secret.html", host)
    outcome = await stage.sup.cdp("Page.navigate", {"url": url}, tab=tab.spot.tab)
    (asked,) = outcome.blocked_by
    stage.sup.answer_interrupt(asked.id, "provide", username="anna", password="geheim")
    assert "errorText" not in await stage.delivered(outcome.action_id)


async def test_password_for_less_than_a_page_is_not_asked_for(stage: Stage) -> None:
    tab = await routed(stage)
    await tab.routes.add("**", ChangeRequest(headers={"X-All": "1"}))
    assert await tab.get("/secret.json") == "who are you?"
    assert not stage.sup.state.interrupts


# Every stopped request is answered.


async def test_answer_that_chrome_refuses_lets_the_request_go_on(stage: Stage) -> None:
    tab = await routed(stage)
    await tab.routes.add("/data.json", ChangeRequest(headers={"Connection": "upgrade"}))
    assert await tab.get("/data.json") == "from the server"
    assert "Unsafe header" in tab.routes.list()[0]["refused"]


async def test_request_the_page_gives_up_is_nobodys_fault(stage: Stage) -> None:
    tab = await routed(stage)
    await tab.routes.add("/data.json", MockResponse(body=b"made up"))
    script = (
        "Promise.all([...Array(20)].map(() => { const a = new AbortController();"
        "const p = fetch('/data.json', {signal: a.signal}).then(() => 'got', () => 'left');"
        "setTimeout(() => a.abort()); return p; })).then(all => all.length)"
    )
    assert await stage.value(tab.spot.frame_id, script) == 20
    assert await tab.get("/data.json") == "made up"
    assert "refused" not in tab.routes.list()[0]


async def test_status_without_a_name_can_be_mocked(stage: Stage) -> None:
    tab = await routed(stage)
    await tab.routes.add("/data.json", MockResponse(status=599))
    script = "fetch('/data.json').then(r => [r.status, r.statusText])"
    assert await stage.value(tab.spot.frame_id, script) == [599, "Unknown"]


async def test_rule_that_raises_lets_the_request_go_on(stage: Stage) -> None:
    tab = await routed(stage)

    def take(event: Any) -> bool:
        raise ZeroDivisionError

    everything = SessionHook(patterns=({"urlPattern": "*"},), handle=take)
    await stage.sup.session_hooks.put(tab.spot.tab, "broken", everything)
    assert await tab.get("/data.json") == "from the server"
    await stage.sup.session_hooks.remove(tab.spot.tab, "broken")
    assert await tab.get("/data.json") == "from the server"


async def test_hundred_requests_at_once_are_all_answered(stage: Stage) -> None:
    tab = await routed(stage)
    await tab.routes.add("?even", MockResponse(body=b"e"))
    await tab.routes.add("?odd", BlockRequest())
    script = (
        "Promise.all([...Array(100).keys()].map(i => fetch('/data.json?' + ['even', 'odd'][i % 2])"
        ".then(r => r.text(), () => 'x'))).then(a => a.join(''))"
    )
    async with asyncio.timeout(WITHIN_S):
        assert await stage.value(tab.spot.frame_id, script) == "ex" * 50


async def test_rules_removed_while_requests_wait_leave_none_hanging(stage: Stage) -> None:
    tab = await routed(stage)
    await tab.routes.add("/data.json", MockResponse(body=b"made up"))
    start = "window.all = Promise.all([...Array(30)].map(() => fetch('/data.json'))); 0"
    stopped = stage.sup.session(tab.spot.tab).expect(Fetch.requestPaused)
    await stage.value(tab.spot.frame_id, start)
    await stopped
    await tab.routes.clear()
    async with asyncio.timeout(WITHIN_S):
        assert await stage.value(tab.spot.frame_id, "all.then(a => a.length)") == 30


# Files and headers.


async def test_file_is_the_body_of_a_mock(stage: Stage, tmp_path: Path) -> None:
    tab = await routed(stage)
    tab.routes = Routes(TabContext(stage.sup, tab.spot.tab), FileAccess(reads=(tmp_path,)))
    file = tmp_path / "body.txt"
    file.write_text("from a file")
    await tab.routes.add("/mocked", MockResponse(), file=str(file))
    assert await tab.get("/mocked") == "from a file"
    with pytest.raises(ToolError, match=r"^file:"):
        await tab.routes.add("/mocked", MockResponse(), file=str(tmp_path / "none"))
    with pytest.raises(ToolError, match=r"^file: .*outside the allowed folders"):
        await tab.routes.add("/mocked", MockResponse(), file="/etc/passwd")
    with pytest.raises(ToolError, match=r"^file:"):
        await tab.routes.add("/mocked", BlockRequest(), file=str(file))
