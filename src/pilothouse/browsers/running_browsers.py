"""Which browsers of this user run on this machine with remote debugging.

Knows: where browsers keep their profiles, the usual ports, who listens on a port. Must not know:
connections. It opens no WebSocket: a Chrome whose user switched remote debugging on by hand would
ask for consent each time.
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
    "Running",
    "choose_running",
    "find_running",
    "listeners",
    "profiles",
    "resolve_endpoint",
]

PORTS = tuple(range(9222, 9230))
_ANSWERS_WITHIN_S = 1.0
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


class Running(msgspec.Struct, frozen=True):
    """A browser that can be joined: `endpoint` is what `connect` takes."""

    name: str
    endpoint: str
    port: int


def profiles(environ: Mapping[str, str], platform: str = sys.platform) -> list[tuple[str, Path]]:
    """The usual user data directories, whether or not they are there. Pure."""
    home = Path(environ.get("HOME") or "/")
    if platform == "darwin":
        support = home / "Library" / "Application Support"
        return [(name, support / place) for name, place in _MAC]
    config = Path(environ.get("XDG_CONFIG_HOME") or home / ".config")
    packaged = [(name, home / place) for name, place in _LINUX_PACKAGED]
    return [*((name, config / place) for name, place in _LINUX), *packaged]


async def find_running(
    environ: Mapping[str, str], ports: Sequence[int] = PORTS, user: int | None = None
) -> list[Running]:
    """The browsers of a user that can be joined: those of the usual profiles, then those on the
    usual ports."""
    user = os.getuid() if user is None else user
    found = await asyncio.to_thread(_of_profiles, environ, user)
    left = [port for port in ports if all(one.port != port for one in found)]
    return [*found, *filter(None, await asyncio.gather(*(_at_port(port, user) for port in left)))]


def choose_running(found: Sequence[Running], ports: Sequence[int] = PORTS) -> Running:
    """The one browser that is meant if none is named. Raises BrowserError. Pure."""
    if len(found) == 1:
        return found[0]
    if found:
        named = "; ".join(f"{one.name}: {one.endpoint}" for one in found)
        raise BrowserError(
            f"{len(found)} browsers run with remote debugging: {named}",
            hint="connect to one of them by its address or folder",
        )
    raise BrowserError(
        "no browser with remote debugging runs here: no usual profile names a port, and nothing "
        f"answers at ports {ports[0]} to {ports[-1]}",
        hint=HOW_TO_ENABLE,
    )


def resolve_endpoint(named: str, environ: Mapping[str, str]) -> str:
    """An endpoint as it is best reached: a port of this machine by the profile whose browser
    listens there. A Chrome whose user switched remote debugging on serves no `/json/version`: its
    WebSocket is told in that profile only."""
    port = _loopback_port(named)
    for one in _of_profiles(environ, os.getuid()) if port else ():
        if one.port == port:
            return one.endpoint
    return named


def _loopback_port(named: str) -> int | None:
    try:
        parts = urlsplit(parse_endpoint(named).url)
    except BrowserError:
        return None  # it is said where it is dialled
    bare = parts.scheme == "http" and parts.path in ("", "/", "/json/version") and not parts.query
    return parts.port if bare and parts.hostname in _LOOPBACK else None


def _of_profiles(environ: Mapping[str, str], user: int) -> list[Running]:
    found = []
    for name, place in profiles(environ):
        port = _port_in(place)
        # A browser that was killed leaves its file: the port may be nobody's, or anybody's.
        if port is not None and _is_of(port, user) and _answers(port):
            found.append(Running(name, str(place), port))
    return found


def _port_in(profile: Path) -> int | None:
    with contextlib.suppress(OSError, ValueError, IndexError):
        lines = (profile / PORT_FILE).read_text().splitlines()
        if len(lines) >= 2 and lines[1].startswith("/"):
            return int(lines[0])
    return None


async def _at_port(port: int, user: int) -> Running | None:
    if not await asyncio.to_thread(lambda: _is_of(port, user) and _answers(port)):
        return None
    endpoint: Endpoint = parse_endpoint(str(port))
    try:
        async with asyncio.timeout(_ANSWERS_WITHIN_S):
            await discover(endpoint)
    except (BrowserError, TimeoutError):
        return None  # something else listens there
    return Running(f"port {port}", endpoint.url, port)


def _answers(port: int) -> bool:
    try:
        socket.create_connection(("127.0.0.1", port), _ANSWERS_WITHIN_S).close()
    except OSError:
        return False
    return True


def _is_of(port: int, user: int) -> bool:
    """Whether a process of this user listens on a port; in doubt (macOS), yes. Another user of the
    machine could wait at a usual port for whoever comes by."""
    owners: set[int] = set()
    known = False
    for table in ("/proc/net/tcp", "/proc/net/tcp6"):
        with contextlib.suppress(OSError):
            owners |= listeners(Path(table).read_text(), port)
            known = True
    return owners == {user} if known else True


def listeners(table: str, port: int) -> set[int]:
    """The users whose processes listen on a port, by the kernel's table. Pure."""
    found = set()
    for line in table.splitlines()[1:]:
        fields = line.split()
        with contextlib.suppress(ValueError, IndexError):
            if fields[3] == _LISTENS and int(fields[1].rpartition(":")[2], 16) == port:
                found.add(int(fields[7]))
    return found
