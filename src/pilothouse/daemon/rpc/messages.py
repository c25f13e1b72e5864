"""JSON-RPC 2.0 messages, one per line: parse requests, encode results, errors and notices. Pure.

Knows: the encoding. Must not know: sockets or methods.
"""

from __future__ import annotations

import json
from typing import Any

import msgspec

__all__ = [
    "INTERNAL",
    "INVALID_PARAMS",
    "INVALID_REQUEST",
    "LONGEST_LINE",
    "NOT_FOUND",
    "PARSE_ERROR",
    "REFUSED",
    "ResultWithNotices",
    "RpcRequest",
    "error",
    "notice",
    "parse",
    "result",
]

LONGEST_LINE = 64 * 1024 * 1024

PARSE_ERROR, INVALID_REQUEST, NOT_FOUND = -32700, -32600, -32601
INVALID_PARAMS, INTERNAL = -32602, -32603
# Our own code: the call was valid but failed. `data` has the error's kind and a hint.
REFUSED = -32000


class RpcRequest(msgspec.Struct, frozen=True):
    """One call. Without an id it is a notification, which gets no reply."""

    method: str
    params: dict[str, Any] = msgspec.field(default_factory=dict)
    id: int | str | None = None


class ResultWithNotices(msgspec.Struct, frozen=True):
    """A result with notices for the caller, such as bookkeeping that failed."""

    value: Any
    notices: tuple[str, ...]


def parse(line: bytes) -> RpcRequest | bytes:
    """Parse a line into a request; for an invalid line, return the error reply to send."""
    try:
        message = json.loads(line)
    except (ValueError, RecursionError):
        return error(None, PARSE_ERROR, "the message is not valid JSON")
    if not isinstance(message, dict) or message.get("jsonrpc") != "2.0":
        return error(None, INVALID_REQUEST, 'expected a JSON-RPC object with "jsonrpc": "2.0"')
    number, method, params = message.get("id"), message.get("method"), message.get("params", {})
    if isinstance(number, bool) or not isinstance(number, int | str | None):
        return error(None, INVALID_REQUEST, "id: expected a number or a string")
    if not isinstance(method, str) or not method:
        return error(number, INVALID_REQUEST, "method: expected a string")
    if not isinstance(params, dict):
        return error(number, INVALID_PARAMS, "params: expected an object")
    return RpcRequest(method, params, number)


def _line(message: dict[str, Any]) -> bytes:
    return json.dumps({"jsonrpc": "2.0", **message}, separators=(",", ":")).encode() + b"\n"


def result(number: int | str | None, value: Any) -> bytes:
    """Encode the reply to a call. Notices go beside the result, so that its shape is unchanged."""
    if isinstance(value, ResultWithNotices):
        return _line({"id": number, "result": value.value, "notices": list(value.notices)})
    return _line({"id": number, "result": value})


def error(
    number: int | str | None, code: int, message: str, data: dict[str, Any] | None = None
) -> bytes:
    """Encode an error reply."""
    body: dict[str, Any] = {"code": code, "message": message}
    if data:
        body["data"] = data
    return _line({"id": number, "error": body})


def notice(method: str, params: dict[str, Any]) -> bytes:
    """Encode a notification from the daemon, such as progress."""
    return _line({"method": method, "params": params})
