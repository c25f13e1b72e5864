"""The client side of the WebSocket protocol (RFC 6455), as values: bytes in, messages or bytes out.
The server side is server_codec.py.

Knows: the opening handshake, frames, masking, what a peer must not send. Must not know: sockets,
the event loop, randomness. Input never makes it raise: a violation is a value. It does not check
that a text is UTF-8; the JSON parser does, and checking twice is expensive.
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
    "ProtocolViolation",
    "accept_key",
    "apply_mask",
    "check_handshake",
    "close_payload",
    "encode_frame",
    "handshake_request",
    "read_close",
    "response_is_complete",
]

CONTINUATION, TEXT, BINARY, CLOSE, PING, PONG = 0x0, 0x1, 0x2, 0x8, 0x9, 0xA

PROTOCOL_ERROR, TOO_BIG = 1002, 1009
NO_STATUS = 1005

_GUID = b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
_LONGEST_HEADERS = 64 * 1024
_BODY_SHOWN = 200
_RESERVED_HEADERS = frozenset(
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
_to_int = int.from_bytes


class ProtocolViolation(NamedTuple):
    """How the peer broke the protocol, with the matching close code."""

    code: int
    reason: str


# The opening handshake.


def handshake_request(host: str, path: str, key: str, headers: Mapping[str, str]) -> bytes:
    """Build the HTTP request that opens a WebSocket. A `Host` in `headers` replaces `host`.

    Raises ValueError for an invalid header. The text never contains the header's value, which may
    be a token.
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
        if name.lower() in _RESERVED_HEADERS:
            raise ValueError(f"the header {name} belongs to the handshake")
        if not name.isascii() or not name.replace("-", "").replace("_", "").isalnum():
            raise ValueError(f"{name!r} is not a header name")
        if not value.isascii() or not value.isprintable():
            raise ValueError(f"the value of the header {name} is not printable ASCII")
        lines.append(f"{name}: {value}")
    return ("\r\n".join(lines) + "\r\n\r\n").encode("ascii")


def accept_key(key: str) -> str:
    """Return the `Sec-WebSocket-Accept` value that a server must send for this key."""
    return base64.b64encode(hashlib.sha1(key.encode() + _GUID).digest()).decode()


def response_is_complete(response: bytes) -> bool:
    """Return whether `check_handshake` has all it needs, or more bytes may improve its result."""
    head, end, body = response.partition(b"\r\n\r\n")
    if not end:
        return not _could_be_http(response) or len(response) > _LONGEST_HEADERS
    status, _, headers = _read_head(head)
    if status == 101 or len(body) >= _BODY_SHOWN:
        return True
    if "content-length" in headers:
        size = headers["content-length"]
        return not (size.isascii() and size.isdigit()) or len(body) >= int(size)
    return bool(body) and "transfer-encoding" in headers


def check_handshake(response: bytes, key: str) -> str | None:
    """Return why this response (with its body) does not open a WebSocket; None if it does."""
    head, end, body = response.partition(b"\r\n\r\n")
    if not end:
        return _describe_non_http(response)
    status, phrase, headers = _read_head(head)
    if status == 0:
        return _describe_non_http(response)
    if status != 101:
        return _describe_refusal(status, phrase, headers, body)
    if headers.get("upgrade", "").lower() != "websocket":
        return "HTTP 101, but the upgrade is not to websocket"
    if "upgrade" not in [word.strip() for word in headers.get("connection", "").lower().split(",")]:
        return "HTTP 101 without Connection: Upgrade"
    if headers.get("sec-websocket-accept", "") != accept_key(key):
        return "HTTP 101 with a Sec-WebSocket-Accept that does not match the key"
    if extensions := headers.get("sec-websocket-extensions", ""):
        return f"the server uses an extension we did not offer: {extensions[:80]!r}"
    return None


def _could_be_http(start: bytes) -> bool:
    return start[:5] == b"HTTP/"[: len(start)]


def _read_head(head: bytes) -> tuple[int, str, dict[str, str]]:
    """Parse a response head: status (0 if not HTTP), phrase, and headers by lower-case name,
    repeated ones joined."""
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


