"""One request and its response on their way through the proxy. Pure: bytes in, bytes out.

h11 parses and writes both sides, so the proxy passes no head and no chunk on as it came. What two
HTTP parsers could read differently is refused, or leaves in one plain form. Knows: HTTP/1.1. Must
not know: sockets, the URL policy.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import h11
import msgspec

from pilothouse.security.hosts_and_ip_addresses import parse_origin

__all__ = ["MAX_HEAD_BYTES", "HttpExchange", "RequestHead"]

MAX_HEAD_BYTES = 1 << 16

# Hop-by-hop headers; both sides get `Connection: close` instead. Trailers are not passed on.
_HOP_BY_HOP = frozenset(
    {
        b"connection",
        b"keep-alive",
        b"proxy-authorization",
        b"proxy-connection",
        b"te",
        b"trailer",
        b"upgrade",
    }
)
# `Connection` may name further hop-by-hop headers, but never those that delimit a message.
_END_TO_END = frozenset({b"content-length", b"host", b"transfer-encoding"})
_CLOSE = (b"Connection", b"close")
_METHOD = re.compile(rb"[A-Z]{1,20}")
_PHRASES = {403: "Forbidden", 502: "Bad Gateway"}

RawHeaders = list[tuple[bytes, bytes]]


class RequestHead(msgspec.Struct, frozen=True):
    """A request as a browser sends it to a proxy: the absolute URL is what the policy judges."""

    method: bytes
    url: str
    tunnel: bool = False


class HttpExchange:
    """One request and its response. Its methods raise ValueError for what is not valid HTTP."""

    def __init__(self) -> None:
        self._browser = h11.Connection(h11.SERVER, max_incomplete_event_size=MAX_HEAD_BYTES)
        self._server = h11.Connection(h11.CLIENT, max_incomplete_event_size=MAX_HEAD_BYTES)
        self._request: h11.Request | None = None

    @property
    def request_is_complete(self) -> bool:
        """Whether the whole request arrived. What follows it is not read."""
        return self._browser.their_state not in (h11.IDLE, h11.SEND_BODY)

    @property
    def response_is_complete(self) -> bool:
        """Whether the whole response arrived."""
        return self._server.their_state not in (h11.SEND_RESPONSE, h11.SEND_BODY)

    @property
    def response_has_started(self) -> bool:
        """Whether the browser was sent the final status."""
        return self._browser.our_state not in (h11.IDLE, h11.SEND_RESPONSE)

    def read_head(self, data: bytes) -> RequestHead | None:
        """Take bytes of the browser; None if the head is not complete. b"" is their end."""
        for event in _events(self._browser, data):
            if isinstance(event, h11.Request):
                self._request = event
                return _read_head(event)
            raise ValueError("the browser left before the end of the request's head")
        return None

    def open_request(self) -> bytes:
        """Format the head of the request for the server, with what came of the body."""
        assert self._request is not None
        url = self._request.target.decode("ascii")
        target = re.sub(r"^[a-zA-Z]+://[^/?#]*", "", url).partition("#")[0]
        headers = [(name, v) for name, v in _kept(self._request) if name.lower() != b"host"]
        head = h11.Request(
            method=self._request.method,
            target=target if target.startswith("/") else f"/{target}",
            # A proxy replaces Host by the URL's host: the policy has judged that one.
            headers=[(b"Host", _authority(url)), *headers, _CLOSE],
        )
        return _send(self._server, head) + self.copy_request(None)

    def copy_request(self, data: bytes | None) -> bytes:
        """Take more of the request's body; return what to send to the server. b"" is its end."""
        out = b""
        for event in _events(self._browser, data):
            is_end = isinstance(event, h11.EndOfMessage)
            out += _send(self._server, h11.EndOfMessage() if is_end else event)
        return out

    def copy_response(self, data: bytes) -> bytes:
        """Take bytes of the server; return what to send to the browser. b"" is their end."""
        out = b""
        for event in _events(self._server, data):
            match event:
                case h11.InformationalResponse():
                    headers = _kept(event)
                    early = h11.InformationalResponse(
                        status_code=event.status_code, reason=event.reason, headers=headers
                    )
                    out += _send(self._browser, early)
                case h11.Response():
                    headers = [*_kept(event), _CLOSE]
                    head = h11.Response(
                        status_code=event.status_code, reason=event.reason, headers=headers
                    )
                    out += _send(self._browser, head)
                case h11.Data():
                    out += _send(self._browser, event)
                case h11.EndOfMessage():
                    out += _send(self._browser, h11.EndOfMessage())
        return out

    def open_tunnel(self) -> tuple[bytes, bytes]:
        """Accept CONNECT. Return what to send to the browser, and what it sent already."""
        for _ in _events(self._browser, None):
            pass  # the end of the request, which has no body
        accepted = h11.Response(status_code=200, headers=[], reason="Connection established")
        return _send(self._browser, accepted), self._browser.trailing_data[0]

    def refuse(self, status: int, why: str) -> bytes:
        """Format the response for a request that is not forwarded."""
        body = f"Pilothouse blocked this request: {why}\n".encode()
        headers: RawHeaders = [
            (b"Content-Type", b"text/plain; charset=utf-8"),
            (b"Content-Length", str(len(body)).encode()),
            (b"Cache-Control", b"no-store"),
            _CLOSE,
        ]
        head = h11.Response(status_code=status, reason=_PHRASES[status], headers=headers)
        has_body = self._request is None or self._request.method != b"HEAD"
        events = [head, *([h11.Data(data=body)] if has_body else []), h11.EndOfMessage()]
        return b"".join(_send(self._browser, event) for event in events)


