"""Decide who may send requests: programs of this machine with a token, and the one extension.

Knows: routes, headers, tokens. Must not know: what is served, sockets. Web pages and other
extensions are refused. Every request is checked, upgrades too: requests through a tunnel come from
this machine as well. Any program can forge an Origin. So the extension's Origin only allows it to
ask; pairing_proofs_and_codes.py then proves that it is the paired one.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal
from urllib.parse import urlencode

from pilothouse.relay.interfaces import HttpRefusal
from pilothouse.relay.server.http_codec import Request
from pilothouse.security.relay_tokens import Grant, TokenBook

__all__ = ["EXTENSION", "PROTOCOL", "ROUTES", "TOKEN_PROTOCOL", "RequestAuth", "route_of"]

# Every route; a test requests each without a token.
ROUTES: dict[str, Literal["page", "client", "extension"]] = {
    "/": "page",
    "/json/version": "page",
    "/json/list": "page",
    "/json": "page",
    "/client-slot": "page",
    "/extension/status": "page",
    "/attached-tabs": "page",
    "/restrictions": "page",
    "/cdp": "client",
    "/extension": "extension",
}
EXTENSION = "/extension"

# How a WebSocket client that can set no header gives the token without showing it in a URL. If it
# also offers PROTOCOL, that is the one agreed on.
PROTOCOL = "pilothouse.cdp"
TOKEN_PROTOCOL = "pilothouse.token."

_HOSTS = ("127.0.0.1", "localhost", "[::1]")


def route_of(path: str) -> str:
    """Return the route of a path, with or without one trailing slash; "" if there is none."""
    if len(path) > 2 and path.endswith("/"):
        path = path[:-1]
    return path if path in ROUTES else ""


class RequestAuth:
    """Checks each request. Tokens are compared, and shown to nobody but their holder."""

    def __init__(self, book: Callable[[], TokenBook | None], extension_id: str) -> None:
        # Called for each request, as tokens change; None while they cannot be read.
        self._book = book
        self._origin = f"chrome-extension://{extension_id}"

    def check(self, request: Request, port: int) -> HttpRefusal | None:
        """Return why a request to this port is refused; None if it is allowed."""
        hosts = request.header_values("host")
        if len(hosts) != 1 or hosts[0].lower() not in {f"{host}:{port}" for host in _HOSTS}:
            return HttpRefusal(
                403, "Host: unknown value; expected 127.0.0.1, localhost or [::1] with the port"
            )
        route = route_of(request.path)
        origins = request.header_values("origin")
        if route == EXTENSION:
            if origins != [self._origin]:
                return HttpRefusal(403, "only the Pilothouse extension may connect here")
        elif origins or any(site != "none" for site in request.header_values("sec-fetch-site")):
            return HttpRefusal(403, "web pages and other extensions may not send requests here")
        if not route:
            return HttpRefusal(404, "no such path")
        if route != EXTENSION and self.find_grant(self.read_token(request)) is None:
            return HttpRefusal(
                401,
                "the token is missing or not valid",
                hint="send Authorization: Bearer TOKEN, or ?token=TOKEN",
            )
        if request.method != "GET":
            return HttpRefusal(405, "method not allowed; expected GET")
        if ROUTES[route] != "page":
            return request.check_handshake()
        if request.wants_websocket:
            return HttpRefusal(400, "this path is no WebSocket; connect to /cdp")
        return None

    def websocket_url(self, request: Request) -> str:
        """Return the WebSocket URL for the sender of an allowed request, with its own query and
        token."""
        host = request.header_values("host")[0].lower()
        kept = [(name, value) for name, value in request.query_fields() if name != "token"]
        return f"ws://{host}/cdp?{urlencode([('token', self.read_token(request)), *kept])}"

    def choose_subprotocol(self, request: Request) -> str:
        """Return the subprotocol to agree on with an allowed client; "" for none."""
        offered = request.header_list("sec-websocket-protocol")
        if PROTOCOL in offered:
            return PROTOCOL
        # Clients disconnect if the server takes none of the subprotocols they offered.
        return next((word for word in offered if word.startswith(TOKEN_PROTOCOL)), "")

    def read_token(self, request: Request) -> str:
        """Return the token of a request; "" if it has none, or different ones."""
        given = [value for name, value in request.query_fields() if name == "token"]
        for value in request.header_values("authorization"):
            scheme, _, token = value.partition(" ")
            given.append(token.strip() if scheme.lower() == "bearer" else "")
        for word in request.header_list("sec-websocket-protocol"):
            if word.startswith(TOKEN_PROTOCOL):
                given.append(word.removeprefix(TOKEN_PROTOCOL))
        return given[0] if given and len(set(given)) == 1 else ""

    def find_grant(self, token: str) -> Grant | None:
        """Return what a token allows now; None if it is not valid."""
        book = self._book()
        return book.find_grant(token) if book is not None else None
