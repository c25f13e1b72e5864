"""Hidden pages, on a real Chromium."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

from pilothouse.cdp.protocol import Target
from pilothouse.errors import CommandFailed, ToolError
from pilothouse.page.internal_hidden_page import PIECE, open_hidden_page
from pilothouse.page.tab_context import TabContext
from tests.browser.browser_with_dialog_places import WITHIN_S, Stage, staged

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="module")]

WORKER = """
self.addEventListener("install", () => skipWaiting());
self.addEventListener("activate", event => event.waitUntil(clients.claim()));
self.addEventListener("fetch", event => event.respondWith(new Response("from the worker")));
"""


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def stage(chromium_path: Path) -> AsyncIterator[Stage]:
    async with staged() as made:
        made.pages.add("/worker.js", WORKER)
        yield made


@pytest_asyncio.fixture(loop_scope="module", autouse=True)
async def cleared(stage: Stage) -> AsyncIterator[None]:
    yield
    await stage.clear()


async def opened(stage: Stage, path: str = "/main.html", host: str = "localhost") -> TabContext:
    tab = await stage.sup.open_tab("owner", stage.pages.url(path, host))
    await stage.loaded(tab)
    return TabContext(stage.sup, tab)


def traffic(stage: Stage) -> list[str]:
    """What was asked for, but for the icon of a tab's page, which Chrome asks for when it likes."""
    own = ("/favicon.ico", "/main.html")
    return [
        visit.path
        for visit in stage.pages.visits
        if not (visit.path == own[0] and visit.headers.get("Referer", "").endswith(own[1]))
    ]


async def test_a_hidden_page_is_of_any_origin_and_never_on_the_network(stage: Stage) -> None:
    tab_context = await opened(stage)
    before = traffic(stage)
    own = stage.pages.url("", "localhost")
    async with open_hidden_page(tab_context) as page:
        for origin in (own, "https://nowhere.example", "http://a.b.example:8080"):
            await page.show(origin)
            assert await page.evaluate("[self.origin, document.body.innerText]") == [origin, ""]
        assert await page.evaluate("fetch('/x').then(r => r.status)") == 200
    assert traffic(stage) == before


async def kinds_of_targets(stage: Stage) -> set[str]:
    targets = await stage.sup.connection.send(Target.getTargets(filter=[{}]))
    return {info["type"] for info in targets["targetInfos"]}


async def test_nobody_sees_it_come_or_go(stage: Stage) -> None:
    tab_context = await opened(stage)
    tabs = dict(stage.sup.state.tabs)
    seen = "[document.visibilityState, document.hasFocus()].join()"
    before = await stage.value(tab_context.main().id, seen)
    async with open_hidden_page(tab_context):
        assert stage.sup.state.tabs == tabs
        assert await stage.value(tab_context.main().id, seen) == before
    assert stage.sup.state.tabs == tabs
    async with asyncio.timeout(WITHIN_S):
        while "other" in await kinds_of_targets(stage):
            pass  # Chrome closes it after it has said so
    assert await stage.value(tab_context.main().id, seen) == before


async def test_the_sites_own_worker_does_not_answer_for_it(stage: Stage) -> None:
    tab_context = await opened(stage)
    ready = (
        "navigator.serviceWorker.register('/worker.js').then(() => navigator.serviceWorker.ready)"
    )
    await stage.value(tab_context.main().id, f"{ready}.then(() => 1)")
    async with open_hidden_page(tab_context) as page:
        await page.show(stage.pages.url("", "localhost"))
        assert await page.evaluate("document.body.innerText") == ""


async def test_it_is_in_the_context_of_its_tab(stage: Stage) -> None:
    made = await stage.sup.connection.send(Target.createBrowserContext())
    tab = await stage.sup.open_tab("owner", context=made["browserContextId"])
    async with open_hidden_page(await opened(stage)) as page:
        await page.show("https://kept.example")
        await page.evaluate("localStorage.setItem('whose', 'first'); 0")
        async with open_hidden_page(TabContext(stage.sup, tab)) as other:
            await other.show("https://kept.example")
            assert await other.evaluate("localStorage.getItem('whose')") is None


async def test_a_text_of_any_length_is_handed_over(stage: Stage) -> None:
    text = "ü\ud83d\ude00\n\\'\"" * (PIECE // 4)
    async with open_hidden_page(await opened(stage)) as page:
        await page.set_variable("given", text)
        assert await page.evaluate("given.length") == len(text)


async def test_what_throws_there_is_an_error_here(stage: Stage) -> None:
    async with open_hidden_page(await opened(stage)) as page:
        with pytest.raises(CommandFailed, match="no good"):
            await page.evaluate("throw new Error('no good')")


async def test_an_address_chrome_refuses_is_told(stage: Stage) -> None:
    async with open_hidden_page(await opened(stage)) as page:
        with pytest.raises(ToolError, match="could not open a page of"):
            await page.show("http://[not-a-host")
