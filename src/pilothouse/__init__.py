"""Pilothouse: the room from which AI agents steer real browsers."""

from __future__ import annotations

# As typing.TYPE_CHECKING, without the import: a warm call should not pay for it.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from pilothouse.code.client import Blocked as Blocked
    from pilothouse.code.client import Client as Client
    from pilothouse.code.client import Refused as Refused
    from pilothouse.code.client import RunFailed as RunFailed
    from pilothouse.code.client import Tab as Tab
    from pilothouse.code.client import connect as connect
    from pilothouse.errors import PilothouseError as PilothouseError

__all__ = ["__version__"]

__version__ = "0.1.0"

# The Python client, by the module that has it. It is imported on first use: the command line
# imports this package too, and should not pay for it.
_CLIENT = {
    "Blocked": "pilothouse.code.client.client",
    "Client": "pilothouse.code.client.client",
    "PilothouseError": "pilothouse.errors",
    "Refused": "pilothouse.code.client.daemon_client",
    "RunFailed": "pilothouse.code.client.client",
    "Tab": "pilothouse.code.client.tab",
    "connect": "pilothouse.code.client.client",
}


def __getattr__(name: str) -> object:
    """Import a name of the Python client."""
    if (module := _CLIENT.get(name)) is not None:
        import importlib

        return getattr(importlib.import_module(module), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    """Include the names that are imported on first use."""
    return sorted({*globals(), *_CLIENT})
