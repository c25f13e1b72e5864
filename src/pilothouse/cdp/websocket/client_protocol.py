"""The WebSocket protocol (RFC 6455), client side, as values: bytes in, messages or bytes out.
The server side is wsserver.py.

Knows: the opening handshake, frames, masking, what the other side must not send.
Must not know: sockets, the event loop, randomness. Nothing that arrives makes it raise: what is
wrong is a value. Whether a text is UTF-8 is left to whoever parses it; reading it twice is dear.
"""

from __future__ import annotations

import base64
import hashlib
import struct
from collections.abc import Mapping
from typing import NamedTuple

__all__ = [
    "BINARY",
    "CLOSE",
    "CONTINUATION",
    "PING",
    "PONG",
    "TEXT",
    "FrameReader",
    "Violation",
    "accept_for",
    "answer_is_complete",
    "check_handshake",
    "close_payload",
    "encode_frame",
    "handshake_request",
    "masked",
    "read_close",
]

CONTINUATION, TEXT, BINARY, CLOSE, PING, PONG = 0x0, 0x1, 0x2, 0x8, 0x9, 0xA

PROTOCOL_ERROR, TOO_BIG = 1002, 1009
NO_CODE = 1005

_GUID = b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
_LONGEST_HEAD = 64 * 1024
_SHOWN_OF_BODY = 200
_HEADERS_OF_OURS = frozenset(
    {
        "connection",
        "sec-websocket-extensions",
        "sec-websocket-key",
        "sec-websocket-version",
        "upgrade",
    }
)

_SHORT, _MIDDLE, _LONG = struct.Struct("!BB4s"), struct.Struct("!BBH4s"), struct.Struct("!BBQ4s")
_U16 = struct.Struct("!H")
_number = int.from_bytes


class Violation(NamedTuple):
    """What the other side did wrong, with the close code that says so."""

    code: int
    reason: str


# The opening handshake.


def handshake_request(host: str, path: str, key: str, headers: Mapping[str, str]) -> bytes:
    """The request that asks for a WebSocket. A `Host` among the headers replaces `host`.

    Raises ValueError for a header that cannot be sent; its text never holds the header's value.
    """
    lines = [f"GET {path} HTTP/1.1"]
    if not any(name.lower() == "host" for name in headers):
        lines.append(f"Host: {host}")
    lines += [
        "Upgrade: websocket",
        "Connection: Upgrade",
        f"Sec-WebSocket-Key: {key}",
        "Sec-WebSocket-Version: 13",
    ]
    for name, value in headers.items():
        if name.lower() in _HEADERS_OF_OURS:
            raise ValueError(f"the header {name} belongs to the handshake")
        if not name.isascii() or not name.replace("-", "").replace("_", "").isalnum():
            raise ValueError(f"{name!r} is no header name")
        if not value.isascii() or not value.isprintable():
            raise ValueError(f"the value of the header {name} is not printable ASCII")
        lines.append(f"{name}: {value}")
    return ("\r\n".join(lines) + "\r\n\r\n").encode("ascii")


def accept_for(key: str) -> str:
    """What a server must answer to this key."""
    return base64.b64encode(hashlib.sha1(key.encode() + _GUID).digest()).decode()


def answer_is_complete(response: bytes) -> bool:
    """Whether `check_handshake` can give its best verdict, or more bytes may improve it."""
    head, end, body = response.partition(b"\r\n\r\n")
    if not end:
        return not _could_be_http(response) or len(response) > _LONGEST_HEAD
    status, _, headers = _read_head(head)
    if status == 101 or len(body) >= _SHOWN_OF_BODY:
        return True
    if "content-length" in headers:
        size = headers["content-length"]
        return not (size.isascii() and size.isdigit()) or len(body) >= int(size)
    return bool(body) and "transfer-encoding" in headers


def check_handshake(response: bytes, key: str) -> str | None:
    """Why this answer, its body included, is no WebSocket; None if it is one."""
    head, end, body = response.partition(b"\r\n\r\n")
    if not end:
        return _no_http(response)
    status, phrase, headers = _read_head(head)
    if status == 0:
        return _no_http(response)
    if status != 101:
        return _refused(status, phrase, headers, body)
    if headers.get("upgrade", "").lower() != "websocket":
        return "HTTP 101, but the upgrade is not to websocket"
    if "upgrade" not in [word.strip() for word in headers.get("connection", "").lower().split(",")]:
        return "HTTP 101 without Connection: Upgrade"
    if headers.get("sec-websocket-accept", "") != accept_for(key):
        return "HTTP 101 with a Sec-WebSocket-Accept that does not fit the key"
    if extensions := headers.get("sec-websocket-extensions", ""):
        return f"the server uses an extension nobody offered: {extensions[:80]!r}"
    return None


