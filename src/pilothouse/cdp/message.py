"""CDP messages as values: commands, events, and the JSON they travel as.

Knows: the envelope. Params and results stay raw JSON until someone asks for them, because most
are never read and some are hundreds of megabytes.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Generic, NewType, TypeVar

import msgspec

__all__ = [
    "ROOT",
    "Command",
    "Envelope",
    "ErrorBody",
    "Event",
    "EventName",
    "SessionId",
    "decode_envelope",
    "decode_object",
    "encode_command",
]

SessionId = NewType("SessionId", str)
ROOT = SessionId("")

R = TypeVar("R")
Params = TypeVar("Params", bound=Mapping[str, Any])

_EMPTY = msgspec.Raw(b"{}")


class Command(Generic[R]):
    """One CDP command. `R` is the type of its result; nothing of it exists at run time.

    The generated builders make typed ones (`Page.navigate(url=...)`); any other method can be
    sent as `Command("Domain.method", {...})`.
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


class ErrorBody(msgspec.Struct, gc=False):
    """Chrome's error answer."""

    code: int = 0
    message: str = ""
    data: msgspec.Raw = msgspec.Raw(b"null")


class Envelope(msgspec.Struct, gc=False):
    """The outside of every inbound message."""

    id: int | None = None
    method: str | None = None
    sessionId: SessionId = ROOT
    params: msgspec.Raw = _EMPTY
    result: msgspec.Raw = _EMPTY
    error: ErrorBody | None = None


class _Outbound(msgspec.Struct, omit_defaults=True, gc=False):
    id: int
    method: str
    params: Mapping[str, Any] | None = None
    sessionId: str = ROOT


class Event(msgspec.Struct, Generic[Params], eq=False, gc=False):
    """Something Chrome said unasked. `params` is decoded on first use and kept."""

    method: str
    session_id: SessionId
    raw: msgspec.Raw
    _params: Params | None = None

    @property
    def params(self) -> Params:
        """The event's params; an event whose params are no object has none."""
        params = self._params
        if params is None:
            # No cast: it is a call, and this is the hottest line of a flood.
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
    """The command as Chrome wants it. Raises TypeError for what JSON cannot say."""
    return _encoder.encode(_Outbound(message_id, method, params, session_id))


def decode_envelope(frame: bytes) -> Envelope | None:
    """The outside of a message; None when it is not one. The frame must not be reused:
    the raw parts keep pointing into it."""
    try:
        return _envelope_decoder.decode(frame)
    except (msgspec.DecodeError, UnicodeDecodeError):
        pass
    try:
        return _envelope_decoder.decode(_without_lone_surrogates(frame))
    except (msgspec.DecodeError, ValueError, RecursionError):
        return None


def decode_object(raw: msgspec.Raw) -> dict[str, Any] | None:
    """Raw JSON as a dict; None when it is not an object."""
    try:
        value = _any_decoder.decode(raw)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def _without_lone_surrogates(frame: bytes) -> bytes:
    """The same JSON with U+FFFD for every half of a surrogate pair.

    Page text may hold lone surrogates; Chrome sends them as escapes, which the standard library
    reads and msgspec refuses. Losing the whole message for one character would lose a reply.
    """
    text = json.dumps(json.loads(frame), ensure_ascii=False)
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace").encode()
