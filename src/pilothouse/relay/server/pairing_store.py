"""The secrets of the extensions that were paired, in one file of the user's alone.

Knows: the file. Must not know: proofs (pairing.py). Whoever installs an extension writes here while
a relay may be running, so the file is read anew each time: an extension seldom says hello.
"""

from __future__ import annotations

import fcntl
import json
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from pilothouse.errors import PilothouseError
from pilothouse.paths import write_atomically
from pilothouse.relay.server.pairing import is_install

__all__ = ["PairingStore"]

LARGEST_FILE = 1024 * 1024


class PairingStore:
    """Install by install, its secret."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def secret_of(self, install: str) -> str | None:
        """The secret of an install; None if it was never paired. Raises PilothouseError if others
        could have read or written the file."""
        return self._read().get(install)

    def installs(self) -> list[str]:
        """Who was paired."""
        return list(self._read())

    def keep(self, install: str, secret: str) -> None:
        """Remember a secret from now on. Raises PilothouseError."""
        if not is_install(install) or not secret:
            raise ValueError("no install, or no secret")
        with self._alone():
            self._write({**self._read(), install: secret})

    def forget(self, install: str) -> bool:
        """Let an install be a stranger again; whether it was none."""
        with self._alone():
            known = self._read()
            found = known.pop(install, None) is not None
            if found:
                self._write(known)
        return found

    @contextmanager
    def _alone(self) -> Iterator[None]:
        """Between reading and writing nobody else writes."""
        try:
            self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            lock = os.open(
                self.path.with_name(f"{self.path.name}.lock"),
                os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC,
                0o600,
            )
        except OSError as error:
            raise PilothouseError(f"{self.path}: {error.strerror}", hint="check it") from None
        try:
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield
        finally:
            os.close(lock)

    def _read(self) -> dict[str, str]:
        wrong = PilothouseError(
            f"{self.path} is not a file of yours alone, or does not hold pairings",
            hint="remove it, and pair again: pilothouse extension install",
        )
        try:
            opened = os.open(self.path, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
        except FileNotFoundError:
            return {}
        except OSError:
            raise wrong from None
        with os.fdopen(opened, "rb") as file:
            found = os.fstat(file.fileno())
            alone = found.st_uid == os.getuid() and not stat.S_IMODE(found.st_mode) & 0o077
            if not alone or not stat.S_ISREG(found.st_mode):
                raise wrong
            data = file.read(LARGEST_FILE)
        try:
            known = json.loads(data)
        except (ValueError, RecursionError):
            raise wrong from None
        if not isinstance(known, dict) or not all(isinstance(v, str) for v in known.values()):
            raise wrong
        return known

    def _write(self, known: dict[str, str]) -> None:
        try:
            write_atomically(self.path, json.dumps(known, indent=1).encode())
        except OSError as error:
            raise PilothouseError(f"{self.path}: {error.strerror}", hint="check it") from None
