"""Rules for requests: which of them are meant, and what becomes of them. Pure.

Knows: Chrome's Fetch commands as values. Must not know: sessions or when anything is sent. A rule
is checked when it is made, so that what it answers is taken by Chrome.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import msgspec

from pilothouse.cdp.message import Command
from pilothouse.errors import ToolError
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

# As `Fetch` names them; it tells fetch() from XMLHttpRequest no more than pages do.
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
# A command over 4 MiB is refused by the wire, and base64 adds a third.
LARGEST_BODY = 2 * 1024**2
MOST_RULES = 200

_TOKEN = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_HTTP_URL = re.compile(r"https?://[^/\s]\S*")
_METHOD = re.compile(r"[A-Z]{1,20}")
# Chrome sets these itself and refuses a request that brings its own.
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
    """The request fails, with one of `REASONS`."""

    reason: str = "BlockedByClient"


class MockResponse(msgspec.Struct, frozen=True):
    """The request never leaves the browser; this is its answer."""

    status: int = 200
    headers: Mapping[str, str] = msgspec.field(default_factory=dict)
    body: bytes = b""
    content_type: str = "text/plain; charset=utf-8"


class ChangeRequest(msgspec.Struct, frozen=True):
    """The request goes on, changed; a header of None is taken out."""

    url: str = ""
    method: str = ""
    headers: Mapping[str, str | None] = msgspec.field(default_factory=dict)
    post_data: bytes | None = None


Action = BlockRequest | MockResponse | ChangeRequest
_ACTION_NAMES = {BlockRequest: "block", MockResponse: "mock", ChangeRequest: "change"}


@dataclass(frozen=True, slots=True)
class RouteRule:
    """What becomes of the requests a pattern means; `times` 0 is always."""

    id: str
    pattern: str
    action: Action
    types: frozenset[str]
    times: int
    matches_url: Callable[[str], bool] = field(repr=False, compare=False)

    def as_dict(self, used: int) -> dict[str, Any]:
        """For an agent; `used` is how often it has decided."""
        said: dict[str, Any] = {"id": self.id, "pattern": self.pattern, "used": used}
        said["action"] = _ACTION_NAMES[type(self.action)]
        if isinstance(self.action, MockResponse):
            said |= {"status": self.action.status, "bytes": len(self.action.body)}
        if self.types:
            said["types"] = sorted(self.types)
        if self.times:
            said["left"] = max(0, self.times - used)
        return said


class PausedRequest(msgspec.Struct, frozen=True):
    """A request that waits for a decision."""

    id: str
    url: str
    method: str
    type: str
    headers: Mapping[str, str]

    @property
    def preflight_for(self) -> str:
        """The method a CORS preflight asks about; empty if it is none."""
        asked = _header(self.headers, "access-control-request-method")
        return asked if self.method == "OPTIONS" else ""


def make_rule(
    rule_id: str, pattern: str, action: Action, types: Iterable[str] = (), times: int = 0
) -> RouteRule:
    """A rule, checked. Raises ToolError that says which part is wrong."""
    known = {name.lower(): name for name in TYPES}
    chosen = set()
    for name in types:
        if name.lower() not in known:
            raise ToolError(f"types: {name!r} is no resource type", hint=", ".join(TYPES))
        chosen.add("XHR" if name.lower() == "fetch" else known[name.lower()])
    if times < 0:
        raise ToolError(f"times: {times} is less than none", hint="use 0 for always")
    _check_action(action)
    return RouteRule(rule_id, pattern, action, frozenset(chosen), times, url_matcher(pattern))


def _check_action(action: Action) -> None:
    match action:
        case BlockRequest(reason) if reason not in REASONS:
            raise ToolError(f"reason: {reason!r} is none", hint=", ".join(REASONS))
        case MockResponse(status, headers, body):
            if not 200 <= status <= 599:
                raise ToolError(f"status: {status} is none of 200 to 599", hint="200 is usual")
            _check_size("body", body)
            check_headers(headers)
        case ChangeRequest(url, method, headers, post_data):
            if url and not _HTTP_URL.fullmatch(url):
                raise ToolError(f"url: {url!r} is not http(s)", hint="give the whole address")
            if method and not _METHOD.fullmatch(method):
                raise ToolError(f"method: {method!r} is none", hint="GET, POST, PUT, ...")
            _check_size("post_data", post_data or b"")
            check_headers(headers)
            _check_settable(headers)


def _check_size(name: str, body: bytes) -> None:
    if len(body) > LARGEST_BODY:
        raise ToolError(
            f"{name}: {len(body)} bytes are over {LARGEST_BODY}",
            hint="let a local server serve or take it, and change the url to that",
        )


def check_headers(headers: Mapping[str, str | None]) -> None:
    """Raises ToolError for a header that cannot be sent."""
    for name, value in headers.items():
        if not _TOKEN.fullmatch(name):
            raise ToolError(f"headers: {name!r} is no header name", hint="letters, digits and -")
        if value is not None and re.search(r"[\r\n\0]", value):
            raise ToolError(f"headers: the value of {name} has a line break", hint="take it out")


def _check_settable(headers: Mapping[str, str | None]) -> None:
    for name in headers:
        if name.lower() in _SET_BY_CHROME or name.lower().startswith("proxy-"):
            raise ToolError(f"headers: Chrome sets {name} itself", hint="leave it out")


def make_fetch_patterns(rules: Iterable[RouteRule]) -> tuple[dict[str, str], ...]:
    """What Chrome has to stop for these rules."""
    found: dict[tuple[str, str], dict[str, str]] = {}
    for rule in rules:
        url = chrome_pattern(rule.pattern)
        for kind in sorted(rule.types) or [""]:
            entry = {"urlPattern": url, "requestStage": "Request"}
            found[url, kind] = entry | ({"resourceType": kind} if kind else {})
    return tuple(found.values())


def parse_paused_request(params: Mapping[str, Any]) -> PausedRequest:
    """`Fetch.requestPaused`."""
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
    """The newest rule that means this request; `rules` are oldest first."""
    kind = "XHR" if paused.type == "Fetch" else paused.type
    for rule in reversed(list(rules)):
        if rule.times and used.get(rule.id, 0) >= rule.times:
            continue
        if (not rule.types or kind in rule.types) and rule.matches_url(paused.url):
            return rule
    return None


def make_fallback_command(rule: RouteRule, request: str) -> Command[Any]:
    """What Chrome is told when it did not take the answer: what was to stay here stays here."""
    if isinstance(rule.action, ChangeRequest):
        return Command("Fetch.continueRequest", {"requestId": request})
    return Command("Fetch.failRequest", {"requestId": request, "errorReason": "Failed"})


def make_command(rule: RouteRule, paused: PausedRequest) -> tuple[Command[Any], bool]:
    """What Chrome is told, and whether it uses the rule up: a preflight is only the question."""
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
    said = _params(
        paused, responseCode=mock.status, responseHeaders=_header_list(headers), body=body
    )
    from http import HTTPStatus

    # Chrome knows no words for some numbers, and refuses them without.
    known = mock.status in {status.value for status in HTTPStatus}
    said["responsePhrase"] = HTTPStatus(mock.status).phrase if known else "Unknown"
    return Command("Fetch.fulfillRequest", said)


def _make_preflight_reply(paused: PausedRequest) -> Command[Any]:
    """The answer to a preflight whose request will be answered, or sent elsewhere, by us."""
    wanted = _header(paused.headers, "access-control-request-headers")
    headers = _cors_headers(paused) | {"Access-Control-Allow-Methods": paused.preflight_for}
    headers |= {"Access-Control-Max-Age": "0"}
    if wanted:
        headers["Access-Control-Allow-Headers"] = wanted
    said = _params(paused, responseCode=204, responseHeaders=_header_list(headers))
    return Command("Fetch.fulfillRequest", said)


def _cors_headers(paused: PausedRequest) -> dict[str, str]:
    """A page of another origin may read what we made up."""
    origin = _header(paused.headers, "origin")
    if not origin:
        return {}
    return {
        "Access-Control-Allow-Origin": origin,
        "Access-Control-Allow-Credentials": "true",
        "Vary": "Origin",
    }


def _make_continue(paused: PausedRequest, change: ChangeRequest) -> Command[Any]:
    said = _params(paused)
    if change.url:
        said["url"] = change.url
    if change.method:
        said["method"] = change.method
    if change.headers:
        changed = {name.lower() for name in change.headers}
        kept = {n: v for n, v in paused.headers.items() if n.lower() not in changed}
        added = {n: v for n, v in change.headers.items() if v is not None}
        said["headers"] = _header_list(kept | added)
    if change.post_data is not None:
        said["postData"] = base64.b64encode(change.post_data).decode()
    return Command("Fetch.continueRequest", said)


def _params(paused: PausedRequest, **fields: Any) -> dict[str, Any]:
    return {"requestId": paused.id, **fields}


def _header_list(headers: Mapping[str, str]) -> list[dict[str, str]]:
    return [{"name": name, "value": value} for name, value in headers.items()]


def _header(headers: Mapping[str, str], name: str) -> str:
    return next((value for key, value in headers.items() if key.lower() == name), "")
