"""The requests of one tab, from what Chrome says about them in any order. Pure.

Knows: Chrome's Network events, what belongs together, what is over. Must not know: sessions' lives,
clocks, commands. Most of what is told is never read: it stays raw until an entry is asked for.

A request is told in pieces which share its id, on whichever session is nearest to who tells them:

    page                requestWillBeSent, [ExtraInfo], responseReceived, [ExtraInfo], dataReceived
                        ..., loadingFinished | loadingFailed; each ExtraInfo may also come first
    redirect            requestWillBeSent again, with the answer that redirected: a new entry
    cross-process frame begins on its parent's session, ends on its own
    worker's script     begins on the page's session, ends on the worker's, has no responseReceived
    worker's requests   both ExtraInfo on the page's session, before all else
    preflight           an entry of its own, between the two halves of what it is for
    fetch() whose body nobody reads: no loadingFinished, ever; its length tells that it is over
    204, HEAD by fetch(): loadingFailed (aborted) although all is well
    navigation          no word about what it cuts off: `cut` is told by who follows frames
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable

import msgspec

from pilothouse.page.network.request_record import Record, Said, trimmed

__all__ = ["DEFAULT_LIMIT", "Ledger"]

DEFAULT_LIMIT = 1000
EARLY_KEPT = 200

# Never waited for: they are open as long as someone listens, or nobody cares when they end.
_NOT_WAITED_FOR = frozenset(
    {"WebSocket", "EventSource", "Ping", "Preflight", "CSPViolationReport", "WebTransport"}
)
_LOCAL = ("data:", "blob:", "about:", "chrome-extension:")
# The icon of a site, which Chrome asks for by itself at any time.
_ICON = ("Other", "other")
_BODILESS = frozenset({204, 205, 304})


class Ledger:
    """The last requests of a tab, and those which are not over; without those to an address that
    begins with `unseen`, which are our own."""

    def __init__(self, limit: int = DEFAULT_LIMIT, unseen: str = "") -> None:
        self.count = 0
        self.dropped = 0
        self.open: dict[str, Record] = {}
        self.last_end = 0.0  # of one that was open
        self._limit = limit
        self._unseen = unseen
        self._records: deque[Record] = deque()
        # The hops of each request that is still in the ring, oldest first.
        self._hops: dict[str, list[Record]] = {}
        # Extra information that came before what it belongs to.
        self._early: dict[str, list[tuple[str, msgspec.Raw]]] = {}

    def next_hop(self, record: Record) -> Record | None:
        """Where a redirected request went on."""
        hops = self._hops.get(record.request_id, [])
        return next((hop for hop in hops if hop.came_from == record.seq), None)

    def records(self, since: int = 0) -> list[Record]:
        """What is remembered of the requests after number `since`, oldest first."""
        first = self.count - len(self._records)
        return [r for r in self._records if r.seq > since] if since > first else [*self._records]

    def record(self, seq: int) -> Record | None:
        """One request by its number, if it is remembered."""
        index = seq - (self.count - len(self._records)) - 1
        return self._records[index] if 0 <= index < len(self._records) else None

    # What Chrome says, in the order of a request's life.

    def sent(self, raw: msgspec.Raw, session: str, kind: str, now: float) -> list[Record]:
        """`requestWillBeSent`: the records that it ended and began."""
        said = Said.sent(raw)
        if said is None or (self._unseen and said.request.url.startswith(self._unseen)):
            return []
        before = self._last(said.requestId)
        told = []
        if before is not None and said.redirected:
            before.answered(said.redirectResponse, said.timestamp)
            before.extra_wanted = said.redirectHasExtraInfo
            before.redirected = True
            self._end(before, said.timestamp, now)
            told.append(before)
        record = Record(said, trimmed(raw), session, kind, now)
        if said.initiator.type == "preflight":
            record.type = "Preflight"
        if before is not None and said.redirected:
            record.came_from = before.seq
        self._add(record)
        passed_over = record.type in _NOT_WAITED_FOR or record.url.startswith(_LOCAL)
        if not passed_over and (record.type, said.initiator.type) != _ICON:
            self.open[record.request_id] = record
        for name, early in self._early.pop(record.request_id, ()):
            self._place(name, record.request_id, early)
        return [*told, record]

    def extra(self, name: str, raw: msgspec.Raw) -> None:
        """`requestWillBeSentExtraInfo` ("request") or `responseReceivedExtraInfo` ("response")."""
        request_id = Said.request_id(raw)
        if request_id:
            self._place(name, request_id, trimmed(raw))

    def answered(self, raw: msgspec.Raw, session: str, now: float) -> Record | None:
        """`responseReceived`."""
        said = Said.answered(raw)
        record = self._last(said.requestId) if said is not None else None
        if said is None or record is None:
            return None
        record.session, record.heard_at = session, now
        record.answered(trimmed(said.response), said.timestamp)
        record.extra_wanted = said.hasExtraInfo
        if said.type and record.type != "Preflight":
            record.type = said.type
        if record.is_fetch and record.body_is_here():
            self._end(record, said.timestamp, now)
        elif record.type in _NOT_WAITED_FOR:
            self.open.pop(record.request_id, None)
        return record

    def data(self, raw: msgspec.Raw, session: str, now: float) -> Record | None:
        """`dataReceived`: the record that it ended, if it did."""
        said = Said.data(raw)
        record = self._last(said.requestId) if said is not None else None
        if said is None or record is None:
            return None
        record.session, record.heard_at = session, now
        record.decoded_size += said.dataLength
        record.encoded_size += said.encodedDataLength
        if record.is_fetch and record.ended_at == 0 and record.body_is_here():
            self._end(record, said.timestamp, now)
            return record
        return None

    def finished(self, raw: msgspec.Raw, session: str, now: float) -> Record | None:
        """`loadingFinished`: the record that it ended, if it did."""
        said = Said.ended(raw)
        record = self._last(said.requestId) if said is not None else None
        if said is None or record is None:
            return None
        record.session = session
        record.transferred = int(said.encodedDataLength)
        return self._over(record, said.timestamp, now)

    def failed(self, raw: msgspec.Raw, session: str, now: float) -> Record | None:
        """`loadingFailed`: the record that it ended, if it did."""
        said = Said.ended(raw)
        record = self._last(said.requestId) if said is not None else None
        if said is None or record is None:
            return None
        record.session = session
        bodiless = record.method == "HEAD" or record.status in _BODILESS
        if not (said.canceled and bodiless and record.response is not None):
            record.failed = said.why()
        return self._over(record, said.timestamp, now)

    def from_cache(self, raw: msgspec.Raw) -> None:
        """`requestServedFromCache`: out of the renderer's memory."""
        record = self._last(Said.request_id(raw))
        if record is not None:
            record.cache = "memory"

    # WebSockets: an entry each, never waited for.

    def socket(self, raw: msgspec.Raw, session: str, kind: str, now: float) -> Record | None:
        """`webSocketCreated`."""
        said = Said.socket(raw)
        if said is None:
            return None
        record = Record(said, trimmed(raw), session, kind, now)
        self._add(record)
        return record

    def socket_answered(self, raw: msgspec.Raw, now: float) -> Record | None:
        """`webSocketHandshakeResponseReceived`."""
        said = Said.answered(raw)
        record = self._last(said.requestId) if said is not None else None
        if said is not None and record is not None:
            record.heard_at = now
            record.answered(trimmed(said.response), said.timestamp)
        return record

    def socket_closed(self, raw: msgspec.Raw, now: float, failed: str = "") -> Record | None:
        """`webSocketClosed` or `webSocketFrameError`."""
        said = Said.ended(raw)
        record = self._last(said.requestId) if said is not None else None
        if said is None or record is None:
            return None
        record.failed = record.failed or failed
        return self._end(record, said.timestamp, now)

    # What Chrome does not say.

    def committed(self, frame: str, loader: str, now: float) -> list[Record]:
        """A frame shows a new document: what the one before still waited for will not come. A
        navigation that began after this one goes on."""
        own = self._last(loader)
        newest = own.seq if own is not None else self.count

        def is_cut(record: Record) -> bool:
            if record.frame != frame or record.loader == loader:
                return False
            return not record.is_navigation or record.seq < newest

        return self.cut(is_cut, "cut off by a navigation", now)

    def cut(self, which: Callable[[Record], bool], why: str, now: float) -> list[Record]:
        """Give up open requests that nobody will tell the end of."""
        gone = [record for record in self.open.values() if which(record)]
        for record in gone:
            record.failed = why
            self._end(record, 0.0, now)
        return gone

    # Keeping.

    def _add(self, record: Record) -> None:
        self.count += 1
        record.seq = self.count
        self._records.append(record)
        self._hops.setdefault(record.request_id, []).append(record)
        if len(self._records) > self._limit:
            self._drop(self._records.popleft())

    def _drop(self, record: Record) -> None:
        self.dropped += 1
        hops = self._hops[record.request_id]
        hops.remove(record)
        if not hops:
            del self._hops[record.request_id]

    def _last(self, request_id: str) -> Record | None:
        hops = self._hops.get(request_id)
        return hops[-1] if hops else None

    def _end(self, record: Record, timestamp: float, now: float) -> Record | None:
        """The record if this is its end; a body that is here ends it before Chrome says so, and an
        end must not be told twice."""
        if record.ended_at != 0:
            return None
        record.ended_at = now
        record.finished_ts = timestamp
        if self.open.get(record.request_id) is record:
            del self.open[record.request_id]
            self.last_end = now
        return record

    def _place(self, name: str, request_id: str, raw: msgspec.Raw) -> None:
        """Extra information comes once for each hop that went to the network, in their order."""
        for record in self._hops.get(request_id, ()):
            if record.extra_wanted and name not in record.extra:
                record.extra[name] = raw
                return
        self._early.setdefault(request_id, []).append((name, raw))
        if len(self._early) > EARLY_KEPT:
            del self._early[next(iter(self._early))]

    def _over(self, record: Record, timestamp: float, now: float) -> Record | None:
        # More answers than hops: a password was asked for in between. The last one counts.
        for name, raw in self._early.pop(record.request_id, ()):
            record.extra[name] = raw
        return self._end(record, timestamp, now)