def _could_be_http(start: bytes) -> bool:
    return start[:5] == b"HTTP/"[: len(start)]


def _read_head(head: bytes) -> tuple[int, str, dict[str, str]]:
    """Status (0 if this is no HTTP), phrase, and headers by lower-case name, repeats joined."""
    first, *rest = head.decode("latin-1").split("\r\n")
    version, _, status = first.partition(" ")
    code, _, phrase = status.partition(" ")
    headers: dict[str, str] = {}
    for line in rest:
        name, _, value = line.partition(":")
        name, value = name.strip().lower(), value.strip()
        headers[name] = f"{headers[name]}, {value}" if name in headers else value
    known = version.startswith("HTTP/1.") and len(code) == 3 and code.isascii() and code.isdigit()
    return int(code) if known else 0, _one_line(phrase), headers


def _refused(status: int, phrase: str, headers: dict[str, str], body: bytes) -> str:
    if "chunked" in headers.get("transfer-encoding", "").lower():
        body = body.partition(b"\r\n")[2].partition(b"\r\n")[0]
    told = f"HTTP {status} {phrase}".rstrip()
    if 300 <= status < 400 and "location" in headers:
        return f"{told} (a redirect, which is not followed)"
    shown = _one_line(body[:_SHOWN_OF_BODY].decode("utf-8", "replace"))
    return f"{told}: {shown}" if shown else told


def _no_http(response: bytes) -> str:
    if not response:
        return "closed without an answer"
    if response[:2] in (b"\x15\x03", b"\x16\x03"):
        return "the port speaks TLS (is it wss://?)"
    if len(response) > _LONGEST_HEAD:
        return "the answer's headers never end"
    return f"no HTTP answer: {response[:40]!r}"


def _one_line(text: str) -> str:
    return " ".join("".join(c if c.isprintable() else " " for c in text).split())


# Frames.


def encode_frame(opcode: int, payload: bytes, mask: bytes) -> bytes:
    """One whole frame, masked with these four bytes."""
    size = len(payload)
    if size < 126:
        head = _SHORT.pack(0x80 | opcode, 0x80 | size, mask)
    elif size < 65536:
        head = _MIDDLE.pack(0x80 | opcode, 0xFE, size, mask)
    else:
        head = _LONG.pack(0x80 | opcode, 0xFF, size, mask)
    return head + masked(payload, mask)


