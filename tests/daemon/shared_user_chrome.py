"""A daemon with a relay and a Chrome that is shared with it through the real extension, for tests.

Knows: how both are started, and what the user presses. Must not know: what is asserted.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import urllib.request
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pilothouse.code.client.daemon_connection import DaemonClient
from pilothouse.errors import PilothouseError
from pilothouse.relay.extension.installation import install
from pilothouse.relay.server.pairing_store import PairingStore
from tests.extension.chrome_with_extension import Chrome, chrome_with_extension
from tests.page_server import Pages
from tests.relay.relay_and_daemon_setup import RelayedDaemon, relayed_daemon

__all__ = [
    "WITHIN_S",
    "Lent",
    "is_shared",
    "lent_daemon",
    "popup",
    "press",
    "read_json",
    "restricted",
    "shares",
    "tab_number",
]

WITHIN_S = 60.0
USER = "<title>the user's own</title><p>private"
PAGE = """<title>a page</title><h1>Hello</h1><a id=file href=/a.bin>a file</a>
<button onclick="document.title = confirm('sure?') ? 'yes' : 'no'">Go</button>
<iframe src="{frame}"></iframe>"""


@dataclass(slots=True)
class Lent:
    """A daemon with a relay, and a Chrome that is lent to it."""

    daemon: RelayedDaemon
    chrome: Chrome
    pages: Pages

    async def call(self, line: DaemonClient, method: str, **params: Any) -> Any:
        """Ask the daemon, as a program outside does."""
        return await asyncio.to_thread(line.call, method, **params)

    async def comes(self) -> None:
        """Wait until the extension has come; the daemon waits a while each time it is asked."""
        line = self.daemon.home.line("waits")
        async with asyncio.timeout(WITHIN_S):
            while True:
                try:
                    await self.call(line, "open", browser="extension")
                    break
                except PilothouseError as error:
                    if "no Chrome is connected" not in error.message:
                        raise
        await self.call(line, "close", all=True)

    async def urls(self) -> list[str]:
        """What is open in the user's Chrome."""
        return sorted(info["url"] for info in await self.chrome.targets())


@contextlib.asynccontextmanager
async def lent_daemon(chromium_path: Path, *, usual: bool = True) -> AsyncIterator[Lent]:
    """Both, with a page of the user's open; `usual`: the user's Chrome is the usual browser."""
    kind = {"PILOTHOUSE_BROWSER_KIND": "extension"} if usual else {}
    with Pages() as pages, relayed_daemon(chromium_path, **kind) as daemon:
        data = daemon.home.paths.root / "data"
        pairings = PairingStore(data / "pairings.json")
        copy = await asyncio.to_thread(
            install, data / "extension", daemon.port, pairings, share="all"
        )
        frame = pages.add("/frame.html", "<button onclick=\"alert('inner')\">Inner</button>")
        pages.add("/page.html", PAGE.format(frame=frame.replace("127.0.0.1", "localhost")))
        pages.add_download("/a.bin", "abc", "a.bin")
        async with chrome_with_extension(chromium_path, copy.folder) as chrome:
            await chrome.open(pages.add("/user.html", USER))
            made = Lent(daemon, chrome, pages)
            await made.comes()
            yield made


async def shares(lent: Lent, share: str) -> None:
    """The user shares so much of the browser; the relay has heard of it when this returns."""
    panel = await lent.chrome.open_page("popup/popup.html")
    await lent.chrome.evaluate(
        panel,
        "(async () => { window.port = chrome.runtime.connect();"
        " const { windowId } = await chrome.tabs.getCurrent();"
        f" port.postMessage({{ action: 'narrow', share: '{share}', windowId }}) }})()",
    )
    await restricted(lent, "share", share)
    await restricted(lent, "mode", "auto")


def read_json(url: str) -> Any:
    """What a page of the relay says."""
    with urllib.request.urlopen(url, timeout=WITHIN_S) as answer:
        return json.load(answer)


async def restricted(lent: Lent, name: str, value: Any) -> None:
    """Wait until the relay has heard of a setting."""
    url = lent.daemon.http("/restrictions", browser="extension")
    async with asyncio.timeout(WITHIN_S):
        while (await asyncio.to_thread(read_json, url)).get(name) != value:
            continue


async def press(lent: Lent, **message: Any) -> None:
    """The user presses something in the popup."""
    panel = await lent.chrome.open_page("popup/popup.html")
    told = json.dumps(message)
    await lent.chrome.evaluate(
        panel, f"window.port = chrome.runtime.connect(); void port.postMessage({told})"
    )


async def tab_number(lent: Lent, path: str) -> int:
    """The extension's number of a tab."""
    found = "chrome.tabs.query({}).then((all) => all.find((tab) => tab.url === '%s').id)"
    return int(await lent.chrome.in_worker(found % lent.pages.url(path)))


async def is_shared(lent: Lent, url: str) -> None:
    """Wait until the relay has heard that a tab is shared."""
    line = lent.daemon.home.line("waits")
    async with asyncio.timeout(WITHIN_S):
        while url not in [tab["url"] for tab in (await lent.call(line, "relay.shared"))["tabs"]]:
            continue


async def popup(lent: Lent, panel: str = "") -> dict[str, Any]:
    """What the popup draws."""
    panel = panel or await lent.chrome.open_page("popup/popup.html")
    code = (
        "new Promise((done) => chrome.runtime.connect().onMessage.addListener("
        "({ view }) => view && done(JSON.stringify(view))))"
    )
    found: dict[str, Any] = json.loads(await lent.chrome.evaluate(panel, code))
    return found
