"""MCP's methods on stdio: parameters, results and errors in each protocol version. Pure.

Knows: both forms of the protocol. Up to 2025-11-25 a client begins with `initialize` (handshake);
since 2026-07-28 each request carries its version and capabilities (envelope). Must not know: what
methods do, or the SDK. A client's first request decides the form of its session, as in the SDK.
"""

from __future__ import annotations

import enum
from collections.abc import Mapping
from typing import Any, Literal, get_args

import msgspec

from pilothouse import __version__
from pilothouse.daemon.mcp.initialize import INSTRUCTIONS, NAME, initialize_problem
from pilothouse.daemon.mcp.json_rpc_lines import LineRequest, RequestId
from pilothouse.daemon.rpc import messages

__all__ = [
    "COMPLETE",
    "COMPLETE_UNCACHED",
    "DISCOVERY",
    "ENVELOPE_METHODS",
    "ENVELOPE_VERSIONS",
    "HANDSHAKE_METHODS",
    "LOG_LEVELS",
    "ROOTS_REQUIRED",
    "SUBSCRIPTION_ID",
    "McpRefusal",
    "McpRequest",
    "Phase",
    "parse_request",
    "phase_after_notification",
    "phase_after_request",
    "shape_result",
]

ENVELOPE_VERSIONS = ("2026-07-28",)
UNSUPPORTED_VERSION = -32022
_KEY = "io.modelcontextprotocol/"
VERSION_KEY, CAPABILITIES_KEY = f"{_KEY}protocolVersion", f"{_KEY}clientCapabilities"
SUBSCRIPTION_ID = f"{_KEY}subscriptionId"
# Extra fields of results since 2026-07-28. Listings and resources are private to a session and
# must not be cached.
COMPLETE = {"resultType": "complete"}
COMPLETE_UNCACHED = {**COMPLETE, "ttlMs": 0, "cacheScope": "private"}
# In the newer protocol a server cannot send requests: the client repeats its call with the roots.
ROOTS_REQUIRED = {
    "resultType": "input_required",
    "inputRequests": {"roots": {"method": "roots/list", "params": {}}},
}
LogLevel = Literal["debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"]
LOG_LEVELS: tuple[str, ...] = get_args(LogLevel)
# The result of server/discover. A client may subscribe to every kind of change, as with the SDK.
DISCOVERY: Mapping[str, Any] = {
    "supportedVersions": list(ENVELOPE_VERSIONS),
    "capabilities": {
        "logging": {},
        "prompts": {"listChanged": True},
        "resources": {"listChanged": True, "subscribe": True},
        "tools": {"listChanged": True},
    },
    "instructions": INSTRUCTIONS,
}


class McpRefusal(Exception):
    """The error reply to a request."""

    def __init__(self, code: int, problem: str, data: Any = None) -> None:
        super().__init__(problem)
        self.code = code
        self.problem = problem
        self.data = data


# Phases of a session.


class Phase(enum.Enum):
    """How far a session has come."""

    OPENING = "no request yet"
    UNGREETED = "handshake form, before a valid initialize"
    GREETED = "handshake form, after initialize"
    ENVELOPE = "each request carries its protocol version"


class _Opening(enum.Enum):
    """What a message means for the phase."""

    GREETING = "a valid initialize, or notifications/initialized"
    INVALID_GREETING = "an initialize with wrong parameters"
    PLAIN = "another request, without a protocol version"
    ENVELOPED = "another request, with a protocol version"


_NEXT: Mapping[tuple[Phase, _Opening], Phase] = {
    (Phase.OPENING, _Opening.GREETING): Phase.GREETED,
    (Phase.OPENING, _Opening.INVALID_GREETING): Phase.UNGREETED,
    (Phase.OPENING, _Opening.PLAIN): Phase.UNGREETED,
    (Phase.OPENING, _Opening.ENVELOPED): Phase.ENVELOPE,
    (Phase.UNGREETED, _Opening.GREETING): Phase.GREETED,
    (Phase.UNGREETED, _Opening.INVALID_GREETING): Phase.UNGREETED,
    (Phase.UNGREETED, _Opening.PLAIN): Phase.UNGREETED,
    (Phase.GREETED, _Opening.GREETING): Phase.GREETED,
    (Phase.GREETED, _Opening.INVALID_GREETING): Phase.GREETED,
    (Phase.GREETED, _Opening.PLAIN): Phase.GREETED,
    (Phase.ENVELOPE, _Opening.PLAIN): Phase.ENVELOPE,
    (Phase.ENVELOPE, _Opening.ENVELOPED): Phase.ENVELOPE,
}


