"""The words of a refusal: what was asked, why it is not done, what to do instead.

Knows: how a refusal reads. Must not know: sessions. Which methods are refused, and why, is decided
in `security/cdp_methods`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from pilothouse.security.cdp_policy import RELAY, Check

__all__ = ["AT_ROOT", "destructive", "download_refusal", "refusal", "worded"]

# Refused to the browser as a whole, allowed on a session of the client's own tab.
AT_ROOT: Final[Mapping[str, tuple[str, str]]] = dict.fromkeys(
    ("Security.setIgnoreCertificateErrors", "Security.setOverrideCertificateErrors"),
    ("it would hold for the tabs of others", "send it on a session of the tab"),
)


def worded(method: str, why: str, instead: str) -> str:
    """A refusal in words."""
    return f"Pilothouse refuses {method}: {why}; instead {instead}"


def refusal(method: str) -> str:
    """Why a method is never done; empty when it may be."""
    decision = RELAY.get(method)
    if decision is not None and decision.check is Check.REFUSED:
        return worded(method, decision.why, decision.instead)
    found = AT_ROOT.get(method)
    return worded(method, *found) if found is not None else ""


def destructive(method: str) -> str:
    """Why data of a profile is neither read as a whole nor cleared."""
    return worded(
        method,
        "it would read or clear data of a profile that is not the client's own",
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
