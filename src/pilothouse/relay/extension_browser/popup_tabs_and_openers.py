"""Which page opened a new tab, and popups that close at once. Pure.

Knows: the extension's opener is no proof, because Chrome names the tab that was in front; the
debugger's `openerId` is. A popup may be gone before anyone attaches. Must not know: what sessions
do. A tab that a debugged page may have opened is announced after its debugger named the opener.

    Page.windowOpen -> tabCreated -> attachTab, its openerId -> announced with the right opener
                    -> tabGlimpsed, or closed meanwhile      -> announced, then as closed
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import msgspec

from pilothouse.relay.extension_browser.client_session import FlatSession, new_id
from pilothouse.relay.extension_browser.tab_and_message_types import (
    ErrorReply,
    SharedTab,
    encode,
    event_message,
)

if TYPE_CHECKING:
    from pilothouse.relay.extension_browser.browser import ExtensionBrowser
    from pilothouse.relay.extension_browser.debuggee import Debuggee

__all__ = ["INPUT_METHODS", "Popups", "on_window_open"]

# A window that a page announced opens within this time, or Chrome blocked it.
OPENS_WITHIN_S = 3.0
# Keep a closed popup attachable for this long: clients attach as soon as it is announced.
CLOSED_POPUP_KEPT_S = 0.5
# Input after which a tab may open another one without Page.windowOpen, such as a middle click.
INPUT_METHODS = ("Input.dispatchMouseEvent", "Input.dispatchKeyEvent", "Input.dispatchTouchEvent")
_REFUSED = "Pilothouse refuses "
_GONE = ("No tab with ", "No target with ")


class Popups:
    """The tabs that pages of one Chrome open."""

    def __init__(self, browser: ExtensionBrowser) -> None:
        self._browser = browser
        # Pages that announced a window, oldest first.
        self._opening: list[SharedTab] = []
        # Tabs that got input from a client and have opened nothing since.
        self._tabs_with_input: set[int] = set()
        # Closed popups by target id, with their target info.
        self._closed: dict[str, dict[str, Any]] = {}
        # Target ids of popups announced so recently that clients may still be attaching.
        self._recent: set[str] = set()

    # Signals of pages.

    def on_window_opening(self, tab: SharedTab) -> None:
        """Remember that a page is about to open a window."""
        self._opening.append(tab)
        self._browser.io.call_later("opening", OPENS_WITHIN_S, self._opening.clear)

    def on_input(self, tab: SharedTab) -> None:
        """Remember that a client sent input to a page."""
        self._tabs_with_input.add(tab.tab_id)

    # New tabs.

    def on_tab_created(self, tab: SharedTab) -> None:
        """Announce a new tab, as soon as its opener is known."""
        browser = self._browser
        opener_tab = browser.tabs.by_id.get(tab.opener) if tab.opener is not None else None
        if opener_tab is None and not self._opening:
            self._announce(tab)
            return
        if not self._opening and (opener_tab is None or not browser.is_in_use(opener_tab)):
            self._announce(tab)
            return
        tab.hidden = True
        browser.attachments.attach(tab, lambda error: self._on_opener_known(tab, error))

    def _on_opener_known(self, tab: SharedTab, error: ErrorReply | None) -> None:
        tab.hidden = False
        opener = self._opening.pop(0) if self._opening else None
        lost = error is not None and not error.message.startswith(_REFUSED)
        if opener is not None and lost:
            self._announce_closed(tab, opener)
        elif self._is_open(tab):
            self._announce(tab)

    def _is_open(self, tab: SharedTab) -> bool:
        return self._browser.tabs.by_id.get(tab.tab_id) is tab

    def set_opener(self, tab: SharedTab, info: Mapping[str, Any]) -> None:
        """Take a tab's opener from the debugger's target info."""
        opener = self._browser.tabs.by_target(str(info.get("openerId") or ""))
        tab.opener_target_id = opener.target_id if opener is not None else ""
        tab.can_access_opener = info.get("canAccessOpener") is True
        if (
            tab.opener is not None
            and not tab.opener_target_id
            and tab.opener not in self._tabs_with_input
        ):
            tab.opener = None  # The user opened it while that tab was in front.
        self._tabs_with_input.discard(tab.opener or -1)

    def _announce(self, tab: SharedTab) -> None:
        if tab.opener_target_id:
            target = tab.target_id
            self._recent.add(target)
            self._browser.io.call_later(
                f"fresh {target}", CLOSED_POPUP_KEPT_S, lambda: self._recent.discard(target)
            )
        self._browser.targets.created(self._browser.targets.page(tab))
        self._browser.offer_to_auto_attach(tab)

    # Popups that are already closed.

    def on_short_lived_tab(self, tab: SharedTab) -> None:
        """Announce a tab that closed before its target id was known."""
        if self._opening and not tab.target_id:
            tab.target_id = new_id()
            self._announce_closed(tab, self._opening.pop(0))

    def _announce_closed(self, tab: SharedTab, opener: SharedTab) -> None:
        """Announce a popup that is already closed. A session that attaches to it is told so."""
        tab.opener_target_id = opener.target_id
        self._browser.targets.created(self._browser.targets.page(tab))
        self._keep_closed(tab)

    def _keep_closed(self, tab: SharedTab) -> None:
        browser, target = self._browser, tab.target_id
        info = self._closed[target] = browser.targets.page(tab)

        def expire() -> None:
            if self._closed.pop(target, None) is not None:
                browser.targets.destroyed(info)
            if self._is_open(tab):
                # Attaching failed, but the tab is still open: it may only have been slow.
                tab.opener_target_id = None
                browser.attachments.attach(tab, again)

        def again(error: ErrorReply | None) -> None:
            if error is None and self._is_open(tab):
                self._announce(tab)

        browser.io.call_later(f"closed {target}", CLOSED_POPUP_KEPT_S, expire)

    def keep_if_recent(self, tab: SharedTab) -> bool:
        """Return whether a closed tab is not yet to be announced as destroyed."""
        if tab.target_id in self._recent:
            self._recent.discard(tab.target_id)
            self._keep_closed(tab)
        return tab.target_id in self._closed

    def attach_if_closed_meanwhile(
        self, session: FlatSession, command_id: int, tab: SharedTab, error: ErrorReply
    ) -> bool:
        """Do the same for a popup that closed while the debugger was being attached."""
        if not (tab.opener_target_id or tab.opener is not None) or not error.message.startswith(
            _GONE
        ):
            return False
        if tab.target_id not in self._closed:
            self._keep_closed(tab)
        return self.attach_to_closed(session, command_id, tab.target_id)

    def attach_to_closed(self, session: FlatSession, command_id: int, target: str) -> bool:
        """Attach a session to a closed popup and detach it at once. Returns False if `target` is
        none."""
        info = self._closed.get(target)
        if info is None:
            return False
        browser, name = self._browser, new_id()
        params = {
            "sessionId": name,
            "targetInfo": {**info, "attached": True},
            "waitingForDebugger": False,
        }
        browser.emit(event_message("Target.attachedToTarget", encode(params), session.id))
        browser.reply(session.id, command_id, encode({"sessionId": name}))
        gone = {"sessionId": name, "targetId": target}
        browser.emit(event_message("Target.detachedFromTarget", encode(gone), session.id))
        return True


def on_window_open(debuggee: Debuggee, method: str, raw: msgspec.Raw) -> None:
    """Handle Page.windowOpen of a page or of a frame in it."""
    browser = debuggee.browser
    browser.popups.on_window_opening(debuggee.tab)
    for session in tuple(debuggee.domains.listeners("Page")):
        browser.emit(event_message(method, raw, session))
