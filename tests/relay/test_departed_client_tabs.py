"""What a client of the user's Chrome used is the user's alone as soon as the client is gone."""

from __future__ import annotations

import asyncio
import contextlib
import json
import tempfile
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.request import urlopen

import pytest
import pytest_asyncio
from websockets.asyncio.client import ClientConnection, connect

from pilothouse.relay.extension.installation import install
from tests.extension.chrome_with_extension import Chrome, chrome_with_extension
from tests.page_server import Pages
from tests.relay.relay_and_daemon_setup import Relayed, relayed

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="module")]

WITHIN_S = 20.0


@dataclass
class Shared:
    """The user's Chrome, a relay, and a page of the extension's by which the user acts."""

    chrome: Chrome
    daemon: Relayed
    pages: Pages
    panel: str

    async def user(self, expression: str) -> Any:
        """What the user does."""
        return await self.chrome.evaluate(self.panel, expression)

    async def mode(self, mode: str) -> None:
        """The user chooses how tabs are shared, and the relay has heard of it."""
        await self.user(f"chrome.storage.local.set({{mode: {mode!r}}})")
        await self.until(lambda told: told["settings"]["mode"] == mode)

    async def until(self, fits: Any) -> None:
        """Wait until the relay knows something."""
        lent = self.daemon.relay.extensions.find_only()
        assert lent is not None
        async with asyncio.timeout(WITHIN_S):
            while not fits(lent.status()):
                await self.user("chrome.tabs.query({}).then(() => 1)")

    async def goes(self, tab_id: int, path: str) -> None:
        """The user goes on in a tab; it has arrived when this returns."""
        self.pages.add(path, "<title>private</title>")
        url = json.dumps(self.pages.url(path))
        await self.user(
            f"(async () => {{ await chrome.tabs.update({tab_id}, {{url: {url}}});"
            f" while ((await chrome.tabs.get({tab_id})).status !== 'complete' ||"
            f" (await chrome.tabs.get({tab_id})).url !== {url})"
            " await new Promise((done) => setTimeout(done, 20)); })()"
        )

    async def tab_of(self, target: str) -> int:
        """The number of a target's tab."""
        found = f"chrome.debugger.getTargets().then((all) => all.find((t) => t.id === {target!r}))"
        return int(await self.user(f"{found}.then((t) => t.tabId)"))


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def shared(chromium_path: Path) -> AsyncIterator[Shared]:
    with tempfile.TemporaryDirectory(prefix="ph-left-") as root, Pages() as pages:
        async with relayed(comes_within_s=40.0) as daemon:
            copy = install(Path(root) / "extension", daemon.port, daemon.pairings, share="all")
            async with chrome_with_extension(chromium_path, copy.folder) as chrome:
                await daemon.relay.extensions.resolve_name()
                panel = await chrome.open_page("settings/settings.html")
                yield Shared(chrome, daemon, pages, panel)


@contextlib.asynccontextmanager
async def _client(shared: Shared, **asked: str) -> AsyncIterator[tuple[Chrome, ClientConnection]]:
    url = shared.daemon.url(browser="extension", **asked)
    async with connect(url, max_size=None, ping_interval=None) as socket:
        client = Chrome(socket)
        reading = asyncio.ensure_future(client.read())
        try:
            yield client, socket
        finally:
            reading.cancel()
            await asyncio.gather(reading, return_exceptions=True)


async def _gone(shared: Shared, owner: str, socket: ClientConnection, how: str) -> None:
    if how == "killed":
        socket.transport.abort()
    else:
        await socket.close()
    await shared.daemon.left(owner)


def _page(url: str) -> str:
    with urlopen(url, timeout=WITHIN_S) as answer:
        return str(answer.read().decode())


async def _nothing_is_left(shared: Shared, target: str, tab_id: int, private: str) -> None:
    """A second client finds no trace of the tab, however it asks."""
    said = await asyncio.to_thread(_page, shared.daemon.http("/attached-tabs", browser="extension"))
    for trace in (private, target, str(tab_id)):
        assert trace not in said
    for asked in ({"attach": "lazy"}, {"attach": "eager"}, {"tabs": target}, {"attach": "owned"}):
        async with _client(shared, **asked) as (client, _):
            told = json.dumps(await client.call("Target.getTargets"))
            for trace in (private, target):
                assert trace not in told, asked
            with pytest.raises(RuntimeError):
                await client.attach(target)
    await shared.until(lambda told: target not in json.dumps(told))
    groups = await shared.user(f"chrome.tabs.get({tab_id}).then((tab) => tab.groupId)")
    assert groups == -1


@pytest.mark.parametrize("how", ["clean", "killed"])
async def test_a_tab_that_a_client_opened_is_the_users_when_it_left(
    shared: Shared, how: str
) -> None:
    await shared.mode("auto")
    shared.pages.add("/agent.html", "<title>agent</title>")
    async with _client(shared, label=f"opens-{how}") as (client, socket):
        target = await client.open(shared.pages.url("/agent.html"))
        session = await client.attach(target)
        await client.evaluate(session, "document.title")
        (owner,) = shared.daemon.owners()
        tab_id = await shared.tab_of(target)
        await shared.mode("manual")
        await _gone(shared, owner, socket, how)
    await shared.goes(tab_id, f"/private-opened-{how}.html")
    await _nothing_is_left(shared, target, tab_id, "/private-opened")


async def _title(client: Any, session: str) -> str:
    """The title of a page that may still be on its way."""
    async with asyncio.timeout(10):
        while not (title := str(await client.evaluate(session, "document.title"))):
            pass
    return title


@pytest.mark.parametrize("how", ["clean", "killed"])
async def test_a_tab_that_the_user_shared_by_hand_is_theirs_again_when_its_client_left(
    shared: Shared, how: str
) -> None:
    await shared.mode("manual")
    shared.pages.add("/given.html", "<title>given</title>")
    target = await shared.chrome.open(shared.pages.url("/given.html"))
    tab_id = await shared.tab_of(target)
    attach = f"{{action: 'attach', tabId: {tab_id}}}"
    await shared.user(f"chrome.runtime.connect().postMessage({attach})")
    await shared.until(lambda told: told["tabs"] == 1)
    async with _client(shared, label=f"uses-{how}", attach="lazy") as (client, socket):
        session = await client.attach(target)
        assert await _title(client, session) == "given"
        (owner,) = shared.daemon.owners()
        await _gone(shared, owner, socket, how)
    await shared.goes(tab_id, f"/private-given-{how}.html")
    await _nothing_is_left(shared, target, tab_id, "/private-given")


async def test_a_tab_that_another_client_uses_stays_with_it(shared: Shared) -> None:
    await shared.mode("auto")
    shared.pages.add("/both.html", "<title>both</title>")
    target = await shared.chrome.open(shared.pages.url("/both.html"))
    async with _client(shared, label="stays", attach="lazy") as (stays, _):
        (staying,) = shared.daemon.owners()
        # The extension may not have told of the tab yet.
        await stays.call("Target.setDiscoverTargets", discover=True)
        await stays.event(
            "Target.targetCreated", lambda e: e["params"]["targetInfo"]["targetId"] == target
        )
        session = await stays.attach(target)
        assert await _title(stays, session) == "both"
        async with _client(shared, label="goes", attach="lazy") as (goes, socket):
            (leaving,) = set(shared.daemon.owners()) - {staying}
            await goes.evaluate(await goes.attach(target), "1")
            await _gone(shared, leaving, socket, "clean")
        assert await _title(stays, session) == "both"
