"""The first words with an extension, on the wire: a challenge, a hello within a moment, a welcome.

Knows: the line until it is proven who is at its other end. Must not know: what proves it
(pairing.py), or what an extension is good for.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable

from pilothouse.errors import PilothouseError
from pilothouse.relay.interfaces import Hello, HttpRefusal, MessageHandler
from pilothouse.relay.server.pairing import (
    NO_HELLO,
    NOT_PAIRED,
    HandshakeFailure,
    PairingChallenge,
    PairingCodes,
    Welcome,
)
from pilothouse.relay.server.pairing_store import PairingStore
from pilothouse.relay.server.websocket import RelaySocket

__all__ = ["ExtensionHandshake"]

_log = logging.getLogger(__name__)

LONGEST_HELLO = 64 * 1024
NOT_NOW = 4013

AcceptExtension = Callable[[Hello, RelaySocket], MessageHandler | HttpRefusal]


class ExtensionHandshake:
    """The handler of a line of which nothing is known yet."""

    def __init__(
        self,
        socket: RelaySocket,
        challenge: PairingChallenge,
        pairings: PairingStore,
        codes: PairingCodes,
        accept: AcceptExtension,
        hello_s: float,
    ) -> None:
        self._loop = asyncio.get_running_loop()
        self._socket = socket
        self._pairings = pairings
        self._codes = codes
        self._accept = accept
        self._challenge = challenge
        self._timer = self._loop.call_later(hello_s, self._time_out)

    def begin(self, answer: bytes) -> None:
        """Let the line come up, and ask who it is."""
        self._socket.upgrade(answer, self, LONGEST_HELLO)
        self._socket.send(self._challenge.encode_challenge())

    def on_message(self, message: bytes) -> None:
        """The hello, if it is one."""
        self._timer.cancel()
        judged = self._judge(message)
        if isinstance(judged, HandshakeFailure):
            _log.warning("an extension was sent away: %s", judged.reason)
            self._socket.close(judged.code, judged.reason)
            return
        # It may be asked something as soon as it is lent: the welcome goes first.
        self._socket.send(judged.message)
        try:
            handler = self._accept(judged.hello, self._socket)
        except PilothouseError as error:
            handler = HttpRefusal(503, error.format_line())
        if isinstance(handler, HttpRefusal):
            self._socket.close(NOT_NOW, handler.message)
        else:
            self._socket.set_handler(handler)

    def on_disconnect(self, reason: str) -> None:
        """It went without a word."""
        self._timer.cancel()

    def _judge(self, message: bytes) -> Welcome | HandshakeFailure:
        try:
            judged = self._challenge.verify_hello(
                message, self._pairings.secret_of, self._codes, self._loop.time()
            )
            if isinstance(judged, Welcome) and judged.new_secret:
                self._pairings.keep(judged.hello.install, judged.new_secret)
        except PilothouseError as error:
            _log.warning("the pairings cannot be used: %s", error.format_line())
            return HandshakeFailure(NOT_PAIRED, "the relay cannot use its file of pairings")
        return judged

    def _time_out(self) -> None:
        self._socket.close(NO_HELLO, "no hello came")
