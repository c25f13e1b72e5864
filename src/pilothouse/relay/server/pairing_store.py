"""The secrets of paired extensions, in one private file.

Knows: the file. Must not know: proofs (pairing_proofs_and_codes.py).
"""

from __future__ import annotations

from pathlib import Path

from pilothouse.relay.server.pairing_proofs_and_codes import is_install
from pilothouse.relay.server.private_store import PrivateStore

__all__ = ["PairingStore"]


class PairingStore:
    """The secret of each paired install of the extension.

    Each method raises PilothouseError if others could have read or written the file.
    """

    def __init__(self, path: Path) -> None:
        self._store = PrivateStore(
            path,
            dict[str, str],
            "pairings",
            "remove it, and pair again: pilothouse extension install",
        )

    @property
    def path(self) -> Path:
        """Return the path of the file."""
        return self._store.path

    def secret_of(self, install: str) -> str | None:
        """Return the secret of an install; None if it was never paired."""
        return self._read().get(install)

    def installs(self) -> list[str]:
        """Return the paired installs."""
        return list(self._read())

    def add(self, install: str, secret: str) -> None:
        """Store the secret of an install. Raises PilothouseError."""
        if not is_install(install) or not secret:
            raise ValueError("no install, or no secret")
        with self._store.lock():
            self._store.write({**self._read(), install: secret})

    def remove(self, install: str) -> bool:
        """Unpair an install. Returns whether it was paired."""
        with self._store.lock():
            secrets = self._read()
            was_paired = secrets.pop(install, None) is not None
            if was_paired:
                self._store.write(secrets)
        return was_paired

    def _read(self) -> dict[str, str]:
        return self._store.read() or {}
