"""Navigations that wait for a server. Meanwhile Chromium queues the commands sent to the renderer.

Knows: the events from a navigation's start to its commit (docs/cdp/held-while-navigating.md). Must
not know: who waits, or how long. Pure: fed with Chrome's events, in order.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

import msgspec

from pilothouse.cdp.message import SessionId

__all__ = [
    "NAVIGATION_METHODS",
    "REQUEST_METHODS",
    "PendingNavigation",
    "PendingNavigations",
    "describe_pending_navigation",
]

NAVIGATION_METHODS = frozenset(
    {
        "Inspector.targetCrashed",
        "Page.frameNavigated",
        "Page.frameStartedNavigating",
        "Page.frameStoppedLoading",
        "Target.detachedFromTarget",
    }
)
# Frequent events: read only while a navigation is pending.
REQUEST_METHODS = frozenset(
    {"Network.loadingFailed", "Network.requestWillBeSent", "Network.responseReceived"}
)

Params = Mapping[str, Any]


class PendingNavigation(msgspec.Struct):
    """A navigation of a session's root frame that has not committed yet. `answered`: the server has
    responded, and only the renderer has to commit."""

    loader: str
    url: str
    since: float
    answered: bool = False
    # Whether `requestWillBeSent` came; the end of that request then ends the wait.
    requested: bool = False


class PendingNavigations:
    """The pending navigations of one browser, by the session whose commands they hold back."""

    def __init__(self) -> None:
        self._pending: dict[SessionId, PendingNavigation] = {}

    def __len__(self) -> int:
        return len(self._pending)

    def get(self, session: SessionId) -> PendingNavigation | None:
        """Return the pending navigation of a session's root frame, if any."""
        return self._pending.get(session)

    def waiting_for_server(self, session: SessionId) -> PendingNavigation | None:
        """Return the pending navigation if its server has not responded: until then silence of the
        renderer means nothing."""
        pending = self._pending.get(session)
        return pending if pending is not None and not pending.answered else None

    def clear(self) -> None:
        """Forget all navigations: the connection dropped, and their events with it."""
        self._pending.clear()

    def feed(self, method: str, params: Params, session: SessionId, root: str, at: float) -> None:
        """Take one of Chrome's events. `root` is the session's root frame; navigations of its child
        frames do not block commands."""
        match method:
            case "Page.frameStartedNavigating" if params["frameId"] == root:
                if "ameDocument" not in params.get("navigationType", ""):
                    loader, url = params["loaderId"], params["url"]
                    self._pending[session] = PendingNavigation(loader, url, at)
            case "Page.frameNavigated" if params["frame"]["id"] == root:
                self._pending.pop(session, None)
            case "Page.frameStoppedLoading" if params["frameId"] == root:
                # Ignore the previous document finishing its load once our request is out.
                pending = self._pending.get(session)
                if pending is not None and not pending.requested:
                    del self._pending[session]
            case "Inspector.targetCrashed":
                self._pending.pop(session, None)
            case "Target.detachedFromTarget":
                self._pending.pop(SessionId(params["sessionId"]), None)
            case _ if method in REQUEST_METHODS:
                self._request(method, params)

    def _request(self, method: str, params: Params) -> None:
        loader = params.get("requestId")
        for session, pending in list(self._pending.items()):
            if pending.loader != loader:
                continue
            match method:
                case "Network.requestWillBeSent":
                    pending.requested, pending.url = True, params["request"]["url"]
                case "Network.responseReceived":
                    pending.answered = True
                case "Network.loadingFailed" if params.get("canceled"):
                    del self._pending[session]
                case "Network.loadingFailed":
                    pending.answered = True  # an error page is to come


def describe_pending_navigation(pending: PendingNavigation, now: float) -> str:
    """Describe what a call on the tab waits for, for progress messages and errors."""
    split = urlsplit(pending.url)
    return f"waiting for {split.netloc or pending.url[:80]}, {now - pending.since:.0f} s"
