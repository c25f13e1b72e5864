"""What the user of a lent Chrome did to stop an agent: one name and one sentence for each. Pure.

Knows: the words that errors, `status` and the journal share; the extension's popup has the same
names (extension/states.js). Must not know: tabs or sessions.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, NamedTuple

__all__ = ["CANCELLED", "NOT_SHARED", "PAUSED", "STOPPED", "TAKEN_BACK", "USER_STOPS", "UserStop"]


class UserStop(NamedTuple):
    """Its name, what an agent is told, and what the agent can do."""

    name: str
    reason: str
    hint: str


PAUSED: Final = UserStop(
    "paused", "the user paused all agents", "wait, or ask the user to press Go on in the popup"
)
STOPPED: Final = UserStop(
    "stopped",
    "the user stopped all agents",
    "ask the user to press Allow agents again in the popup",
)
CANCELLED: Final = UserStop(
    "cancelled",
    "the user pressed Cancel on Chrome's debugging bar",
    "ask the user to press Allow agents again in the popup",
)
TAKEN_BACK: Final = UserStop(
    "taken back",
    "the user took this tab back",
    "ask the user to share it again: in that tab the Pilothouse icon, then Share",
)
NOT_SHARED: Final = UserStop(
    "not shared",
    "the user does not share this tab any more",
    "ask the user to share it: in that tab the Pilothouse icon, then Share",
)

USER_STOPS: Final[Mapping[str, UserStop]] = {
    one.name: one for one in (PAUSED, STOPPED, CANCELLED, TAKEN_BACK, NOT_SHARED)
}
