"""Find the client whose action opened a dialog in a page. Pure.

Knows: the commands that clients sent to pages, and that a page showing a dialog replies to none.
Must not know: dialogs, or who is told of them.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from pilothouse.relay.hub.client import RelayClient
    from pilothouse.relay.hub.session import ClientSession

__all__ = ["DialogAttribution"]

MAX_COMMANDS = 256
# Pages often open a dialog a moment after a click.
ACTION_WINDOW_S = 3.0
# A script that runs longer waits for something else: clients leave such scripts in pages.
SCRIPT_WINDOW_S = 10.0

Unanswered = Callable[["RelayClient", int], bool]


class _RecentCommand(NamedTuple):
    """A command: client, id, page, time, and whether it acts on the page as a person would."""

    client: RelayClient
    number: int
    target: str
    at: float
    is_action: bool


class DialogAttribution:
    """The recent commands of clients in the pages of one browser."""

    def __init__(self) -> None:
        self._recent: deque[_RecentCommand] = deque(maxlen=MAX_COMMANDS)

    def record_command(
        self, session: ClientSession, number: int, at: float, *, is_action: bool
    ) -> None:
        """Record that a client acts on a page, or runs a script in it or in one of its frames."""
        page = session
        while page.parent is not None and page.parent.forwards:
            page = page.parent
        self._recent.append(_RecentCommand(session.client, number, page.target, at, is_action))

    def find_client(self, target: str, unanswered: Unanswered, now: float) -> RelayClient | None:
        """Return the client that caused what just opened in a page, or None.

        An action outranks a script, a newer command an older one.
        """
        scripts: RelayClient | None = None
        for one in reversed(self._recent):
            if one.target != target or one.client.is_gone:
                continue
            age, waits = now - one.at, unanswered(one.client, one.number)
            if one.is_action and (waits or age <= ACTION_WINDOW_S):
                return one.client
            if scripts is None and waits and age <= SCRIPT_WINDOW_S:
                scripts = one.client
        return scripts
