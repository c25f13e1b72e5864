"""The requests of one tab, put together from CDP Network events in any order. Pure.

Knows: which events belong together, and when a request has ended. Must not know: session
lifetimes, clocks, commands. Most events are never read again, so they stay raw until an entry is
asked for.

The events of a request share its id. They arrive on the session nearest to the sender:

    page                requestWillBeSent, [ExtraInfo], responseReceived, [ExtraInfo], dataReceived
                        ..., loadingFinished | loadingFailed; each ExtraInfo may also come first
    redirect            requestWillBeSent again, with the response that redirected: a new entry
    cross-process frame starts on its parent's session, ends on its own
    worker's script     starts on the page's session, ends on the worker's, has no responseReceived
    worker's requests   both ExtraInfo on the page's session, before everything else
    preflight           an entry of its own, between the two halves of the request it is for
    fetch() whose body is never read: no loadingFinished; its Content-Length tells the end
    204, HEAD by fetch(): loadingFailed (aborted) although it succeeded
    navigation          no event for the requests it cancels: the caller, who follows frames,
                        calls `on_commit` and `fail_open`
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable

import msgspec

from pilothouse.page.network.request_record_and_decoder import EventDecoder, RequestRecord, trim_raw

__all__ = ["DEFAULT_LIMIT", "RequestLedger"]

DEFAULT_LIMIT = 1000
MOST_EARLY = 200

# Never counted as open: they last as long as someone listens, or their end does not matter.
_NEVER_OPEN = frozenset(
    {"WebSocket", "EventSource", "Ping", "Preflight", "CSPViolationReport", "WebTransport"}
)
_LOCAL_SCHEMES = ("data:", "blob:", "about:", "chrome-extension:")
# Type and initiator of favicon requests, which Chrome sends by itself at any time.
_FAVICON = ("Other", "other")
_BODILESS = frozenset({204, 205, 304})


class RequestLedger:
    """The last requests of a tab, and those that have not ended.

    Requests to URLs that start with `ignored_url_prefix` are our own and left out.
    """

    def __init__(self, limit: int = DEFAULT_LIMIT, ignored_url_prefix: str = "") -> None:
        self.count = 0
        self.dropped = 0
        self.open: dict[str, RequestRecord] = {}
        self.last_end = 0.0  # when the last open request ended
        self._limit = limit
        self._ignored_url_prefix = ignored_url_prefix
        self._records: deque[RequestRecord] = deque()
        # Hops of each remembered request, oldest first.
        self._hops: dict[str, list[RequestRecord]] = {}
        # ExtraInfo events that came before the request they belong to.
        self._early_extra_info: dict[str, list[tuple[str, msgspec.Raw]]] = {}

    def next_hop(self, record: RequestRecord) -> RequestRecord | None:
        """Return the request that a redirect led to."""
        hops = self._hops.get(record.request_id, [])
        return next((hop for hop in hops if hop.redirected_from_seq == record.seq), None)

    def records(self, since: int = 0) -> list[RequestRecord]:
        """Return the remembered requests after number `since`, oldest first."""
        first = self.count - len(self._records)
        return [r for r in self._records if r.seq > since] if since > first else [*self._records]

    def record(self, seq: int) -> RequestRecord | None:
        """Return one request by its number, if it is remembered."""
        index = seq - (self.count - len(self._records)) - 1
        return self._records[index] if 0 <= index < len(self._records) else None

    # Events, in the order of a request's life.

    def on_request(
        self, raw: msgspec.Raw, session: str, kind: str, now: float
    ) -> list[RequestRecord]:
        """Handle `requestWillBeSent`: returns the records that it ended and started."""
        event = EventDecoder.decode_request(raw)
        if event is None or (
            self._ignored_url_prefix and event.request.url.startswith(self._ignored_url_prefix)
        ):
            return []
        before = self._last(event.requestId)
        changed = []
        if before is not None and event.redirected:
            before.set_response(event.redirectResponse, event.timestamp)
            before.wants_extra_info = event.redirectHasExtraInfo
            before.redirected = True
            self._end(before, event.timestamp, now)
            changed.append(before)
        record = RequestRecord(event, trim_raw(raw), session, kind, now)
        if event.initiator.type == "preflight":
            record.type = "Preflight"
        if before is not None and event.redirected:
            record.redirected_from_seq = before.seq
        self._add(record)
        ignored = record.type in _NEVER_OPEN or record.url.startswith(_LOCAL_SCHEMES)
        if not ignored and (record.type, event.initiator.type) != _FAVICON:
            self.open[record.request_id] = record
        for name, early in self._early_extra_info.pop(record.request_id, ()):
            self._attach_extra_info(name, record.request_id, early)
        return [*changed, record]

    def on_extra_info(self, name: str, raw: msgspec.Raw) -> None:
        """Handle `requestWillBeSentExtraInfo` ("request") or `responseReceivedExtraInfo`
        ("response")."""
        request_id = EventDecoder.decode_request_id(raw)
        if request_id:
            self._attach_extra_info(name, request_id, trim_raw(raw))

    def on_response(self, raw: msgspec.Raw, session: str, now: float) -> RequestRecord | None:
        """Handle `responseReceived`."""
        event = EventDecoder.decode_response(raw)
        record = self._last(event.requestId) if event is not None else None
        if event is None or record is None:
            return None
        record.session, record.heard_at = session, now
        record.set_response(trim_raw(event.response), event.timestamp)
        record.wants_extra_info = event.hasExtraInfo
        if event.type and record.type != "Preflight":
            record.type = event.type
        if record.is_fetch and record.is_body_complete():
            self._end(record, event.timestamp, now)
        elif record.type in _NEVER_OPEN:
            self.open.pop(record.request_id, None)
        return record

    def on_data(self, raw: msgspec.Raw, session: str, now: float) -> RequestRecord | None:
        """Handle `dataReceived`: returns the record if this ended it."""
        event = EventDecoder.decode_data(raw)
        record = self._last(event.requestId) if event is not None else None
        if event is None or record is None:
            return None
        record.session, record.heard_at = session, now
        record.decoded_size += event.dataLength
        record.encoded_size += event.encodedDataLength
        if record.is_fetch and record.ended_at == 0 and record.is_body_complete():
            self._end(record, event.timestamp, now)
            return record
        return None

    def on_finished(self, raw: msgspec.Raw, session: str, now: float) -> RequestRecord | None:
        """Handle `loadingFinished`: returns the record if this ended it."""
        event = EventDecoder.decode_end(raw)
        record = self._last(event.requestId) if event is not None else None
        if event is None or record is None:
            return None
        record.session = session
        record.transferred = int(event.encodedDataLength)
        return self._finish(record, event.timestamp, now)

    def on_failed(self, raw: msgspec.Raw, session: str, now: float) -> RequestRecord | None:
        """Handle `loadingFailed`: returns the record if this ended it."""
        event = EventDecoder.decode_end(raw)
        record = self._last(event.requestId) if event is not None else None
        if event is None or record is None:
            return None
        record.session = session
        bodiless = record.method == "HEAD" or record.status in _BODILESS
        if not (event.canceled and bodiless and record.response is not None):
            record.failed = event.describe_error()
        return self._finish(record, event.timestamp, now)

    def on_served_from_cache(self, raw: msgspec.Raw) -> None:
        """Handle `requestServedFromCache`: served from the renderer's memory."""
        record = self._last(EventDecoder.decode_request_id(raw))
        if record is not None:
            record.cache = "memory"

    # WebSockets: one entry each, never counted as open.

    def on_socket_created(
        self, raw: msgspec.Raw, session: str, kind: str, now: float
    ) -> RequestRecord | None:
        """Handle `webSocketCreated`."""
        event = EventDecoder.decode_socket(raw)
        if event is None:
            return None
        record = RequestRecord(event, trim_raw(raw), session, kind, now)
        self._add(record)
        return record

    def on_socket_response(self, raw: msgspec.Raw, now: float) -> RequestRecord | None:
        """Handle `webSocketHandshakeResponseReceived`."""
        event = EventDecoder.decode_response(raw)
        record = self._last(event.requestId) if event is not None else None
        if event is not None and record is not None:
            record.heard_at = now
            record.set_response(trim_raw(event.response), event.timestamp)
        return record

    def on_socket_closed(
        self, raw: msgspec.Raw, now: float, failed: str = ""
    ) -> RequestRecord | None:
        """Handle `webSocketClosed` or `webSocketFrameError`."""
        event = EventDecoder.decode_end(raw)
        record = self._last(event.requestId) if event is not None else None
        if event is None or record is None:
            return None
        record.failed = record.failed or failed
        return self._end(record, event.timestamp, now)

    # Ends that Chrome does not report.

    def on_commit(self, frame: str, loader: str, now: float) -> list[RequestRecord]:
        """Fail the open requests of a frame's previous document.

        A navigation that started after the committed one continues.
        """
        own = self._last(loader)
        newest = own.seq if own is not None else self.count

        def is_cut(record: RequestRecord) -> bool:
            if record.frame != frame or record.loader == loader:
                return False
            return not record.is_navigation or record.seq < newest

        return self.fail_open(is_cut, "cut off by a navigation", now)

    def fail_open(
        self, which: Callable[[RequestRecord], bool], why: str, now: float
    ) -> list[RequestRecord]:
        """Fail open requests whose end Chrome will never report."""
        gone = [record for record in self.open.values() if which(record)]
        for record in gone:
            record.failed = why
            self._end(record, 0.0, now)
        return gone

    # Records.

    def _add(self, record: RequestRecord) -> None:
        self.count += 1
        record.seq = self.count
        self._records.append(record)
        self._hops.setdefault(record.request_id, []).append(record)
        if len(self._records) > self._limit:
            self._drop(self._records.popleft())

    def _drop(self, record: RequestRecord) -> None:
        self.dropped += 1
        hops = self._hops[record.request_id]
        hops.remove(record)
        if not hops:
            del self._hops[record.request_id]

    def _last(self, request_id: str) -> RequestRecord | None:
        hops = self._hops.get(request_id)
        return hops[-1] if hops else None

    def _end(self, record: RequestRecord, timestamp: float, now: float) -> RequestRecord | None:
        """End a record; returns it if this was its end.

        A complete body ends a fetch before Chrome reports it, and an end must not be reported
        twice.
        """
        if record.ended_at != 0:
            return None
        record.ended_at = now
        record.finished_ts = timestamp
        if self.open.get(record.request_id) is record:
            del self.open[record.request_id]
            self.last_end = now
        return record

    def _attach_extra_info(self, name: str, request_id: str, raw: msgspec.Raw) -> None:
        """Attach ExtraInfo to its hop: it comes once per hop that used the network, in order."""
        for record in self._hops.get(request_id, ()):
            if record.wants_extra_info and name not in record.extra:
                record.extra[name] = raw
                return
        self._early_extra_info.setdefault(request_id, []).append((name, raw))
        if len(self._early_extra_info) > MOST_EARLY:
            del self._early_extra_info[next(iter(self._early_extra_info))]

    def _finish(self, record: RequestRecord, timestamp: float, now: float) -> RequestRecord | None:
        # More ExtraInfo than hops: HTTP authentication retried in between. The last one counts.
        for name, raw in self._early_extra_info.pop(record.request_id, ()):
            record.extra[name] = raw
        return self._end(record, timestamp, now)
