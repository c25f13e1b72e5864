"""Entries of the network log: a frozen view of a request, its filters and its text form. Pure."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

import msgspec

from pilothouse.cdp.message import decode_object
from pilothouse.errors import UsageError
from pilothouse.page.navigation import url_matcher
from pilothouse.page.network.request_record_and_decoder import RequestRecord
from pilothouse.security.redaction import CREDENTIAL_HEADERS

__all__ = [
    "HIDDEN",
    "NetworkEntry",
    "PendingRequest",
    "hide_credentials",
    "make_entry",
    "make_filter",
    "parse_entry_id",
]

HIDDEN = "(hidden)"

_STATUS = re.compile(r"[1-5](\d\d|xx)")


class NetworkEntry(msgspec.Struct, frozen=True):
    """One request and its outcome so far.

    `started` is in seconds since 1970, durations are in ms. `timing` has Chrome's phases in
    ms after `started`.
    """

    id: str
    method: str
    url: str
    type: str
    state: str
    status: int = 0
    status_text: str = ""
    mime: str = ""
    failed: str = ""
    from_cache: str = ""
    frame: str = ""
    where: str = "page"
    protocol: str = ""
    address: str = ""
    initiator: str = ""
    redirected_from: str = ""
    redirect_to: str = ""
    request_headers: Mapping[str, str] = msgspec.field(default_factory=dict)
    response_headers: Mapping[str, str] = msgspec.field(default_factory=dict)
    post_data: str | None = None
    has_post_data: bool = False
    transferred: int = 0
    size: int = 0
    started: float = 0.0
    waited_ms: float = -1.0
    took_ms: float = -1.0
    timing: Mapping[str, float] = msgspec.field(default_factory=dict)

    def as_dict(self, *, headers: bool = False, secrets: bool = False) -> dict[str, Any]:
        """Return the entry for an agent: without empty fields, and without credentials by
        default."""
        names = ("status", "mime", "failed", "from_cache", "redirected_from", "redirect_to")
        shown: dict[str, Any] = {"id": self.id, "method": self.method, "url": self.url}
        shown |= {"type": self.type, "state": self.state}
        shown |= {name: getattr(self, name) for name in names if getattr(self, name)}
        if self.where != "page":
            shown["where"] = self.where
        if self.state != "pending":
            shown |= {"size": self.size, "ms": round(self.took_ms, 1)}
        if headers:
            for name in ("request_headers", "response_headers"):
                given = getattr(self, name)
                shown[name] = dict(given) if secrets else hide_credentials(given)
        return shown


class PendingRequest(msgspec.Struct, frozen=True):
    """A request that has not ended. `since` and `heard_at` are on the supervisor's clock.

    One that has `responded` and is quiet may be a stream, or a body that the page never
    reads.
    """

    id: str
    url: str
    type: str
    frame: str
    since: float
    heard_at: float
    responded: bool


def hide_credentials(headers: Mapping[str, str]) -> dict[str, str]:
    """Return the headers with the values of credential headers hidden."""
    return {n: HIDDEN if n.lower() in CREDENTIAL_HEADERS else value for n, value in headers.items()}


def make_entry(record: RequestRecord, next_hop: RequestRecord | None = None) -> NetworkEntry:
    """Build the entry of a record as it is now; `next_hop` is where it was redirected to."""
    sent = decode_object(record.sent) or {}
    request = sent.get("request", {})
    response = (decode_object(record.response) or {}) if record.response is not None else {}
    request_extra, response_extra = (
        decode_object(record.extra[name]) or {} if name in record.extra else {}
        for name in ("request", "response")
    )
    ended = record.finished_ts or record.response_ts
    state = "failed" if record.failed else "finished" if record.ended_at else "pending"
    return NetworkEntry(
        f"r{record.seq}",
        record.method,
        record.url,
        record.type,
        state,
        status=record.status or int(response_extra.get("statusCode", 0)),
        status_text=str(response.get("statusText", "")),
        mime=record.mime,
        failed=record.failed,
        from_cache=record.cache,
        frame=record.frame,
        where=record.kind,
        protocol=str(response.get("protocol", "")),
        address=str(response.get("remoteIPAddress", "")),
        initiator=str(sent.get("initiator", {}).get("type", "")),
        redirected_from=f"r{record.redirected_from_seq}" if record.redirected_from_seq else "",
        redirect_to=next_hop.url if record.redirected and next_hop is not None else "",
        request_headers=_headers(request_extra.get("headers") or request.get("headers")),
        response_headers=_headers(response_extra.get("headers") or response.get("headers")),
        post_data=request.get("postData"),
        has_post_data=bool(request.get("hasPostData")),
        transferred=record.transferred or int(response.get("encodedDataLength", 0)),
        size=record.decoded_size,
        started=record.wall,
        waited_ms=_elapsed_ms(record.started_ts, record.response_ts),
        took_ms=_elapsed_ms(record.started_ts, ended) if record.ended_at else -1.0,
        timing=_timing(response.get("timing"), record.started_ts),
    )


def _elapsed_ms(start: float, end: float) -> float:
    return (end - start) * 1000 if start and end else -1.0


def _headers(given: Any) -> dict[str, str]:
    return {str(n): str(v) for n, v in given.items()} if isinstance(given, dict) else {}


def _timing(given: Any, started: float) -> dict[str, float]:
    """Convert Chrome's timing, which counts from `requestTime`, to ms after the start."""
    if not isinstance(given, dict) or "requestTime" not in given:
        return {}
    queued = max(0.0, (float(given["requestTime"]) - started) * 1000) if started else 0.0
    phases = {
        name: float(value)
        for name, value in given.items()
        if name != "requestTime" and isinstance(value, int | float)
    }
    return {"queued": queued} | {n: v + queued if v >= 0 else -1.0 for n, v in phases.items()}


def parse_entry_id(entry_id: str | int | None) -> int:
    """Return the number in an id (`r12`, or 12). Raises ToolError for anything else."""
    if entry_id is None:
        return 0
    text = str(entry_id).removeprefix("r")
    if not text.isdigit():
        raise UsageError(
            f"id: {entry_id!r} is not a request id", hint="list the requests; ids look like r12"
        )
    return int(text)


def make_filter(
    url: str = "", type: str = "", status: int | str | None = None, failed: bool | None = None
) -> Callable[[RequestRecord], bool]:
    """Return a predicate for records. Raises ToolError for a bad filter."""
    matches_url = url_matcher(url) if url else None
    kinds = {part.strip().lower() for part in type.split(",")} if type else None
    # Nobody distinguishes XHR from fetch() in a filter: each means both.
    if kinds is not None and kinds & {"xhr", "fetch"}:
        kinds |= {"xhr", "fetch"}
    wanted_status = str(status).lower() if status is not None else ""
    if wanted_status and not _STATUS.fullmatch(wanted_status):
        raise UsageError(
            f"status: {status!r} is not an HTTP status", hint="use a number like 404, or 4xx"
        )

    def matches(record: RequestRecord) -> bool:
        if failed is not None and failed != bool(record.failed):
            return False
        if kinds is not None and record.type.lower() not in kinds:
            return False
        if wanted_status and not _has_status(record.status, wanted_status):
            return False
        return matches_url is None or matches_url(record.url)

    return matches


def _has_status(status: int, wanted_status: str) -> bool:
    return str(status) == wanted_status or (
        wanted_status.endswith("xx") and str(status)[0] == wanted_status[0]
    )
