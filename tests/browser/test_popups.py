"""The first document of a tab that a page opens is judged like any other navigation."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from pilothouse.browsers import Browsers
from pilothouse.security.file_access import FileAccess
from pilothouse.security.url_policy import UrlPolicy, classify, parse_rule
from pilothouse.supervisor import Supervisor, Supervisors
from pilothouse.supervisor.model.events import BlockedByPolicy
from pilothouse.supervisor.model.state import State
from pilothouse.tabs.open_and_close_requests import App
from pilothouse.tabs.owned_tab_and_browser import OwnedTab
from pilothouse.tabs.tabs import Tabs
from tests.browser.network_escapes import Evil
from tests.chromium import running_chromium
from tests.page_server import Pages
from tests.tabs.tabs_setup import Room

pytestmark = [pytest.mark.browser, pytest.mark.boundary, pytest.mark.asyncio(loop_scope="module")]

WITHIN_S = 10.0
# The link and the frame are where the pointer clicks: at 50,50 and at 50,250.
OPENER = """<!doctype html><title>opener</title><body style="margin: 0; height: 600px">
<a id=link href="{url}" {more} style="display: block; width: 300px; height: 200px">link</a>
<form id=form action="{url}" target=_blank></form>
<iframe src="{frame}" style="border: 0; width: 300px; height: 200px"></iframe>"""
FRAME = """<!doctype html><body style="margin: 0">
<a href="{url}" target=_blank style="display: block; width: 300px; height: 200px">link</a>"""

SCRIPTS = {
    "open": "void open(link.href)",
    "open without opener": "void open(link.href, '_blank', 'noopener')",
    "open a name": "void open(link.href, 'other')",
    "open, then go": "{ const w = open('about:blank'); w.location = link.href }",
    "link to a new tab": "{ link.target = '_blank'; link.click() }",
    "form to a new tab": "form.submit()",
}
CLICKS: dict[str, dict[str, Any]] = {
    "click": {"button": "left"},
    "middle click": {"button": "middle"},
    "click with Ctrl": {"button": "left", "modifiers": 2},
    "click with Shift": {"button": "left", "modifiers": 8},
}
WAYS = [*SCRIPTS, *CLICKS, "click in a frame", "click in a foreign frame", "drop"]


@pytest.fixture(scope="module")
def evil() -> Iterator[Evil]:
    with Evil() as evil:
        yield evil


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def room(evil: Evil, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Room]:
    files: Path = tmp_path_factory.mktemp("files")
    denied = (parse_rule("evil.localhost"), parse_rule(f"127.0.0.1:{evil.port}"))
    fences = {"denied": UrlPolicy(deny=denied), "joined": UrlPolicy(deny=denied, joined=True)}
    with Pages() as pages:
        async with Browsers() as browsers, Supervisors() as supervisors:
            tabs = Tabs(
                browsers,
                supervisors,
                files=lambda owner: FileAccess(reads=(files,), writes=(files,)),
                url_policy_for=lambda owner: fences.get(owner, UrlPolicy()),
            )
            yield Room(tabs, browsers, pages, files)
            await tabs.url_policies.close()


async def _opener(room: Room, tab: OwnedTab, url: str, way: str) -> None:
    """Show a page that could open this address in many ways."""
    host = "a.localhost" if "foreign" in way else "127.0.0.1"
    room.pages.add("/frame.html", FRAME.format(url=url))
    more = "target=_blank" if way == "click" else ""
    frame = room.pages.url("/frame.html", host=host)
    room.pages.add("/opener.html", OPENER.format(url=url, more=more, frame=frame))
    await room.do(tab, "goto", url=room.pages.url("/opener.html"))


async def _try(room: Room, tab: OwnedTab, way: str, url: str) -> None:
    async def cdp(method: str, **params: Any) -> None:
        await tab.supervisor.cdp(method, params, tab=tab.tab_id)

    await _opener(room, tab, url, way)
    if way in SCRIPTS:
        await cdp("Runtime.evaluate", expression=SCRIPTS[way], userGesture=True)
    elif way == "drop":
        await _drop(tab, {"items": [{"mimeType": "text/uri-list", "data": url}]})
    else:
        given: dict[str, Any] = {"x": 50, "y": 250 if "frame" in way else 50, "clickCount": 1}
        given |= CLICKS.get(way, {"button": "left"})
        for kind in ("mousePressed", "mouseReleased"):
            await cdp("Input.dispatchMouseEvent", type=kind, **given)
    # What was on its way has begun when the page has been somewhere else and back.
    await room.do(tab, "goto", url=room.pages.add("/done.html", "<title>done</title>"))


async def _drop(tab: OwnedTab, data: dict[str, Any]) -> None:
    """Drop past what agents and clients may send: as a fault of ours would."""
    for kind in ("dragEnter", "dragOver", "drop"):
        asked = {"type": kind, "x": 400, "y": 500, "data": {"dragOperationsMask": 1, **data}}
        await tab.supervisor.cdp("Input.dispatchDragEvent", asked, tab=tab.tab_id)


def _shown(state: State) -> list[str]:
    """The documents of all tabs."""
    return [
        state.frames[t.target_id].url for t in state.tabs.values() if t.target_id in state.frames
    ]


async def _comes_to(supervisor: Supervisor, urls: list[str]) -> None:
    """Wait until the tabs of a browser show these, in any order."""
    try:
        await supervisor.wait_for(lambda state: sorted(_shown(state)) == sorted(urls), WITHIN_S)
    except TimeoutError:
        raise AssertionError(f"the tabs show {_shown(supervisor.state)}, not {urls}") from None


async def _leave(room: Room, owner: str) -> None:
    for tab in room.tabs.owned_by(owner):
        await room.tabs._close_tab(tab)


async def test_a_denied_place_is_not_reached_by_a_new_tab(room: Room, evil: Evil) -> None:
    url = f"http://evil.localhost:{evil.port}/popup"
    tab = await room.open("main", "denied")
    for way in WAYS:
        await _try(room, tab, way, url)
        assert evil.arrived == [], way
    await _leave(room, "denied")


@pytest.mark.parametrize(
    ("url", "ways"),
    [
        ("file:///etc/passwd", WAYS),
        ("chrome://version/", ["open", "middle click", "drop"]),
        ("about:version", ["open", "open without opener", "middle click", "drop"]),
    ],
)
async def test_no_way_to_a_new_tab_leads_to_a_closed_scheme(
    room: Room, url: str, ways: list[str]
) -> None:
    tab = await room.open("main", "free")
    for way in ways:
        await _try(room, tab, way, url)
        shown = _shown(tab.supervisor.state)
        assert [one for one in shown if one and not classify(one, UrlPolicy())] == [], way
    await _leave(room, "free")


async def test_a_file_that_a_drop_opens_is_taken_away_again(room: Room) -> None:
    secret = room.files / "secret.txt"
    secret.write_text("the contents of a local file")
    tab = await room.open("main", "free")
    await _opener(room, tab, "about:blank", "drop")
    here = room.pages.url("/opener.html")
    heard = asyncio.get_running_loop().create_future()

    def told(event: Any, *_: Any) -> None:
        if isinstance(event, BlockedByPolicy) and not heard.done():
            heard.set_result(event.words)

    leave = tab.supervisor.observe(told)
    await _drop(tab, {"items": [], "files": [str(secret)]})
    async with asyncio.timeout(WITHIN_S):
        assert f"blocked by policy: page {secret.as_uri()}" in await heard
    leave()
    await _comes_to(tab.supervisor, [here, "about:blank"])
    for one in room.tabs.owned_by("free"):
        assert "contents" not in str(await room.do(one, "snapshot"))
    await _leave(room, "free")


async def test_a_popup_in_a_joined_browser_does_not_show_a_denied_place(
    room: Room, chromium_path: Path
) -> None:
    room.pages.add("/denied.html", "<title>denied</title>")
    url = room.pages.url("/denied.html", host="evil.localhost")
    with running_chromium(chromium_path) as theirs:
        app = App(cdp_url=f"http://127.0.0.1:{theirs.port}")
        tab = await room.open("main", "joined", app=app)
        await _opener(room, tab, url, "open")
        asked = {"expression": SCRIPTS["open"], "userGesture": True}
        await tab.supervisor.cdp("Runtime.evaluate", asked, tab=tab.tab_id)
        await tab.supervisor.wait_for(lambda state: len(state.tabs) > 1, WITHIN_S)
        popup = list(tab.supervisor.state.tabs.values())[-1]

        def settled(state: State) -> bool:
            return state.frames[popup.target_id].url in (
                "about:blank",
                "chrome-error://chromewebdata/",
            )

        await tab.supervisor.wait_for(settled, WITHIN_S)
        notices = tab.supervisor.take_notices(tab.key)
        assert any("blocked by policy" in notice for notice in notices)
        await _leave(room, "joined")
