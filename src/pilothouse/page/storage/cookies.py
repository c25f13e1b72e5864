"""The cookies of a tab's browser context.

Knows: which CDP command reaches which context. Must not know: which cookies are valid
(cookie_rules.py), or who may read them. It calls the page for one purpose only, and only if the
page can reply (see `_flush_script_cookies`), so an open dialog does not matter.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Mapping, Sequence
from typing import Any, cast

from pilothouse.cdp import Session
from pilothouse.cdp.protocol import Network, Runtime, Storage
from pilothouse.errors import (
    CdpError,
    CommandFailed,
    InterruptedByNavigation,
    ToolError,
    UsageError,
)
from pilothouse.page.storage import cookie_rules
from pilothouse.page.tab_context import TabContext
from pilothouse.page.world import IsolatedWorlds
from pilothouse.supervisor import Frame

__all__ = ["Cookies"]

FLUSHED_WITHIN_S = 1.0


class Cookies:
    """Cookies as Chrome returns them: dictionaries with its own field names."""

    def __init__(self, context: TabContext, worlds: IsolatedWorlds) -> None:
        self._context = context
        self._worlds = worlds

    async def get(self, urls: Sequence[str] | None = None) -> list[dict[str, Any]]:
        """Return the cookies that a request to one of `urls` would carry; without `urls`, all of
        the context.

        In an extension browser that does not share every tab: those of the tab's page.
        """
        for url in urls or ():
            if not url.startswith(("http://", "https://")):
                raise UsageError(f"urls: {url!r} is not an http(s) URL", hint="give full URLs")
        await self._flush_script_cookies()
        if urls is not None:
            found = await self._context.session.send(Network.getCookies(urls=list(urls)))
            return cast(list[dict[str, Any]], found["cookies"])
        every = await self._cookie_session.send(
            Storage.getCookies(browserContextId=self._browser_context)
        )
        return cast(list[dict[str, Any]], every["cookies"])

    async def _flush_script_cookies(self) -> None:
        """Wait until cookies that scripts of this tab have set reach the browser process.

        `document.cookie = …` returns before the browser has the cookie, so a CDP command
        could overtake it. Reading it back in the same document waits for earlier writes. A
        page that cannot reply (a dialog, a hang) sets no cookies either.
        """

        async def work() -> None:
            await asyncio.gather(*map(self._read_back_cookies, self._context.frames()))

        await self._context.race(work)

    async def _read_back_cookies(self, frame: Frame) -> None:
        try:
            await self._read_cookies_in(frame)
        except InterruptedByNavigation:
            # The new document may have set cookies already.
            with contextlib.suppress(CdpError, ToolError):
                await self._read_cookies_in(frame)
        except (CdpError, ToolError):
            return  # the frame is gone, or too busy to have set a cookie just now

    async def _read_cookies_in(self, frame: Frame) -> None:
        world = await self._worlds.of(frame)
        reading = "try { void document.cookie } catch {}"
        command = Runtime.evaluate(expression=reading, contextId=world.context_id)
        await world.session.send(command, FLUSHED_WITHIN_S)

    async def set(self, cookies: Sequence[Mapping[str, Any]]) -> int:
        """Store cookies, all or none; those without url and domain are for the current page.

        Raises ToolError that names the cookie and the field, or the cookies that Chrome
        dropped.
        """
        if isinstance(cookies, Mapping | str):
            raise UsageError(
                "cookies: expected a list", hint="give a list of objects, even for one cookie"
            )
        url = self._context.tab.url
        default = url if url.startswith(("http://", "https://")) else ""
        checked = [
            cookie_rules.validate_cookie(cookie, default_url=default, where=f"cookies[{index}]")
            for index, cookie in enumerate(cookies)
        ]
        return await self.store(checked)

    async def store(self, checked: Sequence[dict[str, Any]]) -> int:
        """Store cookies that are validated already."""
        if not checked:
            return 0
        try:
            await self._cookie_session.send(
                Storage.setCookies(
                    cookies=checked,  # type: ignore[arg-type]
                    browserContextId=self._browser_context,
                )
            )
        except CommandFailed as error:
            raise ToolError(
                f"the browser refused the cookies: {error.detail}",
                hint="check domain, path and prefix of each name; none was set",
            ) from error
        dropped = await self._find_dropped(checked)
        if dropped:
            raise ToolError(
                f"the browser dropped the cookies {', '.join(dropped)}",
                hint="check domain, secure and expires; the other cookies were set",
            )
        return len(checked)

    async def _find_dropped(self, checked: Sequence[dict[str, Any]]) -> list[str]:
        """Return the names of cookies that Chrome accepted but did not keep."""
        stored = await self.get()
        absent = [c for c in checked if not any(cookie_rules.is_same_cookie(c, s) for s in stored)]
        # A cookie that expires in the past was meant to be deleted.
        return [c["name"] for c in absent if not 0 <= c.get("expires", -1) < self._now()]

    def _now(self) -> float:
        supervisor = self._context.supervisor
        return supervisor.clock + supervisor.now()

    async def delete(self, name: str = "", domain: str = "", path: str = "") -> int:
        """Delete every cookie with this name, domain and path; empty ones match everything."""
        if not (name or domain or path):
            raise UsageError(
                "name, domain, path: all are empty",
                hint="give at least one, or clear all cookies",
            )
        matching = [
            c for c in await self.get() if cookie_rules.matches_filter(c, name, domain, path)
        ]
        session = self._context.session
        replies = [
            session.send(
                Network.deleteCookies(
                    name=cookie["name"],
                    domain=cookie["domain"],
                    path=cookie["path"],
                    partitionKey=cookie.get("partitionKey"),
                )
            )
            for cookie in matching
        ]
        for reply in replies:
            await reply
        return len(matching)

    async def clear(self) -> int:
        """Delete all cookies of the context and return how many there were."""
        count = len(await self.get())
        await self._cookie_session.send(
            Storage.clearCookies(browserContextId=self._browser_context)
        )
        return count

    async def shown(self, urls: Sequence[str] | None = None) -> list[dict[str, Any]]:
        """Return the cookies of `get` without their values."""
        return cookie_rules.hide_values(await self.get(urls))

    @property
    def _cookie_session(self) -> Session:
        """The session for cookie commands: the browser's; in an extension browser, the tab's
        own."""
        supervisor = self._context.supervisor
        features = supervisor.options.features
        lent = features is not None and features.from_extension
        return self._context.session if lent else supervisor.connection.root

    @property
    def _browser_context(self) -> str | None:
        return self._context.tab.context or None
