"""Requests in flight in a tab, and since when there are few of them. Pure.

Knows: Network events of all sessions of a tab. Must not know: what is waited for.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

__all__ = ["EVENTS", "QUIET_S", "InFlightRequests"]

# How long the number of requests must stay low before a page counts as quiet.
QUIET_S = 0.5

EVENTS = (
    "Network.dataReceived",
    "Network.loadingFailed",
    "Network.loadingFinished",
    "Network.requestWillBeSent",
    "Network.responseReceived",
    "Page.frameDetached",
    "Target.detachedFromTarget",
)

# A fetch whose body the page never reads does not end, and fetch streams stay open for hours. After
# its response only data that still arrives counts.
_ENDS_WITH_RESPONSE = "Fetch"

# Connections that stay open on purpose, beacons, and URLs that need no network.
_IGNORED_TYPES = frozenset({"EventSource", "Ping", "WebSocket", "CSPViolationReport"})
_LOCAL_SCHEMES = ("data:", "blob:")
# Type and initiator of favicon requests, which Chrome sends by itself at any time.
_FAVICON = ("Other", "other")

_MOST_LISTED = 5
NEVER = float("inf")

Params = Mapping[str, Any]


class _InFlightRequest(msgspec.Struct, frozen=True):
    url: str
    method: str
    loader: str
    frame: str
    session: str
    since: float


class InFlightRequests:
    """Requests that have started and not ended."""

    def __init__(self) -> None:
        self._requests: dict[tuple[str, str], _InFlightRequest] = {}
        self._responded: set[tuple[str, str]] = set()
        # Per limit: since when there are at most that many requests; None while there are more.
        self._quiet_since: dict[int, float | None] = {0: 0.0, 2: 0.0}

    def __len__(self) -> int:
        return len(self._requests)

    def handle_event(self, method: str, params: Params, session: str, at: float) -> None:
        """Take one CDP event into account."""
        match method:
            case "Network.requestWillBeSent":
                self._on_request(params, session, at)
            case "Network.loadingFinished" | "Network.loadingFailed":
                self._responded.discard((session, params["requestId"]))
                if self._requests.pop((session, params["requestId"]), None) is None:
                    # A document that moves to another process ends on that process's session.
                    self._drop(lambda key, _: key[1] == params["requestId"])
            case "Network.responseReceived" if params.get("type") in _IGNORED_TYPES:
                self._requests.pop((session, params["requestId"]), None)
            case "Network.responseReceived" if params.get("type") == _ENDS_WITH_RESPONSE:
                if self._requests.pop((session, params["requestId"]), None) is not None:
                    self._responded.add((session, params["requestId"]))
            case "Network.dataReceived":
                if (session, params["requestId"]) in self._responded:
                    self._update_quiet_times(at, restart=True)
                return
            case "Page.frameDetached" if params.get("reason") != "swap":
                self._drop(lambda _, request: request.frame == params["frameId"])
            case "Target.detachedFromTarget":
                self._drop(lambda _, request: request.session == params["sessionId"])
        self._update_quiet_times(at)

    def on_commit(self, loader: str, at: float) -> None:
        """Forget the requests of the old document: the main frame shows another one."""
        self._drop(lambda _, request: request.loader != loader)
        self._responded.clear()
        self._update_quiet_times(at, restart=True)

    def _on_request(self, params: Params, session: str, at: float) -> None:
        url = params["request"]["url"]
        if params.get("type") in _IGNORED_TYPES or url.startswith(_LOCAL_SCHEMES):
            return
        if (params.get("type"), params.get("initiator", {}).get("type")) == _FAVICON:
            return
        key = (session, params["requestId"])
        known = self._requests.get(key)
        self._requests[key] = _InFlightRequest(
            url,
            params["request"].get("method", "GET"),
            params.get("loaderId", ""),
            params.get("frameId", ""),
            session,
            known.since if known else at,
        )

    def _drop(self, gone: Any) -> None:
        for key, request in list(self._requests.items()):
            if gone(key, request):
                del self._requests[key]

    def _update_quiet_times(self, at: float, *, restart: bool = False) -> None:
        for limit, since in self._quiet_since.items():
            if len(self._requests) > limit:
                self._quiet_since[limit] = None
            elif since is None or restart:
                self._quiet_since[limit] = at

    def seconds_until_quiet(self, limit: int, quiet: float, now: float) -> float:
        """Return in how many seconds there will have been at most `limit` requests for `quiet`
        seconds.

        Assumes that nothing more happens; 0 if it is quiet already.
        """
        since = self._quiet_since[limit]
        return NEVER if since is None else max(0.0, since + quiet - now)

    def describe_pending(self, now: float) -> list[str]:
        """Return the pending requests as text, the oldest first."""
        oldest = sorted(self._requests.values(), key=lambda request: request.since)
        lines = [f"{r.method} {r.url[:200]} ({now - r.since:.1f} s)" for r in oldest[:_MOST_LISTED]]
        if len(oldest) > _MOST_LISTED:
            lines.append(f"and {len(oldest) - _MOST_LISTED} more")
        return lines
