"""How one tab's main frame goes from document to document: pure, fed with Chrome's events.

Knows: the order of events of every kind of navigation, which is (recorded, Chromium 156):

    document       started -> request -> (redirects) -> response -> [reply] -> navigated -> loaded
    error page     started -> request -> failed -> navigated (to `unreachableUrl`) -> loaded
    no content     started -> request -> response 204 -> failed, cancelled -> [reply with error]
    download       started -> request -> response -> failed, cancelled -> [reply] -> will begin
    same document  started (asked for) or nothing (by script) -> [reply] -> navigated within
    from the back/forward cache  started -> navigated, with the old document's loader; no loading

Must not know: who waits for it, and how long.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from pilothouse.page.navigation.in_flight import QUIET_S, InFlight

__all__ = ["EVENTS", "NEVER", "STATES", "Arrival", "Load", "Redirect", "Trip", "address_shown"]

# What a goto can wait for. `settled` is `load` here: the rest of it needs the document itself.
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
_LOADED = frozenset({"DOMContentLoaded", "load"})
_SHOWN = ("document", "error_page")
# After these the page from before is still there.
_NOT_GONE = ("aborted", "pending")
NEVER = float("inf")

Params = Mapping[str, Any]


class Redirect(msgspec.Struct, frozen=True):
    """A stop on the way: who sent the browser on is the `server` or the `page` itself."""

    url: str
    status: int
    by: str = "server"


class Arrival(msgspec.Struct, frozen=True):
    """Where a navigation ended.

    `kind`: document, same_document, download, no_content, error_page; aborted when it was stopped
    or refused; pending when it had not even begun to show at the deadline. After these two the
    page from before is still there, with its `url` and `title`; `asked` is where it was to go.
    `loaded` is the state that was waited for; when that timed out the last of `STATES` that was
    reached, or "".
    `hanging` are the requests that were not answered then.
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
    # Of a download: where its file is, if that was known in time.
    path: str = ""


class Trip(msgspec.Struct):
    """One navigation of the main frame; `ended` says how, as `Arrival.kind` does."""

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
    def within(self) -> bool:
        """Whether it stays in its document."""
        return "ameDocument" in self.type


