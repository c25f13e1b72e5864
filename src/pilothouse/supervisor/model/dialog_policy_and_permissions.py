"""What happens to a dialog that nobody answers, and the permissions of pages. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Literal

import msgspec

__all__ = [
    "PERMISSIONS",
    "PERMISSION_FUNCTIONS",
    "USER_ONLY_PERMISSIONS",
    "Action",
    "Policy",
    "Rule",
    "permission_settings",
]

Action = Literal["must_respond", "auto_dismiss", "auto_accept"]

WATCHDOG_S = 300.0


# What pages ask the user for, and the functions they ask with. No user sits in front of a managed
# browser, and CDP does not report an open permission prompt. So every permission is decided in
# advance ("denied" unless the settings grant it), and print_and_permission_requests.js reports when
# a page asks.
PERMISSION_FUNCTIONS: Mapping[str, tuple[str, ...]] = {
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
PERMISSIONS = tuple(PERMISSION_FUNCTIONS)
# These reach the user of this machine: an agent cannot grant them, the settings can.
USER_ONLY_PERMISSIONS = frozenset({"camera", "clipboard-read", "microphone"})


def permission_settings(granted: Iterable[str] = ()) -> dict[str, str]:
    """Return the setting of every permission: "denied", unless it is in `granted`."""
    return {**dict.fromkeys(PERMISSIONS, "denied"), **dict.fromkeys(granted, "granted")}


class Rule(msgspec.Struct, frozen=True):
    """An exception to a policy for one dialog type, one origin, or both."""

    action: Action
    type: str | None = None
    origin: str | None = None

    def matches(self, type: str, origin: str) -> bool:
        """Return whether this rule applies to such a dialog."""
        return self.type in (None, type) and self.origin in (None, origin)


class Policy(msgspec.Struct, frozen=True):
    """One owner's dialog policy. The most specific rule wins; of two equals, the earlier one."""

    action: Action = "must_respond"
    timeout_s: float = WATCHDOG_S
    rules: tuple[Rule, ...] = ()

    def decide(self, type: str, origin: str) -> Action:
        """Return the action for a dialog of this type from this origin."""
        matching = [rule for rule in self.rules if rule.matches(type, origin)]
        if not matching:
            return self.action
        return max(
            matching, key=lambda rule: (rule.origin is not None) + (rule.type is not None)
        ).action
