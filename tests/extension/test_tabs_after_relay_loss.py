"""The user goes on at once when the relay is gone, whatever an agent left half done."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import signal
import tempfile
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from websockets.asyncio.client import connect

from pilothouse.relay.extension.installation import install
from pilothouse.relay.server.pairing_store import PairingStore
from tests.daemon.daemon_process import Home, at_home
from tests.extension.chrome_relay_and_pages import Stage
from tests.extension.chrome_with_extension import Chrome, chrome_with_extension
from tests.page_server import Pages
from tests.relay.relay_and_daemon_setup import RelayedDaemon, relay_environ

pytestmark = [
    pytest.mark.browser,
    pytest.mark.figures,
    pytest.mark.asyncio(loop_scope="module"),
    pytest.mark.timeout(300),
]

# From the loss of the line; a relay whose process is stopped must be missed first. On a machine
# that has nothing else to do it takes 0.1 s (goodbye), 1.1 s (lost) and 4.2 s (stopped).
FREE_WITHIN_S = 2.0
STOPPED_WITHIN_S = 6.0
WITHIN_S = 20.0
RELAY_ENDS = 4004

Prepare = Callable[[Stage, int], Awaitable[None]]


async def _request(stage: Stage, tab_id: int) -> None:
    """The user's own navigation waits for an agent's decision."""
    await stage.relay.cdp(tab_id, "Fetch.enable")
    await _goes(stage, tab_id, stage.page("<title>held up</title>"))
    await stage.relay.event(tab_id, "Fetch.requestPaused")


async def _password(stage: Stage, tab_id: int) -> None:
    """The user's own navigation waits for an agent's password."""
    await stage.relay.cdp(tab_id, "Fetch.enable", handleAuthRequests=True)
    url = stage.pages.add_protected("/secret.html", "<title>secret</title>", "me", "it")
    await _goes(stage, tab_id, url)
    asked = await stage.relay.event(tab_id, "Fetch.requestPaused")
    await stage.relay.cdp(tab_id, "Fetch.continueRequest", requestId=asked["params"]["requestId"])
    await stage.relay.event(tab_id, "Fetch.authRequired")


async def _dialog(stage: Stage, tab_id: int) -> None:
    """A dialog is open."""
    await stage.relay.cdp(tab_id, "Page.enable")
    await stage.relay.value(tab_id, "void setTimeout(() => (self.got = confirm('Sure?')))")
    await stage.relay.event(tab_id, "Page.javascriptDialogOpening")


async def _leaving(stage: Stage, tab_id: int) -> None:
    """A page asks whether to leave it."""
    await stage.relay.cdp(tab_id, "Page.enable")
    await stage.relay.value(tab_id, "onbeforeunload = (event) => event.preventDefault()")
    for kind in ("mousePressed", "mouseReleased"):
        at = {"x": 5, "y": 5, "button": "left", "clickCount": 1}
        await stage.relay.cdp(tab_id, "Input.dispatchMouseEvent", type=kind, **at)
    url = stage.page("<title>agent's</title>")
    going = stage.relay.send(
        "cdpCommand", {"tabId": tab_id, "method": "Page.navigate", "params": {"url": url}}
    )
    await stage.relay.event(tab_id, "Page.javascriptDialogOpening")
    going.cancel()


async def _breakpoint(stage: Stage, tab_id: int) -> None:
    """A script stands at a breakpoint."""
    await stage.relay.cdp(tab_id, "Debugger.enable")
    await stage.relay.value(tab_id, "void setTimeout(() => { debugger; })")
    await stage.relay.event(tab_id, "Debugger.paused")


async def _chooser(stage: Stage, tab_id: int) -> None:
    """File choosers are intercepted, and one was."""
    await stage.relay.cdp(tab_id, "Page.enable")
    await stage.relay.cdp(tab_id, "Page.setInterceptFileChooserDialog", enabled=True)
    click = "document.body.append(Object.assign(document.createElement('input'), {type: 'file'})),"
    await stage.relay.cdp(
        tab_id,
        "Runtime.evaluate",
        expression=f"{click} document.querySelector('input').click()",
        userGesture=True,
    )
    await stage.relay.event(tab_id, "Page.fileChooserOpened")


async def _frame(stage: Stage, tab_id: int) -> None:
    """A frame of another site waits for the debugger."""
    auto = {"autoAttach": True, "waitForDebuggerOnStart": True, "flatten": True}
    await stage.relay.cdp(tab_id, "Target.setAutoAttach", **auto)
    inner = stage.page("<title>inner</title>", "localhost")
    frame = f"Object.assign(document.createElement('iframe'), {{src: {json.dumps(inner)}}})"
    await stage.relay.value(tab_id, f"void document.body.append({frame})")
    await stage.relay.event(
        tab_id, "Target.attachedToTarget", lambda p: p["targetInfo"]["type"] == "iframe"
    )


async def _nothing(stage: Stage, tab_id: int) -> None:
    """The tab is held, and nothing waits."""


STATES = [_nothing, _request, _password, _dialog, _breakpoint, _chooser, _frame]


@pytest.mark.parametrize("prepare", STATES)
async def test_the_user_goes_on_when_the_line_is_lost(stage: Stage, prepare: Prepare) -> None:
    tab_id = await stage.held("<title>lent</title><p>text")
    await prepare(stage, tab_id)
    async with _no_relay(stage):
        await _free_within(stage, tab_id, FREE_WITHIN_S)


@pytest.mark.parametrize("prepare", [_request, _dialog])
async def test_a_relay_that_says_goodbye_lets_go_at_once(stage: Stage, prepare: Prepare) -> None:
    tab_id = await stage.held("<title>lent</title>")
    await prepare(stage, tab_id)
    async with _no_relay(stage, RELAY_ENDS):
        await _free_within(stage, tab_id, FREE_WITHIN_S / 2)


async def test_what_a_page_asks_before_it_is_left_is_answered_with_stay(stage: Stage) -> None:
    tab_id = await stage.held("<title>lent</title>")
    await _leaving(stage, tab_id)
    async with _no_relay(stage):
        await _until(stage, f"!(await debugged({tab_id}))", FREE_WITHIN_S)
        session = await stage.chrome.attach(await _target(stage, tab_id))
        async with _timed(FREE_WITHIN_S):
            # It answers: no dialog is open. It is the page that it was.
            asked = "onbeforeunload = null, document.title"
            assert await stage.chrome.evaluate(session, asked) == "lent"
        await stage.chrome.call("Target.detachFromTarget", sessionId=session)


async def test_requests_of_the_user_pass_while_a_lost_line_is_waited_for(stage: Stage) -> None:
    tab_id = await stage.held("<title>lent</title>")
    await stage.relay.cdp(tab_id, "Fetch.enable")
    async with _no_relay(stage):
        await _arrives(stage, tab_id, FREE_WITHIN_S / 2)


async def test_a_relay_that_comes_back_in_time_finds_tabs_as_they_were(stage: Stage) -> None:
    tab_id = await stage.held("<title>lent</title>")
    await stage.relay.cdp(tab_id, "Page.enable")
    await stage.relay.cdp(tab_id, "Page.setInterceptFileChooserDialog", enabled=True)
    welcomes, port = stage.relay.welcomes(), stage.relay.port
    await stage.relay.stop()
    await stage.relay.start(port)
    await stage.relay.wait(lambda: stage.relay.welcomes() > welcomes)
    assert await stage.relay.value(tab_id, "document.title") == "lent"
    # Choosers, which were the user's for the moment, are intercepted again.
    await stage.relay.cdp(
        tab_id,
        "Runtime.evaluate",
        expression="Object.assign(document.createElement('input'), {type: 'file'}).click()",
        userGesture=True,
    )
    await stage.relay.event(tab_id, "Page.fileChooserOpened")


async def test_a_relay_that_falls_silent_is_missed(stage: Stage) -> None:
    stage.relay.welcome = {"heartbeat": 500}
    try:
        await _again(stage)
        tab_id = await stage.held("<title>lent</title>")
        stage.relay.welcome = {}
        welcomes = stage.relay.welcomes()
        # It pings no more: the line is given up, and another one is tried.
        async with _timed(STOPPED_WITHIN_S):
            await stage.relay.wait(lambda: stage.relay.welcomes() > welcomes)
        assert await stage.relay.value(tab_id, "document.title") == "lent"
    finally:
        stage.relay.welcome = {}


async def _again(stage: Stage) -> None:
    welcomes = stage.relay.welcomes()
    await stage.press("connect")
    await stage.relay.wait(lambda: stage.relay.welcomes() > welcomes)


@contextlib.asynccontextmanager
async def _no_relay(stage: Stage, code: int = 0) -> AsyncIterator[None]:
    """The relay dies, as a process does, or says goodbye with a code; it comes back afterwards."""
    welcomes, port = stage.relay.welcomes(), stage.relay.port
    if code:
        await stage.relay.visit.socket.close(code, "the relay ends")
    else:
        stage.relay.visit.socket.transport.abort()
    await stage.relay.stop()
    try:
        yield
    finally:
        await stage.relay.start(port)
        await stage.relay.wait(lambda: stage.relay.welcomes() > welcomes)


@contextlib.asynccontextmanager
async def _timed(within: float) -> AsyncIterator[None]:
    started = time.monotonic()
    yield
    assert time.monotonic() - started < within


def _now() -> float:
    """The clock that Chrome's `Date.now()` reads too."""
    return time.time()  # noqa: TID251


