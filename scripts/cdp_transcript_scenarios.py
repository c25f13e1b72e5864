"""Scenarios on a real Chromium that record_transcript.py records.

Each gets an open connection and a page server, and returns when the events it is about have come.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from pilothouse.cdp import Connection, Session
from pilothouse.cdp.protocol import Inspector, Page, Runtime, Target
from pilothouse.errors import TargetCrashed
from tests.page_server import Pages

__all__ = ["SCENARIOS", "Scenario"]

Scenario = Callable[[Connection, Pages], Awaitable[None]]


async def _attach(connection: Connection) -> Session:
    infos = (await connection.send(Target.getTargets()))["targetInfos"]
    page = next(info["targetId"] for info in infos if info["type"] == "page")
    attached = await connection.send(Target.attachToTarget(targetId=page, flatten=True))
    return next(s for s in connection.sessions.values() if s.id == attached["sessionId"])


async def _load(session: Session, url: str) -> None:
    loaded = session.expect(Page.loadEventFired)
    await session.send(Page.navigate(url=url))
    await loaded


async def attach_and_navigate(connection: Connection, pages: Pages) -> None:
    """Attach to the page, load two documents, detach."""
    pages.add("/one.html", "<title>One</title><p>one")
    pages.add("/two.html", "<title>Two</title><p>two")
    session = await _attach(connection)
    await session.send(Page.enable())
    await session.send(Runtime.enable())
    await _load(session, pages.url("/one.html"))
    await _load(session, pages.url("/two.html"))
    await session.send(Runtime.evaluate(expression="document.title", returnByValue=True))
    await connection.send(Target.detachFromTarget(sessionId=session.id))


async def oopif(connection: Connection, pages: Pages) -> None:
    """Load a page with a foreign frame that has a foreign frame, then leave it."""
    inner = pages.url("/inner.html", host="a.localhost")
    middle = pages.url("/middle.html", host="localhost")
    pages.add("/inner.html", "<title>Inner</title>inner")
    pages.add("/middle.html", f"<title>Middle</title><iframe src='{inner}'></iframe>")
    pages.add("/top.html", f"<title>Top</title><iframe src='{middle}'></iframe>")
    pages.add("/alone.html", "<title>Alone</title>")
    follow = Target.setAutoAttach(autoAttach=True, waitForDebuggerOnStart=True, flatten=True)

    def start(event: Any) -> None:
        child = connection.sessions[event.params["sessionId"]]
        if child.target_type == "iframe":
            child.send(Page.enable())
            child.send(follow)
            child.send(Runtime.runIfWaitingForDebugger())

    connection.on(Target.attachedToTarget, start)
    session = await _attach(connection)
    await session.send(Page.enable())
    await session.send(follow)
    await _load(session, pages.url("/top.html"))
    await _load(session, pages.url("/alone.html"))


async def crash(connection: Connection, pages: Pages) -> None:
    """Kill the renderer under a waiting command, then revive the page."""
    pages.add("/page.html", "<title>Page</title>")
    session = await _attach(connection)
    await session.send(Page.enable())
    await session.send(Inspector.enable())
    await _load(session, pages.url("/page.html"))
    never = Runtime.evaluate(expression="new Promise(() => 0)", awaitPromise=True)
    waiting = session.send(never)
    killing = session.send(Page.crash())
    for reply in (waiting, killing):
        try:
            await reply
        except TargetCrashed:
            continue
    revived = session.expect(Inspector.targetReloadedAfterCrash)
    loaded = session.expect(Page.loadEventFired)
    await session.send(Page.reload())
    await revived
    await loaded
    await session.send(Runtime.evaluate(expression="1 + 1"))


SCENARIOS: dict[str, Scenario] = {
    "attach_and_navigate": attach_and_navigate,
    "crash": crash,
    "oopif": oopif,
}
