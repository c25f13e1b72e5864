"""Waits for what the browser tells of requests and downloads.

Knows: the events of both, of every session of a tab. Must not know: documents.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import msgspec

from pilothouse.cdp import Event, SessionId
from pilothouse.cdp.protocol import Page
from pilothouse.page.input import is_settled
from pilothouse.page.navigation.tab_events import Ears
from pilothouse.page.navigation.urls import Pattern, address_matcher, shown_pattern
from pilothouse.page.navigation.wait import Wait
from pilothouse.page.tab_context import TabContext
from pilothouse.supervisor import State

__all__ = ["Downloaded", "Exchange", "Wanted", "download_wait", "traffic_wait"]

_EVENTS = ("Network.requestWillBeSent", "Network.responseReceived")

# The page's event of a finished download may come before the browser's, which has its path.
PATH_WITHIN_S = 2.0


class Exchange(msgspec.Struct, frozen=True):
    """A request, or the response to one; `status` is 0 for a request."""

    id: str
    url: str
    method: str
    type: str
    frame_id: str
    session_id: SessionId
    headers: Mapping[str, str]
    status: int = 0
    post_data: str = ""


class Downloaded(msgspec.Struct, frozen=True):
    """A download; `path` is known where downloads are kept."""

    guid: str
    url: str
    filename: str
    state: str
    path: str = ""


Wanted = Pattern | Callable[[Exchange], bool]


def traffic_wait(
    context: TabContext, kind: str, wanted: Wanted, timeout: float, network: set[SessionId]
) -> Wait[Exchange]:
    """A wait for a `request` or a `response` of any frame."""
    fits = wanted if callable(wanted) else _by_address(wanted)
    hint = f"only a {kind} during the wait counts; the list of requests has the earlier ones"
    wait: Wait[Exchange] = Wait(context, f"a {kind} to {shown_pattern(wanted)}", timeout, hint=hint)
    wait.seen = f"there was no {kind} at all"
    methods: dict[str, str] = {}
    others = 0

    def heard(method: str, params: Mapping[str, Any], session: SessionId, _: float) -> None:
        nonlocal others
        exchange = _exchange(method, params, session, methods)
        if (exchange.status == 0) != (kind == "request"):
            return
        try:
            matches = fits(exchange)
        except Exception as error:  # noqa: BLE001 - the caller's own code; it hears of it
            wait.fail(error)
            return
        if matches:
            wait.resolve(exchange)
        else:
            others += 1
            wait.seen = f"{others} others, the last to {exchange.url[:200]}"

    ears = Ears(context, _EVENTS, heard, network=network)
    wait.at_end(ears.close)
    wait.prepared(list(ears.replies))
    return wait


def _by_address(pattern: Pattern) -> Callable[[Exchange], bool]:
    fits = address_matcher(pattern)
    return lambda exchange: fits(exchange.url)


def _exchange(
    method: str, params: Mapping[str, Any], session: SessionId, methods: dict[str, str]
) -> Exchange:
    """One event as what predicates see; `methods` remembers how each was asked for."""
    key, frame, kind = params["requestId"], params.get("frameId", ""), params.get("type", "")
    if method == "Network.requestWillBeSent":
        request = params["request"]
        methods[key] = request["method"]
        url = request["url"] + request.get("urlFragment", "")
        sent, post = request.get("headers", {}), request.get("postData", "")
        return Exchange(key, url, methods[key], kind, frame, session, sent, 0, post)
    response = params["response"]
    headers, status = response.get("headers", {}), response["status"]
    asked = methods.get(key, "")
    return Exchange(key, response["url"], asked, kind, frame, session, headers, status)


def download_wait(context: TabContext, until: str, timeout: float) -> Wait[Downloaded]:
    """A wait for the first download that begins in the tab, or in a popup of its."""
    hint = "only a download that begins during the wait counts; the list of downloads has all"
    wait: Wait[Downloaded] = Wait(context, "a download", timeout, hint=hint)
    wait.seen = "none began"
    following = _Following(context, wait, until)
    # Of all sessions: a link may open a tab of its own for its file.
    connection = context.supervisor.connection
    wait.at_end(connection.on(Page.downloadWillBegin, following.began))
    wait.at_end(connection.on(Page.downloadProgress, following.moved))
    return wait


class _Following:
    def __init__(self, context: TabContext, wait: Wait[Downloaded], until: str) -> None:
        self._context = context
        self._wait = wait
        self._until = until
        self._begun: Mapping[str, Any] = {}

    def began(self, event: Event[Any]) -> None:
        tab = self._context.supervisor.state.tab_of(event.session_id)
        mine = tab is not None and self._context.tab_id in (tab.id, tab.opener)
        if self._begun or not mine:
            return
        self._begun = event.params
        self._wait.seen = f"{self._name()!r} began"
        if self._until == "begun":
            self._wait.resolve(self._download("inProgress", ""))

    def moved(self, event: Event[Any]) -> None:
        if not self._begun or event.params["guid"] != self._begun["guid"]:
            return
        received, state = event.params.get("receivedBytes", 0), event.params["state"]
        self._wait.seen = f"{self._name()!r}: {received:g} bytes so far"
        if state != "inProgress":
            self._wait.start(lambda: self._over(state))

    async def _over(self, state: str) -> None:
        supervisor, guid = self._context.supervisor, self._begun["guid"]

        def known(now: State) -> str | None:
            download = now.downloads.get(guid)
            keeps = supervisor.names_downloads
            return "" if download and not is_settled(download, keeps=keeps) else "over"

        try:
            await supervisor.wait_for(known, PATH_WITHIN_S)
        except TimeoutError:
            self._wait.seen += "; the browser does not say where it is"
        download = supervisor.state.downloads.get(guid)
        path = download.saved or download.path if download else ""
        self._wait.resolve(self._download(state, path))

    def _name(self) -> str:
        return str(self._begun.get("suggestedFilename", ""))

    def _download(self, state: str, path: str) -> Downloaded:
        return Downloaded(self._begun["guid"], self._begun["url"], self._name(), state, path)
