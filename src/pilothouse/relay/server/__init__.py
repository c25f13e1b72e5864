"""TODO-MAP relay/server."""

from __future__ import annotations

from pilothouse.relay.server.auth import RequestAuth
from pilothouse.relay.server.pairing import CODE_LIVES_S, is_install, new_secret
from pilothouse.relay.server.pairing_store import PairingStore
from pilothouse.relay.server.server import RelayServer
from pilothouse.relay.server.slot_queue import wait_for_slot
from pilothouse.relay.server.slots import SLOT_BUSY, STANDBY_S
from pilothouse.relay.server.status import BrowserFacts
from pilothouse.relay.server.token_store import TokenStore

__all__ = [
    "CODE_LIVES_S",
    "SLOT_BUSY",
    "STANDBY_S",
    "BrowserFacts",
    "PairingStore",
    "RelayServer",
    "RequestAuth",
    "TokenStore",
    "is_install",
    "new_secret",
    "wait_for_slot",
]
