"""Unchanged clients on a supervised browser: they work, and none sees what is another's."""

from __future__ import annotations

import asyncio
import json
import random

import pytest
from playwright.async_api import async_playwright

from pilothouse.relay.interfaces import ClientSpec, HttpRefusal
from tests.relay.hub_client import Failure, Talk, came
from tests.relay.hub_server import Hosted, hosted

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="module")]

ROUNDS = 40


async def test_playwright_works_beside_our_own_tools_on_one_tab(place: Hosted) -> None:
    inner = place.pages.add("/inner.html", "<p id=in>inner</p>").replace("127.0.0.1", "localhost")
    url = place.pages.add("/outer.html", f"<title>outer</title><iframe src='{inner}'></iframe>")
    async with async_playwright() as playwright:
        browser = await playwright.chromium.connect_over_cdp(place.url(label="played"))
        page = await browser.contexts[0].new_page()
        await page.add_init_script("window.before = 1")
        await page.goto(url)
        assert await page.frame_locator("iframe").locator("#in").inner_text() == "inner"
        assert await page.evaluate("window.before") == 1
        (tab,) = [t for t in place.sup.state.tabs.values() if t.url == url]
        params = {"expression": "document.title", "returnByValue": True}
        outcome = await place.sup.cdp("Runtime.evaluate", params, tab=tab.id)
        assert outcome.value is not None
        assert outcome.value["result"]["value"] == "outer"
        assert len(await page.evaluate("'x'.repeat(5_000_000)")) == 5_000_000
        await page.close()
        await browser.close()
    await gone(place, "played")


async def test_a_popup_runs_the_client_s_scripts_first_whoever_opened_it(place: Hosted) -> None:
    popup = place.pages.add("/popup.html", "<script>seen = window.before</script>")
    opener = place.pages.add("/opener.html", f"<a href='{popup}' target=_blank>open</a>")
    async with async_playwright() as playwright:
        browser = await playwright.chromium.connect_over_cdp(place.url(label="popups"))
        context = browser.contexts[0]
        await context.add_init_script("window.before = 2")
        page = await context.new_page()
        await page.goto(opener)
        async with context.expect_page() as info:
            await page.click("a")
        shown = await info.value
        await shown.wait_for_load_state()
        assert await shown.evaluate("window.seen") == 2
        assert await page.evaluate("window.open('about:blank').before") == 2
        await browser.close()
    await gone(place, "popups")


async def gone(place: Hosted, label: str) -> None:
    """The client has left: its socket closes a moment after it said goodbye."""
    async with asyncio.timeout(20):
        await place.left(label)


async def test_nothing_of_another_s_is_in_any_message(place: Hosted) -> None:
    clients = [await came(place.hub, label=name) for name in ("one", "two")]
    own: list[set[str]] = [set(), set()]
    chance = random.Random(7)
    for which, client in enumerate(clients):
        params = {"discover": True, "filter": [{}]}
        await client.ask("Target.setDiscoverTargets", params)
        await client.ask("Target.setAutoAttach", {"autoAttach": True, "flatten": True})
        own[which].add((await client.ask("Target.getTargetInfo"))["targetInfo"]["targetId"])
    for _ in range(ROUNDS):
        which = chance.randrange(2)
        mine, foreign = clients[which], own[1 - which]
        await one_of_many(mine, own[which], chance)
        if foreign:
            wanted = {"targetId": chance.choice(sorted(foreign)), "flatten": True}
            with pytest.raises(Failure):
                await mine.ask("Target.attachToTarget", wanted)
    for which, client in enumerate(clients):
        said = json.dumps(client.heard)
        assert not [target for target in own[1 - which] if target in said]
        client.guest.on_disconnect("done")


async def one_of_many(client: Talk, own: set[str], chance: random.Random) -> None:
    """Something a client may do."""
    match chance.randrange(4):
        case 0:
            target, session = await client.page()
            own.update((target, session))
        case 1:
            await client.ask("Target.getTargets", {"filter": [{}]})
        case 2:
            await client.ask("Storage.getCookies")
        case 3:
            listed = (await client.ask("Target.getTargets"))["targetInfos"]
            pages = [info["targetId"] for info in listed if info["type"] == "page"]
            if pages:
                await client.ask("Target.closeTarget", {"targetId": chance.choice(pages)})


async def test_two_clients_on_one_tab_keep_their_own_scripts_and_are_noted(place: Hosted) -> None:
    first = await came(place.hub, owner="both", label="first")
    target, one = await first.page()
    second = await came(place.hub, owner="both", label="second")
    params = {"targetId": target, "flatten": True}
    two = (await second.ask("Target.attachToTarget", params))["sessionId"]
    await first.ask("Runtime.enable", {}, one)
    await second.ask("Runtime.enable", {}, two)
    await first.ask("Page.navigate", {"url": "about:blank"}, one)
    await second.ask("Page.navigate", {"url": "about:blank"}, two)
    assert (await first.value(one, "1"), await second.value(two, "2")) == (1, 2)
    assert any(c.startswith("second went to ") for c in place.hub.conflicts())
    second.guest.on_disconnect("done")
    assert await first.value(one, "3") == 3
    first.guest.on_disconnect("done")


async def test_when_the_wire_drops_all_that_waits_fails_and_clients_are_hung_up() -> None:
    async with hosted() as place:
        me = await came(place.hub)
        _, session = await me.page()
        params = {"expression": "new Promise(() => 0)", "awaitPromise": True}
        number = me.tell("Runtime.evaluate", params, session)
        await place.sup.connection.close()
        reply = await me.find(lambda m: m.get("id") == number)
        assert "connection to the browser was lost" in reply["error"]["message"]
        assert me.closed
        assert place.hub.clients() == []
        refused = await place.hub.join(ClientSpec(id="y", browser="managed"), Talk())
        assert isinstance(refused, HttpRefusal)
