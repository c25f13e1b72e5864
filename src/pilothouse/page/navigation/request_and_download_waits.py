"""Waits for requests, responses and downloads.

For the `wait` verb. A call that arms a wait before its own action uses
page/network/request_log.py.

Knows: the events of these in every session of a tab. Must not know: documents.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import msgspec

from pilothouse.cdp import Event, SessionId
from pilothouse.cdp.protocol import Page
from pilothouse.errors import plural
from pilothouse.page.input import is_download_settled
from pilothouse.page.navigation.tab_event_listener import TabEventListener
from pilothouse.page.navigation.url_arguments import Pattern, describe_pattern, pattern_matcher
from pilothouse.page.navigation.wait_and_frame_poller import Wait
from pilothouse.page.tab_context import TabContext
from pilothouse.supervisor import State

__all__ = ["DownloadResult", "Exchange", "RequestFilter", "download_wait", "network_wait"]

_EVENTS = ("Network.requestWillBeSent", "Network.responseReceived")

# The page's event for a finished download may precede the browser's, which has its path.
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


class DownloadResult(msgspec.Struct, frozen=True):
    """A download; `path` is set if the browser saves downloads."""

    guid: str
    url: str
    filename: str
    state: str
    path: str = ""


RequestFilter = Pattern | Callable[[Exchange], bool]


def network_wait(
    context: TabContext, kind: str, wanted: RequestFilter, timeout: float, network: set[SessionId]
) -> Wait[Exchange]:
    """Return a wait for a `request` or a `response` of any frame."""
    matches_url = wanted if callable(wanted) else _match_url(wanted)
    hint = f"start the wait before the {kind}; the list of requests has earlier ones"
    wait: Wait[Exchange] = Wait(
        context, f"a {kind} to {describe_pattern(wanted)}", timeout, hint=hint
    )
    wait.seen = f"there was no {kind}"
    methods: dict[str, str] = {}
    others = 0

    def on_event(method: str, params: Mapping[str, Any], session: SessionId, _: float) -> None:
        nonlocal others
        exchange = _make_exchange(method, params, session, methods)
        # Both events arrive here; only those of the wanted kind count.
        if (exchange.status == 0) != (kind == "request"):
            return
        try:
            matches = matches_url(exchange)
        except Exception as error:  # noqa: BLE001 - the caller's predicate; the caller gets the error
            wait.fail(error)
            return
        if matches:
            wait.resolve(exchange)
        else:
            others += 1
            wait.seen = f"{plural(others, 'other')}, the last to {exchange.url[:200]}"

    listener = TabEventListener(context, _EVENTS, on_event, network=network)
    wait.on_end(listener.close)
    return wait


def _match_url(pattern: Pattern) -> Callable[[Exchange], bool]:
    matches_url = pattern_matcher(pattern)
    return lambda exchange: matches_url(exchange.url)


def _make_exchange(
    method: str, params: Mapping[str, Any], session: SessionId, methods: dict[str, str]
) -> Exchange:
    """Convert one event for predicates; `methods` remembers each request's HTTP method."""
    key, frame, kind = params["requestId"], params.get("frameId", ""), params.get("type", "")
    if method == "Network.requestWillBeSent":
        request = params["request"]
        methods[key] = request["method"]
        url = request["url"] + request.get("urlFragment", "")
        sent, post = request.get("headers", {}), request.get("postData", "")
        return Exchange(key, url, methods[key], kind, frame, session, sent, 0, post)
    response = params["response"]
    headers, status = response.get("headers", {}), response["status"]
    http_method = methods.get(key, "")
    return Exchange(key, response["url"], http_method, kind, frame, session, headers, status)


def download_wait(context: TabContext, until: str, timeout: float) -> Wait[DownloadResult]:
    """Return a wait for the first download that starts in the tab or in a popup of it."""
    hint = "start the wait before the download; the list of downloads has earlier ones"
    wait: Wait[DownloadResult] = Wait(context, "a download", timeout, hint=hint)
    wait.seen = "none started"
    follower = _DownloadFollower(context, wait, until)
    # Listen on all sessions: a link may open a new tab for its file.
    connection = context.supervisor.connection
    wait.on_end(connection.on(Page.downloadWillBegin, follower.on_begin))
    wait.on_end(connection.on(Page.downloadProgress, follower.on_progress))
    return wait


class _DownloadFollower:
    """Follows the first download of a tab and resolves the wait."""

    def __init__(self, context: TabContext, wait: Wait[DownloadResult], until: str) -> None:
        self._context = context
        self._wait = wait
        self._until = until
        self._start_event: Mapping[str, Any] = {}

    def on_begin(self, event: Event[Any]) -> None:
        tab = self._context.supervisor.state.tab_of(event.session_id)
        is_ours = tab is not None and self._context.tab_id in (tab.id, tab.opener)
        if self._start_event or not is_ours:
            return
        self._start_event = event.params
        self._wait.seen = f"{self._name()!r} started"
        if self._until == "begun":
            self._wait.resolve(self._make_result("inProgress", ""))

    def on_progress(self, event: Event[Any]) -> None:
        if not self._start_event or event.params["guid"] != self._start_event["guid"]:
            return
        received, state = event.params.get("receivedBytes", 0), event.params["state"]
        self._wait.seen = f"{self._name()!r}: {received:g} bytes so far"
        if state != "inProgress":
            self._wait.start(lambda: self._finish(state))

    async def _finish(self, state: str) -> None:
        supervisor, guid = self._context.supervisor, self._start_event["guid"]

        def known(now: State) -> str | None:
            download = now.downloads.get(guid)
            keeps = supervisor.names_downloads
            return "" if download and not is_download_settled(download, keeps=keeps) else "over"

        try:
            await supervisor.wait_for(known, PATH_WITHIN_S)
        except TimeoutError:
            self._wait.seen += "; the browser does not report its path"
        download = supervisor.state.downloads.get(guid)
        path = download.saved or download.path if download else ""
        self._wait.resolve(self._make_result(state, path))

    def _name(self) -> str:
        return str(self._start_event.get("suggestedFilename", ""))

    def _make_result(self, state: str, path: str) -> DownloadResult:
        return DownloadResult(
            self._start_event["guid"], self._start_event["url"], self._name(), state, path
        )
