"""Lazy sessions in the hub: an unchanged Playwright beside another client, on tabs of a supervised
browser that it has no debugger on."""

from __future__ import annotations

import asyncio
import itertools
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

import pytest
import pytest_asyncio
from playwright.async_api import Browser, Page, Playwright, async_playwright

from pilothouse.relay.hub.client import RelayClient
from tests.relay.hub_server import Hosted, hosted

pytestmark = [
    pytest.mark.browser,
    pytest.mark.asyncio(loop_scope="module"),
    pytest.mark.needs_speedup("lazy_tabs"),
]

WITHIN_S = 60
_labels = itertools.count(1)


@dataclass
class Desk:
    """A hub with one client that holds tabs, and a way to bring lazy ones."""

    place: Hosted
    playwright: Playwright
    holder: Browser

    async def tab(self, path: str) -> Page:
        """A tab, seen by the client that opened it."""
        page = await self.holder.contexts[0].new_page()
        await page.goto(self.place.pages.url(path))
        return page

    @asynccontextmanager
    async def lazy(self) -> AsyncIterator[tuple[Browser, RelayClient]]:
        """A lazy client of the same owner, from outside and from within."""
        label = f"lazy{next(_labels)}"
        url = self.place.url(owner="me", attach="lazy", label=label)
        async with asyncio.timeout(WITHIN_S):
            browser = await self.playwright.chromium.connect_over_cdp(url)
            try:
                yield browser, next(c for c in self.place.hub.clients() if c.label == label)
            finally:
                await browser.close()


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def shared(chromium_path: object) -> AsyncIterator[Desk]:
    async with hosted(traced=True) as place, async_playwright() as playwright:
        foreign = place.pages.url("/inner", host="a.localhost")
        frames = f"<iframe src=/inner></iframe><iframe src='{foreign}'></iframe>"
        place.pages.add("/main", f"<title>Main</title><button>go</button>{frames}")
        place.pages.add("/inner", "<title>Inner</title><p>inner</p>")
        place.pages.add("/other", "<title>Other</title>")
        holder = await playwright.chromium.connect_over_cdp(place.url(owner="me", label="holder"))
        yield Desk(place, playwright, holder)
        await holder.close()


@pytest_asyncio.fixture(loop_scope="module")
async def desk(shared: Desk) -> AsyncIterator[Desk]:
    yield shared
    for page in shared.holder.contexts[0].pages:
        await page.close()


def page_at(browser: Browser, path: str) -> Page:
    return next(page for page in browser.contexts[0].pages if page.url.endswith(path))


def attached(client: RelayClient) -> list[bool]:
    """Whether each of the client's lazy sessions has a real one."""
    return [bool(s.id) for s in client.sessions.values() if s.lazy is not None]


async def test_tabs_are_listed_and_none_is_attached(desk: Desk) -> None:
    await desk.tab("/main")
    await desk.tab("/other")
    async with desk.lazy() as (browser, client):
        page = page_at(browser, "/main")
        assert page_at(browser, "/other").url.endswith("/other")
        await page.wait_for_load_state("networkidle")
        await page.add_init_script("window.early = 1")
        assert attached(client) == [False, False]


async def test_the_first_command_attaches_its_tab_and_works(desk: Desk) -> None:
    await desk.tab("/main")
    await desk.tab("/other")
    async with desk.lazy() as (browser, client):
        page = page_at(browser, "/main")
        assert await page.title() == "Main"
        assert sorted(attached(client)) == [False, True]
        await page.locator("button").click()
        for index in (0, 1):
            frame = page.frame_locator("iframe").nth(index)
            assert await frame.locator("p").inner_text() == "inner"


async def test_an_early_script_works_and_the_names_are_plain_after_a_navigation(
    desk: Desk,
) -> None:
    await desk.tab("/main")
    async with desk.lazy() as (browser, client):
        page = page_at(browser, "/main")
        await page.add_init_script("window.early = 1")
        await page.goto(desk.place.pages.url("/other"))
        assert await page.evaluate("window.early") == 1
        assert [s.lazy.is_transparent for s in client.sessions.values() if s.lazy is not None] == [
            True
        ]
        assert await page.title() == "Other"


async def test_a_function_that_is_exposed_before_the_attach_is_there(desk: Desk) -> None:
    await desk.tab("/other")
    async with desk.lazy() as (browser, _):
        page = page_at(browser, "/other")
        await page.expose_function("plus", lambda number: number + 1)
        assert await page.evaluate("plus(1)") == 2
        await page.reload()
        assert await page.evaluate("plus(2)") == 3


