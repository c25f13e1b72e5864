"""One request as it is remembered: a few fields that decide, the rest raw. Pure.

Knows: which parts of Chrome's Network events matter at once. The decoders read only those, so that
an event costs a microsecond or two and not ten.
"""

from __future__ import annotations

from typing import Any, TypeVar

import msgspec

from pilothouse.cdp.message import decode_object

__all__ = ["Record", "Said", "trimmed"]

# What is longer is a data: address, or a body in the open: its long strings are cut.
LONGEST_RAW = 16 * 1024
LONGEST_STRING = 2000

_NULL = msgspec.Raw(b"{}")
_NONE = msgspec.Raw(b"")


class _Initiator(msgspec.Struct, gc=False):
    type: str = ""


class _Request(msgspec.Struct, gc=False):
    url: str = ""
    method: str = ""


class _Sent(msgspec.Struct, gc=False):
    requestId: str
    loaderId: str = ""
    frameId: str = ""
    type: str = "Other"
    timestamp: float = 0.0
    wallTime: float = 0.0
    request: _Request = msgspec.field(default_factory=_Request)
    initiator: _Initiator = msgspec.field(default_factory=_Initiator)
    redirectResponse: msgspec.Raw = _NONE
    redirectHasExtraInfo: bool = False

    @property
    def redirected(self) -> bool:
        """Whether it is the next hop of a request, and brings the answer to the one before."""
        return self.redirectResponse is not _NONE


class _Answered(msgspec.Struct, gc=False):
    requestId: str
    timestamp: float = 0.0
    type: str = ""
    response: msgspec.Raw = _NULL
    hasExtraInfo: bool = False


class _Response(msgspec.Struct, gc=False):
    status: int = 0
    mimeType: str = ""
    headers: msgspec.Raw = _NULL
    fromDiskCache: bool = False
    fromServiceWorker: bool = False
    fromPrefetchCache: bool = False
    encodedDataLength: float = 0


class _Data(msgspec.Struct, gc=False):
    requestId: str
    timestamp: float = 0.0
    dataLength: int = 0
    encodedDataLength: int = 0


class _Cors(msgspec.Struct, gc=False):
    corsError: str = ""


class _Ended(msgspec.Struct, gc=False):
    requestId: str
    timestamp: float = 0.0
    encodedDataLength: float = 0
    errorText: str = ""
    canceled: bool = False
    blockedReason: str = ""
    corsErrorStatus: _Cors | None = None

    def why(self) -> str:
        """What went wrong, in Chrome's words."""
        cors = f"CORS: {self.corsErrorStatus.corsError}" if self.corsErrorStatus else ""
        because = cors or self.blockedReason
        text = self.errorText or "failed"
        return f"{text} ({because})" if because else text


class _Socket(msgspec.Struct, gc=False):
    requestId: str
    url: str = ""


class _Id(msgspec.Struct, gc=False):
    requestId: str


S = TypeVar("S")

_sent = msgspec.json.Decoder(_Sent)
_answered = msgspec.json.Decoder(_Answered)
_response = msgspec.json.Decoder(_Response)
_data = msgspec.json.Decoder(_Data)
_ended = msgspec.json.Decoder(_Ended)
_socket = msgspec.json.Decoder(_Socket)
_id = msgspec.json.Decoder(_Id)


class Said:
    """What an event says of a request; None where it makes no sense."""

    @staticmethod
    def sent(raw: msgspec.Raw) -> _Sent | None:
        """Of `requestWillBeSent`."""
        return _read(_sent, raw)

    @staticmethod
    def answered(raw: msgspec.Raw) -> _Answered | None:
        """Of `responseReceived` and its like."""
        return _read(_answered, raw)

    @staticmethod
    def data(raw: msgspec.Raw) -> _Data | None:
        """Of `dataReceived`."""
        return _read(_data, raw)

    @staticmethod
    def ended(raw: msgspec.Raw) -> _Ended | None:
        """Of `loadingFinished`, `loadingFailed` and `webSocketClosed`."""
        return _read(_ended, raw)

    @staticmethod
    def socket(raw: msgspec.Raw) -> _Sent | None:
        """Of `webSocketCreated`, as if it had been sent like other requests."""
        said = _read(_socket, raw)
        if said is None:
            return None
        return _Sent(said.requestId, type="WebSocket", request=_Request(said.url, "GET"))

    @staticmethod
    def request_id(raw: msgspec.Raw) -> str:
        """Of any of them; empty when there is none."""
        said = _read(_id, raw)
        return said.requestId if said is not None else ""


