"""Decides who may make which request to the daemon's web server. Pure.

    guard = RequestGuard(token, port, is_session)
    guard.refusal("GET", "/api/state", headers)     # None, or (status, reason)

`ROUTES` lists every route with one of four decisions; a path without one is refused. The rules for
Host, Origin and Content-Type hold for all routes, also for requests from this machine, because
those of a tunnel come from this machine as well. No answer allows another origin to read it.

Knows: headers, the bearer token, the table of routes. Must not know: what a route does, or how long
a session lasts (entry_links.py).
"""

from __future__ import annotations

import re
import secrets
from collections.abc import Callable, Iterable, Mapping
from typing import Literal

import msgspec

__all__ = ["CSRF_HEADER", "ROUTES", "RequestGuard", "Route", "Who", "cookie_name", "find_route"]

Who = Literal["anyone", "link", "cookie", "bearer"]
Headers = Iterable[tuple[bytes, bytes]]
Refusal = tuple[int, str]

_HOSTS = ("127.0.0.1", "localhost", "[::1]")
# A cookie session sends this with every request. A browser sends the cookie to every port of this
# machine, but pages of other ports cannot read the value that belongs here.
CSRF_HEADER = "pilothouse-session"
_CHANGES = frozenset({"POST", "PUT", "PATCH", "DELETE"})


class Route(msgspec.Struct, frozen=True):
    """One route and who may use it.

    `anyone`: files of the dashboard, which hold no data. `link`: whoever has the secret of a
    one-time link. `cookie`: a person who entered by one. `bearer`: a program with the token."""

    path: str
    methods: tuple[str, ...]
    who: Who

    def matches(self, path: str) -> bool:
        """Return whether a request's path is one of this route."""
        pattern = re.sub(r"\\\{\w+\\\}", "[^/]+", re.escape(self.path))
        return re.fullmatch(pattern, path) is not None


# A test compares this table with the routes of the application.
ROUTES: tuple[Route, ...] = (
    Route("/mcp", ("GET", "POST", "DELETE"), "bearer"),
    Route("/", ("GET",), "anyone"),
    Route("/enter", ("GET",), "anyone"),
    Route("/assets/{name}", ("GET",), "anyone"),
    Route("/api/enter", ("POST",), "link"),
    Route("/api/leave", ("POST",), "cookie"),
    Route("/api/state", ("GET",), "cookie"),
    Route("/api/events", ("GET",), "cookie"),
    Route("/api/health", ("GET",), "cookie"),
    Route("/api/tabs/{tab}/thumbnail", ("GET",), "cookie"),
    Route("/api/tabs/{tab}/frames", ("GET",), "cookie"),
    Route("/api/tabs/{tab}/console", ("GET",), "cookie"),
    Route("/api/tabs/{tab}/network", ("GET",), "cookie"),
    Route("/api/tabs/{tab}/har", ("GET",), "cookie"),
    Route("/api/interrupts/{interrupt}", ("POST",), "cookie"),
)
# Files that a browser may show as a page: another site may link to them, and to nothing else.
_PAGES = ("/", "/enter")


def find_route(path: str) -> Route | None:
    """Return the route of a path, or None."""
    return next((route for route in ROUTES if route.matches(path)), None)


def cookie_name(port: int) -> str:
    """Return the name of the session cookie: cookies of one host are shared by all its ports."""
    return f"pilothouse-{port}"


class RequestGuard:
    """Checks each request. Secrets are compared in constant time and never shown.

    `is_session` tells whether a cookie and the value of CSRF_HEADER belong to one session."""

    def __init__(self, token: str, port: int, is_session: Callable[[str, str], bool]) -> None:
        self._token = token.encode()
        self._cookie = cookie_name(port).encode()
        self._is_session = is_session
        self._hosts = {f"{host}:{port}".encode() for host in _HOSTS}
        self._origins = {b"http://" + host for host in self._hosts}

    def refusal(self, method: str, path: str, headers: Headers) -> Refusal | None:
        """Return the status and reason for refusing a request, or None to accept it."""
        found: dict[bytes, list[bytes]] = {}
        for name, value in headers:
            found.setdefault(name.lower(), []).append(value)
        if len(hosts := found.get(b"host", [])) != 1 or hosts[0].lower() not in self._hosts:
            return 403, "Host: expected 127.0.0.1, localhost or [::1] with this port"
        if self._is_foreign(method, path, found):
            return 403, "web pages are not let in"
        kinds = found.get(b"content-type", [])
        if method == "POST" and [kind.split(b";")[0].strip().lower() for kind in kinds] != [
            b"application/json"
        ]:
            return 415, "Content-Type: expected application/json"
        route = find_route(path)
        if route is None:
            return 404, "unknown path; the dashboard is at /, MCP at /mcp"
        if refused := self._unauthorized(route.who, method, found):
            return refused
        if method not in route.methods:
            return 405, f"method not allowed; expected {', '.join(route.methods)}"
        return None

    def _is_foreign(self, method: str, path: str, found: Mapping[bytes, list[bytes]]) -> bool:
        """Return whether a page of another origin sent the request, in any browser."""
        if any(origin.lower() not in self._origins for origin in found.get(b"origin", [])):
            return True
        sites = set(found.get(b"sec-fetch-site", []))
        if sites <= {b"same-origin", b"none"}:
            return False
        # A link on another site, or the file that `pilothouse dashboard` opens, shows a page of
        # ours in a tab of its own. Nothing can be read of it there.
        mode, to = found.get(b"sec-fetch-mode"), found.get(b"sec-fetch-dest")
        shows = (mode, to) == ([b"navigate"], [b"document"])
        return not (shows and method == "GET" and path in _PAGES)

    def _unauthorized(
        self, who: Who, method: str, found: Mapping[bytes, list[bytes]]
    ) -> Refusal | None:
        if who == "bearer" and not self._holds_token(found.get(b"authorization", [])):
            return 401, "Authorization: expected Bearer and the token"
        if who in ("link", "cookie") and method in _CHANGES and not found.get(b"origin"):
            return 403, "Origin: expected the dashboard's own"
        if who == "cookie" and not self._holds_session(found):
            return 401, "no session: run `pilothouse dashboard` for a new link"
        return None

    def _holds_token(self, given: list[bytes]) -> bool:
        if len(given) != 1:
            return False
        scheme, _, token = given[0].partition(b" ")
        return scheme.lower() == b"bearer" and secrets.compare_digest(token.strip(), self._token)

    def _holds_session(self, found: Mapping[bytes, list[bytes]]) -> bool:
        pairs = [
            pair.strip().partition(b"=")
            for line in found.get(b"cookie", [])
            for pair in line.split(b";")
        ]
        cookies = [value for name, _, value in pairs if name == self._cookie]
        proofs = found.get(CSRF_HEADER.encode(), [])
        if len(cookies) != 1 or len(proofs) != 1:
            return False
        return self._is_session(cookies[0].decode("latin-1"), proofs[0].decode("latin-1"))
