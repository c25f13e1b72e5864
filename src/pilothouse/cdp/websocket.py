"""The WebSocket wire: picows, no compression, whole messages up."""

from __future__ import annotations

import ssl
from collections.abc import Mapping

from picows import (
    WSAutoPingStrategy,
    WSError,
    WSFrame,
    WSListener,
    WSMsgType,
    WSTransport,
    ws_connect,
)

from pilothouse.cdp.transport import MAX_INBOUND_BYTES, Dial, Receiver, Transport
from pilothouse.errors import ConnectionLost

__all__ = ["dial_websocket"]

HANDSHAKE_WITHIN_S = 5.0

# A half-open TCP connection is found out by pings: 20 s of silence, then 20 s for the answer.
PING_AFTER_IDLE_S = 20.0
PONG_WITHIN_S = 20.0


class _Listener(WSListener):
    """Joins fragments into messages and tells the receiver."""

    def __init__(self, receiver: Receiver) -> None:
        self._receiver = receiver
        self._fragments: list[bytes] = []
        self._size = 0
        self._binary = False
        self._close_reason = ""
        self._told = False

    def on_ws_frame(self, transport: WSTransport, frame: WSFrame) -> None:
        kind = frame.msg_type
        if kind == WSMsgType.TEXT and frame.fin:
            # A memoryview would be cheaper and wrong: picows reuses its buffer while the raw
            # params of the message still point into it.
            self._receiver.on_frame(frame.get_payload_as_bytes())
        elif kind in (WSMsgType.TEXT, WSMsgType.BINARY, WSMsgType.CONTINUATION):
            self._fragment(transport, frame)
        elif kind == WSMsgType.CLOSE:
            reason = bytes(frame.get_close_message() or b"").decode("utf-8", "replace")
            self._close_reason = f"closed by the other side ({frame.get_close_code()}) {reason}"
            transport.send_close()
            transport.disconnect()

    def _fragment(self, transport: WSTransport, frame: WSFrame) -> None:
        if frame.msg_type != WSMsgType.CONTINUATION:
            self._fragments, self._size = [], 0
            self._binary = frame.msg_type == WSMsgType.BINARY
        payload = frame.get_payload_as_bytes()
        self._size += len(payload)
        if self._size > MAX_INBOUND_BYTES:
            self._close_reason = f"a message exceeded {MAX_INBOUND_BYTES} bytes"
            transport.disconnect(graceful=False)
            return
        self._fragments.append(payload)
        if frame.fin:
            whole, self._fragments = b"".join(self._fragments), []
            if self._binary:
                self._receiver.on_garbage("a binary frame")
            else:
                self._receiver.on_frame(whole)

    def on_ws_disconnected(self, transport: WSTransport) -> None:
        if not self._told:
            self._told = True
            self._receiver.on_lost(self._close_reason.strip() or "the socket closed")


class _WebSocket:
    def __init__(self, transport: WSTransport) -> None:
        self._transport = transport

    def write(self, frame: bytes) -> None:
        if not self._transport.is_disconnected:
            self._transport.send(WSMsgType.TEXT, frame)

    def close(self) -> None:
        self._transport.disconnect(graceful=False)


def dial_websocket(url: str, headers: Mapping[str, str] | None = None) -> Dial:
    """A dial for a `ws://` or `wss://` URL. It raises ConnectionLost when the call fails."""

    async def dial(receiver: Receiver) -> Transport:
        try:
            transport, _ = await ws_connect(
                lambda: _Listener(receiver),
                url,
                websocket_handshake_timeout=HANDSHAKE_WITHIN_S,
                max_frame_size=MAX_INBOUND_BYTES,
                extra_headers=dict(headers or {}),
                max_redirects=0,
                enable_auto_ping=True,
                auto_ping_idle_timeout=PING_AFTER_IDLE_S,
                auto_ping_reply_timeout=PONG_WITHIN_S,
                auto_ping_strategy=WSAutoPingStrategy.PING_WHEN_IDLE,
            )
        except (TimeoutError, OSError, ssl.SSLError, WSError, ValueError) as error:
            why = str(error).splitlines()[0] if str(error) else type(error).__name__
            raise ConnectionLost(f"no WebSocket at {url}: {why}") from error
        return _WebSocket(transport)

    return dial
