"""The relay's port on 127.0.0.1: HTTP, WebSockets, tokens and pairing. Knows no CDP.

    connection -> RelaySocket -> Request -> RequestAuth -> RelayServer
                                                           /json/..., /client-slot: JSON pages
                                                           /cdp: JoinClient -> a MessageHandler
                                                           /extension: ExtensionHandshake

Read in this order:

    http_codec.py           Request, and responses as bytes
    auth.py                 RequestAuth: routes, Host, Origin and token of a request
    http_and_websocket_connection.py  RelaySocket: one connection, HTTP first, then perhaps a
                            WebSocket
    server.py               RelayServer: serves each route, keeps track of clients and extensions
    client_options.py       the query of a client's URL -> ClientSpec
    client_slots.py, client_slot_wait.py  single-active mode: one client at a time, and how to
                            wait for it
    json_bodies.py          the JSON body of each page
    pairing_proofs_and_codes.py, extension_handshake.py  how an extension and the relay prove a
                            shared secret to each other
    private_store.py        PrivateStore: a file only this user can read; the base of token_store.py
                            (TokenStore) and pairing_store.py (PairingStore)
"""

from __future__ import annotations

from pilothouse.relay.server.auth import RequestAuth
from pilothouse.relay.server.client_slot_wait import wait_for_slot
from pilothouse.relay.server.client_slots import SLOT_BUSY, STANDBY_S
from pilothouse.relay.server.json_bodies import BrowserFacts
from pilothouse.relay.server.pairing_proofs_and_codes import CODE_LIVES_S, is_install, new_secret
from pilothouse.relay.server.pairing_store import PairingStore
from pilothouse.relay.server.server import RelayServer
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