def _describe_refusal(status: int, phrase: str, headers: dict[str, str], body: bytes) -> str:
    if "chunked" in headers.get("transfer-encoding", "").lower():
        body = body.partition(b"\r\n")[2].partition(b"\r\n")[0]
    status_line = f"HTTP {status} {phrase}".rstrip()
    if 300 <= status < 400 and "location" in headers:
        return f"{status_line} (a redirect, which is not followed)"
    shown = _one_line(body[:_BODY_SHOWN].decode("utf-8", "replace"))
    return f"{status_line}: {shown}" if shown else status_line


def _describe_non_http(response: bytes) -> str:
    if not response:
        return "closed without a response"
    if response[:2] in (b"\x15\x03", b"\x16\x03"):
        return "the port speaks TLS (is it wss://?)"
    if len(response) > _LONGEST_HEADERS:
        return "the response's headers do not end"
    return f"not an HTTP response: {response[:40]!r}"


def _one_line(text: str) -> str:
    return " ".join("".join(c if c.isprintable() else " " for c in text).split())


# Frames.


def encode_frame(opcode: int, payload: bytes, mask: bytes) -> bytes:
    """Encode one whole frame, masked with these four bytes."""
    size = len(payload)
    if size < 126:
        head = _SHORT.pack(0x80 | opcode, 0x80 | size, mask)
    elif size < 65536:
        head = _MIDDLE.pack(0x80 | opcode, 0xFE, size, mask)
    else:
        head = _LONG.pack(0x80 | opcode, 0xFF, size, mask)
    return head + apply_mask(payload, mask)


