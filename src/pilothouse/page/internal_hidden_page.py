"""HiddenPage: an invisible page of our own, for work that must not happen on the user's page, such
as reading the local storage of another origin.

Knows: hidden targets (Target.createTarget with `hidden`). Chrome shows them in no tab strip, they
share storage and cookies with their browser context, and no supervisor counts them as tabs. Must
not know: what is done there.

A hidden page never reaches the network: we answer each request with an empty document.
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

# Longer commands block the whole browser.
PIECE = 500_000

# The icon link keeps Chrome from requesting the origin's favicon.
_EMPTY = base64.b64encode(
    b'<!doctype html><link rel="icon" href="data:,"><title></title><body>'
).decode()


class HiddenPage:
    """A hidden page. Open one with `open_hidden_page`."""

    def __init__(self, session: Session) -> None:
        self.session = session

    async def prepare(self) -> None:
        """Intercept every request, and make the page count as focused without taking the focus."""
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
        """Load an empty document of `origin`. Raises ToolError if Chrome does not go there."""
        # A random URL: no service worker or cache of the site has it.
        url = f"{origin}/{secrets.token_hex(12)}"
        try:
            shown = await self.session.send(Page.navigate(url=url), ANSWER_WITHIN_S)
        except CommandFailed as error:
            raise _unreachable(origin, error.detail) from error
        if shown.get("errorText"):
            raise _unreachable(origin, shown["errorText"])
        there = await self.evaluate("self.origin")
        if there != origin:
            # HSTS: Chrome itself upgrades http to https for such a site.
            raise _unreachable(origin, f"it redirects to {there}")

    async def evaluate(self, expression: str) -> Any:
        """Evaluate an expression as if by a user gesture. Raises CommandFailed if it throws."""
        answer = await self.session.send(
            Runtime.evaluate(
                expression=expression, returnByValue=True, awaitPromise=True, userGesture=True
            ),
            ANSWER_WITHIN_S,
        )
        details = answer.get("exceptionDetails")
        if details is not None:
            thrown: Any = details.get("exception") or {}
            why = str(thrown.get("description", details["text"]))
            raise CommandFailed("our script in Pilothouse's hidden page", 0, why)
        return answer["result"].get("value")

    async def set_variable(self, name: str, text: str) -> None:
        """Set a global variable of the page to a text of any length, in pieces."""
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
    """Open a hidden page in the browser context of a tab; close it at the end. Raises ToolError if
    the browser has no hidden pages."""
    connection, browser_context = context.supervisor.connection, context.tab.context
    try:
        made = await connection.send(
            Target.createTarget(
                url="about:blank", hidden=True, browserContextId=browser_context or None
            )
        )
    except CommandFailed as error:
        raise ToolError(
            f"this browser cannot open a hidden page: {error.detail}",
            hint="use a browser that Pilothouse launched or connected to",
        ) from error
    target = made["targetId"]
    try:
        attached = await connection.send(Target.attachToTarget(targetId=target, flatten=True))
        page = HiddenPage(connection.sessions[attached["sessionId"]])  # type: ignore[index]
        await page.prepare()
        yield page
    finally:
        with contextlib.suppress(CdpError):  # the browser, and the page with it, is gone
            await connection.send(Target.closeTarget(targetId=target))


def _unreachable(origin: str, why: str) -> ToolError:
    return ToolError(
        f"could not open a page of {origin}: {why}", hint="check the origin's scheme and host"
    )
