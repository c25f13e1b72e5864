"""The WebSocket wire: an asyncio protocol around `wsframes`, no compression, whole messages up.

Knows: addresses, TLS, the handshake's deadline, pings. Must not know: what a message says.
A URL's query and userinfo, and header values, may be tokens: no error text shows them.
"""

from __future__ import annotations

import asyncio
import base64
import os
import socket
import ssl
from collections.abc import Iterator, Mapping
from typing import NamedTuple, cast
from urllib.parse import quote, unquote, urlsplit

from pilothouse.cdp.read_coalescing import Reading
from pilothouse.cdp.transport import MAX_INBOUND_BYTES, Dial, Receiver, Transport
from pilothouse.cdp.websocket.client_protocol import (
    BINARY,
    CLOSE,
    PING,
    PONG,
    TEXT,
    FrameReader,
    answer_is_complete,
    check_handshake,
    close_payload,
    encode_frame,
    handshake_request,
    read_close,
)
from pilothouse.errors import ConnectionLost, words_of
from pilothouse.security.redaction import Redactor

__all__ = ["Patience", "dial_websocket"]

# asyncio's own reads allocate 256 KB for every message, which costs more than the message. One
# buffer is read into instead; the reader copies out of it.
READ_BYTES = 256 * 1024

# The kernel is asked for randomness once for so many frames: a call costs more than a mask.
MASKS_AT_ONCE = 256

# A shorter value is hardly a secret, and hiding every "1" would garble the text.
SHORTEST_SECRET = 4


class Patience(NamedTuple):
    """How long to wait for the other side. A half-open TCP connection is found out by pings:
    so much silence, then so long for the answer."""

    handshake_s: float = 5.0
    idle_s: float = 20.0
    pong_s: float = 20.0


USUAL_PATIENCE = Patience()


class _Place(NamedTuple):
    """Where to dial, what to ask for there, and what must not be shown."""

    secure: bool
    host: str
    port: int
    authority: str
    path: str
    headers: dict[str, str]
    secrets: list[str]

    def hush(self, text: str) -> str:
        """The text on one line without the secrets: a server may well echo what it was asked."""
        redactor = Redactor({one: one for one in self.secrets}, mark=lambda name: "***")
        return " ".join(redactor.text(text).split())

    def failure(self, why: str) -> ConnectionLost:
        """The error for a call that came to nothing."""
        scheme, path = "wss" if self.secure else "ws", self.path.partition("?")[0]
        return ConnectionLost(
            f"no WebSocket at {scheme}://{self.authority}{path}: {self.hush(why)}"
        )


