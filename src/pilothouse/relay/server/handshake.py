"""The first words with an extension, on the wire: a challenge, a hello within a moment, a welcome.

Knows: the line until it is proven who is at its other end. Must not know: what proves it
(pairing.py), or what an extension is good for.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable

from pilothouse.errors import PilothouseError
from pilothouse.relay.interfaces import Guest, Hello, Refused
from pilothouse.relay.server.pairing import NO_HELLO, NOT_PAIRED, Codes, Greeting, Welcome, Wrong
from pilothouse.relay.server.pairing_store import Pairings
from pilothouse.relay.server.websocket import Socket

__all__ = ["Greeter"]

_log = logging.getLogger(__name__)

LONGEST_HELLO = 64 * 1024
NOT_NOW = 4013

Lend = Callable[[Hello, Socket], Guest | Refused]


class Greeter:
    """The guest of a line of which nothing is known yet."""

    def __init__(
        self,
        socket: Socket,
        greeting: Greeting,
        pairings: Pairings,
        codes: Codes,
        lend: Lend,
        hello_s: float,
    ) -> None:
        self._loop = asyncio.get_running_loop()
        self._socket = socket
        self._pairings = pairings
        self._codes = codes
        self._lend = lend
        self._greeting = greeting
        self._timer = self._loop.call_later(hello_s, self._too_late)

    def begin(self, answer: bytes) -> None:
        """Let the line come up, and ask who it is."""
        self._socket.upgrade(answer, self, LONGEST_HELLO)
        self._socket.send(self._greeting.challenge())

    def on_frame(self, frame: bytes) -> None:
        """The hello, if it is one."""
        self._timer.cancel()
        judged = self._judge(frame)
        if isinstance(judged, Wrong):
            _log.warning("an extension was sent away: %s", judged.words)
            self._socket.close(judged.code, judged.words)
            return
        # It may be asked something as soon as it is lent: the welcome goes first.
        self._socket.send(judged.frame)
        try:
            guest = self._lend(judged.hello, self._socket)
        except PilothouseError as error:
            guest = Refused(503, error.line())
        if isinstance(guest, Refused):
            self._socket.close(NOT_NOW, guest.words)
        else:
            self._socket.hand_over(guest)

    def on_gone(self, reason: str) -> None:
        """It went without a word."""
        self._timer.cancel()

    def _judge(self, frame: bytes) -> Welcome | Wrong:
        try:
            judged = self._greeting.hear(
                frame, self._pairings.secret_of, self._codes, self._loop.time()
            )
            if isinstance(judged, Welcome) and judged.new_secret:
                self._pairings.keep(judged.hello.install, judged.new_secret)
        except PilothouseError as error:
            _log.warning("the pairings cannot be used: %s", error.line())
            return Wrong(NOT_PAIRED, "the relay cannot use its file of pairings")
        return judged

    def _too_late(self) -> None:
        self._socket.close(NO_HELLO, "no hello came")
