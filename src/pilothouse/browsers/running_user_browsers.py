"""Finds the user's browsers that run on this machine with remote debugging.

Knows: default profile directories, common ports, who listens on a port. Must not know: connections.
It opens no WebSocket: a Chrome whose user enabled remote debugging by hand would ask for consent
each time.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import socket
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from urllib.parse import urlsplit

import msgspec

from pilothouse.browsers.endpoint import (
    HOW_TO_ENABLE,
    PORT_FILE,
    Endpoint,
    discover,
    parse_endpoint,
)
from pilothouse.errors import BrowserError

__all__ = [
    "PORTS",
    "RunningBrowser",
    "choose_running",
    "default_profiles",
    "find_running",
    "listening_users",
    "resolve_endpoint",
]

PORTS = tuple(range(9222, 9230))
_REPLY_WITHIN_S = 1.0
_LISTENS = "0A"
_LOOPBACK = ("127.0.0.1", "localhost", "::1")

_LINUX = (
    ("Chrome", "google-chrome"),
    ("Chrome Beta", "google-chrome-beta"),
    ("Chrome Dev", "google-chrome-unstable"),
    ("Chromium", "chromium"),
    ("Edge", "microsoft-edge"),
    ("Brave", "BraveSoftware/Brave-Browser"),
    ("Vivaldi", "vivaldi"),
)
_LINUX_PACKAGED = (
    ("Chromium (snap)", "snap/chromium/common/chromium"),
    ("Chrome (flatpak)", ".var/app/com.google.Chrome/config/google-chrome"),
    ("Chromium (flatpak)", ".var/app/org.chromium.Chromium/config/chromium"),
)
_MAC = (
    ("Chrome", "Google/Chrome"),
    ("Chrome Beta", "Google/Chrome Beta"),
    ("Chrome Canary", "Google/Chrome Canary"),
    ("Chromium", "Chromium"),
    ("Edge", "Microsoft Edge"),
    ("Brave", "BraveSoftware/Brave-Browser"),
    ("Arc", "Arc/User Data"),
    ("Vivaldi", "Vivaldi"),
)


class RunningBrowser(msgspec.Struct, frozen=True):
    """A browser that can be joined. `endpoint` is the argument for `connect`."""

    name: str
    endpoint: str
    port: int


def default_profiles(
    environ: Mapping[str, str], platform: str = sys.platform
) -> list[tuple[str, Path]]:
    """List the default user data directories, whether they exist or not. Pure."""
    home = Path(environ.get("HOME") or "/")
    if platform == "darwin":
        support = home / "Library" / "Application Support"
        return [(name, support / folder) for name, folder in _MAC]
    config = Path(environ.get("XDG_CONFIG_HOME") or home / ".config")
    packaged = [(name, home / folder) for name, folder in _LINUX_PACKAGED]
    return [*((name, config / folder) for name, folder in _LINUX), *packaged]


async def find_running(
    environ: Mapping[str, str], ports: Sequence[int] = PORTS, user: int | None = None
) -> list[RunningBrowser]:
    """Find a user's browsers that can be joined: by default profile, then by common port."""
    user = os.getuid() if user is None else user
    found = await asyncio.to_thread(_find_by_profile, environ, user)
    left = [port for port in ports if all(one.port != port for one in found)]
    return [
        *found,
        *filter(None, await asyncio.gather(*(_find_by_port(port, user) for port in left))),
    ]


def choose_running(found: Sequence[RunningBrowser], ports: Sequence[int] = PORTS) -> RunningBrowser:
    """Choose the browser if none is named: the only one. Raises BrowserError. Pure."""
    if len(found) == 1:
        return found[0]
    if found:
        named = "; ".join(f"{one.name}: {one.endpoint}" for one in found)
        raise BrowserError(
            f"{len(found)} browsers run with remote debugging: {named}",
            hint="connect to one of them by its address or folder",
        )
    raise BrowserError(
        "no browser with remote debugging runs here: no default profile has a port, and nothing "
        f"answers at ports {ports[0]} to {ports[-1]}",
        hint=HOW_TO_ENABLE,
    )


def resolve_endpoint(named: str, environ: Mapping[str, str]) -> str:
    """Replace a port of this machine by the profile whose browser listens there.

    A Chrome whose user enabled remote debugging by hand serves no `/json/version`. Only its profile
    has the path of its WebSocket.
    """
    port = _loopback_port(named)
    for one in _find_by_profile(environ, os.getuid()) if port else ():
        if one.port == port:
            return one.endpoint
    return named


def _loopback_port(named: str) -> int | None:
    try:
        parts = urlsplit(parse_endpoint(named).url)
    except BrowserError:
        return None  # reported when the connection is opened
    bare = parts.scheme == "http" and parts.path in ("", "/", "/json/version") and not parts.query
    return parts.port if bare and parts.hostname in _LOOPBACK else None


def _find_by_profile(environ: Mapping[str, str], user: int) -> list[RunningBrowser]:
    found = []
    for name, folder in default_profiles(environ):
        port = _read_port(folder)
        # A killed browser leaves its file, so the port may be closed or another program's.
        if port is not None and _belongs_to(port, user) and _accepts(port):
            found.append(RunningBrowser(name, str(folder), port))
    return found


def _read_port(profile: Path) -> int | None:
    with contextlib.suppress(OSError, ValueError, IndexError):
        lines = (profile / PORT_FILE).read_text().splitlines()
        if len(lines) >= 2 and lines[1].startswith("/"):
            return int(lines[0])
    return None


async def _find_by_port(port: int, user: int) -> RunningBrowser | None:
    if not await asyncio.to_thread(lambda: _belongs_to(port, user) and _accepts(port)):
        return None
    endpoint: Endpoint = parse_endpoint(str(port))
    try:
        async with asyncio.timeout(_REPLY_WITHIN_S):
            await discover(endpoint)
    except (BrowserError, TimeoutError):
        return None  # something else listens there
    return RunningBrowser(f"port {port}", endpoint.url, port)


def _accepts(port: int) -> bool:
    try:
        socket.create_connection(("127.0.0.1", port), _REPLY_WITHIN_S).close()
    except OSError:
        return False
    return True


def _belongs_to(port: int, user: int) -> bool:
    """Tell whether a process of this user listens on a port; assume so where unknown (macOS).

    Another user of this machine could listen on a common port to be joined by mistake.
    """
    owners: set[int] = set()
    known = False
    for table in ("/proc/net/tcp", "/proc/net/tcp6"):
        with contextlib.suppress(OSError):
            owners |= listening_users(Path(table).read_text(), port)
            known = True
    return owners == {user} if known else True


def listening_users(table: str, port: int) -> set[int]:
    """Return the users whose processes listen on a port, from /proc/net/tcp. Pure."""
    found = set()
    for line in table.splitlines()[1:]:
        fields = line.split()
        with contextlib.suppress(ValueError, IndexError):
            if fields[3] == _LISTENS and int(fields[1].rpartition(":")[2], 16) == port:
                found.add(int(fields[7]))
    return found
