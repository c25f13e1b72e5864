"""HTTP/1.1 as far as the relay needs it: bytes to requests, responses to bytes. Pure.

Knows: request heads, the WebSocket handshake, responses. Must not know: routes, authentication,
sockets. It never raises over what arrives: errors are values. A request may carry the token, so
neither its repr nor an error about it shows its content.
"""

from __future__ import annotations

import base64
import binascii
import json
import re
from collections.abc import Mapping
from typing import Any
from urllib.parse import parse_qsl

from pilothouse.cdp.websocket import accept_key
from pilothouse.relay.interfaces import HttpRefusal

__all__ = [
    "MAX_HEAD_BYTES",
    "Request",
    "json_response",
    "read_request",
    "refusal_response",
    "switching_response",
]

MAX_HEAD_BYTES = 64 * 1024
MAX_FIELDS = 200

_REQUEST_LINE = re.compile(rb"([A-Z]{1,16}) (/[!-~]*) HTTP/1\.[01]")
_HEADER = re.compile(rb"([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \t]*((?:[^\x00-\x08\x0a-\x1f\x7f])*)")
_METHOD_BEGINS = re.compile(rb"[A-Z]{0,16}(?: |\Z)")

_PHRASES = {
    101: "Switching Protocols",
    200: "OK",
    400: "Bad Request",
    401: "Unauthorized",
    403: "Forbidden",
    404: "Not Found",
    405: "Method Not Allowed",
    408: "Request Timeout",
    409: "Conflict",
    426: "Upgrade Required",
    431: "Request Header Fields Too Large",
    500: "Internal Server Error",
    502: "Bad Gateway",
    503: "Service Unavailable",
    504: "Gateway Timeout",
}
# Headers that HTTP requires with some statuses.
_EXTRA_HEADERS = {
    401: ("WWW-Authenticate: Bearer",),
    405: ("Allow: GET",),
    426: ("Upgrade: websocket", "Sec-WebSocket-Version: 13"),
}


class Request:
    """The head of one request."""

    __slots__ = ("_headers", "method", "path", "query")

    def __init__(
        self, method: str, path: str, query: str = "", headers: tuple[tuple[str, str], ...] = ()
    ) -> None:
        self.method = method
        self.path = path
        self.query = query
        self._headers = headers

    def __repr__(self) -> str:
        return f"<Request {self.method} {self.path}>"

    def header_values(self, name: str) -> list[str]:
        """Return every value of a header, by its name in lower case."""
        return [value for known, value in self._headers if known == name]

    def header_list(self, name: str) -> list[str]:
        """Return the comma-separated items of a header, over all its repeats."""
        return [word.strip() for value in self.header_values(name) for word in value.split(",")]

    def query_fields(self) -> list[tuple[str, str]]:
        """Return the names and values of the query, in order."""
        try:
            return parse_qsl(self.query, keep_blank_values=True, max_num_fields=MAX_FIELDS)
        except ValueError:
            return []

    @property
    def wants_websocket(self) -> bool:
        """Return whether it asks for a WebSocket."""
        return "websocket" in [word.lower() for word in self.header_list("upgrade")]

    def check_handshake(self) -> HttpRefusal | None:
        """Return why it cannot become a WebSocket; None if it can."""
        if not self.wants_websocket:
            return HttpRefusal(426, "this path needs a WebSocket upgrade")
        if "upgrade" not in [word.lower() for word in self.header_list("connection")]:
            return HttpRefusal(400, "Connection: missing value Upgrade")
        if self.header_values("sec-websocket-version") != ["13"]:
            return HttpRefusal(426, "Sec-WebSocket-Version: expected 13")
        keys = self.header_values("sec-websocket-key")
        if len(keys) != 1 or not _is_key(keys[0]):
            return HttpRefusal(400, "Sec-WebSocket-Key: expected one key of 16 bytes in base64")
        return None


def _is_key(key: str) -> bool:
    try:
        return len(base64.b64decode(key, validate=True)) == 16
    except (binascii.Error, ValueError):
        return False


def read_request(data: bytes) -> tuple[Request, bytes] | HttpRefusal | None:
    """Read the request that these bytes begin with.

    Returns it with the bytes after its head; None if more bytes are needed; a refusal if it is
    malformed.
    """
    end = data.find(b"\r\n\r\n", 0, MAX_HEAD_BYTES + 4)
    if end < 0:
        if len(data) > MAX_HEAD_BYTES:
            return HttpRefusal(
                431, f"the request head is too long; expected at most {MAX_HEAD_BYTES} bytes"
            )
        return None if _METHOD_BEGINS.match(data) else HttpRefusal(400, "not an HTTP request")
    first, *lines = data[:end].split(b"\r\n")
    found = _REQUEST_LINE.fullmatch(first)
    if found is None:
        return HttpRefusal(400, "not an HTTP/1.1 request line")
    headers = []
    for line in lines:
        header = _HEADER.fullmatch(line)
        if header is None:
            return HttpRefusal(400, "malformed header")
        name, value = header[1].decode("ascii"), header[2].decode("latin-1")
        headers.append((name.lower(), value.strip(" \t")))
    path, _, query = found[2].decode("ascii").partition("?")
    request = Request(found[1].decode("ascii"), path, query.partition("#")[0], tuple(headers))
    return request, data[end + 4 :]


# Responses. There is no CORS header, on purpose: web pages must not read them.


def json_response(body: Any, status: int = 200) -> bytes:
    """Return a whole JSON response. The connection closes after it."""
    data = (json.dumps(body, ensure_ascii=False, indent=1) + "\n").encode("utf-8", "replace")
    lines = [
        f"HTTP/1.1 {status} {_PHRASES.get(status, 'Refused')}",
        "Content-Type: application/json; charset=UTF-8",
        f"Content-Length: {len(data)}",
        "Cache-Control: no-store",
        "X-Content-Type-Options: nosniff",
        "Cross-Origin-Resource-Policy: same-origin",
        "Referrer-Policy: no-referrer",
        *_EXTRA_HEADERS.get(status, ()),
        f"Connection: {'Upgrade, close' if status == 426 else 'close'}",
    ]
    return "\r\n".join((*lines, "", "")).encode("ascii") + data


def refusal_response(refused: HttpRefusal) -> bytes:
    """Return the response for a refused request."""
    body: Mapping[str, str] = {"error": refused.message}
    if refused.hint:
        body = {"error": refused.message, "hint": refused.hint}
    return json_response(body, refused.status)


def switching_response(request: Request, protocol: str = "") -> bytes:
    """Return the response that makes the connection a WebSocket.

    No extension is negotiated: compressing local traffic costs more than it saves.
    """
    (key,) = request.header_values("sec-websocket-key")
    lines = [
        "HTTP/1.1 101 Switching Protocols",
        "Upgrade: websocket",
        "Connection: Upgrade",
        f"Sec-WebSocket-Accept: {accept_key(key)}",
    ]
    if protocol:
        lines.append(f"Sec-WebSocket-Protocol: {protocol}")
    return "\r\n".join((*lines, "", "")).encode("ascii")
