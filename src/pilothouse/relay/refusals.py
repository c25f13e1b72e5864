"""What no client may do, and why: one table.

Knows: methods and reasons. Must not know: sessions. A refusal names what was asked, why it is not
done and what to do instead.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

__all__ = ["ALWAYS", "DESTRUCTIVE", "destructive", "download_refusal", "refusal", "worded"]

_PROCESS = "the browser is shared with others"
_FOREIGN = "it would reach targets that are not the client's"

# Method: why not, and what instead.
ALWAYS: Final[Mapping[str, tuple[str, str]]] = {
    "Browser.crash": (_PROCESS, "close the client's own tabs"),
    "Browser.crashGpuProcess": (_PROCESS, "close the client's own tabs"),
    "Browser.executeBrowserCommand": (_PROCESS, "use commands of the tab"),
    "Browser.addPrivacySandboxEnrollmentOverride": (_PROCESS, "launch a browser for it"),
    "Browser.addPrivacySandboxCoordinatorKeyConfig": (_PROCESS, "launch a browser for it"),
    "Browser.getBrowserCommandLine": (
        "the command line tells where profiles and secrets are",
        "use Browser.getVersion",
    ),
    "Target.exposeDevToolsProtocol": (
        "a page would get hold of the whole browser",
        "use Runtime.addBinding",
    ),
    "Target.setRemoteLocations": (_FOREIGN, "connect to the other browser yourself"),
    "Target.sendMessageToTarget": (
        "only flat sessions are relayed",
        "attach with flatten: true and give the sessionId",
    ),
    "Target.autoAttachRelated": (_FOREIGN, "use Target.setAutoAttach"),
    "Target.openDevTools": ("nobody sees it", "open the tab in a browser of your own"),
    "Tethering.bind": ("it opens ports of this machine", "open the port yourself"),
    "Tethering.unbind": ("it closes ports of this machine", "close the port yourself"),
    "Extensions.loadUnpacked": (_PROCESS, "launch a browser with the extension"),
    "Extensions.uninstall": (_PROCESS, "launch a browser without the extension"),
    "PWA.install": (_PROCESS, "launch a browser for it"),
    "PWA.uninstall": (_PROCESS, "launch a browser for it"),
    "Security.setIgnoreCertificateErrors": (
        "it would hold for the tabs of others",
        "send it on a session of the tab",
    ),
    "Security.setOverrideCertificateErrors": (
        "it would hold for the tabs of others",
        "send it on a session of the tab",
    ),
}

# What a client may do in a cookie jar of its own, and not in a profile of somebody's.
DESTRUCTIVE: Final[frozenset[str]] = frozenset(
    {
        "Network.clearBrowserCookies",
        "Network.clearBrowserCache",
        "Storage.clearCookies",
        "Storage.clearDataForOrigin",
        "Storage.clearDataForStorageKey",
        "Storage.clearSharedStorageEntries",
        "Storage.clearTrustTokens",
    }
)


def worded(method: str, why: str, instead: str) -> str:
    """A refusal in words."""
    return f"Pilothouse refuses {method}: {why}; instead {instead}"


def refusal(method: str) -> str:
    """Why a method is never done; empty when it may be."""
    found = ALWAYS.get(method)
    return worded(method, *found) if found is not None else ""


def destructive(method: str) -> str:
    """Why data of a profile is not cleared."""
    return worded(
        method,
        "it would clear data of a profile that is not the client's own",
        "work in a browser context of your own, or delete single cookies by name",
    )


def download_refusal(params: Mapping[str, Any], roots: Sequence[Path]) -> str:
    """Why downloads may not go where a client wants them; empty when they may."""
    path = params.get("downloadPath")
    if not path or params.get("behavior") not in ("allow", "allowAndName"):
        return ""
    wanted = Path(str(path))
    if wanted.is_absolute():
        # Links are followed: a link below a root may lead out of it.
        resolved = wanted.resolve()
        if any(resolved.is_relative_to(root.resolve()) for root in roots):
            return ""
    return worded(
        "Browser.setDownloadBehavior",
        f"{wanted} is outside the folders for downloads",
        "use a folder below " + " or ".join(str(root) for root in roots),
    )
