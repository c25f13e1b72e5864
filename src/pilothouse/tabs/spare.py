"""A first tab that is made before anybody asks for it: blank, in a cookie jar of its own.

Knows: how long it waits, and what to leave behind if nobody comes. Must not know: who takes it, or
pages: a house that was rung for makes it while it still reads the rest of itself. What goes wrong
is told to who opens a tab: it is tried again then.
"""

from __future__ import annotations

import asyncio
import logging
from typing import NamedTuple

from pilothouse.browsers.kinds import Headless
from pilothouse.browsers.lines import opener
from pilothouse.browsers.registry import Browsers
from pilothouse.cdp.protocol import Target
from pilothouse.errors import CdpError, PilothouseError
from pilothouse.supervisor.registry import Supervisors
from pilothouse.supervisor.supervisor import Options, Supervisor
from pilothouse.tasks import Tasks

__all__ = ["Blank", "Spare"]

_log = logging.getLogger(__name__)

WAITS_S = 30.0
LEAVES_WITHIN_S = 5.0

# Holds the browser until somebody comes; no owner's key is like it.
_NOBODY = "spare"


class Blank(NamedTuple):
    """The tab as it is taken over."""

    supervisor: Supervisor
    context: str
    target: str


class Spare:
    """At most one tab in the browsers of a house. `options` are those of its supervisors."""

    def __init__(
        self,
        browsers: Browsers,
        supervisors: Supervisors,
        options: Options | None = None,
        *,
        waits: float = WAITS_S,
    ) -> None:
        self.browsers = browsers
        self.supervisors = supervisors
        self._options = options
        self._waits = waits
        self._tasks = Tasks()
        self._making: asyncio.Task[Blank | None] | None = None
        self._alarm: asyncio.TimerHandle | None = None

    def make(self, kind: Headless) -> None:
        """Begin to open a browser that is about to be asked for, and a tab in it."""
        if self._making is None:
            self._making = self._tasks.start(self._make(kind), "make a tab ahead")
            loop = asyncio.get_running_loop()
            self._alarm = loop.call_later(
                self._waits, lambda: self._tasks.start(self.drop(), "drop the spare tab")
            )

    async def _make(self, kind: Headless) -> Blank | None:
        try:
            supervisor = await self.supervisors.get_or_start(
                _NOBODY, kind, opener(self.browsers, kind), self._options
            )
            if kind.profile:
                return None  # one jar for all: which tabs there are is seen when it is used
            connection = supervisor.connection
            made = await connection.send(Target.createBrowserContext(disposeOnDetach=True))
            context = made["browserContextId"]
            tab = await supervisor.open_tab(context=context, wait=False)
            return Blank(supervisor, context, supervisor.session(tab).target_id)
        except (PilothouseError, TimeoutError) as error:
            _log.debug("no tab is made ahead: %s", error)
            return None

    async def take(self, supervisor: Supervisor) -> Blank | None:
        """The tab, for who uses this browser already and has no jar of its own there; None if
        there is none. It is given away once."""
        making = self._making
        blank = await asyncio.shield(making) if making is not None else None
        if blank is None or blank.supervisor is not supervisor or self._making is not making:
            return None
        self._given()
        await self.supervisors.stop(_NOBODY)
        return blank if supervisor.state.tab_of_target(blank.target) is not None else None

    async def drop(self) -> None:
        """Nobody came: nothing is left of it."""
        making = self._making
        blank = await making if making is not None else None
        if self._making is not making:
            return  # somebody came just now
        self._given()
        if blank is not None:
            try:
                await blank.supervisor.connection.send(
                    Target.disposeBrowserContext(browserContextId=blank.context), LEAVES_WITHIN_S
                )
            except CdpError as error:
                _log.debug("a spare tab ends with its browser: %s", error)
        await self.supervisors.stop(_NOBODY)

    def _given(self) -> None:
        self._making = None
        if self._alarm is not None:
            self._alarm.cancel()
            self._alarm = None

    async def close(self) -> None:
        """Make none any more; the browsers end by themselves."""
        self._given()
        await self._tasks.close()
