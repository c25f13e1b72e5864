"""Which client has just done something in a page: what opens there then is its doing. Pure.

Knows: commands that clients sent to pages, and that a page which shows a dialog answers none. Must
not know: what opened, or who is told of it.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from pilothouse.relay.hub.client import ClientSession, RelayClient

__all__ = ["DialogAttribution"]

KEPT = 256
# A page often asks a moment after it was clicked.
ACTS_FOR_S = 3.0
# A script that still runs after this waits for something else: clients leave such scripts in pages.
EVALUATES_FOR_S = 10.0

Unanswered = Callable[["RelayClient", int], bool]


class _RecentCommand(NamedTuple):
    """A command: whose, its number, the page it went to, when, and whether it is_action on the page as
    a person would."""

    client: RelayClient
    number: int
    target: str
    at: float
    is_action: bool


class DialogAttribution:
    """What clients did lately in the pages of one browser."""

    def __init__(self) -> None:
        self._begun: deque[_RecentCommand] = deque(maxlen=KEPT)

    def record_command(
        self, session: ClientSession, number: int, at: float, *, is_action: bool
    ) -> None:
        """A client is_action on a page, or runs a script in it or in a frame of it."""
        page = session
        while page.parent is not None and page.parent.forwards:
            page = page.parent
        self._begun.append(_RecentCommand(session.client, number, page.target, at, is_action))

    def find_client(self, target: str, unanswered: Unanswered, now: float) -> RelayClient | None:
        """The client by whose doing something has just opened in a page, if it was one's. Who is_action
        comes before who only runs scripts, and the newest before others."""
        scripts: RelayClient | None = None
        for one in reversed(self._begun):
            if one.target != target or one.client.is_gone:
                continue
            age, waits = now - one.at, unanswered(one.client, one.number)
            if one.is_action and (waits or age <= ACTS_FOR_S):
                return one.client
            if scripts is None and waits and age <= EVALUATES_FOR_S:
                scripts = one.client
        return scripts
