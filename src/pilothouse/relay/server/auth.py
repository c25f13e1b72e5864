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

from pilothouse.relay.interfaces import Refused
from pilothouse.relay.server.http import Request
from pilothouse.security.relay_tokens import Grant, TokenBook

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

_HOSTS = ("127.0.0.1", "localhost", "[::1]")


def route_of(path: str) -> str:
    """The route of a path, with or without one slash at its end; "" if there is none."""
    if len(path) > 2 and path.endswith("/"):
        path = path[:-1]
    return path if path in ROUTES else ""


class Door:
    """Checks each request. A token is compared, and never said, except to who gave it."""

    def __init__(self, book: Callable[[], TokenBook | None], extension_id: str) -> None:
        # Read anew each time, as tokens come and go; None while none can be read.
        self._book = book
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
        if route != EXTENSION and self.grant(self.token(request)) is None:
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
        return f"ws://{host}/cdp?{urlencode([('token', self.token(request)), *kept])}"

    def protocol(self, request: Request) -> str:
        """The subprotocol to agree on with a client that was let in; "" for none."""
        offered = request.words("sec-websocket-protocol")
        if PROTOCOL in offered:
            return PROTOCOL
        # One that was offered must be taken, or clients hang up.
        return next((word for word in offered if word.startswith(TOKEN_PROTOCOL)), "")

    def token(self, request: Request) -> str:
        """The token that it gives, in whichever ways; "" if it gives none, or several."""
        given = [value for name, value in request.fields() if name == "token"]
        for value in request.all("authorization"):
            scheme, _, token = value.partition(" ")
            given.append(token.strip() if scheme.lower() == "bearer" else "")
        for word in request.words("sec-websocket-protocol"):
            if word.startswith(TOKEN_PROTOCOL):
                given.append(word.removeprefix(TOKEN_PROTOCOL))
        return given[0] if given and len(set(given)) == 1 else ""

    def grant(self, token: str) -> Grant | None:
        """What a token lets its holder do now; None if it lets nobody in."""
        book = self._book()
        return book.grant(token) if book is not None else None
