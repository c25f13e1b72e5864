"""One Chromium with the extension, its relay and some pages, for the tests of a whole file.

Knows: how a user opens tabs, changes settings and presses buttons. Must not know: what is asserted.
"""

from __future__ import annotations

import contextlib
import itertools
import json
import tempfile
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.extension.chrome_with_extension import Chrome, chrome_with_extension, paired_copy
from tests.extension.fake_relay import FakeRelay
from tests.page_server import Pages

__all__ = ["Stage", "open_stage"]

_numbers = itertools.count(1)

USUAL = {
    "mode": "auto", "share": "all", "lockUrl": False, "noNewTabs": False, "readOnly": False,
    "mayClose": False, "userInstructions": "", "autoDetachMinutes": 0, "autoCloseMinutes": 0,
    "paused": False,
}  # fmt: skip


@dataclass(slots=True)
class Stage:
    """The browser, its relay, the pages, and the folder that the extension came from."""

    chrome: Chrome
    relay: FakeRelay
    pages: Pages
    folder: Path
    panel: str = ""

    def page(self, html: str, host: str = "127.0.0.1") -> str:
        """Serve some HTML; its address."""
        path = f"/p{next(_numbers)}.html"
        self.pages.add(path, f"<!doctype html>{html}")
        return self.pages.url(path, host)

    async def shown(self, html: str = "<title>a page</title>") -> dict[str, Any]:
        """A tab of the user's that has loaded some HTML, as the relay was told of it."""
        url = self.page(html)
        # Only from the list on the relay is told of changes.
        await self.relay.ask("listTabs")
        await self.chrome.open(url)
        return await self.listed(url)

    async def listed(self, url: str) -> dict[str, Any]:
        """The tab at an address, loaded, as the relay was told of it."""

        def found() -> int | None:
            tabs: dict[int, dict[str, Any]] = {}
            for method, params in self.relay.told:
                if method == "tabCreated":
                    tabs[params["tab"]["tabId"]] = dict(params["tab"])
                elif method == "tabUpdated" and params["tabId"] in tabs:
                    tabs[params["tabId"]].update(params)
            done = [t for t in tabs.values() if t["url"] == url and t["status"] == "complete"]
            return int(done[-1]["tabId"]) if done else None

        tab_id = await self.relay.wait(found)
        tabs = (await self.relay.ask("listTabs"))["tabs"]
        return next(tab for tab in tabs if tab["tabId"] == tab_id)

    async def held(self, html: str = "<title>a page</title>", **more: Any) -> int:
        """A tab of the user's with the debugger on it."""
        tab = await self.shown(html)
        await self.relay.ask("attachTab", tabId=tab["tabId"], **more)
        return int(tab["tabId"])

    async def set(self, **settings: Any) -> None:
        """The user changes settings; the extension has heard of it when this returns."""
        asked = await self.relay.ask("settings")
        if all(asked.get(name) == value for name, value in settings.items()):
            return
        since = len(self.relay.told)
        await self.on_panel(f"chrome.storage.local.set({json.dumps(settings)})")
        await self.relay.until(
            "settingsChanged",
            lambda p: all(p["settings"].get(n, v) == v for n, v in settings.items()),
            since,
        )

    async def press(self, action: str, **more: Any) -> None:
        """Press a button of the popup."""
        told = json.dumps({"action": action, **more})
        # A port ends with the worker, so each action has its own.
        await self.on_panel(
            f"window.actions = chrome.runtime.connect(); void actions.postMessage({told})"
        )

    async def on_panel(self, expression: str) -> Any:
        """Something on a page of the extension's own."""
        if not self.panel:
            self.panel = await self.chrome.open_page("settings/settings.html")
        return await self.chrome.evaluate(self.panel, expression)

    async def tidy(self) -> None:
        """As it was at first: the usual settings, nothing stopped, no tabs but one."""
        await self.set(**USUAL)
        await self.on_panel(
            "(async () => { const port = chrome.runtime.connect();"
            " port.postMessage({action: 'allow'});"
            " await new Promise((done) => port.onMessage.addListener("
            "   ({view}) => view && !view.stopped && done()));"
            " const tabs = await chrome.tabs.query({});"
            " const own = (tab) => tab.url.startsWith(location.origin);"
            " await chrome.tabs.remove(tabs.filter((tab) => !own(tab)).map((tab) => tab.id));"
            "})()"
        )


@contextlib.asynccontextmanager
async def open_stage(chromium_path: Path, *args: str, **more: Any) -> AsyncIterator[Stage]:
    """The stage, once its extension has proven itself."""
    with (
        tempfile.TemporaryDirectory(prefix="ph-stage-") as root,
        Pages() as pages,
    ):
        async with FakeRelay("").running() as relay:
            installed = paired_copy(Path(root), relay.port)
            relay.secret = installed.secret
            async with chrome_with_extension(
                chromium_path, installed.folder, *args, **more
            ) as chrome:
                await relay.wait(relay.welcomes)
                stage = Stage(chrome, relay, pages, installed.folder)
                await stage.on_panel("1")
                yield stage
