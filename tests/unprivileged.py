"""Runs a command as a user who is not root.

    done = run_as_user([sys.executable, "-m", "pytest", …], home, within=300)

Needs root on Linux, as in CI. The interpreter often lies below root's own home, which no other user
may enter, so the command gets a mount namespace in which the interpreter's folder, and nothing else
of that home, is visible. Anybody but root is unprivileged already: see `is_root`.
"""

from __future__ import annotations

import os
import pwd
import shlex
import subprocess
import sys
from pathlib import Path

__all__ = ["is_root", "run_as_user"]

USER = "pilothouse-test"


def is_root() -> bool:
    """Whether this process can start others as another user."""
    return sys.platform == "linux" and os.geteuid() == 0


def run_as_user(
    command: list[str], home: Path, *, within: float, where: Path
) -> subprocess.CompletedProcess[str]:
    """Run a command to its end as the test user, whose home is `home`."""
    _make_user()
    os.chown(home, pwd.getpwnam(USER).pw_uid, -1)
    home.chmod(0o700)
    return subprocess.run(
        ["unshare", "--mount", "--propagation", "private", "sh", "-euc", _script(command, home)],
        cwd=where,
        env=_environment(home),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=within,
    )


def _make_user() -> None:
    try:
        pwd.getpwnam(USER)
    except KeyError:
        made = ["useradd", "--system", "--no-create-home", "--shell", "/usr/sbin/nologin", USER]
        # Two test processes may try at once: what counts is that the user is there.
        subprocess.run(made, check=False, capture_output=True)
        pwd.getpwnam(USER)


def _environment(home: Path) -> dict[str, str]:
    kept = {name: os.environ[name] for name in ("PATH", "PILOTHOUSE_BROWSER") if name in os.environ}
    temporary = home / "tmp"
    temporary.mkdir(exist_ok=True)
    os.chown(temporary, pwd.getpwnam(USER).pw_uid, -1)
    own = {"HOME": home, "TMPDIR": temporary, "HYPOTHESIS_STORAGE_DIRECTORY": home / "hypothesis"}
    return {**kept, **{name: str(path) for name, path in own.items()}, "LANG": "C.UTF-8"}


def _script(command: list[str], home: Path) -> str:
    lines = []
    if (closed := _closed_ancestor(Path(sys.base_prefix))) is not None:
        kept, shown = shlex.quote(str(home / "interpreter")), shlex.quote(sys.base_prefix)
        lines += [
            f"mkdir -p {kept}",
            f"mount --bind {shown} {kept}",
            f"mount -t tmpfs -o mode=755 none {shlex.quote(str(closed))}",
            f"mkdir -p {shown}",
            f"mount --bind {kept} {shown}",
            f"umount {kept}",
        ]
    as_user = ["setpriv", "--reuid", USER, "--regid", "nogroup", "--clear-groups"]
    lines.append(shlex.join(["exec", *as_user, *command]))
    return "\n".join(lines)


def _closed_ancestor(path: Path) -> Path | None:
    """The topmost folder on the way that others may not enter."""
    for folder in reversed((path, *path.parents)):
        if not folder.stat().st_mode & 0o001:
            return folder
    return None
