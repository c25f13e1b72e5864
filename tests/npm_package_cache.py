"""Packages from npm that tests need: installed once, below .dev, and used from there.

    packages = installed(Path("tests/fixtures_mcp/package.json"), ROOT / ".dev" / "mcp")
    node = packages / "node_modules" / ".bin" / "…"

Knows: npm, and folders that are only put in their place when they are complete. Must not know:
what the packages are for. Scripts of packages do not run: what is fetched is not trusted more than
it must be. Beside each package.json stands a lock file with the hash of every package; `./dev lock`
makes it.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import shutil
import subprocess
import sysconfig
import tempfile
from collections.abc import Callable
from pathlib import Path

__all__ = ["checksum", "installed", "lock_of", "made_whole", "program", "run"]

INSTALL_WITHIN_S = 600


def installed(wanted: Path, cache: Path) -> Path:
    """The folder whose `node_modules` holds what a package.json wants; fetched if need be."""
    packages = cache / f"packages-{checksum(wanted, lock_of(wanted))}"
    if not packages.exists():
        made_whole(packages, lambda into: _install(wanted, into))
    return packages


def lock_of(wanted: Path) -> Path:
    """The lock file of a package.json."""
    return wanted.with_name("package-lock.json")


def _install(wanted: Path, into: Path) -> None:
    for file in (wanted, lock_of(wanted)):
        shutil.copy(file, into / file.name)
    flags = ("--ignore-scripts", "--no-audit", "--no-fund", "--no-progress")
    # Two versions of one package side by side: neither is the other's peer.
    run(
        [program("npm"), "ci", "--legacy-peer-deps", *flags],
        within=INSTALL_WITHIN_S,
        where=into,
    )


def made_whole(place: Path, make: Callable[[Path], None]) -> None:
    """Make a folder elsewhere and put it in its place when it is complete; older ones of its kind
    (what stands before the first hyphen) go. Who wants the same meanwhile waits for it."""
    place.parent.mkdir(parents=True, exist_ok=True)
    kind = place.name.partition("-")[0]
    with (place.parent / f"{kind}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if place.exists():
            return
        for old in place.parent.glob(f"{kind}-*"):
            shutil.rmtree(old, ignore_errors=True)
        making = Path(tempfile.mkdtemp(prefix=f"{kind}-making-", dir=place.parent))
        try:
            make(making)
            making.rename(place)
        finally:
            shutil.rmtree(making, ignore_errors=True)


def run(command: list[str], *, within: float, where: Path) -> None:
    """Run a command to its end. Raises RuntimeError with what it said if it fails."""
    path = os.pathsep.join((os.environ.get("PATH", os.defpath), sysconfig.get_path("scripts")))
    done = subprocess.run(
        command,
        cwd=where,
        env={**os.environ, "PATH": path},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=within,
    )
    if done.returncode:
        raise RuntimeError(f"{' '.join(command)} ended with {done.returncode}:\n{done.stderr}")


def program(name: str) -> str:
    """A program of the machine, or the one that pip has put beside our Python."""
    found = shutil.which(name) or shutil.which(name, path=sysconfig.get_path("scripts"))
    if found is None:
        raise RuntimeError(f"no {name} on this machine: ./dev test installs it")
    return found


def checksum(*paths: Path) -> str:
    """Of the names and contents of files."""
    total = hashlib.sha256()
    for path in paths:
        total.update(path.name.encode() + b"\0" + path.read_bytes() + b"\0")
    return total.hexdigest()[:16]
