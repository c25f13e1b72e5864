"""Checks every HTTP request: local programs with the token may pass, web pages may not. Pure.

Knows: headers and the token. Must not know: what requests do. Requests from this machine are
checked too, because those of a tunnel come from this machine as well.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterable

__all__ = ["ROUTES", "McpHttpAuth"]

# All routes with their methods. A test requests each of them without a token.
ROUTES = {"/mcp": ("GET", "POST", "DELETE")}

_HOSTS = ("127.0.0.1", "localhost", "[::1]")

Headers = Iterable[tuple[bytes, bytes]]
Refusal = tuple[int, str]


class McpHttpAuth:
    """Checks each request. The token is compared in constant time and never shown."""

    def __init__(self, token: str, port: int) -> None:
        self._token = token.encode()
        self._hosts = {f"{host}:{port}".encode() for host in _HOSTS}
        self._origins = {b"http://" + host for host in self._hosts}

    def refusal(self, method: str, path: str, headers: Headers) -> Refusal | None:
        """Return the status and reason for refusing a request, or None to accept it."""
        found: dict[bytes, list[bytes]] = {}
        for name, value in headers:
            found.setdefault(name.lower(), []).append(value)
        if len(hosts := found.get(b"host", [])) != 1 or hosts[0].lower() not in self._hosts:
            return 403, "Host: expected 127.0.0.1, localhost or [::1] with this port"
        if any(origin.lower() not in self._origins for origin in found.get(b"origin", [])):
            return 403, "web pages are not let in"
        if any(site in (b"cross-site", b"same-site") for site in found.get(b"sec-fetch-site", [])):
            return 403, "web pages are not let in"
        kinds = found.get(b"content-type", [])
        if method == "POST" and [kind.split(b";")[0].strip().lower() for kind in kinds] != [
            b"application/json"
        ]:
            return 415, "Content-Type: expected application/json"
        if path not in ROUTES:
            return 404, f"unknown path; expected {', '.join(ROUTES)}"
        if not self._holds_token(found.get(b"authorization", [])):
            return 401, "Authorization: expected Bearer and the token"
        if method not in ROUTES[path]:
            return 405, f"method not allowed; expected {', '.join(ROUTES[path])}"
        return None

    def _holds_token(self, given: list[bytes]) -> bool:
        if len(given) != 1:
            return False
        scheme, _, token = given[0].partition(b" ")
        return scheme.lower() == b"bearer" and secrets.compare_digest(token.strip(), self._token)
