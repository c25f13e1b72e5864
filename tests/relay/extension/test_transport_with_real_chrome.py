"""A real Chromium with the real extension, as a browser like any other."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from pilothouse.cdp import Command, Connection, Reply, Session, SessionId
from pilothouse.cdp.protocol import Target
from pilothouse.errors import CommandFailed
from pilothouse.relay.extension.installation import install
from pilothouse.relay.extension.transport import BASE_CAPABILITIES, ExtensionTransport
from pilothouse.supervisor import Options, Supervisor
from tests.extension.chrome_with_extension import Chrome, chrome_with_extension
from tests.page_server import Pages
from tests.relay.relay_and_daemon_setup import relayed

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="module")]

WITHIN_S = 20.0
AUTO = {"autoAttach": True, "waitForDebuggerOnStart": True, "flatten": True}


@dataclass
class Borrowed:
    """The user's Chrome, lent."""

    chrome: Chrome
    lent: ExtensionTransport
    connection: Connection
    supervisor: Supervisor
    pages: Pages

    async def evaluate(self, session: Session, expression: str, **more: Any) -> Any:
        """What an expression comes to."""
        params = {"expression": expression, "returnByValue": True, "awaitPromise": True, **more}
        answer: dict[str, Any] = await session.send(Command("Runtime.evaluate", params), WITHIN_S)
        return answer["result"].get("value")

    async def open(self, path: str, html: str) -> str:
        """A tab that has loaded some HTML."""
        self.pages.add(path, html)
        tab = await self.supervisor.open_tab("me", self.pages.url(path))
        await self.loaded(self.supervisor.session(tab))
        return tab

    async def loaded(self, session: Session) -> None:
        """Wait until a document is complete."""
        done = "document.readyState == 'complete' ? r(1) : addEventListener('load', () => r(1))"
        await self.evaluate(session, f"new Promise(r => {{ {done} }})")

    async def attach(self, target: str) -> Session:
        """A session beside the supervisor's."""
        answer: Any = await self.connection.send(
            Command("Target.attachToTarget", {"targetId": target, "flatten": True}), WITHIN_S
        )
        return self.connection.sessions[SessionId(answer["sessionId"])]

    async def known(self, target: str) -> None:
        """Wait until the extension has told of a tab that the user opened."""
        async with asyncio.timeout(WITHIN_S):
            while True:
                news = self.connection.root.expect(Target.targetCreated, deadline=WITHIN_S)
                if any(info["targetId"] == target for info in await _targets(self)):
                    news.cancel()
                    return
                await news


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def borrowed(chromium_path: Path) -> AsyncIterator[Borrowed]:
    with tempfile.TemporaryDirectory(prefix="ph-lent-") as root, Pages() as pages:
        async with relayed(comes_within_s=40.0) as daemon:
            installed = install(Path(root) / "extension", daemon.port, daemon.pairings, share="all")
            async with chrome_with_extension(chromium_path, installed.folder) as chrome:
                await daemon.relay.extensions.resolve_name()
                lent = daemon.relay.extensions.find_only()
                assert lent is not None
                connection = await Connection.open(lent.dial, name="lent")
                supervisor = Supervisor(
                    connection, Options(owned=False, features=BASE_CAPABILITIES)
                )
                await supervisor.start()
                yield Borrowed(chrome, lent, connection, supervisor, pages)
                await supervisor.close()
                await connection.close()


async def test_a_tab_is_opened_and_evaluated_in(borrowed: Borrowed) -> None:
    tab = await borrowed.open("/plain.html", "<title>plain</title><p>hello")
    session = borrowed.supervisor.session(tab)
    assert await borrowed.evaluate(session, "document.title") == "plain"
    await borrowed.supervisor.refresh(tab)
    assert borrowed.supervisor.state.tabs[tab].title == "plain"
    await borrowed.supervisor.close_tab(tab)
    await borrowed.supervisor.wait_for(lambda s: tab not in s.tabs, WITHIN_S)


async def test_a_dialog_is_held_and_answered(borrowed: Borrowed) -> None:
    tab = await borrowed.open("/ask.html", "<title>ask</title>")
    session = borrowed.supervisor.session(tab)
    asked: Reply[Any] = session.send(
        Command("Runtime.evaluate", {"expression": "prompt('who?')", "returnByValue": True}),
        WITHIN_S,
    )
    await borrowed.supervisor.wait_for(lambda s: s.dialogs, WITHIN_S)
    await borrowed.supervisor.answer(accept=True, text="me", tab=tab)
    answer: Any = await asked
    assert answer["result"]["value"] == "me"
    await borrowed.supervisor.close_tab(tab)


async def test_a_frame_of_another_site_is_a_session_of_its_own(borrowed: Borrowed) -> None:
    inner = borrowed.pages.url("/inner.html", "localhost")
    borrowed.pages.add("/inner.html", "<title>inner</title><p id=x>within")
    tab = await borrowed.open("/outer.html", f"<iframe src='{inner}'></iframe>")
    frame = await borrowed.supervisor.wait_for(
        lambda s: next((f for f in s.frames.values() if f.tab == tab and f.url == inner), None),
        WITHIN_S,
    )
    session, _ = borrowed.supervisor.frame(frame.id)
    assert session is not borrowed.supervisor.session(tab)
    await borrowed.loaded(session)
    assert await borrowed.evaluate(session, "document.querySelector('p').textContent") == "within"
    await borrowed.supervisor.close_tab(tab)