class _WebSocket(asyncio.BufferedProtocol):
    """One connection, from the handshake to `on_lost`. It is its own Transport."""

    def __init__(self, place: _Place, receiver: Receiver, patience: Patience) -> None:
        self._loop = asyncio.get_running_loop()
        self.opened: asyncio.Future[str | None] = self._loop.create_future()
        self._place = place
        self._receiver = receiver
        self._patience = patience
        self._key = base64.b64encode(os.urandom(16)).decode()
        self._request = handshake_request(place.authority, place.path, self._key, place.headers)
        self._answer = b""
        self._up = False
        self._reader = FrameReader(MAX_INBOUND_BYTES)
        self._buffer = memoryview(bytearray(READ_BYTES))
        self._masks = _masks()
        self._over = False
        self._reason = ""
        self._heard_at = 0.0
        self._pinged_at = 0.0
        self._timer: asyncio.TimerHandle | None = None
        self._transport: asyncio.Transport
        self._reading: Reading

    # Transport.

    def write(self, frame: bytes) -> None:
        if not self._over:
            self._transport.write(encode_frame(TEXT, frame, next(self._masks)))
            self._reading.asked()

    def unsent(self) -> int:
        return self._transport.get_write_buffer_size()

    def close(self) -> None:
        self._give_up("closed by us")

    # asyncio's side.

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        # Other event loops have transports of their own, of no common class.
        self._transport = cast(asyncio.Transport, transport)
        self._reading = Reading(self._transport, self._receiver)
        sock = transport.get_extra_info("socket")
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
        self._transport.write(self._request)

    def get_buffer(self, sizehint: int) -> memoryview:
        return self._buffer

    def buffer_updated(self, nbytes: int) -> None:
        if self._up:
            self._heard_at = self._loop.time()
            text = self._reader.text_alone(self._buffer, nbytes)
            if text is None:
                self._take(self._buffer[:nbytes])
            elif not self._over:
                self._receiver.on_frame(text)
            self._reading.done(nbytes)
            return
        self._answer += self._buffer[:nbytes]
        if answer_is_complete(self._answer):
            self._judge()

    def connection_lost(self, error: Exception | None) -> None:
        if self._timer is not None:
            self._timer.cancel()
        # Whoever keeps a dead wire does not keep its buffer.
        self._buffer = memoryview(b"")
        if not self._over:
            self._over = True
            self._reason = f"the socket failed: {words_of(error)}" if error else "the socket closed"
        if self._up:
            self._receiver.on_lost(self._place.hush(self._reason))
        elif not self.opened.done():
            self.opened.set_result(self.verdict() if self._answer or not error else self._reason)

    # The handshake.

    @property
    def answered(self) -> bool:
        """Whether anything was answered to the request."""
        return bool(self._answer)

    def verdict(self) -> str | None:
        """Why what was answered so far is no WebSocket; None if it is one."""
        return check_handshake(self._answer, self._key)

    def _judge(self) -> None:
        if self._over or self.opened.done():
            return
        why = self.verdict()
        self.opened.set_result(why)
        if why is not None:
            self._give_up(why)
            return
        self._up = True
        self._heard_at = self._loop.time()
        self._timer = self._loop.call_later(self._patience.idle_s, self._check_silence)
        # Only when whoever dials has the wire in hand may messages reach the receiver.
        self._loop.call_soon(self._take, self._answer.partition(b"\r\n\r\n")[2])
        self._answer = b""

    # Messages.

    def _take(self, data: bytes | memoryview) -> None:
        for opcode, payload in self._reader.feed(data):
            if self._over:
                return
            if opcode == TEXT:
                self._receiver.on_frame(payload)
            elif opcode == BINARY:
                self._receiver.on_garbage("a binary frame")
            elif opcode == PING:
                self._send(PONG, payload)
            elif opcode == CLOSE:
                code, reason = read_close(payload)
                self._send(CLOSE, payload[:2])
                self._give_up(f"closed by the other side ({code}) {reason}".rstrip())
        if self._reader.violation is not None and not self._over:
            code, reason = self._reader.violation
            self._send(CLOSE, close_payload(code, reason))
            self._give_up(reason)

    def _send(self, opcode: int, payload: bytes) -> None:
        self._transport.write(encode_frame(opcode, payload, next(self._masks)))

    def _check_silence(self) -> None:
        now = self._loop.time()
        silent_s = now - self._heard_at
        if self._heard_at < self._pinged_at:
            self._give_up(f"nothing came for {silent_s:.0f} s, not even the answer to a ping")
            return
        wait_s = self._patience.idle_s - silent_s
        if wait_s <= 0:
            self._pinged_at = now
            self._send(PING, b"")
            wait_s = self._patience.pong_s
        self._timer = self._loop.call_later(wait_s, self._check_silence)

    def _give_up(self, reason: str) -> None:
        """Drop the socket. asyncio calls `connection_lost`, once, soon after."""
        if not self._over:
            self._over = True
            self._reason = reason
            self._transport.abort()


def _masks() -> Iterator[bytes]:
    while True:
        random = os.urandom(4 * MASKS_AT_ONCE)
        for at in range(0, len(random), 4):
            yield random[at : at + 4]


