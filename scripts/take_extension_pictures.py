"""Take the pictures of docs/extension.md from a real run: a Chromium with a window and the
extension, an agent that uses a shared tab, and a Playwright client beside it.

    PILOTHOUSE_BROWSER=/usr/bin/chromium .venv/bin/python -m scripts.take_extension_pictures

Needs Xvfb. The pages are ours, on loopback.
"""

from __future__ import annotations

import asyncio
import base64
from pathlib import Path
from typing import Any

from playwright.async_api import async_playwright

from pilothouse.browsers.launcher.browser_executable import find_browser
from pilothouse.relay.extension.installation import install
from pilothouse.relay.server.pairing_store import PairingStore
from tests.extension.chrome_with_extension import ORIGIN, Chrome, chrome_with_extension, on_a_screen
from tests.page_server import Pages
from tests.relay.relay_and_daemon_setup import relayed_daemon

PICTURES = Path(__file__).parents[1] / "docs" / "pictures"
FLIGHTS = (
    "<title>Flights</title><h1>Find flights</h1><label>From <input></label>"
    "<button>Search flights</button>"
)
POPUP, WIDE = (370, 560), (760, 860)


async def take(chrome: Chrome, session: str, name: str, size: tuple[int, int]) -> None:
    """Take a screenshot of a page of the extension."""
    width, height = size
    await chrome.call("Emulation.setDeviceMetricsOverride", session, width=width, height=height,
                      deviceScaleFactor=2, mobile=False)  # fmt: skip
    tall = await chrome.evaluate(session, "Math.ceil(document.body.getBoundingClientRect().bottom)")
    clip = {"x": 0, "y": 0, "width": width, "height": min(int(tall) + 1, 1200), "scale": 1}
    shot = await chrome.call(
        "Page.captureScreenshot", session, clip=clip, captureBeyondViewport=True
    )
    (PICTURES / f"{name}.png").write_bytes(base64.b64decode(shot["data"]))


async def press(chrome: Chrome, session: str, **message: Any) -> None:
    """Send what a button of the popup sends."""
    await chrome.evaluate(
        session, f"window.p = chrome.runtime.connect(); void p.postMessage({message!r})"
    )
    await asyncio.sleep(1.5)


async def run(chrome: Chrome, daemon: Any, pages: Pages) -> None:
    """Go through the steps of docs/extension.md and take the screenshots."""
    url = pages.add("/flights", FLIGHTS)
    await chrome.open(url)
    await chrome.call("Target.setDiscoverTargets", discover=True)
    await chrome.event(
        "Target.targetInfoChanged",
        lambda e: e["params"]["targetInfo"]["url"] == f"{ORIGIN}/welcome/welcome.html",
    )
    (welcome,) = [t for t in await chrome.targets() if t["url"].endswith("/welcome/welcome.html")]
    await asyncio.sleep(3)
    await take(chrome, await chrome.attach(welcome["targetId"]), "extension-welcome", WIDE)
    popup = await chrome.open_page("popup/popup.html")
    await take(chrome, popup, "extension-manual", POPUP)
    find = f"chrome.tabs.query({{}}).then((all) => all.find((tab) => tab.url === '{url}').id)"
    number = int(await chrome.in_worker(find))
    await press(chrome, popup, action="attach", tabId=number)
    agent = daemon.home.line("research")
    listed = await asyncio.to_thread(agent.call, "tool", name="browser_tabs", arguments={})
    adopt = {"action": "adopt", "target": listed["shared"][0]["id"]}
    await asyncio.to_thread(agent.call, "tool", name="browser_tabs", arguments=adopt)
    typed = {"ref": "label=From", "text": "Oslo"}
    await asyncio.to_thread(agent.call, "tool", name="browser_type", arguments=typed)
    async with async_playwright() as playwright:
        query = {"browser": "extension", "attach": "lazy", "label": "claude", "owner": "research"}
        browser = await playwright.chromium.connect_over_cdp(daemon.url(**query))
        page = next(one for one in browser.contexts[0].pages if one.url == url)
        await page.get_by_role("button", name="Search flights").click()
        await asyncio.sleep(2)
        await take(chrome, popup, "extension-popup", POPUP)
        await press(chrome, popup, action="pause")
        await take(chrome, popup, "extension-paused", POPUP)
        await press(chrome, popup, action="resume")
        await press(chrome, popup, action="stop")
        await take(chrome, popup, "extension-stopped", POPUP)
        await press(chrome, popup, action="allow")
        settings = await chrome.open_page("settings/settings.html")
        await asyncio.sleep(1)
        await take(chrome, settings, "extension-settings", WIDE)
        await browser.close()


async def main() -> None:
    """Start the daemon and Chromium, and take the screenshots."""
    chromium = find_browser()
    with Pages() as pages, relayed_daemon(chromium) as daemon, on_a_screen() as environment:
        data = daemon.home.paths.root / "data"
        pairings = PairingStore(data / "pairings.json")
        copy = await asyncio.to_thread(install, data / "extension", daemon.port, pairings)
        async with chrome_with_extension(chromium, copy.folder, environment=environment) as chrome:
            await run(chrome, daemon, pages)


if __name__ == "__main__":
    asyncio.run(main())