async def test_a_worker_is_a_session_below_its_page(borrowed: Borrowed) -> None:
    borrowed.pages.add("/work.js", "self.answer = 42")
    tab = await borrowed.open("/work.html", "<script>new Worker('/work.js')</script>")
    info = await borrowed.supervisor.wait_for(
        lambda s: next(
            (i for i in s.sessions.values() if i.tab == tab and i.kind == "worker"), None
        ),
        WITHIN_S,
    )
    worker = borrowed.connection.sessions[info.id]
    assert await borrowed.evaluate(worker, "typeof importScripts") == "function"
    await borrowed.supervisor.close_tab(tab)


async def test_a_popup_is_a_tab_of_its_openers_owner(borrowed: Borrowed) -> None:
    borrowed.pages.add("/popup.html", "<title>popup</title>")
    tab = await borrowed.open("/opener.html", "<title>opener</title>")
    await borrowed.evaluate(
        borrowed.supervisor.session(tab), "void window.open('/popup.html')", userGesture=True
    )
    popup = await borrowed.supervisor.wait_for(
        lambda s: next((t for t in s.tabs.values() if t.url.endswith("/popup.html")), None),
        WITHIN_S,
    )
    assert popup.owner == "me"
    for one in (popup.id, tab):
        await borrowed.supervisor.close_tab(one)


async def test_two_sessions_on_one_tab_each_have_their_worlds(borrowed: Borrowed) -> None:
    borrowed.pages.add("/two.html", "<title>two</title>")
    target = await borrowed.chrome.open(borrowed.pages.url("/two.html"))
    await borrowed.known(target)
    heard: dict[str, list[str]] = {}

    def note(event: Any) -> None:
        if event.method == "Runtime.executionContextCreated":
            heard.setdefault(event.session_id, []).append(event.params["context"]["uniqueId"])

    leave = borrowed.connection.on_any_event(note)
    one = await borrowed.attach(target)
    await one.send(Command("Runtime.enable"), WITHIN_S)
    await borrowed.loaded(one)
    two = await borrowed.attach(target)
    await two.send(Command("Runtime.enable"), WITHIN_S)
    assert heard[two.id]
    assert heard[two.id][-1] == heard[one.id][-1]
    before = len(heard[one.id]), len(heard[two.id])
    made: Any = await two.send(
        Command("Page.createIsolatedWorld", {"frameId": target, "worldName": "ours"}), WITHIN_S
    )
    assert made["executionContextId"]
    assert (len(heard[one.id]), len(heard[two.id])) == (before[0] + 1, before[1] + 1)
    await two.send(Command("Runtime.disable"), WITHIN_S)
    assert await borrowed.evaluate(one, "location.pathname") == "/two.html"
    await borrowed.connection.send(Command("Target.detachFromTarget", {"sessionId": two.id}))
    assert await borrowed.evaluate(one, "1 + 1") == 2
    leave()
    # The user opened it: agents let go of it, and do not close it.
    with pytest.raises(CommandFailed, match="the user opened this tab"):
        await borrowed.connection.send(
            Command("Target.closeTarget", {"targetId": target}), WITHIN_S
        )
    with pytest.raises(CommandFailed, match="the user opened this tab"):
        await one.send(Command("Page.close"), WITHIN_S)
    await borrowed.chrome.call("Target.closeTarget", targetId=target)


async def test_cookies_of_the_profile_are_reached(borrowed: Borrowed) -> None:
    borrowed.pages.add("/jar.html", "<title>jar</title>")
    url = borrowed.pages.url("/jar.html")
    tab = await borrowed.supervisor.open_tab("me", url)
    cookie = {"name": "ours", "value": "1", "url": url}
    await borrowed.connection.send(Command("Storage.setCookies", {"cookies": [cookie]}), WITHIN_S)
    assert "ours=1" in await borrowed.evaluate(borrowed.supervisor.session(tab), "document.cookie")
    got: Any = await borrowed.connection.send(Command("Storage.getCookies"), WITHIN_S)
    assert "ours" in {c["name"] for c in got["cookies"]}
    await borrowed.supervisor.close_tab(tab)


async def test_sessions_outlive_the_death_of_the_service_worker(borrowed: Borrowed) -> None:
    tab = await borrowed.open("/stay.html", "<title>stay</title>")
    session = borrowed.supervisor.session(tab)
    targets = {t["targetId"] for t in await _targets(borrowed)}
    for _ in range(2):
        await borrowed.chrome.kill_worker()
        assert await borrowed.evaluate(session, "document.title") == "stay"
    assert borrowed.supervisor.session(tab) is session
    after = [t["targetId"] for t in await _targets(borrowed)]
    assert len(after) == len(set(after))
    assert targets <= set(after)
    await borrowed.supervisor.close_tab(tab)


async def _targets(borrowed: Borrowed) -> list[dict[str, Any]]:
    answer: Any = await borrowed.connection.send(Command("Target.getTargets"), WITHIN_S)
    return list(answer["targetInfos"])
