"""Rules for requests: which requests they match, and what happens to them. Pure.

Knows: CDP Fetch commands as values. Must not know: sessions, or when anything is sent. Rules are
validated when they are made, so that Chrome accepts their commands.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import msgspec

from pilothouse.cdp.message import Command
from pilothouse.errors import UsageError
from pilothouse.page.navigation import chrome_pattern, url_matcher

__all__ = [
    "TYPES",
    "Action",
    "BlockRequest",
    "ChangeRequest",
    "MockResponse",
    "PausedRequest",
    "RouteRule",
    "check_headers",
    "find_rule",
    "make_command",
    "make_fallback_command",
    "make_fetch_patterns",
    "make_rule",
    "parse_paused_request",
]

# Resource types of the `Fetch` domain. It reports fetch() as XHR.
TYPES = (
    "Document",
    "Stylesheet",
    "Image",
    "Media",
    "Font",
    "Script",
    "TextTrack",
    "XHR",
    "Fetch",
    "Prefetch",
    "EventSource",
    "Manifest",
    "SignedExchange",
    "Ping",
    "CSPViolationReport",
    "Other",
)
REASONS = (
    "Failed",
    "Aborted",
    "TimedOut",
    "AccessDenied",
    "ConnectionClosed",
    "ConnectionReset",
    "ConnectionRefused",
    "ConnectionAborted",
    "ConnectionFailed",
    "NameNotResolved",
    "InternetDisconnected",
    "AddressUnreachable",
    "BlockedByClient",
    "BlockedByResponse",
)
# The connection refuses commands over 4 MiB, and base64 adds a third.
LARGEST_BODY = 2 * 1024**2
MOST_RULES = 200

_TOKEN = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_HTTP_URL = re.compile(r"https?://[^/\s]\S*")
_METHOD = re.compile(r"[A-Z]{1,20}")
# Chrome sets these itself and refuses a request that overrides them.
_SET_BY_CHROME = frozenset(
    {
        "content-length",
        "cookie2",
        "host",
        "keep-alive",
        "te",
        "trailer",
        "transfer-encoding",
        "upgrade",
    }
)


class BlockRequest(msgspec.Struct, frozen=True):
    """Fail the request with one of `REASONS`."""

    reason: str = "BlockedByClient"


class MockResponse(msgspec.Struct, frozen=True):
    """Answer the request with this response; it never leaves the browser."""

    status: int = 200
    headers: Mapping[str, str] = msgspec.field(default_factory=dict)
    body: bytes = b""
    content_type: str = "text/plain; charset=utf-8"


class ChangeRequest(msgspec.Struct, frozen=True):
    """Continue the request with changes; a header of None is removed."""

    url: str = ""
    method: str = ""
    headers: Mapping[str, str | None] = msgspec.field(default_factory=dict)
    post_data: bytes | None = None


Action = BlockRequest | MockResponse | ChangeRequest
_ACTION_NAMES = {BlockRequest: "block", MockResponse: "mock", ChangeRequest: "change"}


@dataclass(frozen=True, slots=True)
class RouteRule:
    """What to do with requests whose URL matches; `times` 0 means always."""

    id: str
    pattern: str
    action: Action
    types: frozenset[str]
    times: int
    matches_url: Callable[[str], bool] = field(repr=False, compare=False)

    def as_dict(self, used: int) -> dict[str, Any]:
        """Return the rule for an agent; `used` is how often it has been applied."""
        params: dict[str, Any] = {"id": self.id, "pattern": self.pattern, "used": used}
        params["action"] = _ACTION_NAMES[type(self.action)]
        if isinstance(self.action, MockResponse):
            params |= {"status": self.action.status, "bytes": len(self.action.body)}
        if self.types:
            params["types"] = sorted(self.types)
        if self.times:
            params["left"] = max(0, self.times - used)
        return params


class PausedRequest(msgspec.Struct, frozen=True):
    """A request that waits for a Fetch command."""

    id: str
    url: str
    method: str
    type: str
    headers: Mapping[str, str]

    @property
    def preflight_for(self) -> str:
        """The method that a CORS preflight asks about; empty if it is not a preflight."""
        method = _header(self.headers, "access-control-request-method")
        return method if self.method == "OPTIONS" else ""


def make_rule(
    rule_id: str, pattern: str, action: Action, types: Iterable[str] = (), times: int = 0
) -> RouteRule:
    """Make a validated rule. Raises ToolError that names the wrong field."""
    known = {name.lower(): name for name in TYPES}
    chosen = set()
    for name in types:
        if name.lower() not in known:
            raise UsageError(
                f"types: {name!r} is not a resource type", hint=f"use {', '.join(TYPES)}"
            )
        chosen.add("XHR" if name.lower() == "fetch" else known[name.lower()])
    if times < 0:
        raise UsageError(f"times: expected 0 or more, got {times}", hint="use 0 for always")
    _check_action(action)
    return RouteRule(rule_id, pattern, action, frozenset(chosen), times, url_matcher(pattern))


def _check_action(action: Action) -> None:
    match action:
        case BlockRequest(reason) if reason not in REASONS:
            raise UsageError(f"reason: unknown value {reason!r}", hint=f"use {', '.join(REASONS)}")
        case MockResponse(status, headers, body):
            if not 200 <= status <= 599:
                raise UsageError(f"status: expected 200 to 599, got {status}", hint="use 200")
            _check_size("body", body)
            check_headers(headers)
        case ChangeRequest(url, method, headers, post_data):
            if url and not _HTTP_URL.fullmatch(url):
                raise UsageError(f"url: {url!r} is not an http(s) URL", hint="give the full URL")
            if method and not _METHOD.fullmatch(method):
                raise UsageError(
                    f"method: {method!r} is not an HTTP method", hint="use GET, POST, PUT, ..."
                )
            _check_size("post_data", post_data or b"")
            check_headers(headers)
            _check_settable(headers)


def _check_size(name: str, body: bytes) -> None:
    if len(body) > LARGEST_BODY:
        raise UsageError(
            f"{name}: {len(body)} bytes, more than {LARGEST_BODY}",
            hint="change the url to a local server that serves or receives it",
        )


def check_headers(headers: Mapping[str, str | None]) -> None:
    """Raise ToolError for a header that cannot be sent."""
    for name, value in headers.items():
        if not _TOKEN.fullmatch(name):
            raise UsageError(
                f"headers: {name!r} is not a header name", hint="use letters, digits and -"
            )
        if value is not None and re.search(r"[\r\n\0]", value):
            raise UsageError(
                f"headers: the value of {name} has a line break", hint="remove the line break"
            )


def _check_settable(headers: Mapping[str, str | None]) -> None:
    for name in headers:
        if name.lower() in _SET_BY_CHROME or name.lower().startswith("proxy-"):
            raise UsageError(f"headers: Chrome sets {name} itself", hint="leave it out")


def make_fetch_patterns(rules: Iterable[RouteRule]) -> tuple[dict[str, str], ...]:
    """Return the patterns that make Chrome pause the requests of these rules."""
    found: dict[tuple[str, str], dict[str, str]] = {}
    for rule in rules:
        url = chrome_pattern(rule.pattern)
        for kind in sorted(rule.types) or [""]:
            entry = {"urlPattern": url, "requestStage": "Request"}
            found[url, kind] = entry | ({"resourceType": kind} if kind else {})
    return tuple(found.values())


def parse_paused_request(params: Mapping[str, Any]) -> PausedRequest:
    """Parse `Fetch.requestPaused`."""
    request = params["request"]
    return PausedRequest(
        params["requestId"],
        request["url"],
        request["method"],
        params.get("resourceType", "Other"),
        request.get("headers", {}),
    )


def find_rule(
    rules: Iterable[RouteRule], used: Mapping[str, int], paused: PausedRequest
) -> RouteRule | None:
    """Return the newest rule that matches the request; `rules` are oldest first."""
    kind = "XHR" if paused.type == "Fetch" else paused.type
    for rule in reversed(list(rules)):
        if rule.times and used.get(rule.id, 0) >= rule.times:
            continue
        if (not rule.types or kind in rule.types) and rule.matches_url(paused.url):
            return rule
    return None


def make_fallback_command(rule: RouteRule, request: str) -> Command[Any]:
    """Return the command to send when Chrome refused ours: never let a blocked request through."""
    if isinstance(rule.action, ChangeRequest):
        return Command("Fetch.continueRequest", {"requestId": request})
    return Command("Fetch.failRequest", {"requestId": request, "errorReason": "Failed"})


def make_command(rule: RouteRule, paused: PausedRequest) -> tuple[Command[Any], bool]:
    """Return the Fetch command for a request, and whether it counts as a use of the rule.

    A preflight does not count: it only asks whether the request may follow.
    """
    if paused.preflight_for and not isinstance(rule.action, BlockRequest):
        ours = isinstance(rule.action, MockResponse) or rule.action.url
        go_on: Command[Any] = Command("Fetch.continueRequest", {"requestId": paused.id})
        return (_make_preflight_reply(paused) if ours else go_on), False
    match rule.action:
        case BlockRequest(reason):
            return Command("Fetch.failRequest", _params(paused, errorReason=reason)), True
        case MockResponse() as mock:
            return _make_fulfill(paused, mock), True
        case ChangeRequest() as change:
            return _make_continue(paused, change), True


def _make_fulfill(paused: PausedRequest, mock: MockResponse) -> Command[Any]:
    headers = dict(mock.headers)
    if mock.body and not _header(headers, "content-type"):
        headers["Content-Type"] = mock.content_type
    if not _header(headers, "access-control-allow-origin"):
        headers |= _cors_headers(paused)
    body = base64.b64encode(mock.body).decode()
    params = _params(
        paused, responseCode=mock.status, responseHeaders=_header_list(headers), body=body
    )
    from http import HTTPStatus

    # Chrome refuses status codes without a phrase that it does not know.
    known = mock.status in {status.value for status in HTTPStatus}
    params["responsePhrase"] = HTTPStatus(mock.status).phrase if known else "Unknown"
    return Command("Fetch.fulfillRequest", params)


def _make_preflight_reply(paused: PausedRequest) -> Command[Any]:
    """Answer the preflight of a request that we will answer or redirect ourselves."""
    wanted = _header(paused.headers, "access-control-request-headers")
    headers = _cors_headers(paused) | {"Access-Control-Allow-Methods": paused.preflight_for}
    headers |= {"Access-Control-Max-Age": "0"}
    if wanted:
        headers["Access-Control-Allow-Headers"] = wanted
    params = _params(paused, responseCode=204, responseHeaders=_header_list(headers))
    return Command("Fetch.fulfillRequest", params)


def _cors_headers(paused: PausedRequest) -> dict[str, str]:
    """Return headers that let a page of another origin read our response."""
    origin = _header(paused.headers, "origin")
    if not origin:
        return {}
    return {
        "Access-Control-Allow-Origin": origin,
        "Access-Control-Allow-Credentials": "true",
        "Vary": "Origin",
    }


def _make_continue(paused: PausedRequest, change: ChangeRequest) -> Command[Any]:
    params = _params(paused)
    if change.url:
        params["url"] = change.url
    if change.method:
        params["method"] = change.method
    if change.headers:
        changed = {name.lower() for name in change.headers}
        unchanged = {n: v for n, v in paused.headers.items() if n.lower() not in changed}
        added = {n: v for n, v in change.headers.items() if v is not None}
        params["headers"] = _header_list(unchanged | added)
    if change.post_data is not None:
        params["postData"] = base64.b64encode(change.post_data).decode()
    return Command("Fetch.continueRequest", params)


def _params(paused: PausedRequest, **fields: Any) -> dict[str, Any]:
    return {"requestId": paused.id, **fields}


def _header_list(headers: Mapping[str, str]) -> list[dict[str, str]]:
    return [{"name": name, "value": value} for name, value in headers.items()]


def _header(headers: Mapping[str, str], name: str) -> str:
    return next((value for key, value in headers.items() if key.lower() == name), "")
