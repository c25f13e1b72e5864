"""No client takes a tab, and with it the browser of everybody, to a page of the browser itself:
real clients on a managed browser and on the user's Chrome."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable

import pytest
import pytest_asyncio
from playwright.async_api import BrowserContext
from playwright.async_api import Error as PlaywrightError

from tests.conformance.relay_browsers import of_the_daemon
from tests.conformance.relayed_extension_chrome import WITHIN_MS, Room, page_at, until
from tests.relay.relay_and_daemon_setup import Relayed

pytestmark = [
    pytest.mark.browser,
    pytest.mark.timeout(300),
    pytest.mark.asyncio(loop_scope="module"),
]

CLOSED = (
    "about:version",
    "about:crash",
    "about:settings",
    "about:BLANK",
    "chrome://settings",
    "chrome://history",
    "chrome://extensions",
    "chrome://password-manager",
    "chrome://accessibility",
    "view-source:about:version",
    "file:///etc/hostname",
)
Client = Callable[[], Awaitable[BrowserContext]]


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def daemon() -> AsyncIterator[Relayed]:
    """A relay whose clients get a managed browser."""
    async with of_the_daemon() as relay:
        yield relay


@pytest_asyncio.fixture(params=["daemon", "extension"], loop_scope="module")
async def client(
    request: pytest.FixtureRequest, daemon: Relayed, room: Room
) -> AsyncIterator[Client]:
    """How a Playwright client comes."""
    opened: list[BrowserContext] = []

    async def come() -> BrowserContext:
        if request.param == "extension":
            return await room.client(attach="owned")
        browser = await room.driver.chromium.connect_over_cdp(daemon.url(), timeout=WITHIN_MS)
        opened.append(browser.contexts[0])
        return browser.contexts[0]

    yield come
    for context in opened:
        assert context.browser is not None
        await context.browser.close()


@pytest.mark.boundary
async def test_browser_lives_on_whatever_a_client_goes_to(client: Client) -> None:
    stranger = await (await client()).new_page()
    page = await (await client()).new_page()
    for url in CLOSED:
        with pytest.raises(PlaywrightError, match="Pilothouse refuses"):
            await page.goto(url)
    assert page.url == "about:blank"
    assert await stranger.evaluate("1 + 1") == 2


async def test_client_goes_back_to_no_page_that_the_user_was_at(room: Room) -> None:
    url = room.site.url("/blank.html")
    target = await room.chrome.open("about:blank")
    user = await room.chrome.attach(target)
    await room.chrome.call("Page.enable", user)
    for one in ("file:///etc/hostname", url):
        await room.chrome.call("Page.navigate", user, url=one)
        await until(lambda one=one: _at(room, target, one))  # type: ignore[misc]
    await room.chrome.call("Target.detachFromTarget", sessionId=user)
    page = await page_at(await room.client(attach="lazy"), url)
    with pytest.raises(PlaywrightError, match="file: URLs are not allowed"):
        await page.go_back()
    assert await page.evaluate("location.href") == url
    # Scripts of the client go on in whatever its tab shows next.
    await page.evaluate("setTimeout(() => history.back())")
    with pytest.raises(PlaywrightError, match="ERR_BLOCKED_BY_CLIENT"):
        await page.wait_for_url("file:**")


async def _at(room: Room, target: str, url: str) -> bool:
    return any(t["targetId"] == target and t["url"] == url for t in await room.chrome.targets())