def _opening(line: LineRequest) -> _Opening:
    if line.method == "initialize":
        return _Opening.INVALID_GREETING if initialize_problem(line.params) else _Opening.GREETING
    meta = line.params.get("_meta")
    enveloped = isinstance(meta, dict) and VERSION_KEY in meta
    return _Opening.ENVELOPED if enveloped else _Opening.PLAIN


def phase_after_notification(phase: Phase, method: str) -> Phase:
    """Return the phase after a notification: some clients send only the end of a handshake."""
    if method != "notifications/initialized":
        return phase
    return _NEXT.get((phase, _Opening.GREETING), phase)


def phase_after_request(phase: Phase, line: LineRequest) -> Phase:
    """Return the phase after a request. Raises McpRefusal for a request of the other form."""
    if (found := _NEXT.get((phase, _opening(line)))) is not None:
        return found
    if phase is Phase.ENVELOPE:
        requested = line.params.get("protocolVersion")
        data: dict[str, Any] = {"supported": list(ENVELOPE_VERSIONS)}
        if isinstance(requested, str):
            data["requested"] = requested
        raise McpRefusal(
            UNSUPPORTED_VERSION,
            "initialize: this session began with protocol 2026-07-28, which has no handshake",
            data,
        )
    raise McpRefusal(
        messages.INVALID_REQUEST,
        f"params._meta: this session began with a handshake; leave out {VERSION_KEY}",
    )


# Parameters. Unknown fields are ignored.


class _Meta(msgspec.Struct, frozen=True):
    progress_token: int | str | None = msgspec.field(default=None, name="progressToken")


class _ClientInfo(msgspec.Struct, frozen=True):
    name: str
    version: str


class _Capabilities(msgspec.Struct, frozen=True):
    experimental: dict[str, Any] | None = None
    roots: dict[str, Any] | None = None


class _Envelope(msgspec.Struct, frozen=True):
    version: str = msgspec.field(name=VERSION_KEY)
    capabilities: _Capabilities = msgspec.field(name=CAPABILITIES_KEY)
    client: _ClientInfo | None = msgspec.field(default=None, name=f"{_KEY}clientInfo")
    log_level: LogLevel | None = msgspec.field(default=None, name=f"{_KEY}logLevel")
    progress_token: int | str | None = msgspec.field(default=None, name="progressToken")


class _NoParams(msgspec.Struct, frozen=True):
    """For methods that take none."""


class _PageParams(msgspec.Struct, frozen=True):
    """For listings. All listings fit in one page, so the cursor is checked and ignored."""

    cursor: str | None = None


class _InputResponseParams(msgspec.Struct, frozen=True):
    """What a client adds when it repeats a request with what the server has asked for."""

    input_responses: dict[str, dict[str, Any]] | None = msgspec.field(
        default=None, name="inputResponses"
    )
    request_state: str | None = msgspec.field(default=None, name="requestState")


class _CallToolParams(_InputResponseParams, frozen=True, kw_only=True):
    """For tools/call."""

    name: str
    arguments: dict[str, Any] | None = None


class _ReadResourceParams(_InputResponseParams, frozen=True, kw_only=True):
    """For resources/read."""

    uri: str


class _GetPromptParams(_InputResponseParams, frozen=True, kw_only=True):
    """For prompts/get."""

    name: str
    arguments: dict[str, str] | None = None


class _SetLevelParams(msgspec.Struct, frozen=True):
    """For logging/setLevel."""

    level: LogLevel


class _SubscriptionFilter(msgspec.Struct, frozen=True, omit_defaults=True, rename="camel"):
    """The changes that a client wants to hear of."""

    tools_list_changed: bool | None = None
    prompts_list_changed: bool | None = None
    resources_list_changed: bool | None = None
    resource_subscriptions: list[str] | None = None

    def honored(self) -> _SubscriptionFilter:
        """Return the filter without its false and empty fields, as it is acknowledged."""
        return _SubscriptionFilter(
            self.tools_list_changed or None,
            self.prompts_list_changed or None,
            self.resources_list_changed or None,
            self.resource_subscriptions or None,
        )


