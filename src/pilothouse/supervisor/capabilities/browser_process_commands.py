"""CDP commands that Chrome's browser process answers by itself. Pure.

A dialog stops the renderer of its page, and whatever needs that renderer gets no reply until the
dialog is closed. These commands do not need it: they are sent also while something blocks the page.
Each was measured with valid parameters (docs/cdp/dialog-blocks-commands.md). Commands that leave
the page or close it are not here: the dialog has to be answered first.

Knows: names of methods. Must not know: sessions, or what blocks a page.
"""

from __future__ import annotations

from typing import Final

__all__ = ["BROWSER_PROCESS", "HANDLE_DIALOG"]

# Sent as the answer to a dialog that the supervisor knows of, whichever way that was opened.
HANDLE_DIALOG: Final = "Page.handleJavaScriptDialog"

BROWSER_PROCESS: Final = frozenset(
    {
        "Browser.getVersion",
        "Emulation.clearGeolocationOverride",
        "Emulation.clearIdleOverride",
        "Emulation.getScreenInfos",
        "Emulation.setGeolocationOverride",
        "Emulation.setIdleOverride",
        "IO.close",
        "IO.read",
        "Network.clearBrowserCache",
        "Network.clearBrowserCookies",
        "Network.deleteCookies",
        "Network.fetchSchemefulSite",
        "Network.getAllCookies",
        "Network.getCookies",
        "Network.getSecurityIsolationStatus",
        "Network.setCookie",
        "Network.setCookies",
        "Page.bringToFront",
        "Page.getNavigationHistory",
        "Page.resetNavigationHistory",
        "Schema.getDomains",
        "Security.disable",
        "Security.enable",
        "Security.setIgnoreCertificateErrors",
        "Storage.clearCookies",
        "Storage.clearDataForOrigin",
        "Storage.getCookies",
        "Storage.getTrustTokens",
        "Storage.setCookies",
    }
)