def masked(payload: bytes | memoryview, mask: bytes) -> bytes:
    """The payload, masked with these four bytes; unmasked, if it was."""
    size = len(payload)
    # One XOR of two huge numbers runs at memory speed; a loop over bytes would not.
    key = _number((mask * (size // 4 + 1))[:size], "little")
    return (_number(payload, "little") ^ key).to_bytes(size, "little")


def close_payload(code: int, reason: str = "") -> bytes:
    """The payload of a close frame; the reason is cut to what a frame can hold."""
    return _U16.pack(code) + reason.encode()[:123].decode("utf-8", "ignore").encode()


def read_close(payload: bytes) -> tuple[int, str]:
    """Code and one-line reason of a close frame; 1005 if it has none."""
    if len(payload) < 2:
        return NO_CODE, ""
    return _U16.unpack_from(payload)[0], _one_line(payload[2:].decode("utf-8", "replace"))


class FrameReader:
    """Cuts the byte stream of a server into whole messages.

    After a violation or a close frame it is deaf: what follows has no meaning.
    """

    def __init__(self, max_bytes: int) -> None:
        self.violation: Violation | None = None
        self.max_bytes = max_bytes
        self._deaf = False
        # Whether the next byte starts a message, and there is nothing else to think of.
        self._fresh = True
        # The start of a frame that is cut within its header, or of a cut control frame.
        self._rest = b""
        # The message under way: its opcode (0 if there is none), its size as far as its frames
        # told, how much of the present frame is missing, and whether that frame is the last.
        self._opcode = 0
        self._size = 0
        self._missing = 0
        self._final = True
        # What came of it, as one growing block: a large block is a mapping of its own, which goes
        # back to the system whole. A list of pieces lies in the heap, where any small object that
        # is allocated meanwhile keeps all below it resident.
        self._gathered = bytearray()

    def text_alone(self, buffer: memoryview, size: int) -> bytes | None:
        """The one short text message that the first `size` bytes of the buffer are exactly, which
        is what nearly every read brings; None if they are anything else: then feed them."""
        if self._fresh and buffer[0] == 0x81 and 4 < size <= self.max_bytes:
            length = buffer[1]
            if length < 126:
                if length + 2 == size:
                    return bytes(buffer[2:size])
            elif length == 126 and (buffer[2] << 8 | buffer[3]) + 4 == size:
                return bytes(buffer[4:size])
        return None

    def feed(self, data: bytes | memoryview) -> list[tuple[int, bytes]]:
        """The messages that are complete now, as (opcode, payload): text, binary, close, ping,
        pong, in order. The payloads are copies: `data` may be reused."""
        if self._deaf:
            return []
        messages: list[tuple[int, bytes]] = []
        self._cut(data, messages)
        self._fresh = not (self._deaf or self._rest or self._opcode)
        return messages

    def _cut(self, chunk: bytes | memoryview, messages: list[tuple[int, bytes]]) -> None:
        at = self._gather(chunk, 0, messages) if self._missing else 0
        # Cutting many messages out of bytes is so much cheaper than out of a view that it pays to
        # copy what is left of the chunk first.
        data = self._rest + chunk[at:] if self._rest else bytes(chunk[at:])
        at, end, self._rest = 0, len(data), b""
        while end - at >= 2:
            first, size = data[at], data[at + 1]
            start = at + 2
            if size >= 126:
                if size >= 128:
                    self._stop(Violation(PROTOCOL_ERROR, "a server's frame is masked"))
                    return
                start = at + 4 if size == 126 else at + 10
                if start > end:
                    break
                size = _number(data[at + 2 : start], "big")
            stop = start + size
            if first == 0x81 and stop <= end and size <= self.max_bytes and not self._opcode:
                messages.append((TEXT, data[start:stop]))
                at = stop
                continue
            stop = self._begin(first, size, data, start, messages)
            if stop < 0:
                break
            at = stop
        if at < end and not self._deaf:
            self._rest = data[at:]

    def _begin(
        self, first: int, size: int, data: bytes, start: int, messages: list[tuple[int, bytes]]
    ) -> int:
        """Take a frame that is not a whole text: where what is there of it ends. -1 if it has to
        wait for the rest, or if nothing more is to be read."""
        wrong = self._wrong(first, size)
        if wrong is not None:
            self._stop(wrong)
            return -1
        if not first & 0x08:
            self._opcode = first & 0x0F or self._opcode
            self._missing, self._final = size, first >= 0x80
            self._size += size
            return self._gather(data, start, messages)
        stop = start + size
        if stop > len(data):
            return -1
        messages.append((first & 0x0F, bytes(self._said(data[start:stop]))))
        if first & 0x0F == CLOSE:
            self._stop(None)
            return -1
        return stop

    def _said(self, part: bytes | memoryview) -> bytes | memoryview:
        """What the next part of the present frame says: a server masks nothing."""
        return part

    def _gather(self, data: bytes | memoryview, at: int, messages: list[tuple[int, bytes]]) -> int:
        """Take what is there of the present data frame; returns where it ends."""
        part = self._said(data[at : at + self._missing])
        self._missing -= len(part)
        whole = self._final and not self._missing
        if whole and not self._gathered:
            messages.append((self._opcode, bytes(part)))
        else:
            self._gathered += part
            if whole:
                messages.append((self._opcode, bytes(self._gathered)))
                self._gathered = bytearray()
        if whole:
            self._opcode = self._size = 0
        return at + len(part)

    def _wrong(self, first: int, size: int) -> Violation | None:
        opcode = first & 0x0F
        if first & 0x70:
            return Violation(PROTOCOL_ERROR, "a frame uses an extension nobody offered")
        if opcode in (CLOSE, PING, PONG):
            if first < 0x80 or size > 125:
                return Violation(PROTOCOL_ERROR, "a control frame is fragmented or too long")
        elif opcode not in (CONTINUATION, TEXT, BINARY):
            return Violation(PROTOCOL_ERROR, f"a frame has the unknown opcode {opcode}")
        elif (opcode == CONTINUATION) != bool(self._opcode):
            return Violation(PROTOCOL_ERROR, "the fragments of a message are out of order")
        elif self._size + size > self.max_bytes:
            return Violation(TOO_BIG, f"a message exceeded {self.max_bytes} bytes")
        return None

    def _stop(self, violation: Violation | None) -> None:
        self.violation = violation
        self._deaf = True
        self._gathered = bytearray()
