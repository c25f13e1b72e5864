"""WHERE BROWSERS COME FROM: launched, connected to, or applications. One door: `Browsers`.

Read in this order:

    kinds.py       what can be asked for; a kind is the registry's key
    registry.py    the door: acquire, share, end (handle.py is what a user holds)
    opened.py      what an opener gets and returns
    headless.py    a browser of our own, on a pipe (diagnose.py); launch.py starts it, without an
                   event loop (find.py, builds.py, flags.py, stealth.py, profiles.py)
    connected.py   somebody else's browser (endpoint.py finds it)
    spawned.py     an application built on Chromium
    targets.py     which page is meant
    guardian.py    ends what a dead owner left (guard.py is the owner's end of it)
    lines.py       any of them, as the supervisors want it
    runs.py        one directory per browser; process.py starts and reaps
"""

from __future__ import annotations

from pilothouse.lazy_exports import lazy_exports

# As typing.TYPE_CHECKING, without the import.
TYPE_CHECKING = False

if TYPE_CHECKING:
    from pilothouse.browsers.handle import BrowserHandle
    from pilothouse.browsers.kinds import (
        Connected,
        Extension,
        Headless,
        Kind,
        Proxy,
        Spawned,
        Viewport,
    )
    from pilothouse.browsers.launcher import find_browser
    from pilothouse.browsers.opener import opener
    from pilothouse.browsers.page_picker import TargetInfo, choose_target
    from pilothouse.browsers.registry import Browsers

__all__ = [
    "BrowserHandle",
    "Browsers",
    "Connected",
    "Extension",
    "Headless",
    "Kind",
    "Proxy",
    "Spawned",
    "TargetInfo",
    "Viewport",
    "choose_target",
    "find_browser",
    "opener",
]

# Imported on first use: a browser is started before all this is read.
__getattr__ = lazy_exports(
    __name__,
    {
        "handle": ("BrowserHandle",),
        "kinds": (
            "Connected",
            "Extension",
            "Headless",
            "Kind",
            "Proxy",
            "Spawned",
            "Viewport",
        ),
        "launcher": ("find_browser",),
        "opener": ("opener",),
        "page_picker": (
            "TargetInfo",
            "choose_target",
        ),
        "registry": ("Browsers",),
    },
)
