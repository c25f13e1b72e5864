"""HTTP Archive (HAR 1.2) of requests. Pure.

Knows: the format's fields and which are required. Credentials are hidden by default, because
archives are made to be passed on.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, Protocol
from urllib.parse import parse_qsl, urlsplit

import msgspec

from pilothouse.page.network.log_entries import NetworkEntry, hide_credentials

__all__ = ["HarPage", "build_har"]

CREATOR = "Pilothouse"


class _ResponseBody(Protocol):
    @property
    def text(self) -> str: ...
    @property
    def base64(self) -> bool: ...


class HarPage(msgspec.Struct, frozen=True):
    """A document that was loaded: its start in seconds since 1970, then ms after that (-1: not
    yet)."""

    id: str
    title: str
    started: float
    content_load_ms: float = -1.0
    load_ms: float = -1.0


def build_har(
    entries: Iterable[NetworkEntry],
    pages: Sequence[HarPage] = (),
    bodies: Mapping[str, _ResponseBody] | None = None,
    *,
    version: str = "0",
    secrets: bool = False,
) -> dict[str, Any]:
    """Return the archive of these requests; `bodies` are by entry id.

    Each entry belongs to the last page that had started before it.
    """
    bodies = bodies or {}
    in_order = sorted(pages, key=lambda page: page.started)
    # WebSocket entries have no wall time, which HAR requires.
    chosen = [entry for entry in entries if entry.started > 0]
    return {
        "log": {
            "version": "1.2",
            "creator": {"name": CREATOR, "version": version},
            "pages": [
                {
                    "startedDateTime": _format_date(page.started),
                    "id": page.id,
                    "title": page.title,
                    "pageTimings": {"onContentLoad": page.content_load_ms, "onLoad": page.load_ms},
                }
                for page in in_order
            ],
            "entries": [
                _entry(entry, _find_page(entry, in_order), bodies.get(entry.id), secrets=secrets)
                for entry in sorted(chosen, key=lambda entry: entry.started)
            ],
        }
    }


def _entry(
    entry: NetworkEntry, page: str, body: _ResponseBody | None, *, secrets: bool
) -> dict[str, Any]:
    timings = _timings(entry)
    entry_json: dict[str, Any] = {"pageref": page} if page else {}
    entry_json |= {
        "startedDateTime": _format_date(entry.started),
        "time": _total_ms(timings),
        "request": _request(entry, secrets=secrets),
        "response": _response(entry, body, secrets=secrets),
        "cache": {},
        "timings": timings,
    }
    if entry.address:
        entry_json["serverIPAddress"] = entry.address.strip("[]")
    # The format requires an underscore before custom fields.
    entry_json |= {"_id": entry.id, "_resourceType": entry.type.lower()}
    if entry.failed:
        entry_json["_error"] = entry.failed
    if entry.from_cache:
        entry_json["_fromCache"] = entry.from_cache
    return entry_json


def _request(entry: NetworkEntry, *, secrets: bool) -> dict[str, Any]:
    request = {
        "method": entry.method,
        "url": entry.url,
        "httpVersion": _http_version(entry.protocol),
        "cookies": _cookies(_header(entry.request_headers, "cookie"), secrets=secrets),
        "headers": _headers(entry.request_headers, secrets=secrets),
        "queryString": [
            {"name": name, "value": value}
            for name, value in parse_qsl(urlsplit(entry.url).query, keep_blank_values=True)
        ],
        "headersSize": -1,
        "bodySize": len(entry.post_data.encode()) if entry.post_data else 0,
    }
    if entry.post_data is not None:
        request["postData"] = {
            "mimeType": _header(entry.request_headers, "content-type"),
            "text": entry.post_data,
        }
    return request


def _response(entry: NetworkEntry, body: _ResponseBody | None, *, secrets: bool) -> dict[str, Any]:
    content: dict[str, Any] = {
        "size": entry.size,
        "mimeType": entry.mime or _header(entry.response_headers, "content-type") or "x-unknown",
    }
    if body is not None:
        content["text"] = body.text
        if body.base64:
            content["encoding"] = "base64"
    return {
        "status": entry.status,
        "statusText": entry.status_text,
        "httpVersion": _http_version(entry.protocol),
        "cookies": _set_cookies(_header(entry.response_headers, "set-cookie"), secrets=secrets),
        "headers": _headers(entry.response_headers, secrets=secrets),
        "content": content,
        "redirectURL": entry.redirect_to,
        "headersSize": -1,
        "bodySize": -1 if entry.from_cache or not entry.transferred else entry.transferred,
        "_transferSize": entry.transferred,
    }


def _timings(entry: NetworkEntry) -> dict[str, float]:
    """Return the phases in ms; -1 for phases that did not happen. `send`, `wait`, `receive` are
    required."""
    timing = entry.timing
    took = max(entry.took_ms, 0.0)
    if not timing:
        wait = max(entry.waited_ms, 0.0)
        return {"send": 0.0, "wait": wait, "receive": max(took - wait, 0.0)}

    def phase(begin: str, end: str) -> float:
        first, last = timing.get(begin, -1.0), timing.get(end, -1.0)
        return max(last - first, 0.0) if first >= 0 and last >= 0 else -1.0

    headers_end = max(timing.get("receiveHeadersEnd", -1.0), 0.0)
    begun = [
        timing[name]
        for name in ("dnsStart", "connectStart", "sendStart")
        if timing.get(name, -1) >= 0
    ]
    return {
        "blocked": min(begun, default=-1.0),
        "dns": phase("dnsStart", "dnsEnd"),
        "connect": phase("connectStart", "connectEnd"),
        "ssl": phase("sslStart", "sslEnd"),
        "send": max(phase("sendStart", "sendEnd"), 0.0),
        "wait": max(phase("sendEnd", "receiveHeadersEnd"), 0.0),
        "receive": max(took - headers_end, 0.0),
    }


def _total_ms(timings: Mapping[str, float]) -> float:
    """Return the sum of the phases; the format counts `ssl` within `connect`."""
    return sum(value for name, value in timings.items() if value > 0 and name != "ssl")


def _find_page(entry: NetworkEntry, pages: Sequence[HarPage]) -> str:
    before = [page.id for page in pages if page.started <= entry.started]
    return before[-1] if before else pages[0].id if pages else ""


def _headers(headers: Mapping[str, str], *, secrets: bool) -> list[dict[str, str]]:
    shown = headers if secrets else hide_credentials(headers)
    # Chrome joins headers of the same name by a line break.
    return [
        {"name": name, "value": value}
        for name, values in shown.items()
        for value in values.split("\n")
    ]


def _cookies(header: str, *, secrets: bool) -> list[dict[str, Any]]:
    pairs = [part.strip().partition("=") for part in header.split(";") if part.strip()]
    return [{"name": n, "value": v if secrets else "(hidden)"} for n, _, v in pairs]


def _set_cookies(header: str, *, secrets: bool) -> list[dict[str, Any]]:
    found = []
    for line in filter(None, header.split("\n")):
        first, *rest = line.split(";")
        attributes = {n.strip().lower(): v for n, _, v in (part.partition("=") for part in rest)}
        (cookie,) = _cookies(first, secrets=secrets) or [{"name": "", "value": ""}]
        cookie |= {name: attributes[name] for name in ("path", "domain") if name in attributes}
        cookie |= {"httpOnly": "httponly" in attributes, "secure": "secure" in attributes}
        found.append(cookie)
    return found


def _header(headers: Mapping[str, str], name: str) -> str:
    return next((value for key, value in headers.items() if key.lower() == name), "")


def _http_version(protocol: str) -> str:
    known = {"http/1.0": "HTTP/1.0", "http/1.1": "HTTP/1.1", "h2": "HTTP/2.0", "h3": "HTTP/3.0"}
    return known.get(protocol.lower(), protocol or "unknown")


def _format_date(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="milliseconds")
