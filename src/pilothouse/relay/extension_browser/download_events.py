"""Downloads of shared tabs, reported as `Browser.download*` events. Pure.

Knows: which browser sessions want download events, and of which tabs. Must not know: files. The
user chooses where they go; an extension can neither read nor change it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import msgspec

from pilothouse.relay.extension_browser.client_session import FlatSession
from pilothouse.relay.extension_browser.tab_and_message_types import (
    ErrorReply,
    decode_object,
    event_message,
    refusal,
)

if TYPE_CHECKING:
    from pilothouse.relay.extension_browser.browser import ExtensionBrowser
    from pilothouse.relay.extension_browser.debuggee import Debuggee

__all__ = ["DownloadEvents"]

BEGINS = "Page.downloadWillBegin"
MAX_DOWNLOADS = 200


class DownloadEvents:
    """Which session gets the events of which download."""

    def __init__(self, browser: ExtensionBrowser) -> None:
        self._browser = browser
        self._started: dict[str, list[str]] = {}

    def set_behavior(self, session: FlatSession, params: Mapping[str, Any]) -> ErrorReply | None:
        """Carry out `Browser.setDownloadBehavior`. Files go where the user's settings say. Only
        `deny` is refused: an extension cannot stop a download."""
        if params.get("behavior") == "deny":
            return refusal(
                "Browser.setDownloadBehavior",
                "an extension cannot stop downloads",
                "stop the request that starts one",
            )
        session.wants_downloads = params.get("eventsEnabled") is True
        return None

    def on_page_event(self, debuggee: Debuggee, method: str, raw: msgspec.Raw) -> None:
        """Report a page's download once to every browser session with a session on that tab."""
        guid = str(decode_object(raw).get("guid", ""))
        if method == BEGINS:
            if guid in self._started:
                return
            self._started[guid] = self._listeners(debuggee)
            if len(self._started) > MAX_DOWNLOADS:
                del self._started[next(iter(self._started))]
        name = f"Browser.{method.partition('.')[2]}"
        for session in self._started.get(guid, ()):
            if session in self._browser.sessions:
                self._browser.emit(event_message(name, raw, session))

    def _listeners(self, debuggee: Debuggee) -> list[str]:
        browser = self._browser
        return [
            session.id
            for session in browser.sessions.values()
            if session.wants_downloads
            and any(
                s.debuggee is not None and s.debuggee.tab is debuggee.tab
                for s in browser.sessions_below(session)
            )
        ]
