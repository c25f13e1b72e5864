"""Exchange the first messages with an extension: challenge, hello (with a timeout), welcome.

Knows: the socket until its peer is proven. Must not know: what proves it
(pairing_proofs_and_codes.py), or what an extension is for.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable

from pilothouse.errors import PilothouseError
from pilothouse.relay.interfaces import Hello, HttpRefusal, MessageHandler
from pilothouse.relay.server.http_and_websocket_connection import RelaySocket
from pilothouse.relay.server.pairing_proofs_and_codes import (
    NO_HELLO,
    NOT_PAIRED,
    HandshakeFailure,
    PairingChallenge,
    PairingCodes,
    Welcome,
)
from pilothouse.relay.server.pairing_store import PairingStore

__all__ = ["ExtensionHandshake"]

_log = logging.getLogger(__name__)

MAX_HELLO_BYTES = 64 * 1024
TRY_LATER = 4013

AcceptExtension = Callable[[Hello, RelaySocket], MessageHandler | HttpRefusal]


class ExtensionHandshake:
    """Handles the messages of a socket whose peer is not proven yet."""

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
        """Upgrade the socket and send the challenge."""
        self._socket.upgrade(answer, self, MAX_HELLO_BYTES)
        self._socket.send(self._challenge.encode_challenge())

    def on_message(self, message: bytes) -> None:
        """Check the hello; accept the extension or close the socket."""
        self._timer.cancel()
        verdict = self._verify(message)
        if isinstance(verdict, HandshakeFailure):
            _log.warning("an extension was refused: %s", verdict.reason)
            self._socket.close(verdict.code, verdict.reason)
            return
        # Accepting may send commands at once, so the welcome must go out first.
        self._socket.send(verdict.message)
        try:
            handler = self._accept(verdict.hello, self._socket)
        except PilothouseError as error:
            handler = HttpRefusal(503, error.format_line())
        if isinstance(handler, HttpRefusal):
            self._socket.close(TRY_LATER, handler.message)
        else:
            self._socket.set_handler(handler)

    def on_disconnect(self, reason: str) -> None:
        """Stop the timer: the peer left before its hello."""
        self._timer.cancel()

    def _verify(self, message: bytes) -> Welcome | HandshakeFailure:
        try:
            verdict = self._challenge.verify_hello(
                message, self._pairings.secret_of, self._codes, self._loop.time()
            )
            if isinstance(verdict, Welcome) and verdict.new_secret:
                self._pairings.add(verdict.hello.install, verdict.new_secret)
        except PilothouseError as error:
            _log.warning("the pairings cannot be read or written: %s", error.format_line())
            return HandshakeFailure(NOT_PAIRED, "the relay cannot read or write its pairings")
        return verdict

    def _time_out(self) -> None:
        self._socket.close(NO_HELLO, "no hello within the time limit")
