"""WebSockets (RFC 6455), without extensions: our own, because it has to be fast.

    client_codec.py  pure: the opening handshake, `encode_frame`, and `FrameReader`, which turns the
                     bytes of a server into whole messages
    server_codec.py  pure: `MaskedFrameReader` for the bytes of a client, `unmasked_header`
    transport.py     `dial_websocket`: an asyncio protocol around the client side, with TLS, the
                     handshake's deadline and pings (`WebSocketTimeouts`)

Bytes go from the socket into one reused buffer, through a reader, and as whole text messages to
the `Receiver` of cdp/transport.py. The relay builds its server
(relay/server/http_and_websocket_connection.py) on the pure parts: the reader, the headers, the
close payloads.

*Frame* means a WebSocket frame in this folder only. Everywhere else a frame is a document's frame,
and what travels on a connection is a message.
"""

from __future__ import annotations

from pilothouse.cdp.websocket.client_codec import (
    BINARY,
    CLOSE,
    PING,
    PONG,
    TEXT,
    accept_key,
    close_payload,
    read_close,
)
from pilothouse.cdp.websocket.server_codec import MaskedFrameReader, unmasked_header
from pilothouse.cdp.websocket.transport import WebSocketTimeouts, dial_websocket

__all__ = [
    "BINARY",
    "CLOSE",
    "PING",
    "PONG",
    "TEXT",
    "MaskedFrameReader",
    "WebSocketTimeouts",
    "accept_key",
    "close_payload",
    "dial_websocket",
    "read_close",
    "unmasked_header",
]
