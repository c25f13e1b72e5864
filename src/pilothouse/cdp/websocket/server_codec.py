"""The server side of the WebSocket protocol (RFC 6455), as values.

A client masks its frames and a server does not; otherwise the sides are alike, so this builds on
client_codec.py. Knows: frames. Must not know: sockets, the event loop. Input never makes it
raise.
"""

from __future__ import annotations

import struct

from pilothouse.cdp.websocket.client_codec import (
    PROTOCOL_ERROR,
    TEXT,
    FrameReader,
    ProtocolViolation,
    apply_mask,
)

__all__ = ["MaskedFrameReader", "unmasked_header"]

_SHORT, _MIDDLE, _LONG = struct.Struct("!BB"), struct.Struct("!BBH"), struct.Struct("!BBQ")
_to_int = int.from_bytes


def unmasked_header(opcode: int, size: int) -> bytes:
    """Encode the header of an unmasked frame with a payload of this size."""
    if size < 126:
        return _SHORT.pack(0x80 | opcode, size)
    if size < 65536:
        return _MIDDLE.pack(0x80 | opcode, 126, size)
    return _LONG.pack(0x80 | opcode, 127, size)


class MaskedFrameReader(FrameReader):
    """Splits the byte stream of a client into whole messages."""

    # The mask of the current frame, rotated to where its next part begins.
    _mask = b""

    def read_single_text(self, buffer: memoryview, size: int) -> bytes | None:
        if self._at_message_start and buffer[0] == 0x81 and 6 <= size <= self.max_bytes:
            length = buffer[1]
            if length < 254:
                if length - 122 == size:
                    return apply_mask(buffer[6:size], bytes(buffer[2:6]))
            elif length == 254 and size > 8 and (buffer[2] << 8 | buffer[3]) + 8 == size:
                return apply_mask(buffer[8:size], bytes(buffer[4:8]))
        return None

    def _read_frames(self, data: bytes, messages: list[tuple[int, bytes]]) -> int:
        at, end = 0, len(data)
        while end - at >= 2:
            first, size = data[at], data[at + 1] & 0x7F
            if data[at + 1] < 0x80:
                self._stop(ProtocolViolation(PROTOCOL_ERROR, "a client's frame is not masked"))
                break
            start = at + (6 if size < 126 else 8 if size == 126 else 14)
            if start > end:
                break
            if size >= 126:
                size = _to_int(data[at + 2 : start - 4], "big")
            stop, mask = start + size, data[start - 4 : start]
            if first == 0x81 and stop <= end and size <= self.max_bytes and not self._opcode:
                messages.append((TEXT, apply_mask(data[start:stop], mask)))
                at = stop
                continue
            self._mask = mask
            stop = self._start_frame(first, size, data, start, messages)
            if stop < 0:
                break
            at = stop
        return at

    def _unmask(self, part: bytes | memoryview) -> bytes:
        mask, turn = self._mask, len(part) % 4
        self._mask = mask[turn:] + mask[:turn]
        return apply_mask(part, mask)