async def _free_within(stage: Stage, tab_id: int, within: float) -> None:
    """The debugger is off the tab, and the user's next navigation arrives."""
    started = _now()
    assert await _until(stage, f"!(await debugged({tab_id}))", within) - started < within
    await _arrives(stage, tab_id, FREE_WITHIN_S)


async def _arrives(stage: Stage, tab_id: int, within: float) -> None:
    url = stage.page("<title>the user's</title>")
    started = _now()
    await _goes(stage, tab_id, url)
    here = f"(({{url, status}}) => url === {json.dumps(url)} && status === 'complete')"
    arrived = await _until(stage, f"{here}(await chrome.tabs.get({tab_id}))", within)
    assert arrived - started < within


async def _goes(stage: Stage, tab_id: int, url: str) -> None:
    """The user goes somewhere."""
    await stage.on_panel(f"chrome.tabs.update({tab_id}, {{url: {json.dumps(url)}}}).then(() => 1)")


async def _target(stage: Stage, tab_id: int) -> str:
    found = f"chrome.debugger.getTargets().then(all => all.find(t => t.tabId === {tab_id}).id)"
    return str(await stage.on_panel(found))


async def _until(stage: Stage, condition: str, within: float) -> float:
    """Wait until it holds in Chrome; returns when Chrome saw it, in `_now`'s seconds."""
    return float(await stage.on_panel(_waiting(condition, within))) / 1000


