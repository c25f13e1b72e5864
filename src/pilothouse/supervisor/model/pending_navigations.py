"""Navigations that wait for a server: meanwhile Chromium holds back what the renderer is sent.

Knows: the events from a navigation's start to its commit (docs/cdp/held-while-navigating.md). Must
not know: who waits, or how long. Pure: fed with Chrome's events, in their order.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

import msgspec

from pilothouse.cdp.message import SessionId

__all__ = ["METHODS", "WHILE_PENDING", "Navigations", "Pending", "waiting_words"]

METHODS = frozenset(
    {
        "Inspector.targetCrashed",
        "Page.frameNavigated",
        "Page.frameStartedNavigating",
        "Page.frameStoppedLoading",
        "Target.detachedFromTarget",
    }
)
# Chatty: these are read only while a navigation is pending.
WHILE_PENDING = frozenset(
    {"Network.loadingFailed", "Network.requestWillBeSent", "Network.responseReceived"}
)

Params = Mapping[str, Any]


class Pending(msgspec.Struct):
    """A navigation of a session's own frame that has not been committed yet. `answered`: the server
    has sent its response, and only the renderer is waited for."""

    loader: str
    url: str
    since: float
    answered: bool = False
    # Whether its request was told: then the request's end tells, too.
    requested: bool = False


class Navigations:
    """The pending navigations of one browser, by the session whose commands they hold back."""

    def __init__(self) -> None:
        self._pending: dict[SessionId, Pending] = {}

    def __len__(self) -> int:
        return len(self._pending)

    def of(self, session: SessionId) -> Pending | None:
        """The navigation that a session's frame has under way, if any."""
        return self._pending.get(session)

    def unanswered(self, session: SessionId) -> Pending | None:
        """The same, if its server has not answered: nothing can be known of the renderer then."""
        pending = self._pending.get(session)
        return pending if pending is not None and not pending.answered else None

    def clear(self) -> None:
        """The wire was lost: whatever happens now is not told."""
        self._pending.clear()

    def hear(self, method: str, params: Params, session: SessionId, root: str, at: float) -> None:
        """Take an event; `root` is the frame that the session is for. Frames below it navigate
        without holding anything back."""
        match method:
            case "Page.frameStartedNavigating" if params["frameId"] == root:
                if "ameDocument" not in params.get("navigationType", ""):
                    loader, url = params["loaderId"], params["url"]
                    self._pending[session] = Pending(loader, url, at)
            case "Page.frameNavigated" if params["frame"]["id"] == root:
                self._pending.pop(session, None)
            case "Page.frameStoppedLoading" if params["frameId"] == root:
                # The document before may finish loading meanwhile, which means nothing.
                pending = self._pending.get(session)
                if pending is not None and not pending.requested:
                    del self._pending[session]
            case "Inspector.targetCrashed":
                self._pending.pop(session, None)
            case "Target.detachedFromTarget":
                self._pending.pop(SessionId(params["sessionId"]), None)
            case _ if method in WHILE_PENDING:
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


def waiting_words(pending: Pending, now: float) -> str:
    """What a call on the tab waits for, for who asked."""
    split = urlsplit(pending.url)
    return f"waiting for {split.netloc or pending.url[:80]}, {now - pending.since:.0f} s"
