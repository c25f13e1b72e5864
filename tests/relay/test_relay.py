"""The relay as real clients meet it: who gets which browser, and what ends with whom."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Iterator
from typing import Any

import pytest
import pytest_asyncio
from playwright.async_api import Browser, Error, Playwright, async_playwright
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed, InvalidStatus

from pilothouse.relay.interfaces import ClientSpec, HttpRefusal
from pilothouse.security.url_policy import UrlPolicy, parse_rule
from pilothouse.tabs.open_and_close_requests import CloseRequest, OpenRequest
from tests.page_server import Pages
from tests.relay.fake_extension import EXTENSION_ID, FakeExtension, FakeTab
from tests.relay.relay_and_daemon_setup import Relayed, relayed

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="module")]

WITHIN_S = 30.0


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def relay() -> AsyncIterator[Relayed]:
    async with relayed(fence=_fence) as made:
        # Somebody keeps the browser open: it is launched once.
        await made.tabs.open("who keeps the browser", OpenRequest())
        yield made


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def playwright() -> AsyncIterator[Playwright]:
    async with async_playwright() as made:
        yield made


@pytest.fixture(scope="module")
def pages() -> Iterator[Pages]:
    with Pages() as made:
        made.add("/one.html", "<title>one</title><h1>One</h1>")
        yield made


def _fence(owner: str) -> UrlPolicy:
    return UrlPolicy(deny=(parse_rule("denied.localhost"),)) if "fenced" in owner else UrlPolicy()


async def joined(playwright: Playwright, relay: Relayed, **asked: str) -> Browser:
    return await playwright.chromium.connect_over_cdp(relay.url(**asked))


@contextlib.asynccontextmanager
async def lent(**settings: Any) -> AsyncIterator[Relayed]:
    """A relay to which a Chrome is lent that is not one."""
    async with (
        relayed(extension_id=EXTENSION_ID, **settings) as relay,
        FakeExtension().dials(relay.extension_url, relay.pair()),
    ):
        yield relay


async def test_client_has_an_owner_and_cookies_of_its_own_which_end_with_it(
    relay: Relayed, playwright: Playwright, pages: Pages
) -> None:
    browser = await joined(playwright, relay, label="shop bot")
    (owner,) = relay.owners()
    assert owner.startswith("relay-shop-bot-")
    page = await browser.contexts[0].new_page()
    await page.goto(pages.url("/one.html"))
    await browser.contexts[0].add_cookies(
        [{"name": "a", "value": "1", "url": pages.url("/one.html")}]
    )
    assert [tab.describe()["url"] for tab in relay.tabs.owned_by(owner)] == [pages.url("/one.html")]
    assert (owner, "client", "shop bot joined through the relay") in relay.notes
    assert relay.relay.is_busy, "the daemon stays while somebody is here"
    await browser.close()
    await relay.left(owner)
    assert relay.tabs.owned_by(owner) == []
    again = await joined(playwright, relay, label="shop bot")
    (other,) = relay.owners()
    assert other != owner
    assert await again.contexts[0].cookies() == []
    assert again.contexts[0].pages == []
    await again.close()
    await relay.left(other)
    assert not relay.relay.is_busy


async def test_client_with_an_owner_shares_its_tabs_and_leaves_what_it_opened(
    relay: Relayed, playwright: Playwright, pages: Pages
) -> None:
    ours = await relay.tabs.open("ann", OpenRequest(url=pages.url("/one.html")))
    browser = await joined(playwright, relay, owner="ann", label="with ann")
    assert [page.url for page in browser.contexts[0].pages] == [pages.url("/one.html")]
    assert await browser.contexts[0].pages[0].inner_text("h1") == "One"
    await browser.contexts[0].pages[0].evaluate("document.title = 'by the client'")
    await ours.tab.supervisor.refresh(ours.tab.tab_id)
    assert ours.tab.describe()["title"] == "by the client"
    made = await browser.contexts[0].new_page()
    await made.goto(pages.url("/one.html?made"))
    await browser.close()
    await relay.left("ann")
    assert [tab.describe()["url"] for tab in relay.tabs.owned_by("ann")] == [
        pages.url("/one.html"),
        pages.url("/one.html?made"),
    ]
    await relay.tabs.close("ann", CloseRequest(all=True))


async def test_clients_and_owners_see_nothing_of_each_other(
    relay: Relayed, playwright: Playwright, pages: Pages
) -> None:
    await relay.tabs.open("bea", OpenRequest(url=pages.url("/one.html?of-bea")))
    one = await joined(playwright, relay, label="one", attach="eager")
    two = await joined(playwright, relay, label="two", attach="eager")
    names = relay.owners()
    page = await one.contexts[0].new_page()
    await page.goto(pages.url("/one.html?of-one"))
    await page.evaluate("document.cookie = 'of=one'")
    assert two.contexts[0].pages == []
    assert await two.contexts[0].cookies() == []
    told = await (await two.new_browser_cdp_session()).send("Target.getTargets")
    assert [info for info in told["targetInfos"] if info["type"] == "page"] == []
    assert [page.url for page in one.contexts[0].pages] == [pages.url("/one.html?of-one")]
    assert relay.tabs.owned_by(names[1]) == []
    await one.close()
    await two.close()
    for name in names:
        await relay.left(name)
    assert [tab.alive for tab in relay.tabs.owned_by("bea")] == [True]
    await relay.tabs.close("bea", CloseRequest(all=True))


async def test_fence_of_an_owner_holds_for_its_clients_in_every_cookie_jar(
    relay: Relayed, playwright: Playwright, pages: Pages
) -> None:
    browser = await joined(playwright, relay, owner="fenced")
    denied = pages.url("/one.html?denied", host="denied.localhost")
    for context in (browser.contexts[0], await browser.new_context()):
        page = await context.new_page()
        await page.goto(pages.url("/one.html"))
        with pytest.raises(Error):
            await page.goto(denied)
        with pytest.raises(Error):
            await page.evaluate(
                f"fetch('{pages.url('/one.html?denied', host='denied.localhost')}')"
            )
    assert [visit.path for visit in pages.visits if "denied" in visit.path] == []
    await browser.close()
    await relay.left("fenced")
    await relay.tabs.close("fenced", CloseRequest(all=True))


async def test_tabs_that_a_client_uses_are_never_idle(
    relay: Relayed, playwright: Playwright, pages: Pages
) -> None:
    browser = await joined(playwright, relay, owner="cleo")
    page = await browser.contexts[0].new_page()
    await page.goto(pages.url("/one.html"))
    assert [tab.owner for tab in relay.tabs.owned_by("cleo")] == ["cleo"]
    later = asyncio.get_running_loop().time() + 1e6
    assert "cleo" not in {tab.owner for tab in await relay.tabs.close_idle(later)}
    await browser.close()
    await relay.left("cleo")
    assert "cleo" in {tab.owner for tab in await relay.tabs.close_idle(later)}


async def test_without_a_lent_chrome_a_client_is_told_what_to_do(relay: Relayed) -> None:
    with pytest.raises(InvalidStatus) as refused:
        async with connect(relay.url(browser="extension")):
            raise AssertionError("it was let in")
    response = refused.value.response
    assert response.status_code == 503
    assert b"no Chrome is connected through the extension" in response.body
    assert b"pilothouse extension install" in response.body
    assert relay.owners() == []


async def test_browser_that_cannot_be_had_is_a_refusal_and_leaves_nothing(
    relay: Relayed,
) -> None:
    spec = ClientSpec("c1", browser="managed", owner="cli", profile="no/such/../profile")
    kept = ClientSpec("c2", browser="managed", owner="somebody", profile="work")

    class Nobody:
        def send(self, frame: bytes) -> None: ...
        def unsent(self) -> int:
            return 0

        def close(self, code: int = 1000, reason: str = "") -> None: ...

    refused = await relay.relay.join(spec, Nobody())
    assert isinstance(refused, HttpRefusal)
    assert (refused.status, relay.owners()) == (503, [])
    refused = await relay.relay.join(kept, Nobody())
    assert isinstance(refused, HttpRefusal)
    assert "may not open the kept profile" in refused.message
    assert relay.owners() == []


async def test_one_client_at_a_time_and_the_next_is_told_so() -> None:
    async with lent(client_mode="single-active") as relay:
        assert relay.relay.status()["mode"] == "single-active"
        async with connect(relay.url(browser="extension")):
            with pytest.raises(InvalidStatus) as refused:
                async with connect(relay.url(browser="extension")):
                    raise AssertionError("it was let in")
            assert refused.value.response.status_code == 409
            (owner,) = relay.owners()
        await relay.left(owner)
        async with connect(relay.url(browser="extension")):
            assert len(relay.owners()) == 1


async def test_our_own_tools_hold_the_only_slot_while_they_work() -> None:
    async with lent(client_mode="single-active") as relay:
        name = await relay.relay.wait_for_browser("")
        opened = await relay.tabs.open("ann", OpenRequest(browser="extension", profile=name))
        with pytest.raises(InvalidStatus) as refused:
            async with connect(relay.url(browser="extension")):
                raise AssertionError("it was let in")
        assert refused.value.response.status_code == 409
        assert b"Tools of another owner are using this Chrome" in refused.value.response.body
        # As ann herself, or once she has done nothing for a while.
        async with connect(relay.url(browser="extension", owner="ann")):
            assert relay.owners() == ["ann"]
        await relay.left("ann")
        opened.tab.used_at -= 60.0
        async with connect(relay.url(browser="extension")):
            assert len(relay.owners()) == 1


async def test_relay_that_closes_hangs_up_and_ends_what_was_made_for_clients() -> None:
    async with lent() as relay, connect(relay.url(browser="extension")) as client:
        (owner,) = relay.owners()
        await relay.relay.close()
        async with asyncio.timeout(WITHIN_S):
            with pytest.raises(ConnectionClosed):
                await client.recv()
        await relay.left(owner)
        assert (relay.owners(), relay.relay.is_busy) == ([], False)


async def test_client_that_asks_for_nothing_gets_what_the_settings_say() -> None:
    async with lent(attach="lazy") as relay:
        url = f"ws://127.0.0.1:{relay.port}/cdp?token={relay.token}"
        async with connect(url), connect(f"{url}&attach=eager"):
            told = [client["attach"] for client in relay.relay.status()["clients"]]
            assert sorted(told) == ["eager", "lazy"]


async def test_an_extension_that_is_unpaired_lends_nothing_from_that_moment_on() -> None:
    async with relayed(extension_id=EXTENSION_ID) as daemon:
        secret = daemon.pair()
        fake = FakeExtension(FakeTab(1))
        async with fake.dials(daemon.extension_url, secret):
            assert await daemon.relay.extensions.resolve_name() == "Default"
            daemon.pairings.remove("install-1")
            assert daemon.relay.unpair("install-1") == 1
            assert daemon.relay.extensions.status() == []
            assert isinstance(await daemon.relay.extensions.resolve_name(), HttpRefusal)
        with pytest.raises(ConnectionClosed):
            async with fake.dials(daemon.extension_url, secret):
                pass
        assert daemon.relay.unpair("install-1") == 0
