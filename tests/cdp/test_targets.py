"""Targets as they come and go, over one connection to a real browser."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import pytest

from pilothouse.cdp import Connection, Status, dial_websocket
from pilothouse.cdp.protocol import Runtime, Target
from pilothouse.errors import CommandTimeout, ConnectionLost
from tests.cdp.new_target_session import attach
from tests.chromium import Endpoint, running_chromium
from tests.tcp_proxy import TcpProxy

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def running(chromium_path: Path) -> Iterator[Endpoint]:
    with running_chromium(chromium_path) as endpoint:
        yield endpoint


@pytest.fixture
async def browser(running: Endpoint) -> AsyncIterator[Connection]:
    dial = dial_websocket(running.websocket_url)
    async with asyncio.timeout(30), await Connection.open(dial) as opened:
        yield opened


def pages(connection: Connection) -> set[str]:
    return {info["targetId"] for info in connection.targets.list() if info["type"] == "page"}


async def make(connection: Connection, url: str = "about:blank") -> str:
    made = await connection.send(Target.createTarget(url=url))
    return str(made["targetId"])


async def test_what_is_there_is_listed_and_what_comes_and_goes_is_told(browser: Connection) -> None:
    before = await make(browser)
    targets = browser.targets
    came: list[Any] = []
    went: list[Any] = []
    leave = targets.on_created(came.append)
    targets.on_destroyed(went.append)
    await asyncio.gather(targets.start(), targets.start())
    assert before in pages(browser)
    assert came == []  # those were there already
    made = await make(browser, "data:text/html,<title>new</title>")
    assert [info["targetId"] for info in came if info["type"] == "page"] == [made]
    gone = asyncio.Event()
    targets.on_destroyed(lambda info: gone.set() if info["targetId"] == made else None)
    await browser.send(Target.closeTarget(targetId=made))
    await gone.wait()
    assert made in {info["targetId"] for info in went}
    assert made not in pages(browser)
    leave()
    leave()
    came.clear()
    await make(browser)
    assert came == []


async def test_a_wait_that_is_armed_before_the_action_gets_the_new_target(
    browser: Connection,
) -> None:
    session = await attach(browser)
    await browser.targets.start()
    page = browser.targets.wait_for_new(lambda info: info["type"] == "page")
    named = browser.targets.wait_for_new(lambda info: info["url"].endswith("#popup"))
    await session.send(
        Runtime.evaluate(expression="open('about:blank#popup'); 1", userGesture=True)
    )
    info = await page
    assert info["openerId"] == session.target_id
    assert (await named)["targetId"] == info["targetId"]  # what changes is looked at again
    with pytest.raises(CommandTimeout, match=r"waiting for a target: none came within 0\.05 s"):
        await browser.targets.wait_for_new(lambda info: False, deadline=0.05)
    broken = browser.targets.wait_for_new(lambda info: bool(info["nothing"]))
    await make(browser)
    with pytest.raises(KeyError):
        await broken


async def test_a_listener_that_fails_is_counted_and_harms_nobody(browser: Connection) -> None:
    heard: list[Any] = []
    browser.targets.on_created(lambda info: 1 / 0)
    browser.targets.on_created(heard.append)
    await browser.targets.start()
    await make(browser)
    assert heard
    assert browser.counts.listener_errors >= 1


async def test_after_a_reconnect_what_changed_meanwhile_is_told(running: Endpoint) -> None:
    async with asyncio.timeout(30), TcpProxy(running.port) as proxy:
        url = f"ws://127.0.0.1:{proxy.port}{running.path}"
        aside = await Connection.open(dial_websocket(running.websocket_url))
        wire = await Connection.open(dial_websocket(url), reconnects=True)
        async with aside, wire:
            doomed = await make(aside)
            await wire.targets.start()
            assert doomed in pages(wire)
            gone = asyncio.Event()
            wire.targets.on_destroyed(
                lambda info: gone.set() if info["targetId"] == doomed else None
            )
            came = wire.targets.wait_for_new(lambda info: info["type"] == "page")
            down = asyncio.Event()
            wire.on_status(lambda status: down.set() if status is not Status.OPEN else None)
            proxy.cut()
            await down.wait()
            made = await make(aside)
            await aside.send(Target.closeTarget(targetId=doomed))
            assert (await came)["targetId"] == made
            await gone.wait()
            never = wire.targets.wait_for_new(lambda info: False)
            await wire.close()
            with pytest.raises(ConnectionLost, match="the connection is closed"):
                await never
