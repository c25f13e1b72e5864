"""What an extension cannot do for the browser as a whole, and why. Pure.

Knows: names and words. Must not know: who asks. Each is refused by name, never answered as if it
had been done.
"""

from __future__ import annotations

from pilothouse.relay.extension_browser.types import refused

__all__ = ["CANNOT"]

_USER = "this is the user's own browser"
CANNOT = {
    "Browser.cancelDownload": refused(
        "Browser.cancelDownload", "an extension cannot stop downloads", "ask the user to"
    ),
    "Browser.close": refused("Browser.close", _USER, "disconnect"),
    "Browser.crash": refused("Browser.crash", _USER),
    "Browser.crashGpuProcess": refused("Browser.crashGpuProcess", _USER),
    "Browser.grantPermissions": refused(
        "Browser.grantPermissions",
        "an extension cannot grant permissions",
        "ask the user to allow it in the page's own settings",
    ),
    "Browser.resetPermissions": refused(
        "Browser.resetPermissions", "an extension cannot change permissions"
    ),
    "Browser.setPermission": refused(
        "Browser.setPermission",
        "an extension cannot set permissions",
        "ask the user to allow it in the page's own settings",
    ),
    "Target.createBrowserContext": refused(
        "Target.createBrowserContext",
        "an extension cannot make a second profile",
        "use the default context, or a managed browser",
    ),
    "Target.disposeBrowserContext": refused("Target.disposeBrowserContext", _USER),
}
