"""Pages of a real browser, as far as these tests need them."""

from __future__ import annotations

from typing import Any

from pilothouse.browsers import BrowserHandle
from pilothouse.cdp import Session, SessionId
from pilothouse.cdp.protocol import Page, Runtime, Target

__all__ = ["evaluate", "new_page", "open_url"]


async def new_page(handle: BrowserHandle) -> Session:
    """A new page, set up as the handle says."""
    made = await handle.connection.send(Target.createTarget(url="about:blank"))
    attached = await handle.connection.send(
        Target.attachToTarget(targetId=made["targetId"], flatten=True)
    )
    session = handle.connection.sessions[SessionId(attached["sessionId"])]
    for command in handle.page_setup:
        await session.send(command)
    return session


async def open_url(session: Session, url: str) -> None:
    """Go there, and wait until it has loaded."""
    await session.send(Page.enable())
    loaded = session.expect(Page.loadEventFired)
    await session.send(Page.navigate(url=url))
    await loaded


async def evaluate(session: Session, expression: str) -> Any:
    """The value of an expression on the page."""
    answer = await session.send(
        Runtime.evaluate(expression=expression, returnByValue=True, awaitPromise=True)
    )
    return answer["result"].get("value")
