"""Lines of an MCP client on stdio, in both forms of the protocol.

Knows: how messages look. Must not know: what is asserted.
"""

from __future__ import annotations

import json
from typing import Any

__all__ = ["ENVELOPE", "INFO", "enveloped", "greeting", "line"]

INFO = {"name": "t", "version": "1"}
ENVELOPE = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
    "io.modelcontextprotocol/clientInfo": INFO,
}


def line(method: str, number: Any = None, **params: Any) -> bytes:
    """A message; with a number it is a request."""
    message: dict[str, Any] = {"jsonrpc": "2.0", "method": method}
    if number is not None:
        message["id"] = number
    if params:
        message["params"] = params
    return json.dumps(message).encode() + b"\n"


def greeting(version: str = "2025-11-25", **able: Any) -> bytes:
    """The first message of a handshake."""
    return line("initialize", 0, protocolVersion=version, capabilities=able, clientInfo=INFO)


def enveloped(method: str, number: Any = None, **params: Any) -> bytes:
    """A message of protocol 2026-07-28."""
    return line(method, number, **params, _meta=ENVELOPE)
