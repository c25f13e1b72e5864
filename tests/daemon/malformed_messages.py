"""Nonsense for a server: bytes, broken messages, and whole ones that ask for odd things.

Knows: how messages look. Must not know: what is asserted. The same seed makes the same nonsense.
"""

from __future__ import annotations

import json
import random
from typing import Any

__all__ = ["nonsense"]

_METHODS = (
    "initialize",
    "ping",
    "tools/list",
    "tools/call",
    "resources/list",
    "resources/read",
    "resources/templates/list",
    "logging/setLevel",
    "prompts/list",
    "server/discover",
    "notifications/initialized",
    "notifications/cancelled",
    "notifications/progress",
    "notifications/roots/list_changed",
    "completion/complete",
    "no/such",
    "",
)
_TOOLS = ("browser_snapshot", "browser_click", "browser_tabs", "nothing", "", "browser_type")
_KEYS = (
    "jsonrpc", "id", "method", "params", "name", "arguments", "uri", "cursor", "level", "_meta",
    "progressToken", "requestId", "protocolVersion", "capabilities", "clientInfo", "result",
    "error", "ref", "tab", "full", "io.modelcontextprotocol/protocolVersion",
)  # fmt: skip


def nonsense(dice: random.Random) -> bytes:
    """One line of it; it may hold anything but the end of a line."""
    kind = dice.random()
    if kind < 0.2:
        made = dice.randbytes(dice.randrange(400))
    elif kind < 0.5:
        made = _bent(dice, json.dumps(_message(dice)).encode())
    else:
        made = json.dumps(_message(dice)).encode()
    return made.replace(b"\n", b" ").replace(b"\r", b" ")


def _message(dice: random.Random) -> Any:
    if dice.random() < 0.1:
        return _value(dice, 3)
    message: dict[str, Any] = {"jsonrpc": "2.0", "method": dice.choice(_METHODS)}
    if dice.random() < 0.8:
        message["id"] = dice.choice((dice.randrange(10_000), str(dice.random()), _value(dice, 1)))
    if dice.random() < 0.8:
        message["params"] = _params(dice)
    if dice.random() < 0.1:
        message[dice.choice(_KEYS)] = _value(dice, 2)
    return [message] if dice.random() < 0.03 else message


def _params(dice: random.Random) -> Any:
    if dice.random() < 0.3:
        return _value(dice, 3)
    return {
        "name": dice.choice(_TOOLS),
        "arguments": {dice.choice(_KEYS): _value(dice, 2) for _ in range(dice.randrange(3))},
        dice.choice(_KEYS): _value(dice, 2),
    }


def _value(dice: random.Random, depth: int) -> Any:
    kinds = 9 if depth else 7
    match dice.randrange(kinds):
        case 0:
            return None
        case 1:
            return dice.random() < 0.5
        case 2:
            return dice.choice((0, -1, 2**63, 10**40, dice.randrange(1000)))
        case 3:
            return dice.choice((0.5, 1e308, -1e-300))
        case 4:
            return "".join(chr(dice.randrange(1, 0xD7FF)) for _ in range(dice.randrange(20)))
        case 5:
            return dice.choice(("\ud800", "\0", "a" * 5000, "../../etc/passwd", "\u202e"))
        case 6:
            return dice.choice(_KEYS)
        case 7:
            return [_value(dice, depth - 1) for _ in range(dice.randrange(4))]
    return {dice.choice(_KEYS): _value(dice, depth - 1) for _ in range(dice.randrange(4))}


def _bent(dice: random.Random, whole: bytes) -> bytes:
    """A message with something wrong in it."""
    at = dice.randrange(len(whole) + 1)
    match dice.randrange(4):
        case 0:
            return whole[:at]
        case 1:
            return whole[:at] + dice.randbytes(dice.randrange(1, 4)) + whole[at:]
        case 2:
            return whole[:at] + whole[at + dice.randrange(1, 9) :]
    return whole[:at] + b"[" * dice.randrange(1, 3000) + whole[at:]
