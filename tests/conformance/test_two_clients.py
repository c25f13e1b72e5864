"""Two clients on one tab, on a managed browser and on the user's Chrome: each has dialogs,
routes and worlds of its own. Real Chromium, real extension, real clients."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass

import pytest
import pytest_asyncio
from playwright.async_api import BrowserContext, Dialog, Page, Route

from tests.conformance.relay_browsers import of_the_daemon
from tests.conformance.relayed_extension_chrome import WITHIN_MS, Room, page_at
from tests.relay.relay_and_daemon_setup import Relayed

pytestmark = [
    pytest.mark.browser,
    pytest.mark.timeout(600),
    pytest.mark.asyncio(loop_scope="module"),
]


@dataclass
class Pair:
    """A tab as two clients see it; `more` makes another client's view of it."""

    one: Page
    two: Page
    more: Callable[[str], Awaitable[Page]]


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def daemon() -> AsyncIterator[Relayed]:
    """A relay whose clients get a managed browser."""
    async with of_the_daemon() as relay:
        yield relay


@pytest_asyncio.fixture(params=["daemon", "extension"], loop_scope="module")
async def pair(
    request: pytest.FixtureRequest, daemon: Relayed, room: Room
) -> AsyncIterator[Callable[..., Awaitable[Pair]]]:
    """How two clients come to one tab."""
    contexts: list[BrowserContext] = []

    async def there(url: str, dialogs: str) -> Page:
        if request.param == "extension":
            context = await room.client(dialogs=dialogs)
        else:
            asked = daemon.url(owner="pair", attach="eager", dialogs=dialogs)
            browser = await room.driver.chromium.connect_over_cdp(asked, timeout=WITHIN_MS)
            context = browser.contexts[0]
            context.set_default_timeout(WITHIN_MS)
        contexts.append(context)
        if request.param == "daemon" and len(contexts) == 1:
            await (await context.new_page()).goto(url)
        return await page_at(context, url)

    async def come(path: str, one: str = "client", two: str = "client") -> Pair:
        url = room.site.url(path)
        if request.param == "extension":
            await room.tab(path)
        return Pair(
            await there(url, one), await there(url, two), lambda dialogs: there(url, dialogs)
        )

    yield come
    for context in contexts:
        for page in context.pages if request.param == "daemon" else ():
            await page.close()
        assert context.browser is not None
        await context.browser.close()


Come = Callable[..., Awaitable[Pair]]


async def test_contexts_of_one_client_outlive_what_the_other_does(pair: Come, room: Room) -> None:
    there = await pair("/form.html")
    one, two = there.one, there.two
    field = await one.query_selector("#name")
    assert field is not None
    await two.fill("#name", "two")
    assert await field.input_value() == "two"
    assert [await p.evaluate("1 + 1") for p in (one, two)] == [2, 2]
    third = await there.more("client")
    assert await third.input_value("#name") == "two"
    assert third.context.browser is not None
    await third.context.browser.close()
    # Who leaves takes nothing of the others with it.
    assert await field.input_value() == "two"
    await two.goto(room.site.url("/other.html"))
    await one.wait_for_url("**/other.html")
    assert [await p.title() for p in (one, two)] == ["Other", "Other"]


def fulfils(answer: dict[str, str]) -> Callable[[Route], Awaitable[None]]:
    """A route that gives an answer of its own."""

    async def fulfil(route: Route) -> None:
        await route.fulfill(json=answer)

    return fulfil


async def test_each_client_has_routes_of_its_own(pair: Come) -> None:
    there = await pair("/form.html")
    for name, page in (("one", there.one), ("two", there.two)):
        await page.route(f"**/data.json?{name}", fulfils({"of": name}))
    ask = "query => fetch('/data.json?' + query).then(r => r.json())"
    real = await there.one.evaluate(ask, "real")
    assert real not in ({"of": "one"}, {"of": "two"})
    for page in (there.one, there.two):
        assert [await page.evaluate(ask, name) for name in ("one", "two", "real")] == [
            {"of": "one"}, {"of": "two"}, real,
        ]  # fmt: skip
    await there.one.unroute_all()
    assert [await there.two.evaluate(ask, name) for name in ("one", "two")] == [real, {"of": "two"}]


async def accepts(dialog: Dialog) -> None:
    """What a client says to a dialog that it wants."""
    await dialog.accept()


async def test_dialog_that_a_client_opens_is_its_own_to_answer(pair: Come) -> None:
    there = await pair("/dialogs.html")
    for mine, other in ((there.one, there.two), (there.two, there.one)):
        # One that has no listener dismisses every dialog that it hears of.
        told: asyncio.Future[str] = asyncio.get_running_loop().create_future()

        async def heard(dialog: Dialog, told: asyncio.Future[str] = told) -> None:
            told.set_result(dialog.message)
            await dialog.accept()

        mine.once("dialog", heard)
        await mine.click("#confirm")
        assert await other.text_content("#o") == "true"
        assert await told == "sure?"


async def test_dialog_goes_to_the_client_that_wants_dialogs(pair: Come) -> None:
    there = await pair("/dialogs.html", "daemon", "client")
    there.two.once("dialog", accepts)
    await there.two.click("#confirm")
    assert await there.one.text_content("#o") == "true"
