"""TODO-MAP cli/commands."""

from __future__ import annotations

from pilothouse.lazy_exports import lazy_exports

# As typing.TYPE_CHECKING, without the import.
TYPE_CHECKING = False

if TYPE_CHECKING:
    from pilothouse.cli.commands.tools_catalogue import Catalogue

__all__ = ["Catalogue"]

__getattr__ = lazy_exports(
    __name__,
    {
        "tools_catalogue": ("Catalogue",),
    },
)
