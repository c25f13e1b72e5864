"""The daemon's end of the Chrome extension: its files, its connection, and what its popup shows.

    installation.py          the extension's files: where they ship; `install()` copies and pairs
                             them
    transport.py             `ExtensionTransport`: one connected extension. It owns the socket, the
                             heartbeat and the timers, and is a CDP transport for `cdp.Connection`
    registry.py              `ExtensionRegistry`: all connected extensions by name; finds the right
                             one and opens it as a browser
    extension_popup_status.py  `StatusUpdater`: sends each extension what its popup and tab groups
                             show: who uses the browser (`BrowserUser`), in which tabs, and what
                             each did last

How data moves:

    server (WebSocket, pairing) -> ExtensionRegistry -> ExtensionTransport -> extension_browser
    hub, supervisor -> cdp.Connection -> ExtensionTransport -> extension_browser -> extension

`ExtensionTransport` knows nothing of CDP: `pilothouse.relay.extension_browser` decides everything.
"""

from __future__ import annotations

from pilothouse.lazy_exports import lazy_exports

# As typing.TYPE_CHECKING, without the import.
TYPE_CHECKING = False

if TYPE_CHECKING:
    from pilothouse.relay.extension.extension_popup_status import (
        BrowserUser,
        StatusUpdater,
        client_users,
        owner_users,
    )
    from pilothouse.relay.extension.installation import (
        EXTENSION_ID,
        default_folder,
        install,
        installed,
        is_known,
        pairings_path,
        source_dir,
        source_version,
    )
    from pilothouse.relay.extension.registry import CONNECTS_WITHIN_S, ExtensionRegistry

__all__ = [
    "CONNECTS_WITHIN_S",
    "EXTENSION_ID",
    "BrowserUser",
    "ExtensionRegistry",
    "StatusUpdater",
    "client_users",
    "default_folder",
    "install",
    "installed",
    "is_known",
    "owner_users",
    "pairings_path",
    "source_dir",
    "source_version",
]

# Imported on first use. The command line needs only installation.py, and extension_browser, which
# transport.py imports, reads its rules with `source_dir`: eager imports would make a cycle.
__getattr__ = lazy_exports(
    __name__,
    {
        "installation": (
            "EXTENSION_ID",
            "default_folder",
            "install",
            "installed",
            "is_known",
            "pairings_path",
            "source_dir",
            "source_version",
        ),
        "registry": ("CONNECTS_WITHIN_S", "ExtensionRegistry"),
        "extension_popup_status": ("StatusUpdater", "BrowserUser", "client_users", "owner_users"),
    },
)
