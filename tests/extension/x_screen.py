"""An X screen, looked at and clicked as a person does: what is no page of Chrome's (its bars, its
buttons) can be reached in no other way.

Knows: as much of the X protocol as that takes, over the server's own socket: a picture of the
screen, and the XTEST extension's pointer. Must not know: Chrome.
"""

from __future__ import annotations

import socket
import struct
from dataclasses import dataclass
from typing import NamedTuple

__all__ = ["Block", "Screen"]

LITTLE_ENDIAN = 0x6C
GET_IMAGE, QUERY_EXTENSION = 73, 98
ZPIXMAP, EVERY_PLANE = 2, 0xFFFFFFFF
PRESS, RELEASE, MOTION = 4, 5, 6
FAKE_INPUT = 2


class Block(NamedTuple):
    """Where something is on the screen."""

    left: int
    top: int
    right: int
    bottom: int

    @property
    def middle(self) -> tuple[int, int]:
        """Its middle."""
        return (self.left + self.right) // 2, (self.top + self.bottom) // 2


@dataclass
class Screen:
    """The first screen of a display such as ":3"."""

    display: str

    def __post_init__(self) -> None:
        self._socket = socket.socket(socket.AF_UNIX)
        self._socket.settimeout(20)
        self._socket.connect(f"/tmp/.X11-unix/X{self.display.lstrip(':')}")
        self._socket.sendall(struct.pack("<BxHHHHxx", LITTLE_ENDIAN, 11, 0, 0, 0))
        status, size = struct.unpack("<BxHHH", self._read(8))[0::3]
        told = self._read(4 * size)
        assert status == 1, told
        vendor, formats = struct.unpack_from("<H", told, 16)[0], told[21]
        at = 32 + (vendor + 3) // 4 * 4 + 8 * formats
        self._root: int = struct.unpack_from("<I", told, at)[0]
        self.width, self.height = struct.unpack_from("<HH", told, at + 20)
        name = b"XTEST"
        asked = struct.pack("<BxHHxx", QUERY_EXTENSION, 4, len(name)) + name.ljust(8, b"\0")
        self._xtest = self._answer(asked)[0][9]

    def close(self) -> None:
        """Hang up."""
        self._socket.close()

    def _read(self, size: int) -> bytes:
        data = bytearray()
        while len(data) < size:
            part = self._socket.recv(size - len(data))
            assert part, "the screen is gone"
            data += part
        return bytes(data)

    def _answer(self, asked: bytes) -> tuple[bytes, bytes]:
        """The head of an answer and what follows it; events, which nobody asked for, are left."""
        self._socket.sendall(asked)
        while (head := self._read(32))[0] != 1:
            assert head[0] != 0, f"X error {head[1]}"
        return head, self._read(4 * struct.unpack_from("<I", head, 4)[0])

    def block(self, colour: tuple[int, int, int], least: int, above: int) -> Block | None:
        """Where pixels of exactly this colour are, above a line; None if there are fewer than
        `least`."""
        size = (0, 0, self.width, min(above, self.height))
        asked = struct.pack("<BBHIhhHHI", GET_IMAGE, ZPIXMAP, 5, self._root, *size, EVERY_PLANE)
        _, picture = self._answer(asked)
        red, green, blue = colour
        wanted, found, at = bytes((blue, green, red)), [], -1
        while (at := picture.find(wanted, at + 1)) >= 0:
            if at % 4 == 0:
                found.append((at // 4 % self.width, at // 4 // self.width))
        if len(found) < least:
            return None
        across, down = sorted(x for x, _ in found), sorted(y for _, y in found)
        return Block(across[0], down[0], across[-1], down[-1])

    def click(self, x: int, y: int) -> None:
        """Move the pointer there, click, and take it away: what it is over looks different."""
        for kind, detail, at in (
            (MOTION, 0, (x, y)), (PRESS, 1, (x, y)), (RELEASE, 1, (x, y)), (MOTION, 0, (0, 0)),
        ):  # fmt: skip
            self._socket.sendall(
                struct.pack("<BBHBBxxIIxxxxxxxxhhxxxxxxxx", self._xtest, FAKE_INPUT, 9,
                            kind, detail, 0, 0, *at)
            )  # fmt: skip
        # A question, so that all has been done when it is answered.
        self.block((0, 0, 0), 1, 1)
