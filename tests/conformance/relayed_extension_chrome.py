"""A Chrome that is lent, its relay, pages, and Playwright: for tests of what a relay must do.

Knows: how a user opens tabs and changes settings, and how clients come. Must not know: what is
asserted.
"""

from __future__ import annotations

import asyncio
import contextlib
import inspect
import json
from collections.abc import Callable
from typing import Any

from playwright.async_api import Browser, BrowserContext, Page, Playwright

from pilothouse.relay.extension.transport import ExtensionTransport
from tests.conformance.conformance_site import Site
from tests.extension.chrome_with_extension import ORIGIN, Chrome
from tests.relay.relay_and_daemon_setup import Relayed

__all__ = ["WITHIN_MS", "Room", "page_at", "until"]

WITHIN_MS = 60_000


async def until(question: Callable[[], Any]) -> None:
    """Wait until something is true that nobody tells of."""
    async with asyncio.timeout(WITHIN_MS / 1000):
        while True:
            answer = question()
            if await answer if inspect.isawaitable(answer) else answer:
                return
            await asyncio.sleep(0.02)


class Room:
    """A Chrome with the extension, its relay, pages, and Playwright's driver."""

    def __init__(self, relay: Relayed, chrome: Chrome, site: Site, driver: Playwright) -> None:
        self.relay = relay
        self.chrome = chrome
        self.site = site
        self.driver = driver
        self._open: list[Browser] = []

    async def client(self, attach: str = "lazy", **more: str) -> BrowserContext:
        """Playwright, connected; its default context."""
        url = self.relay.url(browser="extension", attach=attach, **more)
        browser = await self.driver.chromium.connect_over_cdp(url, timeout=WITHIN_MS)
        self._open.append(browser)
        context = browser.contexts[0]
        context.set_default_timeout(WITHIN_MS)
        return context

    async def tab(self, path: str, host: str = "127.0.0.1") -> str:
        """A tab that the user opens, loaded; its address."""
        url = self.site.url(path, host)
        target = await self.chrome.open(url)
        await until(lambda: self._titled(target))
        return url

    async def _titled(self, target: str) -> bool:
        found = [t for t in await self.chrome.targets() if t["targetId"] == target]
        return bool(found) and found[0]["title"] not in ("", found[0]["url"])

    async def attached(self) -> list[str]:
        """Addresses of the tabs that have a debugger on them."""
        targets = await self.chrome.in_worker("chrome.debugger.getTargets()")
        return [t["url"] for t in targets if t["attached"] and "tabId" in t]

    @property
    def lent(self) -> ExtensionTransport:
        """The Chrome, as the relay has it."""
        return self.relay.relay.extensions.connected()[0][1]

    async def set(self, **settings: Any) -> None:
        """The user changes settings; the relay has heard of it when this returns."""
        await self.chrome.in_worker(f"chrome.storage.local.set({json.dumps(settings)})")
        lent = self.lent
        await until(lambda: settings.items() <= lent.status()["settings"].items())

    async def press(self, action: str, url: str) -> None:
        """The user presses a button of the popup for the tab at an address; it is done when this
        returns."""
        shared = {"attach": "true", "detach": "false"}[action]
        panel = await self.chrome.open_page("settings/settings.html")
        await self.chrome.evaluate(
            panel,
            f"(async () => {{ const tabs = await chrome.tabs.query({{}});"
            f" const {{id}} = tabs.find((tab) => tab.url === {json.dumps(url)});"
            f" const port = chrome.runtime.connect();"
            f" port.postMessage({{action: {json.dumps(action)}, tabId: id}});"
            f" const fits = (tab) => tab.tabId === id && tab.shared === {shared};"
            f" await new Promise((done) => port.onMessage.addListener("
            f"({{view}}) => view?.tabs.some(fits) && done())); }})()",
        )

    async def reload_extension(self, by: str = "itself") -> None:
        """Load the extension anew: by itself, or by the user's hand. It comes back later."""
        if by == "itself":
            await self.chrome.in_worker("void chrome.runtime.reload()")
        else:
            panel = await self.chrome.extensions_page()
            name = ORIGIN.rpartition("/")[2]
            await self.chrome.evaluate(panel, f"chrome.developerPrivate.reload('{name}')")

    async def tidy(self) -> None:
        """Clients gone, one empty tab left."""
        for browser in self._open:
            await browser.close()
        self._open.clear()
        kept = await self.chrome.open("about:blank")
        for info in await self.chrome.targets():
            if info["targetId"] != kept:
                with contextlib.suppress(RuntimeError):
                    await self.chrome.call("Target.closeTarget", targetId=info["targetId"])


async def page_at(context: BrowserContext, url: str) -> Page:
    """The page of a client that shows an address, once the client has heard of it: what the user
    does in a tab is told by the extension, a moment later."""

    def found() -> list[Page]:
        return [page for page in context.pages if page.url == url]

    await until(found)
    return found()[0]
