"""The crash record: a file that lists open tabs, so that the next daemon can report lost ones.

Knows: owners, names and URLs of tabs. Must not know: how tabs are used, or which texts are secret.
The file is written when the list changes, and removed on an orderly end. If the disk is full, the
call still succeeds and carries a notice.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from pilothouse.private_files import write_atomically
from pilothouse.tabs.tabs import OwnedTab

__all__ = ["CrashRecord"]

_log = logging.getLogger(__name__)


class CrashRecord:
    """The open tabs of all owners, and the tabs that the previous daemon lost in a crash."""

    def __init__(self, path: Path, redact: Callable[[Any], Any] = lambda value: value) -> None:
        self._path = path
        self._redact = redact
        self._lost: dict[str, list[str]] = {}
        self._written: dict[str, list[str]] | None = None
        self._failing = False

    def read(self) -> None:
        """Read the file that a crashed daemon left, if any."""
        try:
            kept = json.loads(self._path.read_text("utf-8"))
        except (OSError, ValueError):
            kept = {}
        self._lost = self._redact(kept) if isinstance(kept, dict) else {}

    def take_lost(self, owner: str) -> list[str]:
        """Return the tabs that an owner lost, once."""
        return self._lost.pop(owner, [])

    def write(self, tabs: Iterable[OwnedTab]) -> str:
        """Write the open tabs if they changed. Returns a notice if that fails.

        The next call tries again."""
        kept = {owner: list(lost) for owner, lost in self._lost.items()}
        for tab in tabs:
            kept.setdefault(tab.owner, []).append(self._redact(f"{tab.name} {tab.url}"))
        if kept == self._written:
            return ""
        try:
            write_atomically(self._path, json.dumps(kept).encode())
        except OSError as error:
            notice = (
                f"could not write {self._path}: {error.strerror}. The call itself succeeded; after "
                "a crash the daemon could not list the lost tabs"
            )
            if not self._failing:
                _log.warning("%s", notice)
            self._failing = True
            return notice
        self._written, self._failing = kept, False
        return ""

    def forget(self) -> None:
        """Remove the file: the daemon ends in order, and no tab is lost."""
        try:
            self._path.unlink(missing_ok=True)
        except OSError as error:
            _log.warning("could not remove %s: %s", self._path, error.strerror)
