"""The daemon's end of the Chrome extension: files, pairing of profiles, connection, popup status.

    files.py      the extension's own files: where they ship, `install()` copies and pairs them
    transport.py  `Lent`: one connected extension. It owns the WebSocket, the heartbeat and the
                  timers, and is a CDP transport for `cdp.Connection`
    registry.py   `Lending`: every connected extension by name; chooses the one that is meant and
                  opens it as a browser
    status.py     `Showing`: sends each extension what its popup and its tab groups show: who uses
                  the browser, in which tabs, and what each client did last

How data moves:

    server (WebSocket, pairing) -> registry -> transport -> extension_browser.browser (decides)
    hub, supervisor -> cdp.Connection -> transport -> extension_browser -> WebSocket -> extension

`transport.py` has no opinion about CDP: `pilothouse.relay.extension_browser` decides everything.
"""

from __future__ import annotations

from pilothouse.lazy_exports import lazy_exports

# As typing.TYPE_CHECKING, without the import.
TYPE_CHECKING = False

if TYPE_CHECKING:
    from pilothouse.relay.extension.files import (
        EXTENSION_ID,
        data_dir,
        default_folder,
        install,
        installed,
        is_known,
        pairings_path,
        source_dir,
        source_version,
    )
    from pilothouse.relay.extension.registry import CONNECTS_WITHIN_S, ExtensionRegistry
    from pilothouse.relay.extension.status import (
        BrowserUser,
        StatusUpdater,
        client_users,
        owner_users,
    )

__all__ = [
    "CONNECTS_WITHIN_S",
    "EXTENSION_ID",
    "BrowserUser",
    "ExtensionRegistry",
    "StatusUpdater",
    "client_users",
    "data_dir",
    "default_folder",
    "install",
    "installed",
    "is_known",
    "owner_users",
    "pairings_path",
    "source_dir",
    "source_version",
]

# Imported on first use. The command line needs only files.py, and extension_browser, which
# transport.py imports, reads its rules with `source_dir`: eager imports would make a cycle.
__getattr__ = lazy_exports(
    __name__,
    {
        "files": (
            "EXTENSION_ID",
            "data_dir",
            "default_folder",
            "install",
            "installed",
            "is_known",
            "pairings_path",
            "source_dir",
            "source_version",
        ),
        "registry": ("CONNECTS_WITHIN_S", "ExtensionRegistry"),
        "status": ("StatusUpdater", "BrowserUser", "client_users", "owner_users"),
    },
)
