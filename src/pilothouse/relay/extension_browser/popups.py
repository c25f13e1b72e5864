"""Who opened a tab of the user's Chrome: what pages open is theirs, and nothing else is. Pure.

Knows: that the extension's word for it is no proof (Chrome names the tab that was in front), that
the debugger's is, and that a popup may be gone before anybody could look. Must not know: sessions'
work. A tab that a page under debugging may have opened is told of once its debugger said by whom.

    Page.windowOpen -> tabCreated -> attachTab, its openerId -> told with the right opener
                    -> tabGlimpsed, or gone meanwhile        -> told as one that came and went
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import msgspec

from pilothouse.relay.extension_browser.client_session import FlatSession, new_id
from pilothouse.relay.extension_browser.types import ErrorReply, SharedTab, encode, event_message

if TYPE_CHECKING:
    from pilothouse.relay.extension_browser.browser import ExtensionBrowser
    from pilothouse.relay.extension_browser.debuggee import Debuggee

__all__ = ["INPUT_METHODS", "Popups", "on_window_open"]

# What a page said that it would open comes within this time, or was not let.
OPENS_WITHIN_S = 3.0
# Clients come for a target as soon as they hear of it.
CLOSED_POPUP_KEPT_S = 0.5
# A person's doings, after which a tab in front of which they happened may open another.
INPUT_METHODS = ("Input.dispatchMouseEvent", "Input.dispatchKeyEvent", "Input.dispatchTouchEvent")
_REFUSED = "Pilothouse refuses "
_GONE = ("No tab with ", "No target with ")


class Popups:
    """What pages of one install open."""

    def __init__(self, browser: ExtensionBrowser) -> None:
        self._browser = browser
        # Pages that said that they open a window, the first one first.
        self._opening: list[SharedTab] = []
        # Tabs in which somebody acted, and which have opened nothing since.
        self._tabs_with_input: set[int] = set()
        # Targets that came and went, as they are told of.
        self._closed: dict[str, dict[str, Any]] = {}
        # Popups that were told of so lately that clients may still be on their way to them.
        self._recent: set[str] = set()

    # What pages do.

    def on_window_opening(self, tab: SharedTab) -> None:
        """A page is about to open a window."""
        self._opening.append(tab)
        self._browser.io.call_later("opening", OPENS_WITHIN_S, self._opening.clear)

    def on_input(self, tab: SharedTab) -> None:
        """Somebody acts in a page as a person would."""
        self._tabs_with_input.add(tab.tab_id)

    # What comes of it.

    def on_tab_created(self, tab: SharedTab) -> None:
        """A tab is there: it is told of as soon as it is known whose it is."""
        browser = self._browser
        above = browser.tabs.by_id.get(tab.opener) if tab.opener is not None else None
        if above is None and not self._opening:
            self._announce(tab)
            return
        if not self._opening and (above is None or not browser.is_in_use(above)):
            self._announce(tab)
            return
        tab.hidden = True
        browser.attachments.attach(tab, lambda error: self._on_opener_known(tab, error))

    def _on_opener_known(self, tab: SharedTab, error: ErrorReply | None) -> None:
        tab.hidden = False
        by = self._opening.pop(0) if self._opening else None
        lost = error is not None and not error.message.startswith(_REFUSED)
        if by is not None and lost:
            self._announce_closed(tab, by)
        elif self._is_open(tab):
            self._announce(tab)

    def _is_open(self, tab: SharedTab) -> bool:
        return self._browser.tabs.by_id.get(tab.tab_id) is tab

    def set_opener(self, tab: SharedTab, info: Mapping[str, Any]) -> None:
        """The debugger says who opened a tab."""
        opener = self._browser.tabs.by_target(str(info.get("openerId") or ""))
        tab.opener_target_id = opener.target_id if opener is not None else ""
        tab.can_access_opener = info.get("canAccessOpener") is True
        if (
            tab.opener is not None
            and not tab.opener_target_id
            and tab.opener not in self._tabs_with_input
        ):
            tab.opener = None  # the user opened it, while that tab was in front
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

    # What came and went.

    def on_short_lived_tab(self, tab: SharedTab) -> None:
        """There was a tab that was gone before anybody knew its target."""
        if self._opening and not tab.target_id:
            tab.target_id = new_id()
            self._announce_closed(tab, self._opening.pop(0))

    def _announce_closed(self, tab: SharedTab, by: SharedTab) -> None:
        """Tell of a popup that is gone: whoever comes for it is told that it was."""
        tab.opener_target_id = by.target_id
        self._browser.targets.created(self._browser.targets.page(tab))
        self._keep_closed(tab)

    def _keep_closed(self, tab: SharedTab) -> None:
        browser, target = self._browser, tab.target_id
        info = self._closed[target] = browser.targets.page(tab)

        def expire() -> None:
            if self._closed.pop(target, None) is not None:
                browser.targets.destroyed(info)
            if self._is_open(tab):
                # It could not be held then; it may be only that it is slow to go.
                tab.opener_target_id = None
                browser.attachments.attach(tab, again)

        def again(error: ErrorReply | None) -> None:
            if error is None and self._is_open(tab):
                self._announce(tab)

        browser.io.call_later(f"closed {target}", CLOSED_POPUP_KEPT_S, expire)

    def keep_if_recent(self, tab: SharedTab) -> bool:
        """Whether a tab that is gone is not told to be so yet."""
        if tab.target_id in self._recent:
            self._recent.discard(tab.target_id)
            self._keep_closed(tab)
        return tab.target_id in self._closed

    def attach_if_closed_meanwhile(
        self, session: FlatSession, command_id: int, tab: SharedTab, error: ErrorReply
    ) -> bool:
        """The same for a popup that went while the debugger was being put on it."""
        if not (tab.opener_target_id or tab.opener is not None) or not error.message.startswith(
            _GONE
        ):
            return False
        if tab.target_id not in self._closed:
            self._keep_closed(tab)
        return self.attach_to_closed(session, command_id, tab.target_id)

    def attach_to_closed(self, session: FlatSession, command_id: int, target: str) -> bool:
        """Whether a session that comes for a target has come too late, and was told so."""
        info = self._closed.get(target)
        if info is None:
            return False
        browser, name = self._browser, new_id()
        told = {
            "sessionId": name,
            "targetInfo": {**info, "attached": True},
            "waitingForDebugger": False,
        }
        browser.emit(event_message("Target.attachedToTarget", encode(told), session.id))
        browser.reply(session.id, command_id, encode({"sessionId": name}))
        gone = {"sessionId": name, "targetId": target}
        browser.emit(event_message("Target.detachedFromTarget", encode(gone), session.id))
        return True


def on_window_open(debuggee: Debuggee, method: str, raw: msgspec.Raw) -> None:
    """A page, or a frame in it, says that it opens a window."""
    browser = debuggee.browser
    browser.popups.on_window_opening(debuggee.tab)
    for session in tuple(debuggee.domains.listeners("Page")):
        browser.emit(event_message(method, raw, session))
