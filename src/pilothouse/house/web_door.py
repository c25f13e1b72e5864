"""Who may come in by HTTP: programs of this machine that hold the token, and no web page.

Knows: headers, the token and its file. Must not know: what is behind the door. Every request is
checked, from wherever it comes: a tunnel's requests come from this machine, too.
"""

from __future__ import annotations

import os
import re
import secrets
import stat
from collections.abc import Iterable
from pathlib import Path

from pilothouse.errors import PilothouseError, ToolError

__all__ = ["ROUTES", "Door", "kept_token", "loopback"]

# Every way in there is; a test walks through them all without a token.
ROUTES = {"/mcp": ("GET", "POST", "DELETE")}

_HOSTS = ("127.0.0.1", "localhost", "[::1]")
_TOKEN = re.compile(r"[A-Za-z0-9_-]{43}")

Headers = Iterable[tuple[bytes, bytes]]
Refusal = tuple[int, str]


class Door:
    """Checks each request. The token is compared, and never said."""

    def __init__(self, token: str, port: int) -> None:
        self._token = token.encode()
        self._hosts = {f"{host}:{port}".encode() for host in _HOSTS}
        self._origins = {b"http://" + host for host in self._hosts}

    def refusal(self, method: str, path: str, headers: Headers) -> Refusal | None:
        """Why a request is not let in: status and words; None if it is."""
        found: dict[bytes, list[bytes]] = {}
        for name, value in headers:
            found.setdefault(name.lower(), []).append(value)
        if len(hosts := found.get(b"host", [])) != 1 or hosts[0].lower() not in self._hosts:
            return 403, "this Host is not served here"
        if any(origin.lower() not in self._origins for origin in found.get(b"origin", [])):
            return 403, "web pages are not let in"
        if any(site in (b"cross-site", b"same-site") for site in found.get(b"sec-fetch-site", [])):
            return 403, "web pages are not let in"
        kinds = found.get(b"content-type", [])
        if method == "POST" and [kind.split(b";")[0].strip().lower() for kind in kinds] != [
            b"application/json"
        ]:
            return 415, "application/json is wanted"
        if path not in ROUTES:
            return 404, "there is nothing here"
        if not self._holds_token(found.get(b"authorization", [])):
            return 401, "the token is wanted, as Authorization: Bearer"
        if method not in ROUTES[path]:
            return 405, f"only {', '.join(ROUTES[path])}"
        return None

    def _holds_token(self, given: list[bytes]) -> bool:
        if len(given) != 1:
            return False
        scheme, _, token = given[0].partition(b" ")
        return scheme.lower() == b"bearer" and secrets.compare_digest(token.strip(), self._token)


def loopback(host: str) -> str:
    """The address to listen at. Raises ToolError for all but this machine's own."""
    if host in ("", "127.0.0.1", "localhost"):
        return "127.0.0.1"
    if host in ("::1", "[::1]"):
        return "::1"
    raise ToolError(
        f"host: {host!r} is not this machine alone",
        hint="127.0.0.1 or ::1; for others use a tunnel that asks who they are",
    )


def kept_token(path: Path) -> str:
    """The token of this user's file; made if there is none. Raises PilothouseError if others could
    have read or written it."""
    try:
        made = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600)
    except FileExistsError:
        return _read(path)
    with os.fdopen(made, "w") as file:
        token = secrets.token_urlsafe(32)
        file.write(token)
    return token


def _read(path: Path) -> str:
    wrong = PilothouseError(f"{path} is not a token of yours alone", hint="remove it")
    try:
        opened = os.open(path, os.O_RDONLY | os.O_NOFOLLOW)
    except OSError:
        raise wrong from None
    with os.fdopen(opened) as file:
        found = os.fstat(file.fileno())
        alone = found.st_uid == os.getuid() and not stat.S_IMODE(found.st_mode) & 0o077
        token = file.read(100)
    if not alone or not stat.S_ISREG(found.st_mode) or not _TOKEN.fullmatch(token):
        raise wrong
    return token
