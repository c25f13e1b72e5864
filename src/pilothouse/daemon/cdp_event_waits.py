"""Waits for raw CDP events: armed by the RPC method `page.expect`, fetched by `page.expected`.

Knows: which waits are armed on which tab. Must not know: what the events mean. A wait that no call
fetches ends by its own deadline, or when the tab has too many of them.
"""

from __future__ import annotations

import itertools
from typing import Any

from pilothouse.cdp.message import EventName
from pilothouse.cdp.session import EventWait
from pilothouse.errors import CdpError, SessionGone, ToolError, UsageError
from pilothouse.tabs.open_and_close_requests import clamp_timeout
from pilothouse.tabs.tabs import OwnedTab

__all__ = ["MAX_ARMED", "EventWaits"]

MAX_ARMED = 32


class EventWaits:
    """The armed waits of all tabs."""

    def __init__(self) -> None:
        self._armed: dict[str, tuple[OwnedTab, EventWait[Any]]] = {}
        self._numbers = itertools.count(1)

    def __len__(self) -> int:
        """Return the number of armed waits."""
        return len(self._armed)

    def arm(self, tab: OwnedTab, event: object, timeout: float | None = None) -> str:
        """Start to wait for an event of the tab's session. Returns the key for `fetch`."""
        if not isinstance(event, str) or "." not in event:
            raise UsageError(
                f"event: expected Domain.event, got {event!r}",
                hint='give a CDP event such as "Page.loadEventFired"',
            )
        self._forget_dead()
        mine = [key for key, (whose, _) in self._armed.items() if whose is tab]
        for key in mine[: max(len(mine) - MAX_ARMED + 1, 0)]:
            self._drop(key, CdpError(f"more than {MAX_ARMED} waits are armed on this tab"))
        key = f"x-{next(self._numbers)}"
        session = tab.supervisor.session(tab.tab_id)
        name: EventName[Any] = EventName(event)
        self._armed[key] = tab, session.expect(name, deadline=clamp_timeout(timeout))
        return key

    async def fetch(self, tab: OwnedTab, key: object) -> Any:
        """Wait for the event and return its parameters.

        Raises ToolError for an unknown key, and CdpError if the event did not come."""
        armed = self._armed.get(key) if isinstance(key, str) else None
        if armed is None or armed[0] is not tab:
            raise ToolError(f"key: no wait is armed as {key!r}", hint="call page.expect first")
        try:
            return await armed[1]
        finally:
            self._armed.pop(str(key), None)

    def _forget_dead(self) -> None:
        for key in [key for key, (whose, _) in self._armed.items() if not whose.alive]:
            self._drop(key, SessionGone("the tab is gone"))

    def _drop(self, key: str, error: CdpError) -> None:
        """Disarm a wait. It fails before it is cancelled, so that `fetch` raises `error`."""
        expectation = self._armed.pop(key)[1]
        expectation.fail(error)
        expectation.cancel()
