"""Policies on the wire: whatever a page tries, nothing arrives where it may not go."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
import pytest_asyncio

from pilothouse.browsers import Browsers, HeadlessKind
from pilothouse.errors import CdpError, ToolError
from pilothouse.security.file_access import FileAccess
from pilothouse.security.url_policy import UrlPolicy, parse_rule
from pilothouse.supervisor import Supervisors
from pilothouse.tabs.open_and_close_requests import App, OpenRequest
from pilothouse.tabs.owned_tab_and_browser import OwnedTab
from pilothouse.tabs.tabs import Tabs
from tests.browser.network_escapes import SERVICE, WAYS, Evil, attempt
from tests.page_server import Pages
from tests.tabs.tabs_setup import Room

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="module")]

WITHIN_S = 20.0
AT_ONCE = 8


@pytest.fixture(scope="module")
def evil() -> Iterator[Evil]:
    with Evil() as evil:
        yield evil


@pytest.fixture(scope="module")
def good() -> Iterator[Pages]:
    with Pages() as pages:
        yield pages


@pytest.fixture(scope="module")
def locked() -> Iterator[Pages]:
    with Pages(https=True) as pages:
        yield pages


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def room(
    evil: Evil, good: Pages, locked: Pages, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[Room]:
    files: Path = tmp_path_factory.mktemp("files")
    good.add("/ok.html", "<!doctype html><title>ok</title><body>fine")
    good.add("/service.js", SERVICE, headers={"Content-Type": "text/javascript"})
    good.add_redirect("/to-evil", f"http://evil.localhost:{evil.port}/redirected")
    said = (f"good.localhost:{good.port}", f"127.0.0.1:{good.port}", f"localhost:{locked.port}")
    listed = tuple(parse_rule(one) for one in said)
    fences = {
        "listed": UrlPolicy(allow=listed, private=False),
        "denied": UrlPolicy(
            deny=(parse_rule("evil.localhost"), parse_rule(f"127.0.0.1:{evil.port}"))
        ),
    }
    async with Browsers() as browsers, Supervisors() as supervisors:
        tabs = Tabs(
            browsers,
            supervisors,
            files=lambda owner: FileAccess(reads=(files,), writes=(files,)),
            url_policy_for=lambda owner: fences.get(owner, UrlPolicy()),
            default_kind=lambda: HeadlessKind(args=("--ignore-certificate-errors",)),
        )
        for owner in (*fences, "free"):
            await tabs.open(owner, OpenRequest("kept"))
        yield Room(tabs, browsers, good, files)
        await tabs.url_policies.close()


async def _arrived(room: Room, evil: Evil, owner: str, ways: list[str]) -> list[str]:
    """What came to the listener when pages of this owner tried these ways, all at once."""
    here = f"http://good.localhost:{room.pages.port}/ok.html"
    already = len(evil.arrived)

    async def one(way: str) -> OwnedTab:
        tab = await room.open(way, owner, url=here)
        try:
            async with asyncio.timeout(WITHIN_S):
                await _run(tab, attempt(way, "evil.localhost", evil.port))
        except (CdpError, ToolError, TimeoutError):
            pass  # the page left in the middle of it
        return tab

    tabs = await asyncio.gather(*(one(way) for way in ways))
    # What was on its way has come when each browser has been somewhere else and back.
    await asyncio.gather(*(room.do(tab, "goto", url=room.pages.url("/ok.html")) for tab in tabs))
    arrived = evil.arrived[already:]
    for tab in room.tabs.owned_by(owner):
        if tab.name != "kept":
            await room.tabs._close_tab(tab)
    return arrived


async def _run(tab: OwnedTab, code: str) -> None:
    """Run a script as if a person had just clicked: popups may open then."""
    asked = {"expression": code, "awaitPromise": True, "userGesture": True}
    await tab.supervisor.cdp("Runtime.evaluate", asked, tab=tab.tab_id)


def _batches() -> list[list[str]]:
    ways = list(WAYS)
    return [ways[start : start + AT_ONCE] for start in range(0, len(ways), AT_ONCE)]


@pytest.mark.parametrize("ways", _batches(), ids=lambda ways: ways[0])
@pytest.mark.parametrize("owner", ["listed", "denied"])
async def test_nothing_arrives_where_a_page_may_not_go(
    room: Room, evil: Evil, owner: str, ways: list[str]
) -> None:
    assert await _arrived(room, evil, owner, ways) == []


async def test_without_a_fence_those_ways_do_lead_there(room: Room, evil: Evil) -> None:
    ways = ["fetch", "websocket", "frame", "popup", "worker with a socket", "webrtc by udp"]
    came = " ".join(await _arrived(room, evil, "free", ways))
    for sign in ("/fetch", "/socket", "/frame", "/popup", "datagram"):
        assert sign in came


async def test_what_is_allowed_comes_through_whole_also_when_it_is_encrypted(
    room: Room, locked: Pages
) -> None:
    locked.add("/big.txt", "x" * 500_000)
    locked.add("/locked.html", "<!doctype html><title>locked</title><body>in private")
    tab = await room.open("locked", "listed", url=locked.url("/locked.html", host="localhost"))
    assert "in private" in str(await room.do(tab, "snapshot"))
    code = "fetch('/big.txt').then(r => r.text()).then(t => t.length)"
    assert await room.js(tab, code) == 500_000


# What the agent is told.


async def _went(room: Room, tab: OwnedTab, url: str) -> OwnedTab:
    await room.do(tab, "goto", url=url)
    return tab


@pytest.mark.parametrize("verb", ["goto", "open"])
async def test_going_where_a_rule_forbids_is_refused_at_once_and_names_the_rule(
    room: Room, evil: Evil, verb: str
) -> None:
    url = f"http://evil.localhost:{evil.port}/"
    for owner, said in (("listed", "policy: allow"), ("denied", "policy: deny: evil.localhost")):
        tab = await room.open("kept", owner)
        with pytest.raises(ToolError, match=said) as refused:
            await (_went(room, tab, url) if verb == "goto" else room.open("x", owner, url=url))
        assert "config.yaml" in refused.value.hint


async def test_a_redirect_to_a_forbidden_place_ends_there_and_is_told(room: Room) -> None:
    tab = await room.open("kept", "listed")
    tab.supervisor.take_notices(tab.key)
    arrived = await room.do(tab, "goto", url=room.pages.url("/to-evil"))
    assert arrived["error"] == "net::ERR_BLOCKED_BY_CLIENT"
    (notice,) = tab.supervisor.take_notices(tab.key)
    assert "blocked by policy: document http://evil.localhost" in notice
    assert "not on the list of allowed origins" in notice


async def test_a_part_that_is_blocked_is_told_and_stands_in_the_network_log(
    room: Room, evil: Evil
) -> None:
    image = f"http://evil.localhost:{evil.port}/part.png"
    room.pages.add("/parts.html", f"<title>parts</title><img src={image}>")
    tab = await room.open("parts", "listed", url=room.pages.url("/parts.html"))
    (notice,) = tab.supervisor.take_notices(tab.key)
    assert f"blocked by policy: image {image}" in notice
    logged = str(await room.do(tab, "requests"))
    assert "part.png" in logged
    assert "ERR_BLOCKED_BY_CLIENT" in logged


async def test_a_browser_we_did_not_start_is_refused_where_rules_must_hold(room: Room) -> None:
    with pytest.raises(ToolError, match="Pilothouse did not start it"):
        await room.open("app", "listed", app=App(cdp_url="http://127.0.0.1:9"))


# What holds for everybody.


@pytest.mark.parametrize(
    "code",
    [
        "await fetch('http://169.254.169.254/latest/meta-data/').catch(String)",
        "await fetch('http://2852039166/').catch(String)",
        "await fetch('http://[::ffff:169.254.169.254]/').catch(String)",
        "await fetch('http://metadata.google.internal/').catch(String)",
        "await fetch('http://100.100.100.200/', {mode: 'no-cors'}).catch(String)",
    ],
)
async def test_metadata_services_are_never_asked(room: Room, code: str) -> None:
    tab = await room.open("meta", "free", url=room.pages.url("/ok.html"))
    assert "Failed to fetch" in await room.js(tab, f"(async () => {code})()")
    notices = tab.supervisor.take_notices(tab.key)
    assert not notices or "metadata" in notices[0]


async def test_a_redirect_to_a_metadata_service_is_not_followed(room: Room) -> None:
    room.pages.add_redirect("/to-meta", "http://0xa9fea9fe/latest/")
    tab = await room.open("redirected", "free")
    arrived = await room.do(tab, "goto", url=room.pages.url("/to-meta"))
    assert arrived["error"] == "net::ERR_BLOCKED_BY_CLIENT"
    assert "metadata" in tab.supervisor.take_notices(tab.key)[0]


@pytest.mark.parametrize(
    "url",
    [
        "file:///etc/passwd",
        "view-source:file:///etc/passwd",
        "chrome://version",
        "chrome-extension://aaaa/x.html",
        "devtools://devtools/bundled/inspector.html",
        "javascript:alert(1)",
        "http://169.254.169.254/",
        "http://metadata.google.internal./",
    ],
)
async def test_dangerous_addresses_are_refused_by_default(room: Room, url: str) -> None:
    tab = await room.open("kept", "free")
    for attempt_ in (room.do(tab, "goto", url=url), room.open("new", "free", url=url)):
        with pytest.raises(ToolError, match="url:"):
            await attempt_


async def test_no_way_of_a_page_leads_to_a_file(room: Room) -> None:
    """Redirect, refresh, popup, frame, link: the text of the file is in no output."""
    room.pages.add_redirect("/to-file", "file:///etc/passwd")
    room.pages.add(
        "/files.html",
        """<title>files</title><iframe src="file:///etc/passwd"></iframe>
        <iframe src="view-source:file:///etc/passwd"></iframe><iframe src="/to-file"></iframe>
        <object data="file:///etc/passwd"></object><embed src="file:///etc/passwd">
        <a id=link href="file:///etc/passwd">go</a>""",
    )
    tab = await room.open("files", "free", url=room.pages.url("/files.html"))
    for code in (
        "window.open('file:///etc/passwd')",
        "window.open('view-source:file:///etc/passwd')",
        "link.click()",
        "location = 'file:///etc/passwd'",
        "fetch('file:///etc/passwd').then(r => r.text()).then(t => document.title = t)",
    ):
        with contextlib.suppress(CdpError, ToolError):
            await _run(tab, f"(async () => {{ {code} }})().catch(() => 0)")
    redirected = await room.do(tab, "goto", url=room.pages.url("/to-file"))
    assert redirected["error"]
    for one in room.tabs.owned_by("free"):
        if one.alive:
            seen = str(await room.do(one, "snapshot")) + str(await room.do(one, "requests"))
            assert "root:x:0" not in seen
