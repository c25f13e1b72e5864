"""One request in memory: a few decoded fields, the rest raw. Pure.

Knows: which parts of CDP's Network events are needed at once. The decoders read only those, so an
event costs one or two microseconds instead of ten.
"""

from __future__ import annotations

from typing import Any, TypeVar

import msgspec

from pilothouse.cdp.message import decode_object

__all__ = ["EventDecoder", "RequestRecord", "trim_raw"]

# Longer events hold a data: URL or an inline body: their long strings are truncated.
LONGEST_RAW = 16 * 1024
LONGEST_STRING = 2000

_NULL = msgspec.Raw(b"{}")
_NONE = msgspec.Raw(b"")


class _Initiator(msgspec.Struct, gc=False):
    type: str = ""


class _RequestFields(msgspec.Struct, gc=False):
    url: str = ""
    method: str = ""


class _RequestWillBeSent(msgspec.Struct, gc=False):
    requestId: str
    loaderId: str = ""
    frameId: str = ""
    type: str = "Other"
    timestamp: float = 0.0
    wallTime: float = 0.0
    request: _RequestFields = msgspec.field(default_factory=_RequestFields)
    initiator: _Initiator = msgspec.field(default_factory=_Initiator)
    redirectResponse: msgspec.Raw = _NONE
    redirectHasExtraInfo: bool = False

    @property
    def redirected(self) -> bool:
        """Whether it is the next hop of a request, with the response to the previous one."""
        return self.redirectResponse is not _NONE


class _ResponseReceived(msgspec.Struct, gc=False):
    requestId: str
    timestamp: float = 0.0
    type: str = ""
    response: msgspec.Raw = _NULL
    hasExtraInfo: bool = False


class _ResponseFields(msgspec.Struct, gc=False):
    status: int = 0
    mimeType: str = ""
    headers: msgspec.Raw = _NULL
    fromDiskCache: bool = False
    fromServiceWorker: bool = False
    fromPrefetchCache: bool = False
    encodedDataLength: float = 0


class _DataReceived(msgspec.Struct, gc=False):
    requestId: str
    timestamp: float = 0.0
    dataLength: int = 0
    encodedDataLength: int = 0


class _CorsStatus(msgspec.Struct, gc=False):
    corsError: str = ""


class _LoadingEnded(msgspec.Struct, gc=False):
    requestId: str
    timestamp: float = 0.0
    encodedDataLength: float = 0
    errorText: str = ""
    canceled: bool = False
    blockedReason: str = ""
    corsErrorStatus: _CorsStatus | None = None

    def describe_error(self) -> str:
        """Return the failure in Chrome's words."""
        cors = f"CORS: {self.corsErrorStatus.corsError}" if self.corsErrorStatus else ""
        because = cors or self.blockedReason
        text = self.errorText or "failed"
        return f"{text} ({because})" if because else text


class _SocketCreated(msgspec.Struct, gc=False):
    requestId: str
    url: str = ""


class _RequestId(msgspec.Struct, gc=False):
    requestId: str


S = TypeVar("S")

_request_decoder = msgspec.json.Decoder(_RequestWillBeSent)
_response_event_decoder = msgspec.json.Decoder(_ResponseReceived)
_response_decoder = msgspec.json.Decoder(_ResponseFields)
_data_decoder = msgspec.json.Decoder(_DataReceived)
_end_decoder = msgspec.json.Decoder(_LoadingEnded)
_socket_decoder = msgspec.json.Decoder(_SocketCreated)
_id_decoder = msgspec.json.Decoder(_RequestId)


class EventDecoder:
    """Decodes the needed fields of Network events; None for malformed events."""

    @staticmethod
    def decode_request(raw: msgspec.Raw) -> _RequestWillBeSent | None:
        """Decode `requestWillBeSent`."""
        return _decode(_request_decoder, raw)

    @staticmethod
    def decode_response(raw: msgspec.Raw) -> _ResponseReceived | None:
        """Decode `responseReceived` and similar events."""
        return _decode(_response_event_decoder, raw)

    @staticmethod
    def decode_data(raw: msgspec.Raw) -> _DataReceived | None:
        """Decode `dataReceived`."""
        return _decode(_data_decoder, raw)

    @staticmethod
    def decode_end(raw: msgspec.Raw) -> _LoadingEnded | None:
        """Decode `loadingFinished`, `loadingFailed` and `webSocketClosed`."""
        return _decode(_end_decoder, raw)

    @staticmethod
    def decode_socket(raw: msgspec.Raw) -> _RequestWillBeSent | None:
        """Decode `webSocketCreated` as if it were a request."""
        event = _decode(_socket_decoder, raw)
        if event is None:
            return None
        return _RequestWillBeSent(
            event.requestId, type="WebSocket", request=_RequestFields(event.url, "GET")
        )

    @staticmethod
    def decode_request_id(raw: msgspec.Raw) -> str:
        """Decode the request id of any event; empty if there is none."""
        event = _decode(_id_decoder, raw)
        return event.requestId if event is not None else ""


