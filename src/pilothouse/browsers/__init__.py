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

# As typing.TYPE_CHECKING, without the import.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from pilothouse.browsers.find import find_browser as find_browser
    from pilothouse.browsers.handle import BrowserHandle as BrowserHandle
    from pilothouse.browsers.kinds import Connected as Connected
    from pilothouse.browsers.kinds import Extension as Extension
    from pilothouse.browsers.kinds import Headless as Headless
    from pilothouse.browsers.kinds import Kind as Kind
    from pilothouse.browsers.kinds import Proxy as Proxy
    from pilothouse.browsers.kinds import Spawned as Spawned
    from pilothouse.browsers.kinds import Viewport as Viewport
    from pilothouse.browsers.lines import opener as opener
    from pilothouse.browsers.registry import Browsers as Browsers
    from pilothouse.browsers.targets import TargetInfo as TargetInfo
    from pilothouse.browsers.targets import choose_target as choose_target

# Where they are; found when they are first asked for: a house starts a browser before it has read
# the rest.
_PLACES = {
    "BrowserHandle": "handle",
    "Browsers": "registry",
    "Connected": "kinds",
    "Extension": "kinds",
    "Headless": "kinds",
    "Kind": "kinds",
    "Proxy": "kinds",
    "Spawned": "kinds",
    "TargetInfo": "targets",
    "Viewport": "kinds",
    "choose_target": "targets",
    "find_browser": "find",
    "opener": "lines",
}


def __getattr__(name: str) -> object:
    if name not in _PLACES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(f"{__name__}.{_PLACES[name]}"), name)
