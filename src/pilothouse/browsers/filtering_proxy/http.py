"""What a proxy must know of HTTP/1.1: one request a connection, whatever both sides like. Pure."""

from __future__ import annotations

import re

import msgspec

__all__ = ["Head", "refusal", "request_head", "response_head"]

# Between two neighbours only; `Connection: close` is said to both in their place.
_HOPS = frozenset(
    {b"connection", b"keep-alive", b"proxy-authorization", b"proxy-connection", b"upgrade"}
)
_LINE = re.compile(rb"([A-Z]{1,20}) (\S{1,65536}) HTTP/1\.[01]")


class Head(msgspec.Struct, frozen=True):
    """A request as a browser gives it to a proxy."""

    method: bytes
    url: str
    headers: tuple[bytes, ...]
    tunnel: bool = False
    length: int = 0
    chunked: bool = False

    def origin_form(self) -> bytes:
        """The same request as a server wants it."""
        target = re.sub(r"^[a-zA-Z]+://[^/?#]*", "", self.url).partition("#")[0]
        if not target.startswith("/"):
            target = f"/{target}"
        line = self.method + b" " + target.encode("latin-1") + b" HTTP/1.1"
        return b"\r\n".join((line, *self.headers, b"Connection: close", b"", b""))


def request_head(raw: bytes) -> Head:
    """Read a request. Raises ValueError for what no browser sends."""
    first, *lines = raw.removesuffix(b"\r\n\r\n").split(b"\r\n")
    match = _LINE.fullmatch(first)
    if match is None:
        raise ValueError("no request line")
    target = match[2].decode("latin-1")
    if match[1] == b"CONNECT":
        return Head(match[1], f"tunnel://{target}/", (), tunnel=True)
    if not target.lower().startswith("http://"):
        raise ValueError("not asked as a proxy")
    length, chunked, kept = 0, False, []
    for line in lines:
        name, _, value = line.partition(b":")
        lower = name.strip().lower()
        if lower == b"content-length":
            length = int(value)
        elif lower == b"transfer-encoding":
            chunked = True
        if lower not in _HOPS:
            kept.append(line)
    return Head(match[1], target, tuple(kept), length=length, chunked=chunked)


def response_head(raw: bytes) -> tuple[bytes, bool]:
    """An answer for the browser, which is told that the connection ends with it; and whether it is
    the last one."""
    first, *lines = raw.removesuffix(b"\r\n\r\n").split(b"\r\n")
    status = first.split(b" ", 2)[1:2]
    if status and status[0].startswith(b"1"):
        return raw, False
    kept = [line for line in lines if line.partition(b":")[0].strip().lower() not in _HOPS]
    return b"\r\n".join((first, *kept, b"Connection: close", b"", b"")), True


def refusal(status: int, why: str) -> bytes:
    """What a browser gets for what is not let through."""
    body = f"Pilothouse: not let through: {why}\n".encode()
    words = {403: "Forbidden", 502: "Bad Gateway"}[status]
    return (
        f"HTTP/1.1 {status} {words}\r\nContent-Type: text/plain; charset=utf-8\r\n"
        f"Content-Length: {len(body)}\r\nCache-Control: no-store\r\nConnection: close\r\n\r\n"
    ).encode() + body
