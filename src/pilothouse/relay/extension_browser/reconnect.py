"""The extension goes away and comes back. Pure.

Knows: what waits meanwhile, what is asked again, and what has failed. Must not know: how a tab is
attached or put back.

    away -> everything waits -> back: the list of tabs -> as it was | put back | ended
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import msgspec

from pilothouse.relay.extension_browser.requests import Asked
from pilothouse.relay.extension_browser.restrictions import table
from pilothouse.relay.extension_browser.shared_state import sets_something
from pilothouse.relay.extension_browser.types import Wrong, read_tabs

if TYPE_CHECKING:
    from pilothouse.relay.extension_browser.browser import Core

__all__ = ["Returning"]

_INTERRUPTED = Wrong(
    -32000, "the extension went away before this was answered; it may have been done"
)
_REPEATABLE = frozenset(
    {"activateTab", "attachTab", "closeTab", "detachTab", "listTabs", "settings", "window"}
)
_ADD_SCRIPT = "Page.addScriptToEvaluateOnNewDocument"


class Returning:
    """The comings and goings of one extension."""

    def __init__(self, core: Core) -> None:
        self._core = core
        # What was on its way when the line went, until the tabs are listed again.
        self.flights: list[Asked] = []
        self._listing: Asked | None = None

    def away(self) -> None:
        """The line to the extension is gone: everything waits."""
        core = self._core
        core.attachments.away = True
        for number, strand in core.strands.items():
            if isinstance(number, int):
                core.attachments.hold(number)
                core.restoring.abandon(strand)

    def back(self, then: Callable[[], None]) -> None:
        """The line is there again: see what is left, and go on."""
        core = self._core
        if self._listing is not None:
            self._listing.done = True  # it was asked on a line that went again
        self.flights += core.asks.values()
        core.asks = {}
        self._listing = Asked("listTabs", b"{}", lambda raw, _: self._listed(raw, then))
        core.send_now(self._listing)

    def _listed(self, raw: msgspec.Raw | None, then: Callable[[], None]) -> None:
        core, attachments = self._core, self._core.attachments
        self._listing = None
        tabs = read_tabs(raw) if raw is not None else None
        if tabs is None:
            return  # it cannot even say which tabs there are; the heartbeat decides
        attachments.away = False
        core.tabs.listed(tabs)
        attachments.settle_debts()
        attachments.drop_leftovers()
        flights, self.flights = self.flights, []
        again = [asked for asked in flights if self._goes_again(asked)]
        for asked in reversed(again):
            held = attachments.held_for(asked.strand)
            (attachments.held_here if held is None else held).insert(0, asked)
        here, attachments.held_here = attachments.held_here, []
        for asked in here:
            if not asked.done:
                core.send_now(asked)
        for number, strand in list(core.strands.items()):
            if isinstance(number, int):
                attachments.resume(strand)
        then()

    def _goes_again(self, asked: Asked) -> bool:
        """What was on its way is sent again where that does no harm, and has failed elsewhere."""
        if asked.done:
            return False
        if asked.strand is None:
            again = asked.method in _REPEATABLE
        else:
            lost = not asked.strand.tab.attached and asked.method == _ADD_SCRIPT
            again = lost or _harmless(asked.method)
        if not again:
            asked.settle(None, _INTERRUPTED)
        return again


def _harmless(method: str) -> bool:
    return (
        method in table().read or method.endswith((".enable", ".disable")) or sets_something(method)
    )
