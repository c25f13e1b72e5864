"""TODO-MAP cli/declarations."""

from __future__ import annotations

from pilothouse.lazy_exports import lazy_exports

# As typing.TYPE_CHECKING, without the import.
TYPE_CHECKING = False

if TYPE_CHECKING:
    from pilothouse.cli.declarations.commands import COMMON, GROUPS, JSON, all_commands, find
    from pilothouse.cli.declarations.tools import PLATFORMS

__all__ = ["COMMON", "GROUPS", "JSON", "PLATFORMS", "all_commands", "find"]

__getattr__ = lazy_exports(
    __name__,
    {
        "commands": (
            "COMMON",
            "GROUPS",
            "JSON",
            "all_commands",
            "find",
        ),
        "tools": ("PLATFORMS",),
    },
)