class _ListenParams(msgspec.Struct, frozen=True):
    """For subscriptions/listen."""

    notifications: _SubscriptionFilter


_SHARED_METHODS: Mapping[str, type[msgspec.Struct]] = {
    "tools/list": _PageParams,
    "tools/call": _CallToolParams,
    "resources/list": _PageParams,
    "resources/templates/list": _PageParams,
    "resources/read": _ReadResourceParams,
    "prompts/list": _PageParams,
    "prompts/get": _GetPromptParams,
}
# The methods of each form, with their parameters.
HANDSHAKE_METHODS: dict[str, type[Any]] = {
    **_SHARED_METHODS,
    "ping": _NoParams,
    "logging/setLevel": _SetLevelParams,
}
ENVELOPE_METHODS: dict[str, type[Any]] = {
    **_SHARED_METHODS,
    "server/discover": _NoParams,
    "subscriptions/listen": _ListenParams,
}


class McpRequest(msgspec.Struct, frozen=True):
    """A valid request. `capabilities` and `log_level` come with it in the envelope form only."""

    id: RequestId
    method: str
    params: Any
    progress_token: int | str | None = None
    capabilities: _Capabilities | None = None
    client_name: str = ""
    log_level: LogLevel | None = None


def parse_request(phase: Phase, line: LineRequest) -> McpRequest:
    """Check a request other than `initialize`. Raises McpRefusal."""
    meta = line.params.get("_meta")
    if phase is Phase.ENVELOPE:
        envelope = _parse_envelope(meta)
        return McpRequest(
            line.id,
            line.method,
            _parse_params(line, ENVELOPE_METHODS),
            envelope.progress_token,
            envelope.capabilities,
            envelope.client.name if envelope.client is not None else "",
            envelope.log_level,
        )
    if line.method in HANDSHAKE_METHODS and phase is not Phase.GREETED and line.method != "ping":
        raise McpRefusal(messages.INVALID_PARAMS, f"{line.method}: send initialize first")
    params = _parse_params(line, HANDSHAKE_METHODS)
    token = None if meta is None else _convert(meta, _Meta, "params._meta").progress_token
    return McpRequest(line.id, line.method, params, token)


def _parse_envelope(meta: Any) -> _Envelope:
    """Check the `_meta` of a request in the envelope form. Raises McpRefusal."""
    if isinstance(meta, dict) and CAPABILITIES_KEY in meta:
        # Before the other fields, which a version that we do not know may have changed.
        version = meta.get(VERSION_KEY)
        if isinstance(version, str) and version not in ENVELOPE_VERSIONS:
            data = {"supported": list(ENVELOPE_VERSIONS), "requested": version}
            raise McpRefusal(UNSUPPORTED_VERSION, "Unsupported protocol version", data)
    envelope: _Envelope = _convert(meta, _Envelope, "params._meta")
    return envelope


def _parse_params(line: LineRequest, methods: Mapping[str, type[Any]]) -> Any:
    taken = methods.get(line.method)
    if taken is None:
        raise McpRefusal(messages.NOT_FOUND, "Method not found", line.method)
    return _convert(line.params, taken, "params")


def _convert(value: Any, kind: type[Any], name: str) -> Any:
    try:
        return msgspec.convert(value, kind)
    except msgspec.ValidationError as error:
        problem, _, where = str(error).partition(" - at `$")
        field = f"{name}{where.removesuffix('`')}"
        raise McpRefusal(
            messages.INVALID_PARAMS, f"{field}: {problem[:1].lower()}{problem[1:]}"
        ) from None


# Results.

_CACHEABLE = (
    "prompts/list",
    "resources/list",
    "resources/read",
    "resources/templates/list",
    "server/discover",
    "tools/list",
)
_SERVER = {f"{_KEY}serverInfo": {"name": NAME, "version": __version__}}


def shape_result(phase: Phase, method: str, result: Mapping[str, Any]) -> Mapping[str, Any]:
    """Add the fields that results have in this form of the protocol."""
    if phase is not Phase.ENVELOPE:
        return result
    extra = COMPLETE_UNCACHED if method in _CACHEABLE else COMPLETE
    return {**extra, **result, "_meta": {**result.get("_meta", {}), **_SERVER}}
