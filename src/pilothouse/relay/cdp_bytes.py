"""Read and write CDP messages as bytes: envelope fields only, never params or results.

Knows: Chrome's message layout (`id` or `method` first, `sessionId` last) and Chrome's error texts.
Must not know: who sent a message, or what it is for. Messages in Chrome's layout are never decoded
as a whole, because some params and results are hundreds of megabytes.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from pilothouse.cdp.message import decode_envelope, decode_object, encode_envelope

__all__ = [
    "INVALID_PARAMS",
    "SERVER_ERROR",
    "ClientCommand",
    "MalformedCommand",
    "decode_command",
    "encode_error",
    "encode_event",
    "encode_not_found",
    "encode_result",
    "encode_session_not_found",
    "read_method",
    "read_params",
    "read_reply_id",
    "read_session",
    "replace_id",
    "replace_session",
    "to_chrome_layout",
]

PARSE_ERROR = -32700
INVALID_REQUEST = -32600
METHOD_NOT_FOUND = -32601
INVALID_PARAMS = -32602
SESSION_NOT_FOUND = -32001
SERVER_ERROR = -32000

_EMPTY = msgspec.Raw(b"{}")
_SESSION_FIELD = b',"sessionId":"'
# How far from the end to look for the session field. Chrome's session ids have 32 characters;
# other browsers may use longer ones.
_LONGEST_TAIL = 160


class ClientCommand(msgspec.Struct, gc=False):
    """A command from a client. `params` stays undecoded."""

    id: int
    method: str
    params: msgspec.Raw = _EMPTY
    sessionId: str = ""


class MalformedCommand(msgspec.Struct, frozen=True):
    """A message that is not a valid command, with the error reply to send."""

    reply: bytes


_command_decoder = msgspec.json.Decoder(ClientCommand)
_any_decoder = msgspec.json.Decoder()
_encode = msgspec.json.Encoder().encode


def decode_command(message: bytes) -> ClientCommand | MalformedCommand:
    """Decode a client's message. Never raises."""
    try:
        command = _command_decoder.decode(message)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return MalformedCommand(_explain_malformed(message))
    # `encode_raw_command` writes the method without escaping, so it must not contain quotes.
    if not command.method.replace(".", "").isalnum() or not command.method.isascii():
        return MalformedCommand(encode_not_found(command.id, command.method))
    return command


def _explain_malformed(message: bytes) -> bytes:
    try:
        value = _any_decoder.decode(message)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return encode_error(None, PARSE_ERROR, "Message must be a valid JSON")
    if not isinstance(value, dict):
        return encode_error(None, PARSE_ERROR, "Message must be an object")
    number = value.get("id")
    if type(number) is not int:
        return encode_error(None, INVALID_REQUEST, "Message must have integer 'id' property")
    if not isinstance(value.get("method"), str):
        return encode_error(number, INVALID_REQUEST, "Message must have string 'method' property")
    return encode_error(number, INVALID_REQUEST, "Message has property of a wrong type")


# Reading messages from the browser.


def read_reply_id(message: bytes) -> tuple[int, int]:
    """Return a reply's id and the offset right after it; (-1, 0) if the message is no reply."""
    if not message.startswith(b'{"id":'):
        return -1, 0
    end = message.find(b",", 6, 30)
    if end < 0:
        return -1, 0
    digits = message[6:end]
    return (int(digits), end) if digits.isdigit() else (-1, 0)


def read_method(message: bytes) -> bytes:
    """Return an event's method; empty if the message does not start with one."""
    if not message.startswith(b'{"method":"'):
        return b""
    end = message.find(b'"', 11, 160)
    return message[11:end] if end > 0 else b""


def read_session(message: bytes) -> bytes:
    """Return the session id at the end of a message; empty if there is none."""
    # This cannot match text inside params: there the quotes would be escaped, and the last brace
    # always closes the whole message.
    if not message.endswith(b'"}'):
        return b""
    size = len(message)
    start = message.rfind(_SESSION_FIELD, size - _LONGEST_TAIL if size > _LONGEST_TAIL else 0)
    if start < 0:
        return b""
    session = message[start + 14 : -2]
    return b"" if b'"' in session else session


def replace_session(message: bytes, session: bytes = b"") -> bytes:
    """Replace the session id at the end of a message; remove it if `session` is empty."""
    end = message.rfind(_SESSION_FIELD)
    if end < 0:
        return message
    tail = b'%b%b"}' % (_SESSION_FIELD, session) if session else b"}"
    return b"".join((memoryview(message)[:end], tail))


def replace_id(message: bytes, end: int, number: int) -> bytes:
    """Replace a reply's id. `end` is the offset that `read_reply_id` returned."""
    return b"".join((b'{"id":%d' % number, memoryview(message)[end:]))


def read_params(message: bytes) -> dict[str, Any]:
    """Decode an event's params; empty when it has none."""
    envelope = decode_envelope(message)
    return (decode_object(envelope.params) or {}) if envelope is not None else {}


def to_chrome_layout(message: bytes) -> bytes:
    """Reorder a message into Chrome's layout, for browsers that order fields differently.

    Returns empty bytes if it is not a CDP message.
    """
    envelope = decode_envelope(message)
    if envelope is None or (envelope.id is None and envelope.method is None):
        return b""
    return encode_envelope(envelope)


# Writing messages.


def encode_result(number: int, value: Mapping[str, Any] | bytes, session: str = "") -> bytes:
    """Encode the reply to a command that succeeded."""
    body = value if isinstance(value, bytes) else _encode(value)
    return b"".join((b'{"id":%d,"result":' % number, body, _encode_tail(session)))


def encode_error(number: int | None, code: int, text: str, session: str = "") -> bytes:
    """Encode the reply to a command that failed."""
    body = _encode({"code": code, "message": text})
    head = b"" if number is None else b'"id":%d,' % number
    return b"".join((b"{", head, b'"error":', body, _encode_tail(session)))


def encode_not_found(number: int, method: str, session: str = "") -> bytes:
    """Encode Chrome's reply to an unknown method."""
    return encode_error(number, METHOD_NOT_FOUND, f"'{method}' wasn't found", session)


def encode_session_not_found(number: int) -> bytes:
    """Encode Chrome's reply to an unknown session id. Chrome does not repeat the id."""
    return encode_error(number, SESSION_NOT_FOUND, "Session with given id not found.")


def encode_event(method: str, params: Mapping[str, Any], session: str = "") -> bytes:
    """Encode an event."""
    return b"".join(
        (b'{"method":"%b","params":' % method.encode(), _encode(params), _encode_tail(session))
    )


def _encode_tail(session: str) -> bytes:
    return b'%b%b"}' % (_SESSION_FIELD, session.encode()) if session else b"}"
