"""No client gets another owner's tab on the user's Chrome, whatever it names."""

from __future__ import annotations

import asyncio
import json
import urllib.request
from typing import Any

import pytest
from playwright.async_api import BrowserContext

from tests.conformance.relayed_extension_chrome import Room, page_at, until

pytestmark = [
    pytest.mark.browser,
    pytest.mark.timeout(300),
    pytest.mark.asyncio(loop_scope="module"),
]


async def told(room: Room, path: str, token: str = "", **asked: str) -> Any:
    """What a page of the relay says."""
    url = room.relay.http(path, token, browser="extension", **asked)

    def read() -> Any:
        with urllib.request.urlopen(url, timeout=20) as answer:
            return json.load(answer)

    return await asyncio.to_thread(read)


async def as_owner(room: Room, owner: str, attach: str = "owned", **asked: str) -> BrowserContext:
    """A client with a token that is good for one owner, made for a way to attach."""
    token = room.relay.tokens.url_token(owner, attach)
    return await room.client(attach, token=token, **asked)


async def alices(room: Room) -> tuple[BrowserContext, str, str]:
    """Alice with a tab; its target and its address."""
    alice = await as_owner(room, "alice")
    url = room.site.url("/blank.html?alice")
    page = await alice.new_page()
    await page.goto(url)
    session = await alice.new_cdp_session(page)
    target = (await session.send("Target.getTargetInfo"))["targetInfo"]["targetId"]
    await until(lambda: any(t["url"] == url for t in room.lent.status()["attached"]))
    return alice, target, url


@pytest.mark.parametrize("attach", ["owned", "lazy", "eager"])
async def test_naming_a_tab_of_another_owner_gives_nothing(room: Room, attach: str) -> None:
    _, target, url = await alices(room)
    token = room.relay.tokens.url_token("bob", attach)
    named = await as_owner(room, "bob", attach, tabs=target)
    own = await room.client(attach, owner="bob", tabs=target)  # with the user's own token
    nobody = await room.client(attach, tabs=target)
    for context in (named, own, nobody):
        assert context.browser is not None
        session = await context.browser.new_browser_cdp_session()
        listed = (await session.send("Target.getTargets"))["targetInfos"]
        assert [info for info in listed if info["targetId"] == target] == []
        with pytest.raises(Exception, match="No target with given id"):
            await session.send("Target.attachToTarget", {"targetId": target, "flatten": True})
        assert url not in [page.url for page in context.pages]
    tabs = (await told(room, "/attached-tabs", token))["tabs"]
    assert target not in [tab["targetId"] for tab in tabs]


async def test_new_tab_of_an_owner_is_never_told_to_who_sees_every_tab(room: Room) -> None:
    bob = await as_owner(room, "bob", "eager")
    seen: list[str] = []
    bob.on("page", lambda page: seen.append(page.url))
    _, _, url = await alices(room)
    users = await room.tab("/blank.html?user")
    await page_at(bob, users)
    assert [page.url for page in bob.pages if page.url not in (users, "about:blank")] == []
    assert url not in seen


async def test_token_for_one_owner_sees_no_tab_of_the_user(room: Room) -> None:
    url = await room.tab("/blank.html?private")
    own = await room.client("eager")
    await page_at(own, url)
    target = next(t["targetId"] for t in await room.chrome.targets() if t["url"] == url)
    token = room.relay.tokens.url_token("bob")
    bob = await room.client("eager", token=token, tabs=target)
    assert [page.url for page in bob.pages] == []
    assert (await told(room, "/attached-tabs", token))["tabs"] == []
    assert "extensions" not in await told(room, "/extension/status", token)
    assert target in [tab["targetId"] for tab in (await told(room, "/attached-tabs"))["tabs"]]


async def test_revoked_token_ends_what_its_client_does(room: Room) -> None:
    name, token = room.relay.tokens.create("carol", created="now")
    carol = await room.client("owned", token=token)
    assert carol.browser is not None
    gone = asyncio.Event()
    carol.browser.on("disconnected", lambda browser: gone.set())
    room.relay.tokens.revoke(name)
    assert room.relay.relay.server.check_tokens() == 1
    await asyncio.wait_for(gone.wait(), 20)
    with pytest.raises(Exception, match="401"):
        await room.client("owned", token=token)
