"""Named profiles, kept between runs, and the lock a running Chrome holds on one.

Knows: where profiles lie, what Chrome's SingletonLock says. Must not know: how one is launched.
"""

from __future__ import annotations

import contextlib
import os
import re
import socket
from collections.abc import Mapping
from pathlib import Path

from pilothouse.errors import BrowserError

__all__ = ["lock_owner", "open_profile", "profile_path"]

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
_LOCKS = ("SingletonLock", "SingletonSocket", "SingletonCookie")


def profile_path(name: str, environ: Mapping[str, str]) -> Path:
    """Where the profile lies. Raises BrowserError for a name that is not a plain one."""
    if not _NAME.fullmatch(name):
        raise BrowserError(
            f"{name!r} cannot name a profile",
            hint="use 1 to 64 letters, digits, dots, dashes and underscores; no dot in front",
        )
    data = environ.get("XDG_DATA_HOME", "")
    home = Path(environ.get("HOME") or Path.home())
    base = Path(data) if os.path.isabs(data) else home / ".local" / "share"
    return base / "pilothouse" / "profiles" / name


def open_profile(name: str, environ: Mapping[str, str]) -> Path:
    """The profile's directory, made if need be, free to use: a lock left by a dead Chrome is
    removed. Raises BrowserError, with the owner's pid, if a living one holds it."""
    path = profile_path(name, environ)
    path.mkdir(mode=0o700, parents=True, exist_ok=True)
    owner = lock_owner(path)
    if owner is not None:
        raise BrowserError(
            f'profile "{name}" is in use by the browser with pid {owner}',
            hint="close that browser, or use another profile name",
        )
    for lock in _LOCKS:
        with contextlib.suppress(FileNotFoundError):
            (path / lock).unlink()
    return path


def lock_owner(profile: Path) -> int | None:
    """The pid of the living browser that uses the profile, by Chrome's own lock; else None."""
    try:
        host, _, pid = os.readlink(profile / "SingletonLock").rpartition("-")
    except OSError:
        return None
    if not pid.isdigit():
        return None
    if host != socket.gethostname():
        raise BrowserError(
            f"profile {profile} is in use on the machine {host!r} (pid {pid})",
            hint=f"close the browser there; if it is gone, remove {profile / 'SingletonLock'}",
        )
    return int(pid) if _uses(int(pid), profile) else None


def _uses(pid: int, profile: Path) -> bool:
    """Whether this process is a browser on the profile, not one that got a dead browser's pid."""
    import psutil  # most browsers have a passing profile, and need not wait for it

    try:
        command = psutil.Process(pid).cmdline()
        if psutil.Process(pid).status() == psutil.STATUS_ZOMBIE:
            return False
    except psutil.NoSuchProcess:
        return False
    except psutil.AccessDenied:
        return True  # another user's; to take its profile away would be worse than to refuse
    named = [arg.partition("=")[2] for arg in command if arg.startswith("--user-data-dir=")]
    return any(os.path.realpath(path) == os.path.realpath(profile) for path in named)
