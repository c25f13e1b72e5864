"""A tab that the browser has unloaded to save memory: told at once, and nobody loses the focus.

Chromium does not discard a tab that somebody is attached to, so the tab is discarded before the
supervisor comes, by the browser's own page for it. To CDP it is a page whose renderer is gone.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from pilothouse.browsers import BrowserHandle, Browsers, HeadlessKind
from pilothouse.cdp import Connection, Session
from pilothouse.cdp.protocol import Runtime, Target
from pilothouse.page.media.screenshot import WITHIN_S, ScreenshotCapture
from pilothouse.page.tab_context import TabContext
from pilothouse.page.world.isolated_worlds import IsolatedWorlds
from pilothouse.supervisor import Interrupt, Options, Supervisor
from tests.page_server import Pages

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="module")]

ENABLE = """(() => { const app = document.querySelector("chrome-urls-app");
const button = app && app.shadowRoot && app.shadowRoot.querySelector("cr-button");
if (button) button.click(); return !!button; })()"""
DISCARD = """(() => { const all = (root) => [...root.querySelectorAll("*")].flatMap(
  (at) => at.shadowRoot ? [at, ...all(at.shadowRoot)] : [at]);
const row = all(document).find((at) => at.localName == "tr" && /to be unloaded/.test(at.innerText));
if (!row) return "";
if (/discarded \\(/.test(row.innerText)) return "done";
const link = [...row.querySelectorAll("*")].find(
  (at) => !at.children.length && /Urgent Discard/.test(at.innerText));
if (link) link.click(); return "clicked"; })()"""


async def attached(connection: Connection, url: str) -> Session:
    target = (await connection.root.send(Target.createTarget(url=url)))["targetId"]
    given = await connection.root.send(Target.attachToTarget(targetId=target, flatten=True))
    return connection.sessions[given["sessionId"]]  # type: ignore[index]


async def until(session: Session, expression: str, wanted: Any) -> None:
    """Ask again until the page says so; pages of the browser come without any event for it."""
    async with asyncio.timeout(15):
        while True:
            answer = await session.send(Runtime.evaluate(expression=expression, returnByValue=True))
            if answer["result"].get("value") == wanted:
                return
            await asyncio.sleep(0.05)


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def browser(chromium_path: Path) -> AsyncIterator[BrowserHandle]:
    async with Browsers() as browsers:
        yield await browsers.acquire(HeadlessKind())


async def test_a_discarded_tab_is_told_at_once_and_comes_back_where_it_is(
    browser: BrowserHandle,
) -> None:
    connection = browser.connection
    with Pages() as pages:
        url = pages.add("/tab.html", "<title>to be unloaded</title>text")
        await connection.root.send(Target.createTarget(url=url))
        settings = await attached(connection, "chrome://chrome-urls/")
        await until(settings, ENABLE, True)
        discards = await attached(connection, "chrome://discards/")
        await until(discards, DISCARD, "done")
        await connection.root.send(Target.detachFromTarget(sessionId=settings.id))
        supervisor = Supervisor(connection, Options(page_setup=browser.page_setup))
        await supervisor.start()
        try:
            tab = next(t.id for t in supervisor.state.tabs.values() if t.url == url)
            tab_context = TabContext(supervisor, tab)
            camera = ScreenshotCapture(tab_context, IsolatedWorlds(tab_context))
            async with asyncio.timeout(WITHIN_S):
                outcome = await camera.take()
            (unloaded,) = outcome.blocked_by
            assert isinstance(unloaded, Interrupt)
            assert (unloaded.kind, unloaded.answers) == ("crashed", ("reload", "close"))
            focus = "document.visibilityState + document.hasFocus()"
            await until(discards, focus, "visibletrue")
            supervisor.answer_interrupt(unloaded.id, "reload")
            await supervisor.wait_for(lambda s: not s.tabs[tab].crashed, 10)
            await supervisor.wait_ready(tab)
            await until(
                tab_context.session, "document.readyState + (innerWidth > 0)", "completetrue"
            )
            await until(discards, focus, "visibletrue")
        finally:
            await supervisor.close()
