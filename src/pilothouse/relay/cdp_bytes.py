"""CDP messages as bytes: read the outside of one, change its id or its session, spell an answer.

Knows: how Chrome lays a message out (id or method first, the session last) and how it words its
errors. Must not know: who sent a message, or what it is for. Nothing here decodes params or
results of the usual layout: some are hundreds of megabytes.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from pilothouse.cdp.message import decode_envelope, decode_object

__all__ = [
    "INVALID_PARAMS",
    "SERVER_ERROR",
    "Asked",
    "Malformed",
    "canonical",
    "command",
    "cut_session",
    "error",
    "event",
    "method_of",
    "not_found",
    "params_of",
    "read_asked",
    "reply_id",
    "result",
    "session_gone",
    "session_of",
    "with_id",
]

PARSE_ERROR = -32700
INVALID_REQUEST = -32600
METHOD_NOT_FOUND = -32601
INVALID_PARAMS = -32602
SESSION_NOT_FOUND = -32001
SERVER_ERROR = -32000

_EMPTY = msgspec.Raw(b"{}")
_TAIL = b',"sessionId":"'
# A session's id is 32 characters in Chrome; others may choose longer ones.
_TAIL_WITHIN = 160


class Asked(msgspec.Struct, gc=False):
    """A client's command; its params stay as they came."""

    id: int
    method: str
    params: msgspec.Raw = _EMPTY
    sessionId: str = ""


class Malformed(msgspec.Struct, frozen=True):
    """A message that is no command, and the answer to it."""

    answer: bytes


_asked = msgspec.json.Decoder(Asked)
_any = msgspec.json.Decoder()
_encode = msgspec.json.Encoder().encode


def read_asked(frame: bytes) -> Asked | Malformed:
    """What a client asks; never raises."""
    try:
        asked = _asked.decode(frame)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return Malformed(_complaint(frame))
    if not asked.method.replace(".", "").isalnum() or not asked.method.isascii():
        return Malformed(not_found(asked.id, asked.method))
    return asked


def _complaint(frame: bytes) -> bytes:
    try:
        value = _any.decode(frame)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return error(None, PARSE_ERROR, "Message must be a valid JSON")
    if not isinstance(value, dict):
        return error(None, PARSE_ERROR, "Message must be an object")
    number = value.get("id")
    if type(number) is not int:
        return error(None, INVALID_REQUEST, "Message must have integer 'id' property")
    if not isinstance(value.get("method"), str):
        return error(number, INVALID_REQUEST, "Message must have string 'method' property")
    return error(number, INVALID_REQUEST, "Message has property of a wrong type")


# Reading what the browser says.


def reply_id(frame: bytes) -> tuple[int, int]:
    """The id at the front of a reply, and where what follows it begins; (-1, 0) if none is."""
    if not frame.startswith(b'{"id":'):
        return -1, 0
    end = frame.find(b",", 6, 30)
    if end < 0:
        return -1, 0
    digits = frame[6:end]
    return (int(digits), end) if digits.isdigit() else (-1, 0)


def method_of(frame: bytes) -> bytes:
    """The method at the front of an event; empty if none is."""
    if not frame.startswith(b'{"method":"'):
        return b""
    end = frame.find(b'"', 11, 160)
    return frame[11:end] if end > 0 else b""


def session_of(frame: bytes) -> bytes:
    """The session at the end of a message; empty if none is. Within a string the quotes would be
    escaped, and the last brace closes the whole message: so this is no one else's session."""
    if not frame.endswith(b'"}'):
        return b""
    size = len(frame)
    start = frame.rfind(_TAIL, size - _TAIL_WITHIN if size > _TAIL_WITHIN else 0)
    if start < 0:
        return b""
    found = frame[start + 14 : -2]
    return b"" if b'"' in found else found


def cut_session(frame: bytes, shown: bytes = b"") -> bytes:
    """The message without the session at its end, or with another one."""
    end = frame.rfind(_TAIL)
    if end < 0:
        return frame
    tail = b'%b%b"}' % (_TAIL, shown) if shown else b"}"
    return b"".join((memoryview(frame)[:end], tail))


def with_id(frame: bytes, end: int, number: int) -> bytes:
    """The reply with another id; `end` is where `reply_id` said the rest begins."""
    return b"".join((b'{"id":%d' % number, memoryview(frame)[end:]))


def params_of(frame: bytes) -> dict[str, Any]:
    """An event's params, decoded; empty when there are none."""
    envelope = decode_envelope(frame)
    return (decode_object(envelope.params) or {}) if envelope is not None else {}


def canonical(frame: bytes) -> bytes:
    """The same message in Chrome's layout, for browsers that order it otherwise; empty when it is
    no message at all."""
    envelope = decode_envelope(frame)
    if envelope is None:
        return b""
    tail = _tail(envelope.sessionId)
    if envelope.id is not None:
        body = (
            b'"result":' + bytes(envelope.result)
            if envelope.error is None
            else b'"error":' + _encode(envelope.error)
        )
        return b'{"id":%d,%b%b' % (envelope.id, body, tail)
    if envelope.method is None:
        return b""
    return b'{"method":%b,"params":%b%b' % (
        _encode(envelope.method),
        bytes(envelope.params),
        tail,
    )


# Spelling messages.


def command(
    number: int, method: str, params: bytes | Mapping[str, Any], session: bytes = b""
) -> bytes:
    """A command for the browser."""
    body = params if isinstance(params, bytes) else _encode(params)
    tail = b'%b%b"}' % (_TAIL, session) if session else b"}"
    return b"".join((b'{"id":%d,"method":"%b","params":' % (number, method.encode()), body, tail))


def result(number: int, value: Mapping[str, Any] | bytes, session: str = "") -> bytes:
    """The answer to a command that worked."""
    body = value if isinstance(value, bytes) else _encode(value)
    return b"".join((b'{"id":%d,"result":' % number, body, _tail(session)))


def error(number: int | None, code: int, message: str, session: str = "") -> bytes:
    """The answer to a command that did not."""
    body = _encode({"code": code, "message": message})
    head = b"" if number is None else b'"id":%d,' % number
    return b"".join((b"{", head, b'"error":', body, _tail(session)))


def not_found(number: int, method: str, session: str = "") -> bytes:
    """There is no such command."""
    return error(number, METHOD_NOT_FOUND, f"'{method}' wasn't found", session)


def session_gone(number: int) -> bytes:
    """There is no such session; Chrome says so without naming it."""
    return error(number, SESSION_NOT_FOUND, "Session with given id not found.")


def event(method: str, params: Mapping[str, Any], session: str = "") -> bytes:
    """Something to tell unasked."""
    return b"".join(
        (b'{"method":"%b","params":' % method.encode(), _encode(params), _tail(session))
    )


def _tail(session: str) -> bytes:
    return b'%b%b"}' % (_TAIL, session.encode()) if session else b"}"
