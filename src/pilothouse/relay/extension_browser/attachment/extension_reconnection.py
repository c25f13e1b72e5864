"""The extension disconnects and returns. Pure.

Knows: what waits meanwhile, which requests are sent again, and which fail. Must not know: how a tab
is attached or restored.

    disconnected -> requests queue -> connected: listTabs -> tab unchanged | restored | ended
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import msgspec

from pilothouse.relay.extension_browser.agent_restrictions import restriction_table
from pilothouse.relay.extension_browser.merged_settings import is_override
from pilothouse.relay.extension_browser.requests_and_shared_commands import ExtensionRequest
from pilothouse.relay.extension_browser.tab_and_message_types import ErrorReply, read_tabs

if TYPE_CHECKING:
    from pilothouse.relay.extension_browser.browser import ExtensionBrowser

__all__ = ["Reconnection"]

_INTERRUPTED = ErrorReply(
    -32000, "the extension went away before this was answered; it may have been done"
)
_REPEATABLE = frozenset({"activateTab", "closeTab", "detachTab", "listTabs", "settings", "window"})
_ADD_SCRIPT = "Page.addScriptToEvaluateOnNewDocument"


class Reconnection:
    """Handles lost connections of one extension."""

    def __init__(self, browser: ExtensionBrowser) -> None:
        self._browser = browser
        # Requests in flight when the connection was lost, until the tabs are listed again.
        self.interrupted: list[ExtensionRequest] = []
        self._listing: ExtensionRequest | None = None

    def on_disconnected(self) -> None:
        """Queue all requests: the connection to the extension is lost."""
        self._browser.attachments.on_disconnected()

    def on_connected(self, then: Callable[[], None]) -> None:
        """List the tabs, then continue with each. Calls `then` when done."""
        browser = self._browser
        if self._listing is not None:
            self._listing.done = True  # its connection was lost too
        self.interrupted += browser.pending_requests.values()
        browser.pending_requests = {}
        self._listing = ExtensionRequest(
            "listTabs", b"{}", lambda raw, _: self._on_tabs_listed(raw, then)
        )
        browser.send_now(self._listing)

    def _on_tabs_listed(self, raw: msgspec.Raw | None, then: Callable[[], None]) -> None:
        browser, attachments = self._browser, self._browser.attachments
        self._listing = None
        tabs = read_tabs(raw) if raw is not None else None
        if tabs is None:
            return  # The extension cannot list its tabs. The heartbeat will find out if it is dead.
        attachments.extension_away = False
        browser.tabs.update_all(tabs)
        attachments.send_give_backs()
        attachments.detach_leftovers()
        interrupted, self.interrupted = self.interrupted, []
        again = [request for request in interrupted if self._is_resent(request)]
        for request in reversed(again):
            held = attachments.queue_for(request.debuggee)
            (attachments.queued_requests if held is None else held).insert(0, request)
        here, attachments.queued_requests = attachments.queued_requests, []
        for request in here:
            if not request.done:
                browser.send_now(request)
        for number, debuggee in list(browser.debuggees.items()):
            if isinstance(number, int):
                attachments.resume(debuggee)
        then()

    def _is_resent(self, request: ExtensionRequest) -> bool:
        """Return whether a request is sent again. One that is not safe to repeat fails here."""
        if request.done:
            return False
        if request.method == "attachTab":
            again = self._browser.attachments.is_expected(request)
        elif request.debuggee is None:
            again = request.method in _REPEATABLE
        else:
            lost = not request.debuggee.tab.attached and request.method == _ADD_SCRIPT
            again = lost or _is_repeatable(request.method)
        if not again:
            request.settle(None, _INTERRUPTED)
        return again


def _is_repeatable(method: str) -> bool:
    """Return whether a CDP command can be sent twice without harm."""
    return (
        method in restriction_table().read
        or method.endswith((".enable", ".disable"))
        or is_override(method)
    )