def _read(decoder: msgspec.json.Decoder[S], raw: msgspec.Raw) -> S | None:
    try:
        return decoder.decode(raw)
    except (msgspec.DecodeError, UnicodeDecodeError):
        return None


class Record:
    """One request, or one hop of one that is redirected."""

    __slots__ = (
        "_length",
        "_packed",
        "cache",
        "came_from",
        "decoded_size",
        "encoded_size",
        "ended_at",
        "extra",
        "extra_wanted",
        "failed",
        "finished_ts",
        "frame",
        "heard_at",
        "kind",
        "loader",
        "method",
        "mime",
        "redirected",
        "request_id",
        "response",
        "response_ts",
        "sent",
        "seq",
        "session",
        "started_at",
        "started_ts",
        "status",
        "transferred",
        "type",
        "url",
        "wall",
    )

    def __init__(self, said: _Sent, sent: msgspec.Raw, session: str, kind: str, now: float) -> None:
        self.seq = 0
        self.request_id = said.requestId
        self.loader = said.loaderId
        self.frame = said.frameId
        self.type = said.type
        self.method = said.request.method
        self.url = _short(said.request.url)
        self.started_ts = said.timestamp
        self.wall = said.wallTime
        self.sent = sent
        self.session = session
        self.kind = kind
        self.started_at = self.heard_at = now
        self.ended_at = 0.0
        self.response_ts = self.finished_ts = 0.0
        self.response: msgspec.Raw | None = None
        self.extra: dict[str, msgspec.Raw] = {}
        self.extra_wanted = True
        self.status = 0
        self.mime = ""
        self.cache = ""
        self.failed = ""
        self.redirected = False
        self.came_from = 0
        self.decoded_size = self.encoded_size = self.transferred = 0
        self._length = -1
        self._packed = False

    @property
    def is_navigation(self) -> bool:
        """Whether it loads a document; Chrome names such a request like its document."""
        return self.request_id == self.loader

    @property
    def is_fetch(self) -> bool:
        """Whether its end may go untold: that of a body which the page does not read."""
        return self.type == "Fetch"

    def answered(self, response: msgspec.Raw, timestamp: float) -> None:
        """The head of the answer is here."""
        said = _read(_response, response)
        if said is None:
            return
        self.response, self.response_ts = response, timestamp
        self.status, self.mime = said.status, said.mimeType
        if said.fromDiskCache or said.fromPrefetchCache:
            self.cache = "disk"
        elif said.fromServiceWorker:
            self.cache = self.cache or "service-worker"
        if self.is_fetch:
            self._length, self._packed = _announced(said.headers)

    def body_is_here(self) -> bool:
        """Whether all of the body that was announced has come."""
        arrived = self.encoded_size if self._packed else max(self.decoded_size, self.encoded_size)
        return 0 <= self._length <= arrived


def _announced(headers: msgspec.Raw) -> tuple[int, bool]:
    """The Content-Length (-1 when there is none), and whether it counts compressed bytes."""
    length, packed = -1, False
    for name, value in (decode_object(headers) or {}).items():
        lower = name.lower()
        if lower == "content-length" and str(value).isdigit():
            length = int(value)
        elif lower == "content-encoding":
            packed = str(value).lower() != "identity"
    return length, packed


def trimmed(raw: msgspec.Raw) -> msgspec.Raw:
    """The same, without strings that are too long to keep."""
    if len(bytes(raw)) <= LONGEST_RAW:
        return raw
    return msgspec.Raw(msgspec.json.encode(_cut(decode_object(raw) or {})))


def _cut(value: Any) -> Any:
    if isinstance(value, str):
        return _short(value)
    if isinstance(value, dict):
        return {key: _cut(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_cut(item) for item in value[:50]]
    return value


def _short(text: str) -> str:
    if len(text) <= LONGEST_STRING:
        return text
    return f"{text[:LONGEST_STRING]}… ({len(text)} characters)"