def _waiting(condition: str, within: float) -> str:
    """A script that returns when a condition holds. The time is Chrome's, because the reply takes
    longer on a busy machine."""
    return (
        "(async () => { const debugged = async (id) =>"
        " (await chrome.debugger.getTargets()).some(t => t.tabId === id && t.attached);"
        f" const end = Date.now() + {round(within * 1000)};"
        f" while (!({condition})) {{ if (Date.now() > end) throw new Error('too late');"
        " await new Promise((done) => setTimeout(done, 20)); } return Date.now(); })()"
    )


# The daemon itself.


@dataclass(slots=True)
class Lent:
    """The user's Chrome with a page of the extension's own, and the files of a daemon to come."""

    chrome: Chrome
    panel: str
    pages: Pages
    home: Home

    async def user(self, expression: str) -> Any:
        """Something that the user, or an extension page of theirs, does."""
        return await self.chrome.evaluate(self.panel, expression)


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def lent(chromium_path: Path) -> AsyncIterator[Lent]:
    with (
        tempfile.TemporaryDirectory(prefix="ph-let-") as root,
        Pages() as pages,
        at_home(chromium_path) as home,
    ):
        data = Path(relay_environ(home)["PILOTHOUSE_DATA_DIR"])
        copy = install(
            Path(root) / "extension", 1, PairingStore(data / "pairings.json"), share="all"
        )
        async with chrome_with_extension(chromium_path, copy.folder) as chrome:
            panel = await chrome.open_page("settings/settings.html")
            yield Lent(chrome, panel, pages, home)


