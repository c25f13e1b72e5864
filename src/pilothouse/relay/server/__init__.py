"""TODO-MAP relay/server."""

from __future__ import annotations

from pilothouse.relay.server.auth import Door
from pilothouse.relay.server.pairing import CODE_LIVES_S, is_install, new_secret
from pilothouse.relay.server.pairing_store import Pairings
from pilothouse.relay.server.server import RelayServer
from pilothouse.relay.server.slot_queue import stand_by
from pilothouse.relay.server.slots import BUSY, STANDBY_S
from pilothouse.relay.server.status import Facts
from pilothouse.relay.server.token_store import Tokens

__all__ = [
    "BUSY",
    "CODE_LIVES_S",
    "STANDBY_S",
    "Door",
    "Facts",
    "Pairings",
    "RelayServer",
    "Tokens",
    "is_install",
    "new_secret",
    "stand_by",
]
