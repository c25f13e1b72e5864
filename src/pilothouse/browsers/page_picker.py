"""Which page of a browser is meant: pure.

Knows: target infos as Chrome lists them. Must not know: connections.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import msgspec

from pilothouse.errors import BrowserError

__all__ = ["ID_SHOWN", "TargetInfo", "choose_target", "is_id"]

# What applications keep beside their real pages: windows nobody looks at.
_NOT_REAL = re.compile(
    r"devtools|request handler|background page|background host|service worker", re.IGNORECASE
)
_LISTED = 10
# At least so much of a target's id names it.
ID_SHOWN = 8
# What a person does so that an agent sees a tab of theirs.
SHARE_IT = "share the tab: in it click the Pilothouse icon, press Share"
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
    """The page with the id `wanted` (or one that begins so), else the first whose URL or title
    contains it; without it, the first real page. `shared`: a person shares these, one by one.

    Case does not matter. Raises BrowserError that lists the candidates.
    """
    pages = [info for info in infos if info.type in ("page", "webview")]
    if not pages and shared:
        raise BrowserError(
            "no tab of the user's Chrome can be used: none is shared, or another agent uses it",
            hint=SHARE_IT,
        )
    if not pages:
        kinds = ", ".join(sorted({info.type for info in infos})) or "none"
        raise BrowserError(
            f"the browser has no page to work on (its targets: {kinds})",
            hint="open a window in it, then try again",
        )
    if wanted:
        needle = wanted.casefold()
        named = [page for page in pages if is_id(wanted) and page.id.casefold().startswith(needle)]
        if len(named) == 1:
            return named[0]
        for page in pages:
            if needle in page.url.casefold() or needle in page.title.casefold():
                return page
        if shared:
            raise BrowserError(
                f"no shared tab matches {wanted!r}; the shared tabs: {_list(pages)}",
                hint=f"name one of them, or {SHARE_IT}",
            )
        raise BrowserError(
            f"no page matches {wanted!r}; there are: {_list(pages)}",
            hint="name a part of the URL or title of one of them",
        )
    return next((page for page in pages if not _is_backstage(page)), pages[0])


def is_id(text: str) -> bool:
    """Whether a text may be a target's id, or how one begins."""
    return _ID.fullmatch(text) is not None


def _is_backstage(page: TargetInfo) -> bool:
    return bool(_NOT_REAL.search(page.url) or _NOT_REAL.search(page.title))


def _list(pages: Sequence[TargetInfo]) -> str:
    shown = [f"{page.title[:60]!r} {page.url[:120]}" for page in pages[:_LISTED]]
    more = len(pages) - len(shown)
    return "; ".join(shown) + (f"; and {more} more" if more else "")
