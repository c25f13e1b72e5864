"""Cookies of a browser context, on a real Chromium."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from pilothouse.cdp import Command
from pilothouse.cdp.protocol import Target
from pilothouse.errors import ToolError
from pilothouse.page.storage.cookies import Cookies
from pilothouse.page.tab_context import TabContext
from pilothouse.page.world.isolated_worlds import IsolatedWorlds
from tests.browser.browser_with_dialog_places import Stage, staged

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="module")]


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def stage(chromium_path: Path) -> AsyncIterator[Stage]:
    async with staged() as made:
        yield made


@pytest_asyncio.fixture(loop_scope="module")
async def cookies(stage: Stage) -> AsyncIterator[Cookies]:
    tab = await stage.sup.open_tab("owner", stage.pages.url("/main.html"))
    await stage.loaded(tab)
    tab_context = TabContext(stage.sup, tab)
    made = Cookies(tab_context, IsolatedWorlds(tab_context))
    yield made
    if tab in stage.sup.state.tabs:
        await made.clear()
    await stage.clear()


def names(found: list[dict[str, Any]]) -> list[str]:
    return sorted(cookie["name"] for cookie in found)


async def test_a_cookie_of_the_page_is_set_and_sent(stage: Stage, cookies: Cookies) -> None:
    assert await cookies.set([{"name": "a", "value": "1"}, {"name": "b", "value": "x y"}]) == 2
    assert names(await cookies.get()) == ["a", "b"]
    (tab,) = (t for t in stage.sup.state.tabs.values() if t.owner == "owner")
    top = await stage.loaded(tab.id)
    await stage.value(top.id, "fetch('/part.html').then(() => 1)")
    assert stage.pages.visits_to("/part.html")[-1].headers["Cookie"] == "a=1; b=x y"


async def test_cookies_of_one_address_are_those_it_would_be_sent(cookies: Cookies) -> None:
    await cookies.set(
        [
            {"name": "all", "value": "1", "domain": ".example.com"},
            {"name": "sub", "value": "1", "url": "https://shop.example.com/"},
            {"name": "deep", "value": "1", "domain": "example.com", "path": "/deep"},
            {"name": "__Host-only", "value": "1", "domain": "example.com", "secure": True},
        ]
    )
    assert names(await cookies.get(["https://shop.example.com/"])) == ["all", "sub"]
    assert names(await cookies.get(["https://example.com/deep/x"])) == [
        "__Host-only",
        "all",
        "deep",
    ]
    with pytest.raises(ToolError, match="urls"):
        await cookies.get(["example.com"])


async def test_one_bad_cookie_leaves_all_unset(cookies: Cookies) -> None:
    with pytest.raises(ToolError, match=r"cookies\[1\]: sameSite"):
        await cookies.set(
            [{"name": "a", "value": "1"}, {"name": "b", "value": "1", "sameSite": "x"}]
        )
    with pytest.raises(ToolError, match="expected a list"):
        await cookies.set({"name": "a", "value": "1"})  # type: ignore[arg-type]
    assert await cookies.get() == []


async def test_a_cookie_chrome_drops_without_a_word_is_told(cookies: Cookies) -> None:
    """The rules here refuse this one before; of the next that Chrome invents, nobody knows."""
    silent = {"name": "loose", "value": "1", "domain": "127.0.0.1", "sameSite": "None"}
    with pytest.raises(ToolError, match="dropped the cookies loose"):
        await cookies.store([silent])


async def test_a_cookie_chrome_refuses_is_told(cookies: Cookies) -> None:
    with pytest.raises(ToolError, match="refused the cookies"):
        await cookies.set([{"name": "a", "value": "\t1"}])


async def test_a_host_of_other_letters_is_the_same_host(cookies: Cookies) -> None:
    await cookies.set([{"name": "a", "value": "1", "domain": "münchen.example"}])
    assert names(await cookies.get(["http://münchen.example/"])) == ["a"]


async def test_a_cookie_of_the_past_removes_one(cookies: Cookies) -> None:
    await cookies.set([{"name": "a", "value": "1"}])
    await cookies.set([{"name": "a", "value": "1", "expires": 1}])
    assert await cookies.get() == []


async def test_cookies_are_deleted_by_name_domain_or_path(cookies: Cookies) -> None:
    places = [("example.com", "/"), ("example.com", "/x"), ("other.example", "/")]
    await cookies.set(
        [
            {"name": name, "value": "1", "domain": domain, "path": path}
            for name in ("a", "b")
            for domain, path in places
        ]
    )
    assert await cookies.delete("a", path="/x") == 1
    assert await cookies.delete(domain="other.example") == 2
    assert await cookies.delete("b") == 2
    assert [(c["name"], c["path"]) for c in await cookies.get()] == [("a", "/")]
    assert await cookies.delete("nothing") == 0
    with pytest.raises(ToolError, match="all are empty"):
        await cookies.delete()


async def test_a_partitioned_cookie_is_deleted_too(cookies: Cookies) -> None:
    key = {"topLevelSite": "https://top.example", "hasCrossSiteAncestor": True}
    cookie = {"name": "p", "value": "1", "domain": "a.example", "secure": True, "sameSite": "None"}
    await cookies.set([{**cookie, "partitionKey": key}])
    assert await cookies.delete("p") == 1
    assert await cookies.get() == []


async def test_contexts_do_not_share_cookies(stage: Stage, cookies: Cookies) -> None:
    made = await stage.sup.connection.send(Target.createBrowserContext())
    tab = await stage.sup.open_tab("other", context=made["browserContextId"])
    tab_context = TabContext(stage.sup, tab)
    other = Cookies(tab_context, IsolatedWorlds(tab_context))
    await cookies.set([{"name": "a", "value": "1"}])
    await other.set([{"name": "b", "value": "1", "domain": "example.com"}])
    assert names(await cookies.get()) == ["a"]
    assert await other.clear() == 1
    assert names(await cookies.get()) == ["a"]
    with pytest.raises(ToolError, match="domain and url"):
        await other.set([{"name": "c", "value": "1"}])


async def test_shown_cookies_have_no_values(cookies: Cookies) -> None:
    await cookies.set([{"name": "a", "value": "hush-hush"}])
    assert "hush" not in str(await cookies.shown())


async def test_an_open_dialog_does_not_matter(stage: Stage, cookies: Cookies) -> None:
    (tab,) = (t for t in stage.sup.state.tabs.values() if t.owner == "owner")
    await stage.run((await stage.loaded(tab.id)).id, "setTimeout(() => alert('wait')); 0")
    await stage.dialog(tab.id)
    await cookies.set([{"name": "a", "value": "1"}])
    assert names(await cookies.get()) == ["a"]
    assert await cookies.delete("a") == 1
    await stage.sup.answer(accept=True, tab=tab.id)


async def test_a_cookie_a_script_has_just_set_is_there(stage: Stage, cookies: Cookies) -> None:
    """A document's first cookie takes its time to reach the browser: a command is there first."""
    tab = next(t.id for t in stage.sup.state.tabs.values() if t.owner == "owner")
    session = stage.sup.session(tab)
    address = stage.pages.url("/main.html")
    missed = []
    for number in range(60):
        await session.send(Command("Page.navigate", {"url": f"{address}?{number}"}))
        session.send(Command("Runtime.evaluate", {"expression": f"document.cookie='n={number}'"}))
        if [c["value"] for c in await cookies.get([address])] != [str(number)]:
            missed.append(number)
    assert not missed
