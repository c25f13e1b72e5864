"""A page of our own that nobody sees: for what must not happen on the user's page.

Knows: hidden targets. Chrome shows them in no tab strip, gives them the storage and the cookies of
their browser context, and no supervisor counts them as tabs. Must not know: what is done there.

Nothing of it ever reaches the network: each request is answered here with an empty document.
"""

from __future__ import annotations

import base64
import contextlib
import json
import secrets
from collections.abc import AsyncIterator
from typing import Any

from pilothouse.cdp import Command, Event, Session
from pilothouse.cdp.protocol import Emulation, Fetch, Page, Runtime, Target
from pilothouse.errors import CdpError, CommandFailed, ToolError
from pilothouse.page.tab_context import TabContext

__all__ = ["HiddenPage", "open_hidden_page"]

ANSWER_WITHIN_S = 10.0

# A command that is larger holds up the whole browser.
PIECE = 500_000

# The icon keeps Chrome from asking the origin for one.
_EMPTY = base64.b64encode(
    b'<!doctype html><link rel="icon" href="data:,"><title></title><body>'
).decode()


class HiddenPage:
    """The hidden page. Get it from `open_hidden_page`."""

    def __init__(self, session: Session) -> None:
        self.session = session

    async def prepare(self) -> None:
        """Answer every request ourselves, and count as focused without taking the focus."""
        self.session.on(Fetch.requestPaused, self._answer)
        ready = [
            self.session.send(Page.enable(), ANSWER_WITHIN_S),
            self.session.send(Fetch.enable(patterns=[{"urlPattern": "*"}]), ANSWER_WITHIN_S),
            self.session.send(Command("Network.enable"), ANSWER_WITHIN_S),
            self.session.send(
                Command("Network.setBypassServiceWorker", {"bypass": True}), ANSWER_WITHIN_S
            ),
            self.session.send(Emulation.setFocusEmulationEnabled(enabled=True), ANSWER_WITHIN_S),
        ]
        for reply in ready:
            await reply

    async def show(self, origin: str) -> None:
        """Become an empty document of `origin`. Raises ToolError if Chrome does not go there."""
        # An address nobody knows: no service worker or cache of the site has it.
        address = f"{origin}/{secrets.token_hex(12)}"
        try:
            shown = await self.session.send(Page.navigate(url=address), ANSWER_WITHIN_S)
        except CommandFailed as error:
            raise _unreachable(origin, error.detail) from error
        if shown.get("errorText"):
            raise _unreachable(origin, shown["errorText"])
        there = await self.evaluate("self.origin")
        if there != origin:
            # A site that is known to want https is taken there by Chrome itself.
            raise _unreachable(origin, f"it leads to {there}")

    async def evaluate(self, expression: str) -> Any:
        """The value of an expression, run as by a user's gesture. Raises CommandFailed."""
        answer = await self.session.send(
            Runtime.evaluate(
                expression=expression, returnByValue=True, awaitPromise=True, userGesture=True
            ),
            ANSWER_WITHIN_S,
        )
        details = answer.get("exceptionDetails")
        if details is not None:
            thrown: Any = details.get("exception") or {}
            raise CommandFailed("hidden page", 0, str(thrown.get("description", details["text"])))
        return answer["result"].get("value")

    async def hand_over(self, name: str, text: str) -> None:
        """Put a text of any length into a variable of the page."""
        await self.evaluate(f"globalThis.{name} = ''; 0")
        for start in range(0, len(text), PIECE):
            await self.evaluate(f"{name} += {json.dumps(text[start : start + PIECE])}; 0")

    def _answer(self, event: Event[Any]) -> None:
        self.session.send(
            Fetch.fulfillRequest(
                requestId=event.params["requestId"],
                responseCode=200,
                responseHeaders=[
                    {"name": "Content-Type", "value": "text/html; charset=utf-8"},
                    {"name": "Cache-Control", "value": "no-store"},
                ],
                body=_EMPTY,
            )
        )


@contextlib.asynccontextmanager
async def open_hidden_page(context: TabContext) -> AsyncIterator[HiddenPage]:
    """A hidden page in the browser context of a tab, closed at the end. Raises ToolError where the
    browser has no hidden pages."""
    connection, browser_context = context.supervisor.connection, context.tab.context
    try:
        made = await connection.send(
            Target.createTarget(
                url="about:blank", hidden=True, browserContextId=browser_context or None
            )
        )
    except CommandFailed as error:
        raise ToolError(
            f"this browser gives no hidden page: {error.detail}",
            hint="use a browser that Pilothouse launched or is connected to",
        ) from error
    target = made["targetId"]
    try:
        attached = await connection.send(Target.attachToTarget(targetId=target, flatten=True))
        page = HiddenPage(connection.sessions[attached["sessionId"]])  # type: ignore[index]
        await page.prepare()
        yield page
    finally:
        with contextlib.suppress(CdpError):  # it went with the browser
            await connection.send(Target.closeTarget(targetId=target))


def _unreachable(origin: str, why: str) -> ToolError:
    return ToolError(
        f"no page of {origin} could be made: {why}", hint="check the origin's scheme and host"
    )
