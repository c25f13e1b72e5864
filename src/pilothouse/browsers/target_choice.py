"""Chooses the page of a browser that a caller means. Pure.

Knows: target infos as Chrome lists them. Must not know: connections.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import msgspec

from pilothouse.errors import BrowserError

__all__ = ["ID_SHOWN", "TargetInfo", "choose_target", "is_target_id"]

# Hidden windows of applications, besides their real pages.
_HIDDEN = re.compile(
    r"devtools|request handler|background page|background host|service worker", re.IGNORECASE
)
_MAX_LISTED = 10
# Length of the shortest prefix that identifies a target.
ID_SHOWN = 8
# How the user shares a tab with agents.
SHARE_HINT = "share the tab: in it click the Pilothouse icon, press Share"
_ID = re.compile(r"[0-9a-fA-F]{8,64}")


class TargetInfo(msgspec.Struct, frozen=True):
    """One target of a browser."""

    id: str
    type: str
    title: str
    url: str
    attached: bool = False


def choose_target(
    infos: Sequence[TargetInfo], wanted: str | None = None, *, shared: bool = False
) -> TargetInfo:
    """Choose a page by `wanted`: its id or a prefix of it, else part of its URL or title.

    Without `wanted`, the first page that is not hidden. Case does not matter.
    shared: these are tabs that the user shares one by one
    Raises BrowserError that lists the candidates.
    """
    pages = [info for info in infos if info.type in ("page", "webview")]
    if not pages and shared:
        raise BrowserError(
            "no tab of the user's Chrome can be used: none is shared, or another agent uses it",
            hint=SHARE_HINT,
        )
    if not pages:
        kinds = ", ".join(sorted({info.type for info in infos})) or "none"
        raise BrowserError(
            f"the browser has no page to work on (its targets: {kinds})",
            hint="open a window in it, then try again",
            untrusted=("message",),
        )
    if wanted:
        needle = wanted.casefold()
        named = [
            page for page in pages if is_target_id(wanted) and page.id.casefold().startswith(needle)
        ]
        if len(named) == 1:
            return named[0]
        for page in pages:
            if needle in page.url.casefold() or needle in page.title.casefold():
                return page
        if shared:
            raise BrowserError(
                f"no shared tab matches {wanted!r}; the shared tabs: {_list(pages)}",
                hint=f"name one of them, or {SHARE_HINT}",
                untrusted=("message",),
            )
        raise BrowserError(
            f"no page matches {wanted!r}; there are: {_list(pages)}",
            hint="give part of the URL or title of one of them",
            untrusted=("message",),
        )
    return next((page for page in pages if not _is_hidden(page)), pages[0])


def is_target_id(text: str) -> bool:
    """Tell whether a text may be a target id or the prefix of one."""
    return _ID.fullmatch(text) is not None


def _is_hidden(page: TargetInfo) -> bool:
    return bool(_HIDDEN.search(page.url) or _HIDDEN.search(page.title))


def _list(pages: Sequence[TargetInfo]) -> str:
    shown = [f"{page.title[:60]!r} {page.url[:120]}" for page in pages[:_MAX_LISTED]]
    more = len(pages) - len(shown)
    return "; ".join(shown) + (f"; and {more} more" if more else "")
