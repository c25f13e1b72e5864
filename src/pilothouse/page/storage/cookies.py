"""The cookies of a tab's browser context.

Knows: which command reaches which context. Must not know: what makes a cookie good
(cookie_rules.py), who may read one. The page is asked for one thing only, and only where it can
answer (see `_flush_script_cookies`), so an open dialog does not matter.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Mapping, Sequence
from typing import Any, cast

from pilothouse.cdp import Session
from pilothouse.cdp.protocol import Network, Runtime, Storage
from pilothouse.errors import CdpError, CommandFailed, InterruptedByNavigation, ToolError
from pilothouse.page.storage import cookie_rules
from pilothouse.page.tab_context import TabContext
from pilothouse.page.world import IsolatedWorlds
from pilothouse.supervisor import Frame

__all__ = ["Cookies"]

FLUSHED_WITHIN_S = 1.0


class Cookies:
    """Cookies as Chrome has them: dictionaries with its own field names."""

    def __init__(self, context: TabContext, worlds: IsolatedWorlds) -> None:
        self._context = context
        self._worlds = worlds

    async def get(self, urls: Sequence[str] | None = None) -> list[dict[str, Any]]:
        """The cookies a request to one of `urls` would carry; without them, all of the context. In
        a Chrome whose user shares less than every tab: those that the tab's page is sent."""
        for url in urls or ():
            if not url.startswith(("http://", "https://")):
                raise ToolError(f"urls: {url!r} is no http(s) address", hint="give whole ones")
        await self._flush_script_cookies()
        if urls is not None:
            found = await self._context.session.send(Network.getCookies(urls=list(urls)))
            return cast(list[dict[str, Any]], found["cookies"])
        every = await self._cookie_session.send(
            Storage.getCookies(browserContextId=self._browser_context)
        )
        return cast(list[dict[str, Any]], every["cookies"])

    async def _flush_script_cookies(self) -> None:
        """Let the cookies that scripts of this tab have set reach the browser.

        `document.cookie = …` returns before the browser has it, and a command of ours may be there
        first. Reading it back in the same document waits for what was set before. A page that
        cannot answer (a dialog, a hang) sets nothing either.
        """

        async def work() -> None:
            await asyncio.gather(*map(self._read_back_cookies, self._context.frames()))

        await self._context.race(work)

    async def _read_back_cookies(self, frame: Frame) -> None:
        try:
            await self._read_cookies_in(frame)
        except InterruptedByNavigation:
            # One that came meanwhile may have set some already.
            with contextlib.suppress(CdpError, ToolError):
                await self._read_cookies_in(frame)
        except (CdpError, ToolError):
            return  # the frame went away, or is too busy to have set one just now

    async def _read_cookies_in(self, frame: Frame) -> None:
        world = await self._worlds.of(frame)
        reading = "try { void document.cookie } catch {}"
        asked = Runtime.evaluate(expression=reading, contextId=world.context_id)
        await world.session.send(asked, FLUSHED_WITHIN_S)

    async def set(self, cookies: Sequence[Mapping[str, Any]]) -> int:
        """Store cookies, all or none; those without url and domain are for the page shown now.

        Raises ToolError that names the cookie and the field, or the cookies Chrome dropped.
        """
        if isinstance(cookies, Mapping | str):
            raise ToolError("cookies is no list", hint="give a list of objects, even for one")
        url = self._context.tab.url
        default = url if url.startswith(("http://", "https://")) else ""
        checked = [
            cookie_rules.validate_cookie(cookie, default_url=default, where=f"cookies[{index}]")
            for index, cookie in enumerate(cookies)
        ]
        return await self.store(checked)

    async def store(self, checked: Sequence[dict[str, Any]]) -> int:
        """`set` for cookies that were checked already."""
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
                hint="none was set; compare domain, path and prefix of each name",
            ) from error
        dropped = await self._find_dropped(checked)
        if dropped:
            raise ToolError(
                f"the browser dropped {', '.join(dropped)}",
                hint="compare domain, secure and expires; the other cookies were set",
            )
        return len(checked)

    async def _find_dropped(self, checked: Sequence[dict[str, Any]]) -> list[str]:
        """Chrome says yes to cookies it then does not keep."""
        there = await self.get()
        absent = [c for c in checked if not any(cookie_rules.is_same_cookie(c, s) for s in there)]
        # One that ended in the past was meant to go.
        return [c["name"] for c in absent if not 0 <= c.get("expires", -1) < self._now()]

    def _now(self) -> float:
        supervisor = self._context.supervisor
        return supervisor.clock + supervisor.now()

    async def delete(self, name: str = "", domain: str = "", path: str = "") -> int:
        """Delete every cookie with this name, domain and path; what is empty does not matter."""
        if not (name or domain or path):
            raise ToolError(
                "which cookies: name, domain and path are all empty",
                hint="give at least one, or clear them all",
            )
        meant = [c for c in await self.get() if cookie_rules.matches_filter(c, name, domain, path)]
        session = self._context.session
        gone = [
            session.send(
                Network.deleteCookies(
                    name=cookie["name"],
                    domain=cookie["domain"],
                    path=cookie["path"],
                    partitionKey=cookie.get("partitionKey"),
                )
            )
            for cookie in meant
        ]
        for reply in gone:
            await reply
        return len(meant)

    async def clear(self) -> int:
        """Delete all cookies of the context; how many there were."""
        count = len(await self.get())
        await self._cookie_session.send(
            Storage.clearCookies(browserContextId=self._browser_context)
        )
        return count

    async def shown(self, urls: Sequence[str] | None = None) -> list[dict[str, Any]]:
        """`get` without the values."""
        return cookie_rules.hide_values(await self.get(urls))

    @property
    def _cookie_session(self) -> Session:
        """Who has the cookies of the context: the browser; of one that is lent the tab, which has
        those of its sites."""
        supervisor = self._context.supervisor
        features = supervisor.options.features
        lent = features is not None and features.from_extension
        return self._context.session if lent else supervisor.connection.root

    @property
    def _browser_context(self) -> str | None:
        return self._context.tab.context or None
