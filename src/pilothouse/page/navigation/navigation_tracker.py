"""How a tab's main frame goes from document to document. Pure; fed with CDP events.

Event order of each kind of navigation, recorded with Chromium 156 ([reply] is the reply to our
command):

    document       started -> request -> (redirects) -> response -> [reply] -> navigated -> loaded
    error page     started -> request -> failed -> navigated (to `unreachableUrl`) -> loaded
    no content     started -> request -> response 204 -> failed, cancelled -> [reply with error]
    download       started -> request -> response -> failed, cancelled -> [reply] -> will begin
    same document  started (asked for) or nothing (by script) -> [reply] -> navigated within
    from the back/forward cache  started -> navigated, with the old document's loader; no loading

Must not know: who waits for a navigation, and how long.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from pilothouse.page.navigation.requests_in_flight import QUIET_S, InFlightRequests

__all__ = [
    "EVENTS",
    "NEVER",
    "STATES",
    "FrameNavigation",
    "NavigationOutcome",
    "NavigationTracker",
    "Redirect",
    "url_with_fragment",
]

# States that goto can wait for. Here `settled` equals `load`; the rest of it needs the document.
STATES = ("commit", "domcontentloaded", "load", "networkidle2", "networkidle0", "settled")

EVENTS = (
    "Page.downloadWillBegin",
    "Page.frameNavigated",
    "Page.frameRequestedNavigation",
    "Page.frameStartedNavigating",
    "Page.lifecycleEvent",
    "Page.navigatedWithinDocument",
)

_NO_CONTENT = (204, 205)
_PARSED_EVENTS = frozenset({"DOMContentLoaded", "load"})
_SHOWS_DOCUMENT = ("document", "error_page")
# After these results the previous page is still shown.
_STAYS_ON_PAGE = ("aborted", "pending")
NEVER = float("inf")

Params = Mapping[str, Any]


class Redirect(msgspec.Struct, frozen=True):
    """A redirect on the way, by the `server` or by the `page` itself."""

    url: str
    status: int
    by: str = "server"


class NavigationOutcome(msgspec.Struct, frozen=True):
    """How a navigation ended.

    `kind` is one of:
    - document, same_document, download, no_content, error_page
    - aborted: it was stopped or refused
    - pending: it had not committed at the deadline

    After aborted and pending the previous page is still shown, with its `url` and `title`;
    `asked` is the URL it was to go to. `loaded` is the state that was waited for; after a
    timeout it is the last of `STATES` that was reached, or "". `hanging` lists the requests
    that were pending then.
    """

    url: str
    kind: str
    status: int = 0
    title: str = ""
    redirects: tuple[Redirect, ...] = ()
    error: str = ""
    loaded: str = ""
    timed_out: bool = False
    hanging: tuple[str, ...] = ()
    filename: str = ""
    from_cache: bool = False
    asked: str = ""
    # Path of a download's file, if it was known in time.
    path: str = ""


class FrameNavigation(msgspec.Struct):
    """One navigation of the main frame; `ended` has the values of `NavigationOutcome.kind`."""

    loader: str
    url: str
    type: str = "differentDocument"
    status: int = 0
    redirects: list[Redirect] = msgspec.field(default_factory=list)
    error: str = ""
    ended: str = ""
    ended_at: float = 0.0
    document: str = ""
    filename: str = ""
    from_cache: bool = False

    @property
    def is_same_document(self) -> bool:
        """Whether it stays in its document."""
        return "ameDocument" in self.type


class NavigationTracker:
    """Tracks the navigations of a tab's main frame from its creation on."""

    def __init__(self, frame: str, url: str = "") -> None:
        self.frame = frame
        self.url = url
        self.navigations: list[FrameNavigation] = []
        self.requested = ""
        self.same_document_moves = 0
        self.frames: set[str] = set()
        self.in_flight = InFlightRequests()
        self._lifecycle_events: dict[str, set[str]] = {}
        self._selected = 0

    # Events.

    def handle_event(self, method: str, params: Params, session: str, at: float) -> None:
        """Take one event of the tab's sessions into account."""
        self.in_flight.handle_event(method, params, session, at)
        if method.startswith("Network."):
            self._on_network_event(method, params, at)
            return
        frame = params["frame"]["id"] if method == "Page.frameNavigated" else params.get("frameId")
        if frame != self.frame:
            if method == "Page.frameStartedNavigating":
                self.frames.add(params["frameId"])
            return
        match method:
            case "Page.frameRequestedNavigation" if params.get("disposition") == "currentTab":
                self.requested = params["url"]
            case "Page.frameStartedNavigating":
                self._on_started(params)
            case "Page.frameNavigated":
                self._on_navigated(params, at)
            case "Page.navigatedWithinDocument":
                self._on_same_document(params["url"])
            case "Page.lifecycleEvent":
                self._lifecycle_events.setdefault(params["loaderId"], set()).add(params["name"])
            case "Page.downloadWillBegin":
                self._on_download(params)

    def _on_started(self, params: Params) -> None:
        self.requested = ""
        navigation = FrameNavigation(
            params["loaderId"], params["url"], params.get("navigationType", "")
        )
        before = self.current
        if before is not None and not before.is_same_document and not navigation.is_same_document:
            before.ended = "aborted"  # a frame has one pending navigation at a time
        self.navigations.append(navigation)

    def _on_network_event(self, method: str, params: Params, at: float) -> None:
        navigation = self._find_navigation(params.get("requestId", ""))
        if navigation is None:
            return
        if method == "Network.requestWillBeSent":
            answered = params.get("redirectResponse")
            if answered is not None:
                navigation.redirects.append(Redirect(navigation.url, answered["status"]))
            navigation.url = url_with_fragment(params["request"])
        elif method == "Network.responseReceived":
            navigation.status = params["response"]["status"]
        elif method == "Network.loadingFailed" and not navigation.ended:
            navigation.error = params.get("errorText", "")
            if params.get("canceled"):
                navigation.ended = "no_content" if navigation.status in _NO_CONTENT else "aborted"
                navigation.ended_at = at

    def _on_navigated(self, params: Params, at: float) -> None:
        shown = params["frame"]
        self.requested = ""
        navigation = self._find_navigation(shown["loaderId"]) or self.current
        if navigation is None or navigation.is_same_document:
            navigation = FrameNavigation(shown["loaderId"], url_with_fragment(shown))
            self.navigations.append(navigation)
        navigation.document = shown["loaderId"]
        unreachable = shown.get("unreachableUrl")
        navigation.ended = "error_page" if unreachable else "document"
        navigation.url = self.url = unreachable or url_with_fragment(shown)
        navigation.from_cache = params.get("type") == "BackForwardCacheRestore"
        if navigation.from_cache:
            self._lifecycle_events[navigation.document] = set(_PARSED_EVENTS)
        if not unreachable:
            navigation.error = ""
        self.in_flight.on_commit(navigation.document, at)

    def _on_same_document(self, url: str) -> None:
        self.url = url
        self.same_document_moves += 1
        self.requested = ""
        for navigation in self.navigations:
            if navigation.is_same_document and not navigation.ended:
                navigation.ended, navigation.url = "same_document", url

    def _on_download(self, params: Params) -> None:
        self.requested = ""
        navigation = next(
            (t for t in reversed(self.navigations) if t.ended in ("", "aborted")), None
        )
        if navigation is None:
            navigation = FrameNavigation("", params["url"])
            self.navigations.append(navigation)
        navigation.ended, navigation.error = "download", ""
        navigation.filename = params.get("suggestedFilename", "")

    def _find_navigation(self, loader: str) -> FrameNavigation | None:
        return next((t for t in reversed(self.navigations) if t.loader == loader and loader), None)

    # The reply to our command selects the navigation to wait for.

    def select_loader(self, loader: str) -> None:
        """Select the navigation with this loader."""
        for index, navigation in enumerate(self.navigations):
            if navigation.loader == loader:
                self._selected = index

    def select_type(self, *kinds: str) -> None:
        """Select the first navigation of these types, or the next one to start."""
        begun = [
            index
            for index, navigation in enumerate(self.navigations)
            if navigation.type.startswith(kinds)
        ]
        self._selected = begun[0] if begun else len(self.navigations)

    def select_same_document(self, url: str) -> None:
        """Select the navigation that stays in its document."""
        inside = [
            index
            for index, navigation in enumerate(self.navigations)
            if navigation.is_same_document
        ]
        if not inside:
            inside = [len(self.navigations)]
            ended = "same_document" if self.same_document_moves else ""
            self.navigations.append(FrameNavigation("", url, "sameDocument", ended=ended))
        self._selected = inside[-1]

    def fail_selected(self, error: str, *, download: bool) -> None:
        """Record that, by the reply, the selected navigation shows no document."""
        navigation = (
            self.navigations[self._selected] if self._selected < len(self.navigations) else None
        )
        if navigation is None:
            navigation = FrameNavigation("", self.url)
            self.navigations.append(navigation)
        navigation.error = "" if download else error
        if download:
            navigation.ended = "download"
        elif not navigation.ended and error == "net::ERR_ABORTED":
            navigation.ended = "no_content" if navigation.status in _NO_CONTENT else "aborted"

    # Results.

    @property
    def current(self) -> FrameNavigation | None:
        """The navigation in progress, if any."""
        return self.navigations[-1] if self.navigations and not self.navigations[-1].ended else None

    def chain(self) -> list[FrameNavigation]:
        """Return the selected navigation and those that replaced it; the last one counts."""
        chosen = self.navigations[self._selected :]
        chain = chosen[:1]
        for navigation in chosen[1:]:
            replaces = navigation.ended in _SHOWS_DOCUMENT or (
                not navigation.ended and not navigation.is_same_document
            )
            # A loaded document stays the result while its successor has only been requested.
            if replaces and (navigation.ended or chain[-1].ended == "aborted"):
                chain.append(navigation)
        return chain

    def lifecycle_events(self) -> set[str]:
        """Return the lifecycle event names of the document that is shown."""
        chain = self.chain()
        return self._lifecycle_events.get(chain[-1].document, set()) if chain else set()

    def seconds_until(self, state: str, now: float) -> float:
        """Return 0 if the selected navigation has ended or its document has reached `state`.

        Otherwise returns in how many seconds it may, if nothing more happens.
        """
        chain = self.chain()
        if not chain or not chain[-1].ended:
            return NEVER
        if chain[-1].ended not in _SHOWS_DOCUMENT:
            return 0.0
        marks = self.lifecycle_events()
        match state:
            case "commit":
                return 0.0
            case "domcontentloaded":
                return 0.0 if marks & _PARSED_EVENTS else NEVER
            case "load" | "settled":
                return 0.0 if "load" in marks else NEVER
        if not marks & _PARSED_EVENTS:
            return NEVER
        return self.in_flight.seconds_until_quiet(0 if state == "networkidle0" else 2, QUIET_S, now)

    def reached_state(self, now: float) -> str:
        """Return the last of `STATES` that the document has reached, or ""."""
        chain = self.chain()
        if not chain or chain[-1].ended not in _SHOWS_DOCUMENT:
            return ""
        seen = [state for state in STATES[:-1] if self.seconds_until(state, now) == 0.0]
        # Network idle before `load` does not count as a later state than `load`.
        if "load" not in seen:
            seen = [state for state in seen if not state.startswith("network")]
        return seen[-1] if seen else ""

    def result(
        self, state: str, now: float, *, timed_out: bool, title: str = ""
    ) -> NavigationOutcome:
        """Return the result for a caller that waited for `state`."""
        chain = self.chain()
        last = chain[-1] if chain else FrameNavigation("", self.requested or self.url)
        redirects: list[Redirect] = []
        for navigation in chain:
            redirects += navigation.redirects
            if navigation is not last and navigation.ended in _SHOWS_DOCUMENT:
                redirects.append(Redirect(navigation.url, navigation.status, "page"))
        kind = last.ended or "pending"
        stays_on_page = kind in _STAYS_ON_PAGE
        return NavigationOutcome(
            url=self.url if stays_on_page or kind in ("document", "same_document") else last.url,
            kind=kind,
            status=last.status,
            title=title,
            redirects=tuple(redirects),
            error=last.error,
            loaded=self.reached_state(now) if timed_out or kind not in _SHOWS_DOCUMENT else state,
            timed_out=timed_out,
            hanging=tuple(self.in_flight.describe_pending(now)) if timed_out else (),
            filename=last.filename,
            from_cache=last.from_cache,
            asked=last.url if stays_on_page else "",
        )


def url_with_fragment(place: Params) -> str:
    """Return the full URL of a frame or request: Chrome gives the fragment separately."""
    return str(place.get("url", "")) + str(place.get("urlFragment", ""))
