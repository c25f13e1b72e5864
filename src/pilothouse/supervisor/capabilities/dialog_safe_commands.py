"""CDP commands that Chrome's browser process answers by itself. Pure.

A dialog blocks the renderer of its page, and commands that need the renderer get no reply until the
dialog is closed. These do not need it, so we send them even while something blocks the page. Each
was measured with valid parameters (docs/cdp/dialog-blocks-commands.md). Commands that leave or
close the page are not here: the dialog has to be answered first.

Knows: names of methods. Must not know: sessions, or what blocks a page.
"""

from __future__ import annotations

from typing import Final

__all__ = ["DIALOG_SAFE_COMMANDS", "HANDLE_DIALOG"]

# Treated as the answer to a dialog that the supervisor knows, native or bridged.
HANDLE_DIALOG: Final = "Page.handleJavaScriptDialog"

DIALOG_SAFE_COMMANDS: Final = frozenset(
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
