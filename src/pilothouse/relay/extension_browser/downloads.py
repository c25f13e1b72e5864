"""Downloads of lent tabs, told as the browser would tell them. Pure.

Knows: which browser sessions want to hear of downloads, and of which tabs. Must not know: files:
where they go is the user's choice, which an extension can neither read nor change.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import msgspec

from pilothouse.relay.extension_browser.client_session import Session
from pilothouse.relay.extension_browser.types import Wrong, event_frame, loads, refused

if TYPE_CHECKING:
    from pilothouse.relay.extension_browser.browser import Core
    from pilothouse.relay.extension_browser.debuggee import Strand

__all__ = ["Downloads"]

BEGINS = "Page.downloadWillBegin"
REMEMBERED = 200


class Downloads:
    """Who hears of which download."""

    def __init__(self, core: Core) -> None:
        self._core = core
        self._begun: dict[str, list[str]] = {}

    def wanted(self, session: Session, params: Mapping[str, Any]) -> Wrong | None:
        """A session says what is to happen with downloads. Files go where the user has them; only
        that they may not come at all cannot be kept."""
        if params.get("behavior") == "deny":
            return refused(
                "Browser.setDownloadBehavior",
                "an extension cannot stop downloads",
                "stop the request that starts one",
            )
        session.downloads = params.get("eventsEnabled") is True
        return None

    def heard(self, strand: Strand, method: str, raw: msgspec.Raw) -> None:
        """A page tells of a download. Only who is on its tab hears of it, and once."""
        told = loads(raw)
        guid = str(told.get("guid", ""))
        if method == BEGINS:
            if guid in self._begun:
                return
            self._begun[guid] = self._hearers(strand)
            if len(self._begun) > REMEMBERED:
                del self._begun[next(iter(self._begun))]
        name = f"Browser.{method.partition('.')[2]}"
        for session in self._begun.get(guid, ()):
            if session in self._core.sessions:
                self._core.emit(event_frame(name, raw, session))

    def _hearers(self, strand: Strand) -> list[str]:
        core = self._core
        return [
            session.id
            for session in core.sessions.values()
            if session.downloads
            and any(
                s.strand is not None and s.strand.tab is strand.tab for s in core.below(session)
            )
        ]
