"""The network log of a tab: its requests, those in flight, and their bodies.

Knows: how to watch every session of the tab. Must not know: how to change requests (routes.py), or
what the events mean (requests_from_events.py).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Literal

import msgspec

from pilothouse.cdp import Command, Event, EventName, Session, SessionId
from pilothouse.cdp.armed_wait import ArmedWait
from pilothouse.cdp.protocol import Network
from pilothouse.errors import (
    CdpError,
    CommandFailed,
    CommandTimeout,
    ConnectionLost,
    PilothouseError,
    SessionGone,
    ToolError,
    WaitTimeout,
)
from pilothouse.page.network.log_entries import (
    NetworkEntry,
    PendingRequest,
    make_entry,
    make_filter,
    parse_entry_id,
)
from pilothouse.page.network.request_record_and_decoder import RequestRecord
from pilothouse.page.network.requests_from_events import DEFAULT_LIMIT, RequestLedger
from pilothouse.page.tab_context import TabContext
from pilothouse.supervisor import State
from pilothouse.supervisor.extra_session_setup import SessionHook
from pilothouse.supervisor.model import events as ev

__all__ = ["NETWORK_ENABLE", "Body", "NetworkExpectation", "NetworkLog"]

RequestEvent = Literal["request", "response", "end"]

BODY_WITHIN_S = 10.0
LARGEST_BODY = 8 * 1024**2

# Durable messages: the network service keeps bodies within these bounds, so they outlive their
# document.
NETWORK_ENABLE: Command[Any] = Command(
    "Network.enable",
    {
        "maxTotalBufferSize": 64 * 1024**2,
        "maxResourceBufferSize": LARGEST_BODY,
        "maxPostDataSize": 8 * 1024,
        "enableDurableMessages": True,
    },
)

_SOCKET_ANSWERED: EventName[Any] = EventName("Network.webSocketHandshakeResponseReceived")
_SOCKET_FAILED: EventName[Any] = EventName("Network.webSocketFrameError")
_REQUEST_EXTRA: EventName[Any] = EventName("Network.requestWillBeSentExtraInfo")
_RESPONSE_EXTRA: EventName[Any] = EventName("Network.responseReceivedExtraInfo")
_DATA: EventName[Any] = EventName("Network.dataReceived")


class Body(msgspec.Struct, frozen=True):
    """A body as Chrome returns it: text, or base64 of binary data."""

    text: str
    base64: bool
    mime: str = ""


class NetworkLog:
    """The requests of one tab since `start`."""

    def __init__(self, context: TabContext, limit: int = DEFAULT_LIMIT) -> None:
        self._context = context
        # The dialog bridge sends requests of its own; hide them.
        self._ledger = RequestLedger(limit, context.supervisor.setup.bridge_url)
        self._expectations: list[NetworkExpectation] = []
        # Functions that unsubscribe from each session.
        self._watched: dict[SessionId, list[Callable[[], None]]] = {}
        self._unobserve: Callable[[], None] | None = None

    # Start and stop.

    async def start(self) -> None:
        """Watch every session of the tab from now on, including later ones. Harmless to repeat."""
        if self._unobserve is not None:
            return
        self._unobserve = self._context.supervisor.observe(self._on_event)
        addition = SessionHook(commands=self._watch_session)
        try:
            await self._context.supervisor.session_hooks.put(
                self._context.tab_id, "network", addition
            )
        except PilothouseError:
            self._stop(CdpError("the network log could not be started"))
            raise

    async def close(self) -> None:
        """Stop watching and fail open expectations. Recorded requests stay readable."""
        await self._context.supervisor.session_hooks.remove(self._context.tab_id, "network")
        self._stop(CdpError("the network log was closed"))

    def _stop(self, why: CdpError) -> None:
        if self._unobserve is not None:
            self._unobserve()
            self._unobserve = None
        for session in list(self._watched):
            self._unwatch_session(session)
        self._fail_expectations(why)

    def _unwatch_session(self, session: SessionId) -> None:
        for unlisten in self._watched.pop(session, ()):
            unlisten()

    def _fail_expectations(self, why: CdpError) -> None:
        for expectation in list(self._expectations):
            expectation.fail(why)

    # Reading.

    @property
    def dropped(self) -> int:
        """How many requests are no longer remembered."""
        return self._ledger.dropped

    def entries(
        self,
        since: str | int | None = None,
        url: str = "",
        type: str = "",
        status: int | str | None = None,
        failed: bool | None = None,
    ) -> list[NetworkEntry]:
        """Return the matching requests after `since`, oldest first. Raises ToolError for bad
        filters."""
        matches = make_filter(url, type, status, failed)
        return [
            self._make_entry(r) for r in self._ledger.records(parse_entry_id(since)) if matches(r)
        ]

    def entry(self, entry_id: str | int) -> NetworkEntry:
        """Return one request by its id. Raises ToolError if it is not remembered."""
        return self._make_entry(self._find_record(entry_id))

    def in_flight(self) -> list[PendingRequest]:
        """Return the requests that have not ended, oldest first.

        Leaves out requests that nothing waits for: sockets, event streams, beacons, reports,
        favicons and URLs that never leave the browser.
        """
        return [
            PendingRequest(
                f"r{record.seq}",
                record.url,
                record.type,
                record.frame,
                record.started_at,
                record.heard_at,
                record.response is not None,
            )
            for record in self._ledger.open.values()
        ]

    @property
    def last_end(self) -> float:
        """When the last of those ended, by the supervisor's clock; 0 if none has."""
        return self._ledger.last_end

    def expect(
        self,
        predicate: Callable[[NetworkEntry], bool],
        kind: RequestEvent = "response",
        deadline: float = 30.0,
    ) -> NetworkExpectation:
        """Arm a wait for a request, its response or its end *before* the action that causes it."""
        return NetworkExpectation(self._expectations, predicate, kind, deadline)

    # Bodies.

    async def body(
        self,
        entry_id: str | int,
        *,
        max_bytes: int = LARGEST_BODY,
        deadline: float = BODY_WITHIN_S,
    ) -> Body:
        """Return the body of a response, waiting for its end. Raises ToolError if there is none."""
        record = self._find_record(entry_id)
        name = f"r{record.seq}"
        if record.redirected:
            raise ToolError(
                f"{name} is a redirect and has no body", hint="read the body of its next hop"
            )
        await self._wait_for_end(record, deadline)
        if record.response is None and record.failed:
            raise ToolError(f"{name} has no body: it failed ({record.failed})")
        if record.decoded_size > max_bytes:
            raise _too_large_error(name, record.decoded_size, max_bytes)
        command = Network.getResponseBody(requestId=record.request_id)
        try:
            reply = await self._session_of(record).send(command, deadline)
        except CommandFailed as error:
            raise ToolError(
                f"Chrome has no body for {name}, or no longer ({error.detail})",
                hint="read bodies sooner, or repeat the request with evaluate and fetch()",
            ) from error
        if len(reply["body"]) > max_bytes * (4 / 3 if reply["base64Encoded"] else 1):
            raise _too_large_error(name, len(reply["body"]), max_bytes)
        return Body(reply["body"], reply["base64Encoded"], record.mime)

    async def post_data(self, entry_id: str | int, deadline: float = BODY_WITHIN_S) -> str:
        """Return the body that a request sent; empty for none. Raises ToolError if it is gone."""
        record = self._find_record(entry_id)
        entry = self._make_entry(record)
        if not entry.has_post_data or entry.post_data is not None:
            return entry.post_data or ""
        command: Command[Any] = Command(
            "Network.getRequestPostData", {"requestId": record.request_id}
        )
        try:
            return str((await self._session_of(record).send(command, deadline))["postData"])
        except CommandFailed as error:
            raise ToolError(
                f"Chrome no longer has the request body of {entry.id} ({error.detail})",
                hint="repeat the request, and read it before the page navigates",
            ) from error

    async def _wait_for_end(self, record: RequestRecord, deadline: float) -> None:
        if record.ended_at:
            return
        name = f"r{record.seq}"
        try:
            await self.expect(lambda entry: entry.id == name, "end", deadline)
        except CommandTimeout as error:
            raise WaitTimeout(
                f"{name} has not ended after {deadline:g} s, so its body is incomplete",
                hint="use evaluate to read a stream in the page; it may never end",
            ) from error

    def _find_record(self, entry_id: str | int) -> RequestRecord:
        found = self._ledger.record(parse_entry_id(entry_id))
        if found is None:
            first, last = self._ledger.dropped + 1, self._ledger.count
            raise ToolError(f"id: there is no request {entry_id}", hint=f"use r{first} to r{last}")
        return found

    def _make_entry(self, record: RequestRecord) -> NetworkEntry:
        return make_entry(record, self._ledger.next_hop(record))

    def _session_of(self, record: RequestRecord) -> Session:
        # Its own session may be gone. The network service holds bodies, so the tab's session works
        # too.
        sessions = self._context.supervisor.connection.sessions
        return sessions.get(SessionId(record.session)) or self._context.session

    # Watching.

    def _watch_session(self, session: Session) -> Sequence[Command[Any]]:
        if session.id in self._watched:
            return [NETWORK_ENABLE]
        kind, name, now = session.target_type, session.id, self._context.supervisor.now
        ledger, notify = self._ledger, self._notify

        def on_request(event: Event[Any]) -> None:
            for record in ledger.on_request(event.raw, name, kind, now()):
                if record.redirected:
                    notify("response", record)
                    notify("end", record)
                else:
                    notify("request", record)

        def on_response(event: Event[Any]) -> None:
            record = ledger.on_response(event.raw, name, now())
            notify("response", record)
            if record is not None and record.ended_at:
                notify("end", record)

        listeners: tuple[tuple[EventName[Any], Callable[[Event[Any]], object]], ...] = (
            (Network.requestWillBeSent, on_request),
            (_REQUEST_EXTRA, lambda e: ledger.on_extra_info("request", e.raw)),
            (Network.responseReceived, on_response),
            (_RESPONSE_EXTRA, lambda e: ledger.on_extra_info("response", e.raw)),
            (_DATA, lambda e: notify("end", ledger.on_data(e.raw, name, now()))),
            (
                Network.loadingFinished,
                lambda e: notify("end", ledger.on_finished(e.raw, name, now())),
            ),
            (Network.loadingFailed, lambda e: notify("end", ledger.on_failed(e.raw, name, now()))),
            (Network.requestServedFromCache, lambda e: ledger.on_served_from_cache(e.raw)),
            (
                Network.webSocketCreated,
                lambda e: notify("request", ledger.on_socket_created(e.raw, name, kind, now())),
            ),
            (
                _SOCKET_ANSWERED,
                lambda e: notify("response", ledger.on_socket_response(e.raw, now())),
            ),
            (
                _SOCKET_FAILED,
                lambda e: notify("end", ledger.on_socket_closed(e.raw, now(), "the socket failed")),
            ),
            (
                Network.webSocketClosed,
                lambda e: notify("end", ledger.on_socket_closed(e.raw, now())),
            ),
        )
        self._watched[session.id] = [session.on(event, listener) for event, listener in listeners]
        return [NETWORK_ENABLE]

    def _notify(self, kind: RequestEvent, record: RequestRecord | None) -> None:
        if record is None or not self._expectations:
            return
        expecting = [expectation for expectation in self._expectations if expectation.kind == kind]
        if expecting:
            entry = self._make_entry(record)
            for expectation in expecting:
                expectation.handle(kind, entry)

    def _on_event(self, event: ev.Event, state: State, _: object) -> None:
        """Fail requests that ended without a Network event."""
        ledger, now = self._ledger, self._context.supervisor.now()
        gone: list[RequestRecord] = []
        match event:
            case ev.FrameNavigated(frame=frame, loader=loader):
                gone = ledger.on_commit(frame, loader, now)
                gone += ledger.fail_open(_has_no_frame(state), "cut off by a navigation", now)
            case ev.FrameDetached(swap=False):
                gone = ledger.fail_open(_has_no_frame(state), "its frame was removed", now)
            case ev.SessionDetached() | ev.ConnectionDropped() | ev.TargetDestroyed():
                gone = ledger.fail_open(_has_no_session(state), "its frame or worker ended", now)
                for session in [s for s in self._watched if s not in state.sessions]:
                    self._unwatch_session(session)
            case ev.RendererCrashed(session=session):
                gone = ledger.fail_open(lambda r: r.session == session, "the renderer crashed", now)
        for record in gone:
            self._notify("end", record)
        if isinstance(event, ev.ConnectionDropped):
            self._fail_expectations(
                ConnectionLost("the connection was lost while waiting for a request")
            )
        elif self._context.tab_id not in state.tabs:
            self._stop(SessionGone("the tab closed while waiting for a request"))


