"""What a client keeps when something behind it ends and comes again: the service worker, the
extension, the relay. Real Chromium, real extension, real clients."""

from __future__ import annotations

import asyncio

import pytest

from tests.conformance.relay_browsers import came, of_the_daemon
from tests.conformance.relayed_extension_chrome import WITHIN_MS, Room, page_at, until

pytestmark = [
    pytest.mark.browser,
    pytest.mark.timeout(600),
    pytest.mark.asyncio(loop_scope="module"),
]


async def test_page_survives_the_end_of_the_service_worker(room: Room) -> None:
    context = await room.client("owned")
    page = await context.new_page()
    await page.goto(room.site.url("/form.html"))
    await room.chrome.kill_worker()
    await page.fill("#name", "after")
    assert await page.input_value("#name") == "after"


@pytest.mark.parametrize("by", ["itself", "the user"])
async def test_page_survives_the_reload_of_the_extension(room: Room, by: str) -> None:
    await room.chrome.developer_mode()
    context = await room.client("owned")
    page = await context.new_page()
    await page.goto(room.site.url("/form.html"))
    await page.route("**/data.json", lambda route: route.fulfill(json={"of": "mine"}))
    await page.expose_function("double", lambda number: number * 2)
    await page.fill("#name", "before")
    await room.reload_extension(by)
    await page.click("#b")
    assert [await page.input_value("#name"), await page.text_content("#n")] == ["before", "1"]
    assert await page.evaluate("fetch('/data.json').then(r => r.json())") == {"of": "mine"}
    assert await page.evaluate("double(21)") == 42
    assert not page.is_closed()
    assert context.pages == [page]


async def test_frames_and_workers_are_there_after_a_reload_of_the_extension(room: Room) -> None:
    await room.chrome.developer_mode()
    context = await room.client("owned")
    page = await context.new_page()
    async with page.expect_event("worker"):
        await page.goto(room.site.url("/oopif.html"))
    leaf = page.frame_locator("[name=f]").frame_locator("[name=f]").get_by_role("button")
    assert await leaf.text_content() == "leaf"
    # Clients learn the world of a worker once: it is told as another one.
    async with page.expect_event("worker") as told:
        await room.reload_extension()
    assert await (await told.value).evaluate("1 + 1") == 2
    await leaf.click()
    assert await leaf.text_content() == "hit"
    assert len(page.frames) == 3


async def test_what_the_user_gave_and_took_outlives_a_reload_of_the_extension(room: Room) -> None:
    await room.chrome.developer_mode()
    given, other = await room.tab("/form.html"), await room.tab("/other.html")
    await room.set(mode="manual")
    try:
        await room.press("attach", given)
        page = await page_at(await room.client(), given)
        await page.fill("#name", "before")
        hello = room.lent.hello
        await room.reload_extension()
        await until(lambda: room.lent.hello is not hello)
        assert await page.input_value("#name") == "before"
        assert [p.url for p in (await room.client()).pages] == [given]
    finally:
        await room.set(mode="auto")
    await room.press("detach", given)
    hello = room.lent.hello
    await room.reload_extension()
    await until(lambda: room.lent.hello is not hello)
    context = await room.client()
    await context.new_page()  # it waits until the tabs are listed again
    shown = [p.url for p in context.pages]
    assert (other in shown, given in shown) == (True, False)


async def test_relay_that_comes_again_finds_the_tabs_as_they_were(room: Room) -> None:
    users = await room.tab("/other.html")
    context = await room.client("owned")
    page = await context.new_page()
    await page.goto(room.site.url("/form.html"))
    await page.fill("#name", "before")
    session = await context.new_cdp_session(page)
    target = (await session.send("Target.getTargetInfo"))["targetInfo"]["targetId"]
    ends = asyncio.ensure_future(page.wait_for_event("close"))
    await room.relay.restart()
    await ends
    await came(room.relay)
    # The same tab, under the same name, with the document that it had.
    again = await room.client("owned", tabs=target)
    (found,) = again.pages
    assert await found.input_value("#name") == "before"
    every = await room.client()
    assert sorted(p.url for p in every.pages) == sorted(["about:blank", users, page.url])
    assert await (await page_at(every, users)).title() == "Other"
    await (await page_at(every, page.url)).click("#b")
    assert await found.text_content("#n") == "1"


async def test_relay_that_comes_again_lets_go_of_what_nobody_uses(room: Room) -> None:
    page = await (await room.client("owned")).new_page()
    await page.goto(room.site.url("/form.html"))
    assert await room.attached() == [page.url]
    await room.relay.restart()
    await came(room.relay)

    async def free() -> bool:
        return await room.attached() == []

    await until(free)


async def test_owner_finds_its_tabs_in_a_browser_of_the_daemon_again(room: Room) -> None:
    async with of_the_daemon() as relay:
        url = relay.url(owner="ann")
        first = await room.driver.chromium.connect_over_cdp(url, timeout=WITHIN_MS)
        page = await first.contexts[0].new_page()
        await page.goto(room.site.url("/form.html"))
        await page.fill("#name", "before")
        ends = asyncio.ensure_future(page.wait_for_event("close"))
        await relay.restart()
        await ends
        second = await room.driver.chromium.connect_over_cdp(url, timeout=WITHIN_MS)
        (found,) = second.contexts[0].pages
        assert await found.input_value("#name") == "before"
        await second.close()