def _send(connection: h11.Connection, event: h11.Event) -> bytes:
    try:
        return connection.send(event) or b""
    except h11.ProtocolError as error:
        raise ValueError(str(error)) from error


def _events(connection: h11.Connection, data: bytes | None) -> Iterator[h11.Event]:
    """Yield the events of one message after these bytes; None adds no bytes."""
    try:
        if data is not None:
            connection.receive_data(data)
        while isinstance(event := connection.next_event(), h11.Event):
            yield event
            if isinstance(event, h11.EndOfMessage | h11.ConnectionClosed):
                return
    except h11.ProtocolError as error:
        raise ValueError(str(error)) from error


def _read_head(request: h11.Request) -> RequestHead:
    """Check that a proxy can forward a request. Raises ValueError."""
    target = request.target.decode("ascii")
    names = [name for name, _ in request.headers]
    has_length, is_chunked = b"content-length" in names, b"transfer-encoding" in names
    if not _METHOD.fullmatch(request.method):
        raise ValueError("unknown method")
    if request.method == b"CONNECT":
        if has_length or is_chunked:
            raise ValueError("CONNECT has no body")
        return RequestHead(request.method, f"tunnel://{target}/", tunnel=True)
    if not target.lower().startswith("http://"):
        raise ValueError("not a proxy request")
    if is_chunked and (has_length or request.http_version != b"1.1"):
        raise ValueError("the length of the body is ambiguous")
    return RequestHead(request.method, target)


def _kept(message: h11.Request | h11.Response | h11.InformationalResponse) -> RawHeaders:
    """Return the headers to forward, spelled as they came."""
    dropped = set(_HOP_BY_HOP)
    for name, value in message.headers:
        if name == b"connection":
            dropped |= {word.strip().lower() for word in value.split(b",")} - _END_TO_END
    return [
        (name, value) for name, value in message.headers.raw_items() if name.lower() not in dropped
    ]


def _authority(url: str) -> bytes:
    origin = parse_origin(url)
    if origin is None:
        raise ValueError("not a URL")
    return origin.text.partition("://")[2].encode("ascii")
