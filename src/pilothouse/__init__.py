"""Pilothouse lets AI agents steer real browsers, and lets people stay in control.

    from pilothouse import connect, launch

    tab = connect().open("https://example.com")        # blocking, through the local daemon
    async with launch() as browser:                    # asyncio, a browser of your own
        page = await browser.new_page("https://example.com")

Every public name of the two clients and every exception can be imported from here. Each is
imported on first use, because the command line imports this package too and must start quickly.
"""

from __future__ import annotations

# As typing.TYPE_CHECKING, without the import: a warm call should not pay for it.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from pilothouse.async_api import AsyncPage as AsyncPage
    from pilothouse.async_api import Browser as Browser
    from pilothouse.async_api import launch as launch
    from pilothouse.code.client import Blocked as Blocked
    from pilothouse.code.client import Client as Client
    from pilothouse.code.client import Refused as Refused
    from pilothouse.code.client import RunFailed as RunFailed
    from pilothouse.code.client import Tab as Tab
    from pilothouse.code.client import connect as connect
    from pilothouse.errors import BrowserError as BrowserError
    from pilothouse.errors import CdpError as CdpError
    from pilothouse.errors import CommandFailed as CommandFailed
    from pilothouse.errors import CommandTimeout as CommandTimeout
    from pilothouse.errors import CommandTooLarge as CommandTooLarge
    from pilothouse.errors import ConnectionLost as ConnectionLost
    from pilothouse.errors import ElementNotFound as ElementNotFound
    from pilothouse.errors import InterruptedByNavigation as InterruptedByNavigation
    from pilothouse.errors import NotActionable as NotActionable
    from pilothouse.errors import NotPermitted as NotPermitted
    from pilothouse.errors import PersonHasTab as PersonHasTab
    from pilothouse.errors import PilothouseError as PilothouseError
    from pilothouse.errors import SessionGone as SessionGone
    from pilothouse.errors import TabNotFound as TabNotFound
    from pilothouse.errors import TabNotShared as TabNotShared
    from pilothouse.errors import TargetCrashed as TargetCrashed
    from pilothouse.errors import ToolError as ToolError
    from pilothouse.errors import UsageError as UsageError
    from pilothouse.errors import WaitTimeout as WaitTimeout

__all__ = ["__version__"]

__version__ = "0.1.0"

_MODULES = {
    "async_api": ("AsyncPage", "Browser", "launch"),
    "code.client": ("Blocked", "Client", "Refused", "RunFailed", "Tab", "connect"),
    "errors": (
        "BrowserError",
        "CdpError",
        "CommandFailed",
        "CommandTimeout",
        "CommandTooLarge",
        "ConnectionLost",
        "ElementNotFound",
        "InterruptedByNavigation",
        "NotActionable",
        "NotPermitted",
        "PersonHasTab",
        "PilothouseError",
        "SessionGone",
        "TabNotFound",
        "TabNotShared",
        "TargetCrashed",
        "ToolError",
        "UsageError",
        "WaitTimeout",
    ),
}


def __getattr__(name: str) -> object:
    """Import a public name on first use."""
    for module, names in _MODULES.items():
        if name in names:
            import importlib

            return getattr(importlib.import_module(f"{__name__}.{module}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    """Include the names that are imported on first use."""
    return sorted({*globals(), *(name for names in _MODULES.values() for name in names)})
