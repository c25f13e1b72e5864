"""JSON-RPC 2.0 as MCP uses it on stdio: one message per line. Pure.

Knows: requests, notifications, responses, and how each is encoded. Must not know: MCP's methods.
Lone surrogates and very large integers are accepted and sent back as they came, because a line
that cannot be parsed has no id, and its sender would wait forever.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import msgspec

from pilothouse.daemon.rpc import messages

__all__ = [
    "InvalidLine",
    "LineNotification",
    "LineRequest",
    "LineResponse",
    "RequestId",
    "encode_line",
    "error_reply",
    "notification",
    "parse_line",
    "parse_message",
    "result_reply",
]

RequestId = int | str
_encoder = msgspec.json.Encoder()


class LineRequest(msgspec.Struct, frozen=True):
    """A message that gets a reply."""

    id: RequestId
    method: str
    params: dict[str, Any]


class LineNotification(msgspec.Struct, frozen=True):
    """A message that gets no reply."""

    method: str
    params: dict[str, Any]


class LineResponse(msgspec.Struct, frozen=True):
    """The reply to a request of ours. `error` is None for a result."""

    id: Any
    result: Any
    error: Any


class InvalidLine(msgspec.Struct, frozen=True):
    """What is no message, and the error to send for it."""

    id: RequestId | None
    code: int
    problem: str


Message = LineRequest | LineNotification | LineResponse | InvalidLine


def parse_line(line: bytes) -> Message | list[Any]:
    """Parse a line into its message; a batch stays a list of JSON values."""
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        return InvalidLine(None, messages.PARSE_ERROR, "the message is not valid JSON")
    return value if isinstance(value, list) else parse_message(value)


def parse_message(value: Any) -> Message:
    """Parse one message. What may be a response gets no error reply: it could go on forever."""
    if not isinstance(value, dict):
        return InvalidLine(None, messages.INVALID_REQUEST, "expected a JSON-RPC object")
    number = value.get("id")
    if "method" not in value:
        return LineResponse(number, value.get("result"), value.get("error"))
    known = number if isinstance(number, int | str) and not isinstance(number, bool) else None
    method, params = value["method"], value.get("params")
    if value.get("jsonrpc") != "2.0":
        return InvalidLine(known, messages.INVALID_REQUEST, 'jsonrpc: expected "2.0"')
    if not isinstance(method, str):
        return InvalidLine(known, messages.INVALID_REQUEST, "method: expected a string")
    if not isinstance(params, dict | None):
        return InvalidLine(known, messages.INVALID_REQUEST, "params: expected an object")
    if known is not None:
        return LineRequest(known, method, params or {})
    # Some clients send notifications with an id of null. They expect no reply.
    if "id" in value and not method.startswith("notifications/"):
        return InvalidLine(None, messages.INVALID_REQUEST, "id: expected a string or an integer")
    return LineNotification(method, params or {})


def result_reply(number: RequestId, result: Mapping[str, Any]) -> dict[str, Any]:
    """Return the reply to a request that succeeded. `pilothouse mcp` relies on the keys' order."""
    return {"jsonrpc": "2.0", "id": number, "result": result}


def error_reply(
    number: RequestId | None, code: int, problem: str, data: Any = None
) -> dict[str, Any]:
    """Return the reply to a request that failed."""
    error: dict[str, Any] = {"code": code, "message": problem}
    if data is not None:
        error["data"] = data
    return {"jsonrpc": "2.0", "id": number, "error": error}


def notification(method: str, params: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """Return a notification for the client."""
    message: dict[str, Any] = {"jsonrpc": "2.0", "method": method}
    return message if params is None else {**message, "params": params}


def encode_line(message: Any) -> bytes:
    """Encode a message, or a list of them."""
    try:
        return _encoder.encode(message) + b"\n"
    except (UnicodeEncodeError, OverflowError):
        # Lone surrogates and integers of more than 64 bits: the slower encoder escapes them.
        return json.dumps(message, separators=(",", ":")).encode() + b"\n"