def apply_mask(payload: bytes | memoryview, mask: bytes) -> bytes:
    """Mask the payload with these four bytes, or unmask it: the operation is its own inverse."""
    size = len(payload)
    # One XOR of two huge integers runs at memory speed; a loop over bytes does not.
    key = _to_int((mask * (size // 4 + 1))[:size], "little")
    return (_to_int(payload, "little") ^ key).to_bytes(size, "little")


def close_payload(code: int, reason: str = "") -> bytes:
    """Encode the payload of a close frame; the reason is cut to the 123 bytes a frame can hold."""
    return _U16.pack(code) + reason.encode()[:123].decode("utf-8", "ignore").encode()


def read_close(payload: bytes) -> tuple[int, str]:
    """Decode a close frame to its code (1005 if there is none) and one-line reason."""
    if len(payload) < 2:
        return NO_STATUS, ""
    return _U16.unpack_from(payload)[0], _one_line(payload[2:].decode("utf-8", "replace"))


class FrameReader:
    """Splits the byte stream of a server into whole messages.

    It ignores everything after a protocol violation or a close frame.
    """

    def __init__(self, max_bytes: int) -> None:
        self.violation: ProtocolViolation | None = None
        self.max_bytes = max_bytes
        self._stopped = False
        # Whether the next byte starts a message and nothing is buffered.
        self._at_message_start = True
        # The beginning of a frame whose header, or of a control frame that, is not complete yet.
        self._rest = b""
        # The incomplete message: its opcode (0 if there is none), its size so far, the bytes that
        # its current frame still lacks, and whether that frame is the last.
        self._opcode = 0
        self._size = 0
        self._remaining = 0
        self._final = True
        # Its payload so far, as one growing block. A large block is a memory mapping of its own,
        # which returns to the system as a whole. A list of pieces lies in the heap, where any small
        # object allocated meanwhile keeps everything below it resident.
        self._payload = bytearray()

    def read_single_text(self, buffer: memoryview, size: int) -> bytes | None:
        """Return the text if the first `size` bytes of the buffer are exactly one short text
        message, as in almost every read; otherwise None, and the caller must `feed` them."""
        if self._at_message_start and buffer[0] == 0x81 and 4 < size <= self.max_bytes:
            length = buffer[1]
            if length < 126:
                if length + 2 == size:
                    return bytes(buffer[2:size])
            elif length == 126 and (buffer[2] << 8 | buffer[3]) + 4 == size:
                return bytes(buffer[4:size])
        return None

    def feed(self, data: bytes | memoryview) -> list[tuple[int, bytes]]:
        """Take bytes and return the messages they complete, in order, as (opcode, payload): text,
        binary, close, ping, pong. The payloads are copies, so `data` may be reused."""
        if self._stopped:
            return []
        messages: list[tuple[int, bytes]] = []
        self._parse(data, messages)
        self._at_message_start = not (self._stopped or self._rest or self._opcode)
        return messages

    def _parse(self, chunk: bytes | memoryview, messages: list[tuple[int, bytes]]) -> None:
        at = self._append_payload(chunk, 0, messages) if self._remaining else 0
        # Slicing many messages out of bytes is so much cheaper than out of a memoryview that
        # copying the rest of the chunk first pays off.
        data = self._rest + chunk[at:] if self._rest else bytes(chunk[at:])
        self._rest = b""
        at = self._read_frames(data, messages)
        if at < len(data) and not self._stopped:
            self._rest = data[at:]

    def _read_frames(self, data: bytes, messages: list[tuple[int, bytes]]) -> int:
        """Take the frames that begin in these bytes. Returns where the unread rest begins."""
        at, end = 0, len(data)
        while end - at >= 2:
            first, size = data[at], data[at + 1]
            start = at + 2
            if size >= 126:
                if size >= 128:
                    self._stop(ProtocolViolation(PROTOCOL_ERROR, "a server's frame is masked"))
                    break
                start = at + 4 if size == 126 else at + 10
                if start > end:
                    break
                size = _to_int(data[at + 2 : start], "big")
            stop = start + size
            if first == 0x81 and stop <= end and size <= self.max_bytes and not self._opcode:
                messages.append((TEXT, data[start:stop]))
                at = stop
                continue
            stop = self._start_frame(first, size, data, start, messages)
            if stop < 0:
                break
            at = stop
        return at

    def _start_frame(
        self, first: int, size: int, data: bytes, start: int, messages: list[tuple[int, bytes]]
    ) -> int:
        """Take a frame that is not a whole text message. Returns where its present bytes end; -1 to
        wait for more bytes, or because reading has stopped."""
        wrong = self._check_frame(first, size)
        if wrong is not None:
            self._stop(wrong)
            return -1
        if not first & 0x08:
            self._opcode = first & 0x0F or self._opcode
            self._remaining, self._final = size, first >= 0x80
            self._size += size
            return self._append_payload(data, start, messages)
        stop = start + size
        if stop > len(data):
            return -1
        messages.append((first & 0x0F, bytes(self._unmask(data[start:stop]))))
        if first & 0x0F == CLOSE:
            self._stop(None)
            return -1
        return stop

    def _unmask(self, part: bytes | memoryview) -> bytes | memoryview:
        """Unmask the next part of the current frame. A server does not mask."""
        return part

    def _append_payload(
        self, data: bytes | memoryview, at: int, messages: list[tuple[int, bytes]]
    ) -> int:
        """Append the available bytes of the current data frame; returns where they end."""
        part = self._unmask(data[at : at + self._remaining])
        self._remaining -= len(part)
        whole = self._final and not self._remaining
        if whole and not self._payload:
            messages.append((self._opcode, bytes(part)))
        else:
            self._payload += part
            if whole:
                messages.append((self._opcode, bytes(self._payload)))
                self._payload = bytearray()
        if whole:
            self._opcode = self._size = 0
        return at + len(part)

    def _check_frame(self, first: int, size: int) -> ProtocolViolation | None:
        opcode = first & 0x0F
        if first & 0x70:
            return ProtocolViolation(PROTOCOL_ERROR, "a frame uses an extension we did not offer")
        if opcode in (CLOSE, PING, PONG):
            if first < 0x80 or size > 125:
                return ProtocolViolation(
                    PROTOCOL_ERROR, "a control frame is fragmented or too long"
                )
        elif opcode not in (CONTINUATION, TEXT, BINARY):
            return ProtocolViolation(PROTOCOL_ERROR, f"a frame has the unknown opcode {opcode}")
        elif (opcode == CONTINUATION) != bool(self._opcode):
            return ProtocolViolation(PROTOCOL_ERROR, "the fragments of a message are out of order")
        elif self._size + size > self.max_bytes:
            return ProtocolViolation(TOO_BIG, f"a message exceeded {self.max_bytes} bytes")
        return None

    def _stop(self, violation: ProtocolViolation | None) -> None:
        self.violation = violation
        self._stopped = True
        self._payload = bytearray()