def _decode(decoder: msgspec.json.Decoder[S], raw: msgspec.Raw) -> S | None:
    try:
        return decoder.decode(raw)
    except (msgspec.DecodeError, UnicodeDecodeError):
        return None


class RequestRecord:
    """One request, or one hop of a redirected request."""

    __slots__ = (
        "_content_length",
        "_is_compressed",
        "cache",
        "decoded_size",
        "encoded_size",
        "ended_at",
        "extra",
        "failed",
        "finished_ts",
        "frame",
        "heard_at",
        "kind",
        "loader",
        "method",
        "mime",
        "redirected",
        "redirected_from_seq",
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
        "wants_extra_info",
    )

    def __init__(
        self, event: _RequestWillBeSent, sent: msgspec.Raw, session: str, kind: str, now: float
    ) -> None:
        self.seq = 0
        self.request_id = event.requestId
        self.loader = event.loaderId
        self.frame = event.frameId
        self.type = event.type
        self.method = event.request.method
        self.url = _truncate(event.request.url)
        self.started_ts = event.timestamp
        self.wall = event.wallTime
        self.sent = sent
        self.session = session
        self.kind = kind
        self.started_at = self.heard_at = now
        self.ended_at = 0.0
        self.response_ts = self.finished_ts = 0.0
        self.response: msgspec.Raw | None = None
        self.extra: dict[str, msgspec.Raw] = {}
        self.wants_extra_info = True
        self.status = 0
        self.mime = ""
        self.cache = ""
        self.failed = ""
        self.redirected = False
        self.redirected_from_seq = 0
        self.decoded_size = self.encoded_size = self.transferred = 0
        self._content_length = -1
        self._is_compressed = False

    @property
    def is_navigation(self) -> bool:
        """Whether it loads a document: Chrome gives it the loader's id."""
        return self.request_id == self.loader

    @property
    def is_fetch(self) -> bool:
        """Whether it may end without an event: fetch() with a body that the page does not read."""
        return self.type == "Fetch"

    def set_response(self, response: msgspec.Raw, timestamp: float) -> None:
        """Set the response head."""
        event = _decode(_response_decoder, response)
        if event is None:
            return
        self.response, self.response_ts = response, timestamp
        self.status, self.mime = event.status, event.mimeType
        if event.fromDiskCache or event.fromPrefetchCache:
            self.cache = "disk"
        elif event.fromServiceWorker:
            self.cache = self.cache or "service-worker"
        # Only fetch() may end without an event, so only it needs its announced length.
        if self.is_fetch:
            self._content_length, self._is_compressed = _announced_length(event.headers)

    def is_body_complete(self) -> bool:
        """Whether all announced bytes of the body have arrived."""
        arrived = (
            self.encoded_size if self._is_compressed else max(self.decoded_size, self.encoded_size)
        )
        return 0 <= self._content_length <= arrived


def _announced_length(headers: msgspec.Raw) -> tuple[int, bool]:
    """Return the Content-Length (-1 if absent), and whether it counts compressed bytes."""
    length, packed = -1, False
    for name, value in (decode_object(headers) or {}).items():
        lower = name.lower()
        if lower == "content-length" and str(value).isdigit():
            length = int(value)
        elif lower == "content-encoding":
            packed = str(value).lower() != "identity"
    return length, packed


def trim_raw(raw: msgspec.Raw) -> msgspec.Raw:
    """Return the event with long strings truncated."""
    if len(bytes(raw)) <= LONGEST_RAW:
        return raw
    return msgspec.Raw(msgspec.json.encode(_trim_value(decode_object(raw) or {})))


def _trim_value(value: Any) -> Any:
    if isinstance(value, str):
        return _truncate(value)
    if isinstance(value, dict):
        return {key: _trim_value(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_trim_value(item) for item in value[:50]]
    return value


def _truncate(text: str) -> str:
    if len(text) <= LONGEST_STRING:
        return text
    return f"{text[:LONGEST_STRING]}… ({len(text)} characters)"