def dial_websocket(
    url: str,
    headers: Mapping[str, str] | None = None,
    *,
    tls: ssl.SSLContext | None = None,
    patience: Patience = USUAL_PATIENCE,
) -> Dial:
    """A dial for a `ws://` or `wss://` URL. It raises ConnectionLost when the call fails.

    A user and password in the URL are sent as Basic authorization.
    """
    if tls is None and url[:4].lower() == "wss:":
        tls = ssl.create_default_context()

    async def dial(receiver: Receiver) -> Transport:
        place = _place(url, headers or {})
        wire: _WebSocket | None = None
        try:
            async with asyncio.timeout(patience.handshake_s):
                wire = _WebSocket(place, receiver, patience)
                await asyncio.get_running_loop().create_connection(
                    lambda: wire, place.host, place.port, ssl=tls if place.secure else None
                )
                why = await wire.opened
        except (OSError, ValueError) as error:
            raise place.failure(_why(error, wire, patience)) from error
        finally:
            # Given up halfway, by the deadline or by a cancelled caller.
            if wire is not None and wire.opened.cancelled():
                wire.close()
        if why is not None:
            raise place.failure(why)
        return wire

    return dial


def _place(url: str, headers: Mapping[str, str]) -> _Place:
    """Raises ConnectionLost for what is no WebSocket URL, without showing any of it."""
    try:
        parts = urlsplit(url)
        host, port, scheme = parts.hostname or "", parts.port, parts.scheme
        if not host.isascii():
            host = host.encode("idna").decode()
    except ValueError:
        host = scheme = ""
    if scheme not in ("ws", "wss") or not host:
        raise ConnectionLost("no WebSocket: the address is no ws:// or wss:// URL") from None
    authority = f"[{host}]" if ":" in host else host
    if port is not None:
        authority += f":{port}"
    path = quote(parts.path or "/", safe="/%:@!$&'()*+,;=~")
    if parts.query:
        path += "?" + quote(parts.query, safe="/%:@!$&'()*+,;=~?")
    userinfo = parts.netloc.rpartition("@")[0]
    sent = dict(headers)
    if userinfo and not any(name.lower() == "authorization" for name in sent):
        user, _, password = userinfo.partition(":")
        pair = f"{unquote(user)}:{unquote(password)}".encode()
        sent["Authorization"] = f"Basic {base64.b64encode(pair).decode()}"
    return _Place(
        secure=scheme == "wss",
        host=host,
        port=port if port is not None else 443 if scheme == "wss" else 80,
        authority=authority,
        path=path,
        headers=sent,
        secrets=_secrets(userinfo, parts.query, sent),
    )


def _secrets(userinfo: str, query: str, headers: Mapping[str, str]) -> list[str]:
    """What may be a token, longest first: as it stands in the URL, and decoded."""
    whole = {userinfo, unquote(userinfo), query, unquote(query)} - {""}
    parts = set(userinfo.split(":")) | {pair.partition("=")[2] for pair in query.split("&")}
    parts |= {unquote(part) for part in parts}
    for name, value in headers.items():
        if name.lower() != "host":
            parts |= {value, *value.split()}
    found = whole | {part for part in parts if len(part) >= SHORTEST_SECRET}
    return sorted(found, key=lambda secret: (-len(secret), secret))


def _why(error: OSError | ValueError, wire: _WebSocket | None, patience: Patience) -> str:
    match error:
        case ssl.SSLCertVerificationError():
            return f"TLS: {error.verify_message}"
        case ssl.SSLError(reason="WRONG_VERSION_NUMBER" | "HTTP_REQUEST" | "RECORD_LAYER_FAILURE"):
            return "the port does not speak TLS (is it ws://?)"
        case ssl.SSLError():
            return f"TLS: {error.reason or error}"
        case TimeoutError() if not str(error):
            partial = wire.verdict() if wire is not None and wire.answered else None
            return partial or f"no answer within {patience.handshake_s:g} s"
        case socket.gaierror():
            return f"the name does not resolve: {error.strerror}"
        case ConnectionRefusedError():
            return "connection refused"
        case ConnectionError() if not str(error):
            return "the connection was closed in the middle of the handshake"
    return words_of(error)
