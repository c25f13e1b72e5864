"""The WebSocket protocol (RFC 6455), server side, as values: a client's frames are masked, a
server's are not, and in all else the two sides agree (wsframes.py).

Knows: frames. Must not know: sockets, the event loop. Nothing that arrives makes it raise.
"""

from __future__ import annotations

import struct

from pilothouse.cdp.websocket.client_protocol import (
    PROTOCOL_ERROR,
    TEXT,
    FrameReader,
    Violation,
    masked,
)

__all__ = ["MaskedReader", "plain_head"]

_SHORT, _MIDDLE, _LONG = struct.Struct("!BB"), struct.Struct("!BBH"), struct.Struct("!BBQ")
_number = int.from_bytes


def plain_head(opcode: int, size: int) -> bytes:
    """What stands before a payload of this size in a frame of ours."""
    if size < 126:
        return _SHORT.pack(0x80 | opcode, size)
    if size < 65536:
        return _MIDDLE.pack(0x80 | opcode, 126, size)
    return _LONG.pack(0x80 | opcode, 127, size)


class MaskedReader(FrameReader):
    """Cuts the byte stream of a client into whole messages."""

    # Of the present frame, turned so that it begins where the next part does.
    _mask = b""

    def text_alone(self, buffer: memoryview, size: int) -> bytes | None:
        if self._fresh and buffer[0] == 0x81 and 6 <= size <= self.max_bytes:
            length = buffer[1]
            if length < 254:
                if length - 122 == size:
                    return masked(buffer[6:size], bytes(buffer[2:6]))
            elif length == 254 and size > 8 and (buffer[2] << 8 | buffer[3]) + 8 == size:
                return masked(buffer[8:size], bytes(buffer[4:8]))
        return None

    def _cut(self, chunk: bytes | memoryview, messages: list[tuple[int, bytes]]) -> None:
        at = self._gather(chunk, 0, messages) if self._missing else 0
        data = self._rest + chunk[at:] if self._rest else bytes(chunk[at:])
        at, end, self._rest = 0, len(data), b""
        while end - at >= 2:
            first, size = data[at], data[at + 1] & 0x7F
            if data[at + 1] < 0x80:
                self._stop(Violation(PROTOCOL_ERROR, "a client's frame is not masked"))
                return
            start = at + (6 if size < 126 else 8 if size == 126 else 14)
            if start > end:
                break
            if size >= 126:
                size = _number(data[at + 2 : start - 4], "big")
            stop, mask = start + size, data[start - 4 : start]
            if first == 0x81 and stop <= end and size <= self.max_bytes and not self._opcode:
                messages.append((TEXT, masked(data[start:stop], mask)))
                at = stop
                continue
            self._mask = mask
            stop = self._begin(first, size, data, start, messages)
            if stop < 0:
                break
            at = stop
        if at < end and not self._deaf:
            self._rest = data[at:]

    def _said(self, part: bytes | memoryview) -> bytes:
        mask, turn = self._mask, len(part) % 4
        self._mask = mask[turn:] + mask[:turn]
        return masked(part, mask)
