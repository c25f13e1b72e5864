"""Gets browsers: launches them, connects to running ones, or starts applications built on Chromium.

A caller asks `Browsers` for a kind and gets a `BrowserHandle`. Callers that ask for the same kind
share one browser. The last one that releases its handle ends it.

    kinds.py                  the kinds of browsers (HeadlessKind, ConnectedKind, AppKind,
                              ExtensionKind); a kind is the key of the registry
    registry.py               Browsers: opens each kind once, counts its holders, ends it
    handle.py                 BrowserHandle: what a caller holds
    opener_interface.py       OpenedBrowser, which the function that opens a kind returns, and
                              OpenerContext, which it gets
    launched_browser_opener.py  opens a browser of our own on a pipe; launcher/ starts its process
                              and stealth.py chooses what it says about itself
    running_browser_opener.py  opens a browser that is already running; endpoint.py finds its
                              WebSocket
    running_user_browsers.py  finds running browsers with remote debugging on this machine
    chromium_app.py           opens an application built on Chromium
    fallback_browser.py        the kind that the settings describe, for calls that name none
    target_choice.py            chooses the page that a caller means
    supervisor_opener.py      adapts any kind for the registry of supervisors
    filtering_proxy/          the local proxy that enforces the URL policy
"""

from __future__ import annotations

from pilothouse.lazy_exports import lazy_exports

# As typing.TYPE_CHECKING, without the import.
TYPE_CHECKING = False

if TYPE_CHECKING:
    from pilothouse.browsers.handle import BrowserHandle
    from pilothouse.browsers.kinds import (
        AppKind,
        BrowserKind,
        ConnectedKind,
        ExtensionKind,
        HeadlessKind,
        Proxy,
        Viewport,
    )
    from pilothouse.browsers.launcher import find_browser
    from pilothouse.browsers.registry import Browsers
    from pilothouse.browsers.supervisor_opener import make_opener
    from pilothouse.browsers.target_choice import TargetInfo, choose_target

__all__ = [
    "AppKind",
    "BrowserHandle",
    "BrowserKind",
    "Browsers",
    "ConnectedKind",
    "ExtensionKind",
    "HeadlessKind",
    "Proxy",
    "TargetInfo",
    "Viewport",
    "choose_target",
    "find_browser",
    "make_opener",
]

# Imported on first use: a browser is started before all this is read.
__getattr__ = lazy_exports(
    __name__,
    {
        "handle": ("BrowserHandle",),
        "kinds": (
            "ConnectedKind",
            "ExtensionKind",
            "HeadlessKind",
            "BrowserKind",
            "Proxy",
            "AppKind",
            "Viewport",
        ),
        "launcher": ("find_browser",),
        "supervisor_opener": ("make_opener",),
        "target_choice": (
            "TargetInfo",
            "choose_target",
        ),
        "registry": ("Browsers",),
    },
)
