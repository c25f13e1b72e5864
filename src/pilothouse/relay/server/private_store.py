"""One JSON value in a file that only this user can read: base of the token and pairing stores.

Knows: file modes, locks, atomic writes. Must not know: what is stored. The command line writes
these files while a relay may be running. So nothing is cached: every call reads the file again.
"""

from __future__ import annotations

import fcntl
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Generic, TypeVar

import msgspec

from pilothouse.errors import PilothouseError, write_hint
from pilothouse.private_files import write_atomically

__all__ = ["PrivateStore", "write_private"]

MAX_FILE_BYTES = 1024 * 1024

Stored = TypeVar("Stored")


class PrivateStore(Generic[Stored]):
    """A file with one value of type `kind`. `what` and `hint` are for errors about a bad file."""

    def __init__(self, path: Path, kind: type[Stored], what: str, hint: str) -> None:
        self.path = path
        self._kind = kind
        self._what = what
        self._hint = hint

    def read(self) -> Stored | None:
        """Return the stored value; None if there is no file.

        Raises PilothouseError if others could have read or written the file, or if its content is
        something else.
        """
        wrong = PilothouseError(
            f"{self.path} is not a file of yours alone, or does not hold {self._what}",
            hint=self._hint,
        )
        try:
            descriptor = os.open(self.path, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
        except FileNotFoundError:
            return None
        except OSError:
            raise wrong from None
        with os.fdopen(descriptor, "rb") as file:
            # Check the opened file, not the path: the path could be replaced in between.
            status = os.fstat(file.fileno())
            private = status.st_uid == os.getuid() and not stat.S_IMODE(status.st_mode) & 0o077
            if not private or not stat.S_ISREG(status.st_mode):
                raise wrong
            data = file.read(MAX_FILE_BYTES)
        try:
            return msgspec.json.decode(data, type=self._kind)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            raise wrong from None

    def write(self, value: Stored) -> None:
        """Replace the file. Raises PilothouseError."""
        write_private(self.path, msgspec.json.format(msgspec.json.encode(value), indent=1))

    @contextmanager
    def lock(self) -> Iterator[None]:
        """Keep other processes from writing between a read and a write. Raises PilothouseError."""
        try:
            self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            # A file of its own: the stored file is replaced on each write, and its lock with it.
            lock = os.open(
                self.path.with_name(f"{self.path.name}.lock"),
                os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC,
                0o600,
            )
        except OSError as error:
            raise PilothouseError(
                f"could not lock {self.path}: {error.strerror}",
                hint="check the owner and permissions of that folder",
            ) from None
        try:
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield
        finally:
            os.close(lock)


def write_private(path: Path, data: bytes) -> None:
    """Write a private file as a whole or not at all. Raises PilothouseError."""
    try:
        write_atomically(path, data)
    except OSError as error:
        raise PilothouseError(
            f"could not write {path}: {error.strerror}", hint=write_hint(error)
        ) from None
