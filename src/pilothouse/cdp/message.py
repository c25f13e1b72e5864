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
    "SessionId",
    "decode_envelope",
    "decode_object",
    "encode_command",
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


class ErrorBody(msgspec.Struct, gc=False):
    """The `error` object of a failed reply."""

    code: int = 0
    message: str = ""
    data: msgspec.Raw = msgspec.Raw(b"null")


class Envelope(msgspec.Struct, gc=False):
    """The fields of an inbound message; params and result stay undecoded."""

    id: int | None = None
    method: str | None = None
    sessionId: SessionId = ROOT
    params: msgspec.Raw = _EMPTY
    result: msgspec.Raw = _EMPTY
    error: ErrorBody | None = None


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
