"""A wait for one request of a tab, armed before the action that causes it.

The `wait` verb uses page/navigation/request_and_download_waits.py, which also waits for downloads.

Knows: which event of a request ends the wait. Must not know: where events come from; the network
log calls `handle`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

from pilothouse.cdp.armed_wait import ArmedWait
from pilothouse.page.network.log_entries import NetworkEntry

__all__ = ["NetworkExpectation", "RequestEvent"]

RequestEvent = Literal["request", "response", "end"]


class NetworkExpectation(ArmedWait[NetworkEntry]):
    """A wait for one request, armed when it is made."""

    def __init__(
        self,
        siblings: list[NetworkExpectation],
        predicate: Callable[[NetworkEntry], bool],
        kind: RequestEvent,
        deadline: float,
    ) -> None:
        super().__init__(predicate, deadline)
        self.kind = kind
        self._siblings = siblings
        siblings.append(self)

    def handle(self, kind: RequestEvent, entry: NetworkEntry) -> None:
        """Take an event of a request into account."""
        if kind == self.kind:
            self._offer(entry)

    def _stop(self) -> None:
        super()._stop()
        if self in self._siblings:
            self._siblings.remove(self)

    def _timeout_text(self, deadline: float) -> str:
        return f"no such {self.kind} within {deadline:g} s"
