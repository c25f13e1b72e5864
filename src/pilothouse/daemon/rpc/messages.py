"""JSON-RPC 2.0, one line a message: what clients and daemon say to each other. Pure.

Knows: how requests, results, errors and notices are written. Must not know: sockets or methods.
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
    "Request",
    "WithNotices",
    "error",
    "notice",
    "parse",
    "result",
]

LONGEST_LINE = 64 * 1024 * 1024

PARSE_ERROR, INVALID_REQUEST, NOT_FOUND = -32700, -32600, -32601
INVALID_PARAMS, INTERNAL = -32602, -32603
# Ours: the call was understood and refused, with a hint; the detail is in `data`.
REFUSED = -32000


class Request(msgspec.Struct, frozen=True):
    """A call, or without an id a notice that wants no answer."""

    method: str
    params: dict[str, Any] = msgspec.field(default_factory=dict)
    id: int | str | None = None


class WithNotices(msgspec.Struct, frozen=True):
    """A result, and what its caller should know besides: bookkeeping that failed."""

    value: Any
    notices: tuple[str, ...]


def parse(line: bytes) -> Request | bytes:
    """A request, or the line that answers what is none."""
    try:
        message = json.loads(line)
    except (ValueError, RecursionError):
        return error(None, PARSE_ERROR, "that is no JSON")
    if not isinstance(message, dict) or message.get("jsonrpc") != "2.0":
        return error(None, INVALID_REQUEST, 'a JSON-RPC 2.0 object is wanted ("jsonrpc": "2.0")')
    number, method, params = message.get("id"), message.get("method"), message.get("params", {})
    if isinstance(number, bool) or not isinstance(number, int | str | None):
        return error(None, INVALID_REQUEST, "id: a number or a text is wanted")
    if not isinstance(method, str) or not method:
        return error(number, INVALID_REQUEST, "method: a text is wanted")
    if not isinstance(params, dict):
        return error(number, INVALID_PARAMS, "params: an object is wanted, not a list")
    return Request(method, params, number)


def _line(message: dict[str, Any]) -> bytes:
    return json.dumps({"jsonrpc": "2.0", **message}, separators=(",", ":")).encode() + b"\n"


def result(number: int | str | None, value: Any) -> bytes:
    """The answer to a call. Notices stand beside the result, which keeps its form."""
    if isinstance(value, WithNotices):
        return _line({"id": number, "result": value.value, "notices": list(value.notices)})
    return _line({"id": number, "result": value})


def error(
    number: int | str | None, code: int, message: str, data: dict[str, Any] | None = None
) -> bytes:
    """The error in its place."""
    body: dict[str, Any] = {"code": code, "message": message}
    if data:
        body["data"] = data
    return _line({"id": number, "error": body})


def notice(method: str, params: dict[str, Any]) -> bytes:
    """Something the daemon says unasked: progress, events."""
    return _line({"method": method, "params": params})
