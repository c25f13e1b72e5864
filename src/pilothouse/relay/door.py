"""Who may come in: programs of this machine that hold the token, and the one extension. No web
page, no other extension.

Knows: the routes, headers, the token. Must not know: what is behind the door, sockets. Every
request is checked, upgrades too, from wherever it comes: a tunnel's requests come from this
machine as well. An Origin can be forged by any program, so that of the extension only lets it ask:
whether it is the one that was paired is proven afterwards (pairing.py).
"""

from __future__ import annotations

import secrets
from typing import Literal
from urllib.parse import urlencode

from pilothouse.relay.parts import Refused
from pilothouse.relay.requests import Request

__all__ = ["EXTENSION", "PROTOCOL", "ROUTES", "TOKEN_PROTOCOL", "Door", "route_of"]

# Every way in there is; a test walks through them all without a token.
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

# How a WebSocket client that can set no header gives the token without showing it in a URL. It may
# offer the first one beside it, which is then the one agreed on.
PROTOCOL = "pilothouse.cdp"
TOKEN_PROTOCOL = "pilothouse.token."

SHORTEST_TOKEN = 32

_HOSTS = ("127.0.0.1", "localhost", "[::1]")


def route_of(path: str) -> str:
    """The route of a path, with or without one slash at its end; "" if there is none."""
    if len(path) > 2 and path.endswith("/"):
        path = path[:-1]
    return path if path in ROUTES else ""


class Door:
    """Checks each request. The token is compared, and never said, except to who gave it."""

    def __init__(self, token: str, extension_id: str) -> None:
        if len(token) < SHORTEST_TOKEN:
            raise ValueError("the token is too short to keep anybody out")
        self._token = token
        self._origin = f"chrome-extension://{extension_id}"

    def refusal(self, request: Request, port: int) -> Refused | None:
        """Why a request to this port is not let in; None if it is."""
        hosts = request.all("host")
        if len(hosts) != 1 or hosts[0].lower() not in {f"{host}:{port}" for host in _HOSTS}:
            return Refused(403, "this Host is not served here")
        route = route_of(request.path)
        origins = request.all("origin")
        if route == EXTENSION:
            if origins != [self._origin]:
                return Refused(403, "only the Pilothouse extension is let in here")
        elif origins or any(site != "none" for site in request.all("sec-fetch-site")):
            return Refused(403, "web pages and extensions are not let in here")
        if not route:
            return Refused(404, "there is nothing here")
        if route != EXTENSION and not self._holds_token(request):
            return Refused(
                401, "the token is wanted", hint="as Authorization: Bearer TOKEN, or ?token=TOKEN"
            )
        if request.method != "GET":
            return Refused(405, "only GET")
        if ROUTES[route] != "page":
            return request.handshake_refusal()
        if request.wants_socket:
            return Refused(400, "there is no WebSocket here")
        return None

    def address(self, request: Request) -> str:
        """The WebSocket address for whoever made this request, which was let in: with the query it
        came with, and the token, which it has proven to hold."""
        host = request.all("host")[0].lower()
        kept = [(name, value) for name, value in request.fields() if name != "token"]
        return f"ws://{host}/cdp?{urlencode([('token', self._token), *kept])}"

    def protocol(self, request: Request) -> str:
        """The subprotocol to agree on with a client that was let in; "" for none."""
        offered = request.words("sec-websocket-protocol")
        if PROTOCOL in offered:
            return PROTOCOL
        # One that was offered must be taken, or clients hang up.
        return next((word for word in offered if word.startswith(TOKEN_PROTOCOL)), "")

    def _holds_token(self, request: Request) -> bool:
        """Whether it gives the token, in whichever ways, and nothing else as one."""
        given = [value for name, value in request.fields() if name == "token"]
        for value in request.all("authorization"):
            scheme, _, token = value.partition(" ")
            given.append(token.strip() if scheme.lower() == "bearer" else "")
        for word in request.words("sec-websocket-protocol"):
            if word.startswith(TOKEN_PROTOCOL):
                given.append(word.removeprefix(TOKEN_PROTOCOL))
        # All are compared: how long it takes tells nothing.
        right = [secrets.compare_digest(one.encode(), self._token.encode()) for one in given]
        return bool(right) and all(right)
