"""Pilothouse: the room from which AI agents steer real browsers."""

from __future__ import annotations

# As typing.TYPE_CHECKING, without the import: a warm call should not pay for it.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from pilothouse.code.client import connect as connect

__all__ = ["__version__"]

__version__ = "0.1.0"


def __getattr__(name: str) -> object:
    """The client, for those who ask for it: nobody else should pay for its import."""
    if name == "connect":
        from pilothouse.code.client import connect

        return connect
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