def _opened(home: Home) -> RelayedDaemon:
    home.start(**relay_environ(home))
    status = home.line("who asks").call("relay.status")
    return RelayedDaemon(home, status["port"], Path(status["token_file"]).read_text())


def _relay_stop(home: Home) -> None:
    home.line("who stops it").call("relay.stop")


def _terminated(home: Home) -> None:
    assert home.process is not None
    home.process.send_signal(signal.SIGTERM)


def _killed(home: Home) -> None:
    home.kill(signal.SIGKILL)


def _stopped(home: Home) -> None:
    assert home.process is not None
    os.kill(home.process.pid, signal.SIGSTOP)


@pytest.mark.parametrize(
    ("end", "within"),
    [
        (_relay_stop, FREE_WITHIN_S),
        (_terminated, FREE_WITHIN_S),
        (_killed, FREE_WITHIN_S),
        (_stopped, STOPPED_WITHIN_S),
    ],
)
async def test_however_the_daemon_ends_the_user_goes_on(
    lent: Lent, end: Callable[[Home], None], within: float
) -> None:
    daemon = _opened(lent.home)
    await lent.user(f"chrome.storage.local.set({{port: {daemon.port}}})")
    lent.pages.add("/lent.html", "<title>lent</title>")
    lent.pages.add("/user.html", "<title>the user's</title>")
    try:
        async with connect(daemon.url(browser="extension"), max_size=None) as socket:
            agent = Chrome(socket)
            async with _reads(agent):
                target = await agent.open(lent.pages.url("/lent.html"))
                session = await agent.attach(target)
                tab_id = await lent.user(
                    "chrome.debugger.getTargets().then((all) =>"
                    f" all.find(({{id}}) => id === {target!r}).tabId)"
                )
                here = f"(await chrome.tabs.get({tab_id}))"
                # A document that is still on its way would end the user's navigation.
                loaded = f"{here}.status === 'complete' && {here}.url.endsWith('/lent.html')"
                await lent.user(_waiting(loaded, WITHIN_S))
                await agent.call("Fetch.enable", session)
                url = json.dumps(lent.pages.url("/user.html"))
                await lent.user(f"chrome.tabs.update({tab_id}, {{url: {url}}}).then(() => 1)")
                asked = lent.pages.url("/user.html")
                await agent.event(
                    "Fetch.requestPaused", lambda e: e["params"]["request"]["url"] == asked
                )
                started = _now()
                await asyncio.to_thread(end, lent.home)
                arrived = f"{here}.url === {url} && {here}.status === 'complete'"
                await lent.user(_waiting(arrived, within))
                free = await lent.user(_waiting(f"!(await debugged({tab_id}))", within))
                assert free / 1000 - started < within
    finally:
        if end is _stopped and lent.home.process is not None:
            os.kill(lent.home.process.pid, signal.SIGCONT)
        lent.home.stop()
        await lent.user(
            "chrome.tabs.query({}).then((tabs) => chrome.tabs.remove("
            "tabs.filter(({url}) => !url.startsWith(location.origin)).map(({id}) => id).slice(1)))"
        )


@contextlib.asynccontextmanager
async def _reads(agent: Chrome) -> AsyncIterator[None]:
    reading = asyncio.ensure_future(agent.read())
    try:
        yield
    finally:
        reading.cancel()
        await asyncio.gather(reading, return_exceptions=True)
