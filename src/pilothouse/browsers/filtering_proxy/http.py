"""The parts of HTTP/1.1 that a proxy needs: always one request per connection. Pure."""

from __future__ import annotations

import re

import msgspec

__all__ = ["RequestHead", "parse_request_head", "refusal", "rewrite_response_head"]

# Hop-by-hop headers; both sides get `Connection: close` instead.
_HOP_BY_HOP = frozenset(
    {b"connection", b"keep-alive", b"proxy-authorization", b"proxy-connection", b"upgrade"}
)
_LINE = re.compile(rb"([A-Z]{1,20}) (\S{1,65536}) HTTP/1\.[01]")


class RequestHead(msgspec.Struct, frozen=True):
    """A request as a browser sends it to a proxy."""

    method: bytes
    url: str
    headers: tuple[bytes, ...]
    tunnel: bool = False
    length: int = 0
    chunked: bool = False

    def origin_form(self) -> bytes:
        """Format the request for the server, with a relative URL."""
        target = re.sub(r"^[a-zA-Z]+://[^/?#]*", "", self.url).partition("#")[0]
        if not target.startswith("/"):
            target = f"/{target}"
        line = self.method + b" " + target.encode("latin-1") + b" HTTP/1.1"
        return b"\r\n".join((line, *self.headers, b"Connection: close", b"", b""))


def parse_request_head(raw: bytes) -> RequestHead:
    """Parse the head of a request. Raises ValueError for what no browser sends."""
    first, *lines = raw.removesuffix(b"\r\n\r\n").split(b"\r\n")
    match = _LINE.fullmatch(first)
    if match is None:
        raise ValueError("no request line")
    target = match[2].decode("latin-1")
    if match[1] == b"CONNECT":
        return RequestHead(match[1], f"tunnel://{target}/", (), tunnel=True)
    if not target.lower().startswith("http://"):
        raise ValueError("not a proxy request")
    length, chunked, kept = 0, False, []
    for line in lines:
        name, _, value = line.partition(b":")
        lower = name.strip().lower()
        if lower == b"content-length":
            length = int(value)
        elif lower == b"transfer-encoding":
            chunked = True
        if lower not in _HOP_BY_HOP:
            kept.append(line)
    return RequestHead(match[1], target, tuple(kept), length=length, chunked=chunked)


def rewrite_response_head(raw: bytes) -> tuple[bytes, bool]:
    """Rewrite the head of a response to close the connection after it.

    Returns it, and whether it is the final response (not 1xx).
    """
    first, *lines = raw.removesuffix(b"\r\n\r\n").split(b"\r\n")
    status = first.split(b" ", 2)[1:2]
    if status and status[0].startswith(b"1"):
        return raw, False
    kept = [line for line in lines if line.partition(b":")[0].strip().lower() not in _HOP_BY_HOP]
    return b"\r\n".join((first, *kept, b"Connection: close", b"", b"")), True


def refusal(status: int, why: str) -> bytes:
    """Format the response for a request that is not forwarded."""
    body = f"Pilothouse blocked this request: {why}\n".encode()
    phrase = {403: "Forbidden", 502: "Bad Gateway"}[status]
    return (
        f"HTTP/1.1 {status} {phrase}\r\nContent-Type: text/plain; charset=utf-8\r\n"
        f"Content-Length: {len(body)}\r\nCache-Control: no-store\r\nConnection: close\r\n\r\n"
    ).encode() + body
