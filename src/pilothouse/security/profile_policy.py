"""Decides which owners may open a kept profile, because it holds the user's logins.

The settings name the owners of each profile. A profile without named owners is only for the owner
of the command line. The profile for every browser (`browser.profile`) is for all owners, unless the
settings name its owners.

Knows: owners and names of profiles. Must not know: where profiles are stored. Pure.
"""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from pilothouse.errors import NotPermitted

__all__ = ["CLI_OWNER", "EVERYONE", "ProfilePolicy"]

# The owner that the command line calls as by default.
CLI_OWNER = "cli"
EVERYONE = "*"


class ProfilePolicy(msgspec.Struct, frozen=True):
    """The owners of each kept profile, and the profile of every browser (`default`), if any."""

    owners: Mapping[str, tuple[str, ...]] = msgspec.field(default_factory=dict)
    default: str = ""

    def permits(self, owner: str, profile: str) -> bool:
        """Tell whether an owner may open a profile."""
        named = self.owners.get(profile)
        if named is None:
            return owner == CLI_OWNER or profile == self.default != ""
        return owner in named or EVERYONE in named

    def check(self, owner: str, profile: str) -> None:
        """Check that an owner may open a profile. Raises ToolError if not."""
        if not self.permits(owner, profile):
            listed = ", ".join((*self.owners.get(profile, (CLI_OWNER,)), owner))
            raise NotPermitted(
                f'profile: owner "{owner}" may not open the kept profile "{profile}"',
                hint="ask the user to allow it in config.yaml: "
                f"profiles: {{{profile}: [{listed}]}}; and to restart the daemon",
            )
