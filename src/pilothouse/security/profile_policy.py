"""Who may open a kept profile: it holds the user's logins.

A profile is for the owners that the settings name for it. One that they do not name is for the
command line's own owner alone. The profile that the settings choose for every browser
(`browser.profile`) is for everybody, unless its owners are named.

Knows: owners and names of profiles. Must not know: where profiles lie. Pure.
"""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from pilothouse.errors import ToolError

__all__ = ["CLI_OWNER", "EVERYONE", "ProfilePolicy"]

# As whom the command line calls, unless it is told another name.
CLI_OWNER = "cli"
EVERYONE = "*"


class ProfilePolicy(msgspec.Struct, frozen=True):
    """The owners of each kept profile, and the profile that every browser has, if any."""

    owners: Mapping[str, tuple[str, ...]] = msgspec.field(default_factory=dict)
    usual: str = ""

    def permits(self, owner: str, profile: str) -> bool:
        """Whether an owner may open a profile."""
        named = self.owners.get(profile)
        if named is None:
            return owner == CLI_OWNER or profile == self.usual != ""
        return owner in named or EVERYONE in named

    def check(self, owner: str, profile: str) -> None:
        """Let an owner pass that may open the profile. Raises ToolError for any other."""
        if not self.permits(owner, profile):
            listed = ", ".join((*self.owners.get(profile, (CLI_OWNER,)), owner))
            raise ToolError(
                f'profile: owner "{owner}" may not open the kept profile "{profile}"',
                hint=f"the user may allow it in config.yaml: profiles: {{{profile}: [{listed}]}}; "
                "then restart the daemon",
            )
