"""Dialogs of a fake Chrome's tab, opened and closed as Chromium reports them.

Knows: the events. Must not know: what is asserted.
"""

from __future__ import annotations

from pilothouse.supervisor import Dialog, Supervisor
from tests.fake_chrome import FakeChrome

__all__ = ["WITHIN_S", "close_dialog", "open_dialog"]

WITHIN_S = 10.0


async def open_dialog(chrome: FakeChrome, sup: Supervisor, tab: str, type: str) -> Dialog:
    """Let the page of a tab ask "sure?"; returns when the supervisor knows."""
    opening = {
        "url": "about:blank",
        "frameId": sup.state.tabs[tab].target_id,
        "message": "sure?",
        "type": type,
        "hasBrowserHandler": True,
    }
    chrome.emit("Page.javascriptDialogOpening", opening, sup.session(tab).id)
    return await sup.wait_for(
        lambda s: next((d for d in s.dialogs.values() if d.tab == tab), None), WITHIN_S
    )


def close_dialog(chrome: FakeChrome, sup: Supervisor, tab: str, *, accepted: bool) -> None:
    """Report that the tab's dialog closed."""
    frame = sup.state.tabs[tab].target_id
    closed = {"frameId": frame, "result": accepted, "userInput": ""}
    chrome.emit("Page.javascriptDialogClosed", closed, sup.session(tab).id)