class Load:
    """What the main frame of a tab has done since this was made."""

    def __init__(self, frame: str, url: str = "") -> None:
        self.frame = frame
        self.url = url
        self.trips: list[Trip] = []
        self.requested = ""
        self.moves = 0
        self.frames: set[str] = set()
        self.traffic = InFlight()
        self._marks: dict[str, set[str]] = {}
        self._first = 0

    # What happens.

    def hear(self, method: str, params: Params, session: str, at: float) -> None:
        """Take one event of the tab's sessions."""
        self.traffic.hear(method, params, session, at)
        if method.startswith("Network."):
            self._network(method, params, at)
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
                self._started(params)
            case "Page.frameNavigated":
                self._navigated(params, at)
            case "Page.navigatedWithinDocument":
                self._moved(params["url"])
            case "Page.lifecycleEvent":
                self._marks.setdefault(params["loaderId"], set()).add(params["name"])
            case "Page.downloadWillBegin":
                self._download(params)

    def _started(self, params: Params) -> None:
        self.requested = ""
        trip = Trip(params["loaderId"], params["url"], params.get("navigationType", ""))
        before = self.going
        if before is not None and not before.within and not trip.within:
            before.ended = "aborted"  # a frame goes to one place at a time
        self.trips.append(trip)

    def _network(self, method: str, params: Params, at: float) -> None:
        trip = self._trip(params.get("requestId", ""))
        if trip is None:
            return
        if method == "Network.requestWillBeSent":
            answered = params.get("redirectResponse")
            if answered is not None:
                trip.redirects.append(Redirect(trip.url, answered["status"]))
            trip.url = address_shown(params["request"])
        elif method == "Network.responseReceived":
            trip.status = params["response"]["status"]
        elif method == "Network.loadingFailed" and not trip.ended:
            trip.error = params.get("errorText", "")
            if params.get("canceled"):
                trip.ended = "no_content" if trip.status in _NO_CONTENT else "aborted"
                trip.ended_at = at

    def _navigated(self, params: Params, at: float) -> None:
        shown = params["frame"]
        self.requested = ""
        trip = self._trip(shown["loaderId"]) or self.going
        if trip is None or trip.within:
            trip = Trip(shown["loaderId"], address_shown(shown))
            self.trips.append(trip)
        trip.document = shown["loaderId"]
        unreachable = shown.get("unreachableUrl")
        trip.ended = "error_page" if unreachable else "document"
        trip.url = self.url = unreachable or address_shown(shown)
        trip.from_cache = params.get("type") == "BackForwardCacheRestore"
        if trip.from_cache:
            self._marks[trip.document] = set(_LOADED)
        if not unreachable:
            trip.error = ""
        self.traffic.committed(trip.document, at)

    def _moved(self, url: str) -> None:
        self.url = url
        self.moves += 1
        self.requested = ""
        for trip in self.trips:
            if trip.within and not trip.ended:
                trip.ended, trip.url = "same_document", url

    def _download(self, params: Params) -> None:
        self.requested = ""
        trip = next((t for t in reversed(self.trips) if t.ended in ("", "aborted")), None)
        if trip is None:
            trip = Trip("", params["url"])
            self.trips.append(trip)
        trip.ended, trip.error = "download", ""
        trip.filename = params.get("suggestedFilename", "")

    def _trip(self, loader: str) -> Trip | None:
        return next((t for t in reversed(self.trips) if t.loader == loader and loader), None)

    # What the command's answer adds.

    def chose(self, loader: str) -> None:
        """The navigation that is waited for is the one with this loader."""
        for index, trip in enumerate(self.trips):
            if trip.loader == loader:
                self._first = index

    def chose_kind(self, *kinds: str) -> None:
        """The one that is waited for is the first of these types, or the next to begin."""
        begun = [index for index, trip in enumerate(self.trips) if trip.type.startswith(kinds)]
        self._first = begun[0] if begun else len(self.trips)

    def chose_within(self, url: str) -> None:
        """The one that is waited for stays in its document."""
        inside = [index for index, trip in enumerate(self.trips) if trip.within]
        if not inside:
            inside = [len(self.trips)]
            ended = "same_document" if self.moves else ""
            self.trips.append(Trip("", url, "sameDocument", ended=ended))
        self._first = inside[-1]

    def refused(self, error: str, *, download: bool) -> None:
        """The answer says that the chosen navigation shows nothing."""
        trip = self.trips[self._first] if self._first < len(self.trips) else None
        if trip is None:
            trip = Trip("", self.url)
            self.trips.append(trip)
        trip.error = "" if download else error
        if download:
            trip.ended = "download"
        elif not trip.ended and error == "net::ERR_ABORTED":
            trip.ended = "no_content" if trip.status in _NO_CONTENT else "aborted"

    # What is true.

    @property
    def going(self) -> Trip | None:
        """The navigation that is on its way."""
        return self.trips[-1] if self.trips and not self.trips[-1].ended else None

    def course(self) -> list[Trip]:
        """The chosen navigation and those that took its place; the last one counts."""
        chosen = self.trips[self._first :]
        course = chosen[:1]
        for trip in chosen[1:]:
            replaces = trip.ended in _SHOWN or (not trip.ended and not trip.within)
            # A document that has loaded stays the answer while its successor is only asked for.
            if replaces and (trip.ended or course[-1].ended == "aborted"):
                course.append(trip)
        return course

    def marks(self) -> set[str]:
        """The lifecycle names of the document that is shown."""
        course = self.course()
        return self._marks.get(course[-1].document, set()) if course else set()

    def due(self, state: str, now: float) -> float:
        """0 if the chosen navigation has come to an end or its document to `state`; else in how
        many seconds it may have, if nothing more happens."""
        course = self.course()
        if not course or not course[-1].ended:
            return NEVER
        if course[-1].ended not in _SHOWN:
            return 0.0
        marks = self.marks()
        match state:
            case "commit":
                return 0.0
            case "domcontentloaded":
                return 0.0 if marks & _LOADED else NEVER
            case "load" | "settled":
                return 0.0 if "load" in marks else NEVER
        if not marks & _LOADED:
            return NEVER
        return self.traffic.due(0 if state == "networkidle0" else 2, QUIET_S, now)

    def reached(self, now: float) -> str:
        """The last of `STATES` that the document has come to, or ""."""
        course = self.course()
        if not course or course[-1].ended not in _SHOWN:
            return ""
        seen = [state for state in STATES[:-1] if self.due(state, now) == 0.0]
        # A quiet network before `load` is no later state than `load`.
        if "load" not in seen:
            seen = [state for state in seen if not state.startswith("network")]
        return seen[-1] if seen else ""

    def arrival(self, state: str, now: float, *, timed_out: bool, title: str = "") -> Arrival:
        """The navigation as it is reported to who waited for `state`."""
        course = self.course()
        last = course[-1] if course else Trip("", self.requested or self.url)
        stops: list[Redirect] = []
        for trip in course:
            stops += trip.redirects
            if trip is not last and trip.ended in _SHOWN:
                stops.append(Redirect(trip.url, trip.status, "page"))
        kind = last.ended or "pending"
        stays = kind in _NOT_GONE
        return Arrival(
            url=self.url if stays or kind in ("document", "same_document") else last.url,
            kind=kind,
            status=last.status,
            title=title,
            redirects=tuple(stops),
            error=last.error,
            loaded=self.reached(now) if timed_out or kind not in _SHOWN else state,
            timed_out=timed_out,
            hanging=tuple(self.traffic.hanging(now)) if timed_out else (),
            filename=last.filename,
            from_cache=last.from_cache,
            asked=last.url if stays else "",
        )


def address_shown(place: Params) -> str:
    """The whole address of a frame or a request: Chrome gives the fragment apart."""
    return str(place.get("url", "")) + str(place.get("urlFragment", ""))
