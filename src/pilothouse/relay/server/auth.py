"""Who may come in: programs of this machine that hold the token, and the one extension. No web
page, no other extension.

Knows: the routes, headers, the token. Must not know: what is behind the door, sockets. Every
request is checked, upgrades too, from wherever it comes: a tunnel's requests come from this
machine as well. An Origin can be forged by any program, so that of the extension only lets it ask:
whether it is the one that was paired is proven afterwards (pairing.py).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal
from urllib.parse import urlencode

from pilothouse.relay.interfaces import HttpRefusal
from pilothouse.relay.server.http import Request
from pilothouse.security.relay_tokens import Grant, TokenBook

__all__ = ["EXTENSION", "PROTOCOL", "ROUTES", "TOKEN_PROTOCOL", "RequestAuth", "route_of"]

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

_HOSTS = ("127.0.0.1", "localhost", "[::1]")


def route_of(path: str) -> str:
    """The route of a path, with or without one slash at its end; "" if there is none."""
    if len(path) > 2 and path.endswith("/"):
        path = path[:-1]
    return path if path in ROUTES else ""


class RequestAuth:
    """Checks each request. A token is compared, and never said, except to who gave it."""

    def __init__(self, book: Callable[[], TokenBook | None], extension_id: str) -> None:
        # Read anew each time, as tokens come and go; None while none can be read.
        self._book = book
        self._origin = f"chrome-extension://{extension_id}"

    def check(self, request: Request, port: int) -> HttpRefusal | None:
        """Why a request to this port is not let in; None if it is."""
        hosts = request.header_values("host")
        if len(hosts) != 1 or hosts[0].lower() not in {f"{host}:{port}" for host in _HOSTS}:
            return HttpRefusal(403, "this Host is not served here")
        route = route_of(request.path)
        origins = request.header_values("origin")
        if route == EXTENSION:
            if origins != [self._origin]:
                return HttpRefusal(403, "only the Pilothouse extension is let in here")
        elif origins or any(site != "none" for site in request.header_values("sec-fetch-site")):
            return HttpRefusal(403, "web pages and extensions are not let in here")
        if not route:
            return HttpRefusal(404, "there is nothing here")
        if route != EXTENSION and self.find_grant(self.read_token(request)) is None:
            return HttpRefusal(
                401, "the token is wanted", hint="as Authorization: Bearer TOKEN, or ?token=TOKEN"
            )
        if request.method != "GET":
            return HttpRefusal(405, "only GET")
        if ROUTES[route] != "page":
            return request.check_handshake()
        if request.wants_websocket:
            return HttpRefusal(400, "there is no WebSocket here")
        return None

    def websocket_url(self, request: Request) -> str:
        """The WebSocket address for whoever made this request, which was let in: with the query it
        came with, and the token, which it has proven to hold."""
        host = request.header_values("host")[0].lower()
        kept = [(name, value) for name, value in request.query_fields() if name != "token"]
        return f"ws://{host}/cdp?{urlencode([('token', self.read_token(request)), *kept])}"

    def choose_subprotocol(self, request: Request) -> str:
        """The subprotocol to agree on with a client that was let in; "" for none."""
        offered = request.header_list("sec-websocket-protocol")
        if PROTOCOL in offered:
            return PROTOCOL
        # One that was offered must be taken, or clients hang up.
        return next((word for word in offered if word.startswith(TOKEN_PROTOCOL)), "")

    def read_token(self, request: Request) -> str:
        """The token that it gives, in whichever ways; "" if it gives none, or several."""
        given = [value for name, value in request.query_fields() if name == "token"]
        for value in request.header_values("authorization"):
            scheme, _, token = value.partition(" ")
            given.append(token.strip() if scheme.lower() == "bearer" else "")
        for word in request.header_list("sec-websocket-protocol"):
            if word.startswith(TOKEN_PROTOCOL):
                given.append(word.removeprefix(TOKEN_PROTOCOL))
        return given[0] if given and len(set(given)) == 1 else ""

    def find_grant(self, token: str) -> Grant | None:
        """What a token lets its holder do now; None if it lets nobody in."""
        book = self._book()
        return book.find_grant(token) if book is not None else None