async def test_the_client_never_sees_the_real_session_of_a_lazy_one(desk: Desk) -> None:
    await desk.tab("/main")
    async with desk.lazy() as (browser, client):
        page = page_at(browser, "/main")
        assert await page.evaluate("1 + 1") == 2
        await page.goto(desk.place.pages.url("/other"))
        assert await page.evaluate("2 + 2") == 4
        (real,) = [s.id for s in client.sessions.values() if s.lazy is not None]
        assert not any(real in frame for frame in desk.place.heard[client.label])


async def test_events_and_answers_name_the_contexts_that_the_client_knows(desk: Desk) -> None:
    await desk.tab("/other")
    async with desk.lazy() as (browser, client):
        page = page_at(browser, "/other")
        session = await page.context.new_cdp_session(page)
        known: list[int] = []
        logged: list[int] = []
        session.on("Runtime.executionContextCreated", lambda e: known.append(e["context"]["id"]))
        session.on("Runtime.consoleAPICalled", lambda e: logged.append(e["executionContextId"]))
        await session.send("Runtime.enable")
        frame = (await session.send("Page.getFrameTree"))["frameTree"]["frame"]
        world = {"frameId": frame["id"], "worldName": "w"}
        made = await session.send("Page.createIsolatedWorld", world)
        assert known == [2**30, made["executionContextId"]]
        assert not any(attached(client))
        for context in known[:2]:
            log = {"expression": "console.log(1)", "contextId": context}
            await session.send("Runtime.evaluate", log)
        assert logged == known[:2]
        assert await session.send("Page.createIsolatedWorld", world) == made
        again = (await session.send("Page.getFrameTree"))["frameTree"]["frame"]
        assert again["loaderId"] == frame["loaderId"]
        await session.detach()
        assert await page.title() == "Other"


async def test_a_session_can_be_left_before_it_ever_attached(desk: Desk) -> None:
    await desk.tab("/other")
    async with desk.lazy() as (browser, client):
        page = page_at(browser, "/other")
        session = await page.context.new_cdp_session(page)
        await session.send("Page.enable")
        await session.detach()
        assert attached(client) == [False]
        assert await page.title() == "Other"


async def test_a_tab_that_goes_elsewhere_is_followed_without_a_debugger(desk: Desk) -> None:
    theirs = await desk.tab("/main")
    async with desk.lazy() as (browser, client):
        page = page_at(browser, "/main")
        await theirs.goto(desk.place.pages.url("/other"))
        await page.wait_for_url("**/other")
        assert attached(client) == [False]
        assert await page.title() == "Other"


async def test_a_tab_that_is_closed_meanwhile_is_gone_for_the_client(desk: Desk) -> None:
    theirs = await desk.tab("/main")
    async with desk.lazy() as (browser, client):
        page = page_at(browser, "/main")
        async with page.expect_event("close"):
            await theirs.close()
        assert attached(client) == []


async def test_a_lazy_tab_can_be_closed_without_a_debugger(desk: Desk) -> None:
    await desk.tab("/main")
    async with desk.lazy() as (browser, client):
        await page_at(browser, "/main").close()
        assert attached(client) == []


async def test_a_tab_that_the_client_opens_is_its_own_and_attached(desk: Desk) -> None:
    async with desk.lazy() as (browser, client):
        page = await browser.contexts[0].new_page()
        await page.goto(desk.place.pages.url("/other"))
        assert await page.title() == "Other"
        assert attached(client) == []
        await page.close()


async def test_commands_for_a_tab_that_cannot_be_attached_fail_with_words(desk: Desk) -> None:
    await desk.tab("/other")
    async with desk.lazy() as (browser, client):
        assert page_at(browser, "/other")
        (session,) = [s for s in client.sessions.values() if s.lazy is not None]
        session.target = "0" * 32
        heard: list[bytes] = []
        told = asyncio.Event()

        class Ear:
            """A line that only listens."""

            def send(self, frame: bytes) -> None:
                heard.append(frame)
                told.set()

            def unsent(self) -> int:
                return 0

            def close(self, code: int = 1000, reason: str = "") -> None:
                told.set()

        line, client.socket = client.socket, Ear()
        command = {"id": 9, "method": "Runtime.evaluate", "params": {"expression": "1"}}
        client.on_message(json.dumps({**command, "sessionId": session.visible_id}).encode())
        await told.wait()
        client.socket = line
        answer: dict[str, Any] = json.loads(heard[0])
        assert (answer["id"], answer["sessionId"]) == (9, session.visible_id)
        assert "No target" in answer["error"]["message"]
        assert attached(client) == [False]
