"""Named profiles that are kept between runs, and the lock that a running Chrome holds on one.

Knows: where profiles are stored, and the meaning of Chrome's SingletonLock. Must not know: how one
is launched.
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
    """Return the path of a profile. Raises BrowserError for an invalid name."""
    if not _NAME.fullmatch(name):
        raise BrowserError(
            f"profile: invalid name {name!r}",
            hint="use 1 to 64 letters, digits, dots, dashes and underscores, and no leading dot",
        )
    data = environ.get("XDG_DATA_HOME", "")
    home = Path(environ.get("HOME") or Path.home())
    base = Path(data) if os.path.isabs(data) else home / ".local" / "share"
    return base / "pilothouse" / "profiles" / name


def open_profile(name: str, environ: Mapping[str, str]) -> Path:
    """Create the profile directory if necessary, and remove locks that a dead Chrome left.

    Raises BrowserError with the pid if a running browser uses the profile.
    """
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
    """Return the pid of the running browser that holds Chrome's lock on the profile, if any."""
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
    """Tell whether the process uses the profile, and did not just get a dead browser's pid."""
    import psutil  # late: most browsers have a temporary profile

    try:
        command = psutil.Process(pid).cmdline()
        if psutil.Process(pid).status() == psutil.STATUS_ZOMBIE:
            return False
    except psutil.NoSuchProcess:
        return False
    except psutil.AccessDenied:
        return True  # another user's process; taking its profile would be worse than an error
    named = [arg.partition("=")[2] for arg in command if arg.startswith("--user-data-dir=")]
    return any(os.path.realpath(path) == os.path.realpath(profile) for path in named)