def _has_no_frame(state: State) -> Callable[[RequestRecord], bool]:
    return lambda record: record.frame != "" and record.frame not in state.frames


def _has_no_session(state: State) -> Callable[[RequestRecord], bool]:
    # A navigation continues in whichever process its frame moves to.
    return lambda record: (
        record.session not in state.sessions
        and not (record.is_navigation and record.frame in state.frames)
    )


def _too_large_error(name: str, size: int, limit: int) -> ToolError:
    return ToolError(
        f"the body of {name} has {size} bytes, more than {limit}",
        hint="raise max_bytes, or read a part of it with evaluate and fetch()",
    )


class NetworkExpectation(ArmedWait[NetworkEntry]):
    """A wait for one request, armed before the action that causes it.

    The `wait` verb uses page/navigation/request_and_download_waits.py, which also waits for
    downloads.
    """

    def __init__(
        self,
        siblings: list[NetworkExpectation],
        predicate: Callable[[NetworkEntry], bool],
        kind: RequestEvent,
        deadline: float,
    ) -> None:
        super().__init__(predicate, deadline)
        self.kind = kind
        self._siblings = siblings
        siblings.append(self)

    def handle(self, kind: RequestEvent, entry: NetworkEntry) -> None:
        """Take an event of a request into account."""
        if kind == self.kind:
            self._offer(entry)

    def _stop(self) -> None:
        super()._stop()
        if self in self._siblings:
            self._siblings.remove(self)

    def _timeout_text(self, deadline: float) -> str:
        return f"no such {self.kind} within {deadline:g} s"
