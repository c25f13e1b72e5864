"""How dialogs end that nobody answers: pure data and one decision."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Literal

import msgspec

__all__ = [
    "ACTIONS",
    "ASKED_BY",
    "ASKED_FOR",
    "ONLY_A_PERSON_GRANTS",
    "Action",
    "Policy",
    "Rule",
    "decided",
]

Action = Literal["must_respond", "auto_dismiss", "auto_accept"]
ACTIONS: tuple[Action, ...] = ("must_respond", "auto_dismiss", "auto_accept")

WATCHDOG_S = 300.0


# What pages ask a person for, and the functions they ask with. Nobody is there to be asked, and an
# open question cannot be seen over CDP: so it is decided before, "denied" unless the options say
# otherwise, and reported when a page asks (prompts.js).
ASKED_BY: Mapping[str, tuple[str, ...]] = {
    "camera": ("MediaDevices.prototype.getUserMedia", "Navigator.prototype.webkitGetUserMedia"),
    "clipboard-read": ("Clipboard.prototype.read", "Clipboard.prototype.readText"),
    "geolocation": (
        "Geolocation.prototype.getCurrentPosition",
        "Geolocation.prototype.watchPosition",
    ),
    "idle-detection": ("IdleDetector.requestPermission",),
    "local-fonts": ("queryLocalFonts",),
    "microphone": ("MediaDevices.prototype.getUserMedia", "Navigator.prototype.webkitGetUserMedia"),
    "midi": ("Navigator.prototype.requestMIDIAccess",),
    "notifications": ("Notification.requestPermission",),
    "storage-access": ("Document.prototype.requestStorageAccess",),
    "window-management": ("getScreenDetails",),
}
ASKED_FOR = tuple(ASKED_BY)
# These reach the person at this machine: an agent cannot grant them, the settings can.
ONLY_A_PERSON_GRANTS = frozenset({"camera", "clipboard-read", "microphone"})


def decided(granted: Iterable[str] = ()) -> dict[str, str]:
    """The setting of every permission that pages ask for: denied, unless it is granted."""
    return {**dict.fromkeys(ASKED_FOR, "denied"), **dict.fromkeys(granted, "granted")}


class Rule(msgspec.Struct, frozen=True):
    """An exception for one dialog type, one origin, or both."""

    action: Action
    type: str | None = None
    origin: str | None = None

    def matches(self, type: str, origin: str) -> bool:
        """Whether this rule speaks about such a dialog."""
        return self.type in (None, type) and self.origin in (None, origin)


class Policy(msgspec.Struct, frozen=True):
    """One owner's policy; the most specific rule wins, the earlier of two equals."""

    action: Action = "must_respond"
    timeout_s: float = WATCHDOG_S
    rules: tuple[Rule, ...] = ()

    def decide(self, type: str, origin: str) -> Action:
        """What to do with a dialog of this type from this origin."""
        matching = [rule for rule in self.rules if rule.matches(type, origin)]
        if not matching:
            return self.action
        return max(
            matching, key=lambda rule: (rule.origin is not None) + (rule.type is not None)
        ).action
