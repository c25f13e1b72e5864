"""The WebSocket transport: an asyncio protocol around client_codec.py, without compression.

Knows: addresses, TLS, the handshake's deadline, pings. Must not know: what a message means.
A URL's query and userinfo, and header values, may be tokens: no error text contains them.
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

from pilothouse.cdp.read_coalescer import ReadCoalescer
from pilothouse.cdp.transport import MAX_INBOUND_BYTES, Dial, Receiver, Transport
from pilothouse.cdp.websocket.client_codec import (
    BINARY,
    CLOSE,
    PING,
    PONG,
    TEXT,
    FrameReader,
    check_handshake,
    close_payload,
    encode_frame,
    handshake_request,
    read_close,
    response_is_complete,
)
from pilothouse.errors import ConnectionLost, describe_error
from pilothouse.security.redaction import Redactor

__all__ = ["WebSocketTimeouts", "dial_websocket"]

# asyncio's own reads allocate 256 KB each, which costs more than handling the message. We read
# into one buffer instead; the frame reader copies out of it.
READ_BYTES = 256 * 1024

# Fetch random bytes for this many masks in one system call: the call costs more than the mask.
MASKS_PER_BATCH = 256

# Do not redact shorter values: they are hardly secrets, and hiding every "1" garbles the text.
MIN_SECRET_LENGTH = 4


class WebSocketTimeouts(NamedTuple):
    """How long to wait for the peer. Pings detect a half-open TCP connection: after `idle_s`
    without data we send one, and close the connection unless data comes within `pong_s`."""

    handshake_s: float = 5.0
    idle_s: float = 20.0
    pong_s: float = 20.0


DEFAULT_TIMEOUTS = WebSocketTimeouts()


class _DialTarget(NamedTuple):
    """A parsed URL: where to dial, the request to send, and the secrets to redact."""

    secure: bool
    host: str
    port: int
    authority: str
    path: str
    headers: dict[str, str]
    secrets: list[str]

    def redact(self, text: str) -> str:
        """Put the text on one line without the secrets; a server may echo what we sent."""
        redactor = Redactor({one: one for one in self.secrets}, mark=lambda name: "***")
        return " ".join(redactor.redact_text(text).split())

    def error(self, why: str) -> ConnectionLost:
        """Build the error for a failed dial."""
        scheme, path = "wss" if self.secure else "ws", self.path.partition("?")[0]
        return ConnectionLost(
            f"no WebSocket at {scheme}://{self.authority}{path}: {self.redact(why)}"
        )


class _WebSocket(asyncio.BufferedProtocol):
    """One connection, from the handshake to `on_lost`. It is its own Transport."""

    def __init__(
        self, target: _DialTarget, receiver: Receiver, timeouts: WebSocketTimeouts
    ) -> None:
        self._loop = asyncio.get_running_loop()
        self.opened: asyncio.Future[str | None] = self._loop.create_future()
        self._target = target
        self._receiver = receiver
        self._timeouts = timeouts
        self._key = base64.b64encode(os.urandom(16)).decode()
        self._request = handshake_request(target.authority, target.path, self._key, target.headers)
        self._response = b""
        self._is_open = False
        self._reader = FrameReader(MAX_INBOUND_BYTES)
        self._buffer = memoryview(bytearray(READ_BYTES))
        self._masks = _masks()
        self._is_over = False
        self._reason = ""
        self._received_at = 0.0
        self._pinged_at = 0.0
        self._timer: asyncio.TimerHandle | None = None
        self._transport: asyncio.Transport
        self._reads: ReadCoalescer

    # Transport.

    def write(self, message: bytes) -> None:
        if not self._is_over:
            self._transport.write(encode_frame(TEXT, message, next(self._masks)))
            self._reads.on_command_sent()

    def unsent(self) -> int:
        return self._transport.get_write_buffer_size()

    def close(self) -> None:
        self._give_up("closed by us")

    # asyncio.BufferedProtocol.

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        # Other event loops (uvloop) have transport classes without a common base.
        self._transport = cast(asyncio.Transport, transport)
        self._reads = ReadCoalescer(self._transport, self._receiver)
        sock = transport.get_extra_info("socket")
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
        self._transport.write(self._request)

    def get_buffer(self, sizehint: int) -> memoryview:
        return self._buffer

    def buffer_updated(self, nbytes: int) -> None:
        if self._is_open:
            self._received_at = self._loop.time()
            text = self._reader.read_single_text(self._buffer, nbytes)
            if text is None:
                self._receive(self._buffer[:nbytes])
            elif not self._is_over:
                self._receiver.on_message(text)
            self._reads.after_read(nbytes)
            return
        self._response += self._buffer[:nbytes]
        if response_is_complete(self._response):
            self._finish_handshake()

    def connection_lost(self, error: Exception | None) -> None:
        if self._timer is not None:
            self._timer.cancel()
        # A caller may keep the closed transport; free its buffer.
        self._buffer = memoryview(b"")
        if not self._is_over:
            self._is_over = True
            self._reason = (
                f"the socket failed: {describe_error(error)}" if error else "the socket closed"
            )
        if self._is_open:
            self._receiver.on_lost(self._target.redact(self._reason))
        elif not self.opened.done():
            self.opened.set_result(
                self.handshake_error() if self._response or not error else self._reason
            )

    # The handshake.

    @property
    def has_response(self) -> bool:
        """Whether the server has sent anything in response."""
        return bool(self._response)

    def handshake_error(self) -> str | None:
        """Return why the response so far does not open a WebSocket; None if it does."""
        return check_handshake(self._response, self._key)

    def _finish_handshake(self) -> None:
        if self._is_over or self.opened.done():
            return
        why = self.handshake_error()
        self.opened.set_result(why)
        if why is not None:
            self._give_up(why)
            return
        self._is_open = True
        self._received_at = self._loop.time()
        self._timer = self._loop.call_later(self._timeouts.idle_s, self._check_idle)
        # Deliver early messages only after the dialling task has its transport.
        self._loop.call_soon(self._receive, self._response.partition(b"\r\n\r\n")[2])
        self._response = b""

    # Messages.

    def _receive(self, data: bytes | memoryview) -> None:
        for opcode, payload in self._reader.feed(data):
            if self._is_over:
                return
            if opcode == TEXT:
                self._receiver.on_message(payload)
            elif opcode == BINARY:
                self._receiver.on_invalid_data("a binary frame")
            elif opcode == PING:
                self._send(PONG, payload)
            elif opcode == CLOSE:
                code, reason = read_close(payload)
                self._send(CLOSE, payload[:2])
                self._give_up(f"closed by the other side ({code}) {reason}".rstrip())
        if self._reader.violation is not None and not self._is_over:
            code, reason = self._reader.violation
            self._send(CLOSE, close_payload(code, reason))
            self._give_up(reason)

    def _send(self, opcode: int, payload: bytes) -> None:
        self._transport.write(encode_frame(opcode, payload, next(self._masks)))

    def _check_idle(self) -> None:
        now = self._loop.time()
        silent_s = now - self._received_at
        if self._received_at < self._pinged_at:
            self._give_up(f"no data for {silent_s:.0f} s, and no reply to a ping")
            return
        wait_s = self._timeouts.idle_s - silent_s
        if wait_s <= 0:
            self._pinged_at = now
            self._send(PING, b"")
            wait_s = self._timeouts.pong_s
        self._timer = self._loop.call_later(wait_s, self._check_idle)

    def _give_up(self, reason: str) -> None:
        """Abort the socket. asyncio calls `connection_lost` once, soon after."""
        if not self._is_over:
            self._is_over = True
            self._reason = reason
            self._transport.abort()


def _masks() -> Iterator[bytes]:
    while True:
        random = os.urandom(4 * MASKS_PER_BATCH)
        for at in range(0, len(random), 4):
            yield random[at : at + 4]


def dial_websocket(
    url: str,
    headers: Mapping[str, str] | None = None,
    *,
    tls: ssl.SSLContext | None = None,
    timeouts: WebSocketTimeouts = DEFAULT_TIMEOUTS,
) -> Dial:
    """Return a dial function for a `ws://` or `wss://` URL. It raises ConnectionLost on failure.

    A user and password in the URL are sent as Basic authorization.
    """
    if tls is None and url[:4].lower() == "wss:":
        tls = ssl.create_default_context()

    async def dial(receiver: Receiver) -> Transport:
        target = _parse_url(url, headers or {})
        wire: _WebSocket | None = None
        try:
            async with asyncio.timeout(timeouts.handshake_s):
                wire = _WebSocket(target, receiver, timeouts)
                await asyncio.get_running_loop().create_connection(
                    lambda: wire, target.host, target.port, ssl=tls if target.secure else None
                )
                why = await wire.opened
        except (OSError, ValueError) as error:
            raise target.error(_describe_error(error, wire, timeouts)) from error
        finally:
            # The deadline passed or the caller was cancelled during the handshake.
            if wire is not None and wire.opened.cancelled():
                wire.close()
        if why is not None:
            raise target.error(why)
        return wire

    return dial


def _parse_url(url: str, headers: Mapping[str, str]) -> _DialTarget:
    """Parse a WebSocket URL. Raises ConnectionLost, without showing the URL, if it is not one."""
    try:
        parts = urlsplit(url)
        host, port, scheme = parts.hostname or "", parts.port, parts.scheme
        if not host.isascii():
            host = host.encode("idna").decode()
    except ValueError:
        host = scheme = ""
    if scheme not in ("ws", "wss") or not host:
        raise ConnectionLost("no WebSocket: the address is not a ws:// or wss:// URL") from None
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
    return _DialTarget(
        secure=scheme == "wss",
        host=host,
        port=port if port is not None else 443 if scheme == "wss" else 80,
        authority=authority,
        path=path,
        headers=sent,
        secrets=_secrets(userinfo, parts.query, sent),
    )


def _secrets(userinfo: str, query: str, headers: Mapping[str, str]) -> list[str]:
    """List everything that may be a token, encoded and decoded, the longest first."""
    whole = {userinfo, unquote(userinfo), query, unquote(query)} - {""}
    parts = set(userinfo.split(":")) | {pair.partition("=")[2] for pair in query.split("&")}
    parts |= {unquote(part) for part in parts}
    for name, value in headers.items():
        if name.lower() != "host":
            parts |= {value, *value.split()}
    found = whole | {part for part in parts if len(part) >= MIN_SECRET_LENGTH}
    return sorted(found, key=lambda secret: (-len(secret), secret))


def _describe_error(
    error: OSError | ValueError, wire: _WebSocket | None, timeouts: WebSocketTimeouts
) -> str:
    match error:
        case ssl.SSLCertVerificationError():
            return f"TLS: {error.verify_message}"
        case ssl.SSLError(reason="WRONG_VERSION_NUMBER" | "HTTP_REQUEST" | "RECORD_LAYER_FAILURE"):
            return "the port does not speak TLS (is it ws://?)"
        case ssl.SSLError():
            return f"TLS: {error.reason or error}"
        case TimeoutError() if not str(error):
            partial = wire.handshake_error() if wire is not None and wire.has_response else None
            return partial or f"no response within {timeouts.handshake_s:g} s"
        case socket.gaierror():
            return f"the name does not resolve: {error.strerror}"
        case ConnectionRefusedError():
            return "connection refused"
        case ConnectionError() if not str(error):
            return "the connection was closed during the handshake"
    return describe_error(error)
