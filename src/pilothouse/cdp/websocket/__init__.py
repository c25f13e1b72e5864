"""TODO-MAP cdp/websocket."""

from __future__ import annotations

from pilothouse.cdp.websocket.client_protocol import (
    BINARY,
    CLOSE,
    PING,
    PONG,
    TEXT,
    accept_for,
    close_payload,
    read_close,
)
from pilothouse.cdp.websocket.server_protocol import MaskedReader, plain_head
from pilothouse.cdp.websocket.transport import Patience, dial_websocket

__all__ = [
    "BINARY",
    "CLOSE",
    "PING",
    "PONG",
    "TEXT",
    "MaskedReader",
    "Patience",
    "accept_for",
    "close_payload",
    "dial_websocket",
    "plain_head",
    "read_close",
]
