"""CDP messages as values: commands, events, and the JSON they travel as.

Knows: the envelope. Params and results stay raw JSON until they are read: most never are, and some
are hundreds of megabytes.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Generic, NewType, TypeVar

import msgspec

__all__ = [
    "ROOT",
    "WORKS_WHILE_CRASHED",
    "Command",
    "Envelope",
    "ErrorBody",
    "Event",
    "EventName",
    "RawCommand",
    "SessionId",
    "decode_envelope",
    "decode_object",
    "encode_command",
    "encode_envelope",
    "encode_params",
    "encode_raw_command",
    "read_ends",
]

SessionId = NewType("SessionId", str)
ROOT = SessionId("")

# Commands that the browser process answers for a target whose renderer has crashed. Any other
# command on that session would hang until the target is reloaded.
WORKS_WHILE_CRASHED = frozenset(
    {
        "Inspector.enable",
        "Page.close",
        "Page.getNavigationHistory",
        "Page.navigate",
        "Page.navigateToHistoryEntry",
        "Page.reload",
    }
)

R = TypeVar("R")
Params = TypeVar("Params", bound=Mapping[str, Any])

_EMPTY = msgspec.Raw(b"{}")


class Command(Generic[R]):
    """One CDP command. `R` is the type of its result, for type checkers only.

    The generated builders make typed commands (`Page.navigate(url=...)`). Send any other method as
    `Command("Domain.method", {...})`.
    """

    __slots__ = ("method", "params")

    def __init__(self, method: str, params: Mapping[str, Any] | None = None) -> None:
        self.method = method
        self.params = params

    def __repr__(self) -> str:
        return f"Command({self.method!r}, {self.params!r})"


class EventName(Generic[Params]):
    """The name of a CDP event. `Params` is the type of its params."""

    __slots__ = ("method",)

    def __init__(self, method: str) -> None:
        self.method = method

    def __repr__(self) -> str:
        return f"EventName({self.method!r})"


_NO_DATA = msgspec.Raw(b"null")


class ErrorBody(msgspec.Struct, gc=False):
    """The `error` object of a failed reply."""

    code: int = 0
    message: str = ""
    data: msgspec.Raw = _NO_DATA


class Envelope(msgspec.Struct, gc=False):
    """The fields of an inbound message; params and result stay undecoded."""

    id: int | None = None
    method: str | None = None
    sessionId: SessionId = ROOT
    params: msgspec.Raw = _EMPTY
    result: msgspec.Raw = _EMPTY
    error: ErrorBody | None = None


class RawCommand(msgspec.Struct, gc=False):
    """A command whose params stay undecoded."""

    id: int
    method: str
    params: msgspec.Raw = _EMPTY
    sessionId: str = ROOT


class _OutboundCommand(msgspec.Struct, omit_defaults=True, gc=False):
    id: int
    method: str
    params: Mapping[str, Any] | None = None
    sessionId: str = ROOT


class Event(msgspec.Struct, Generic[Params], eq=False, gc=False):
    """A CDP event. `params` is decoded on first use and cached."""

    method: str
    session_id: SessionId
    raw: msgspec.Raw
    _params: Params | None = None

    @property
    def params(self) -> Params:
        """The event's params; empty when they are not a JSON object."""
        params = self._params
        if params is None:
            # No `cast`: it is a function call, and this line runs once for every event of a flood.
            params = self._params = decode_object(self.raw) or {}  # type: ignore[assignment]
        return params  # type: ignore[return-value]

    def __repr__(self) -> str:
        return f"Event({self.method!r}, {self.session_id!r}, {bytes(self.raw)[:200]!r})"


_encoder = msgspec.json.Encoder()
_envelope_decoder = msgspec.json.Decoder(Envelope)
_any_decoder = msgspec.json.Decoder()


def encode_command(
    message_id: int, method: str, params: Mapping[str, Any] | None, session_id: SessionId
) -> bytes:
    """Encode a command as JSON. Raises TypeError for values that JSON cannot represent."""
    return _encoder.encode(_OutboundCommand(message_id, method, params, session_id))


def encode_params(params: Mapping[str, Any] | None) -> msgspec.Raw:
    """Encode params as JSON. Raises TypeError for values that JSON cannot represent."""
    return msgspec.Raw(_encoder.encode(params)) if params else _EMPTY


def encode_raw_command(command: RawCommand) -> bytes:
    """Encode a command as JSON, in Chrome's layout. Its method must need no escaping."""
    head = b'{"id":%d,"method":"%b","params":' % (command.id, command.method.encode())
    return b"".join((head, memoryview(command.params), _encode_tail(command.sessionId)))


def encode_envelope(message: Envelope) -> bytes:
    """Encode a message as JSON, in Chrome's layout."""
    tail = _encode_tail(message.sessionId)
    if message.id is None:
        head = b'{"method":%b,"params":' % _encoder.encode(message.method)
        return b"".join((head, memoryview(message.params), tail))
    if message.error is None:
        return b"".join((b'{"id":%d,"result":' % message.id, memoryview(message.result), tail))
    error = message.error
    body: dict[str, Any] = {"code": error.code, "message": error.message}
    if error.data != _NO_DATA:
        body["data"] = error.data
    return b'{"id":%d,"error":%b%b' % (message.id, _encoder.encode(body), tail)


def _encode_tail(session_id: str) -> bytes:
    return b',"sessionId":"%b"}' % session_id.encode() if session_id else b"}"


# Enough for ids, method and session, and little of the rest.
_HEAD, _TAIL = 96, 64


def read_ends(message: bytes | RawCommand | Envelope) -> tuple[bytes, bytes, int]:
    """Return the first and last bytes of a message in Chrome's layout, and its size.

    A decoded message is not encoded for it: its head ends before the params, result or error.
    """
    if isinstance(message, bytes):
        return message[:_HEAD], message[-_TAIL:], len(message)
    tail = _encode_tail(message.sessionId)
    if isinstance(message, RawCommand):
        head, body = (
            b'{"id":%d,"method":"%b"' % (message.id, message.method.encode()),
            message.params,
        )
    elif message.method is not None:
        head, body = b'{"method":"%b"' % message.method.encode(), message.params
    elif message.error is None:
        head, body = b'{"id":%d,"result":' % (message.id or 0), message.result
    else:
        head, body = b'{"id":%d,"error":{' % (message.id or 0), message.error.data
    return head, tail, len(head) + len(body) + len(tail)


def decode_envelope(message: bytes) -> Envelope | None:
    """Decode the fields of a message; None when it is not one.

    Do not reuse `message` as a buffer: the raw parts keep pointing into it.
    """
    try:
        return _envelope_decoder.decode(message)
    except (msgspec.DecodeError, UnicodeDecodeError):
        pass
    try:
        return _envelope_decoder.decode(_without_lone_surrogates(message))
    except (msgspec.DecodeError, ValueError, RecursionError):
        return None


def decode_object(raw: msgspec.Raw) -> dict[str, Any] | None:
    """Decode raw JSON to a dict; None when it is not an object."""
    try:
        value = _any_decoder.decode(raw)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def _without_lone_surrogates(message: bytes) -> bytes:
    """Replace every lone surrogate in this JSON by U+FFFD.

    Page text may hold lone surrogates. Chrome sends them as escapes, which the standard library
    decodes and msgspec rejects. Dropping the message for one character would lose a reply.
    """
    text = json.dumps(json.loads(message), ensure_ascii=False)
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace").encode()
