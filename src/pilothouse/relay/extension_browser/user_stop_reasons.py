"""How the user stops agents: one name, one reason and one hint for each way. Pure.

Knows: the texts that errors, `status` and the journal share. The extension has the same ones
(extension/shared/user_stop_reasons.js). Must not know: tabs or sessions.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, NamedTuple

__all__ = ["CANCELLED", "NOT_SHARED", "PAUSED", "STOPPED", "TAKEN_BACK", "USER_STOPS", "UserStop"]


class UserStop(NamedTuple):
    """A way of stopping: its name, the reason an agent is given, and what the agent can do."""

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
