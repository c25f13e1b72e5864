"""The ledger: what a crash of the daemon would lose, on disk for the daemon that comes after it.

Knows: whose tabs there are. Must not know: how they are used, or which words are secret. It is
written when it changes, and gone after an orderly end. It is only bookkeeping: a disk that is full
costs a notice, not a call.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from pilothouse.paths import write_atomically
from pilothouse.tabs.tabs import OwnedTab

__all__ = ["CrashRecord"]

_log = logging.getLogger(__name__)


class CrashRecord:
    """The tabs of all owners, and what the daemon before this one lost of theirs."""

    def __init__(self, path: Path, redact: Callable[[Any], Any] = lambda value: value) -> None:
        self._path = path
        self._redact = redact
        self._lost: dict[str, list[str]] = {}
        self._written: dict[str, list[str]] | None = None
        self._failing = False

    def read(self) -> None:
        """See what the daemon before this one left, if it crashed."""
        try:
            kept = json.loads(self._path.read_text("utf-8"))
        except (OSError, ValueError):
            kept = {}
        self._lost = self._redact(kept) if isinstance(kept, dict) else {}

    def take_lost(self, owner: str) -> list[str]:
        """What an owner lost; it is told once."""
        return self._lost.pop(owner, [])

    def write(self, tabs: Iterable[OwnedTab]) -> str:
        """Write the tabs there are now, if they changed. Returns a notice if that failed; the next
        call tries again."""
        kept = {owner: list(lost) for owner, lost in self._lost.items()}
        for tab in tabs:
            kept.setdefault(tab.owner, []).append(self._redact(f"{tab.name} {tab.url}"))
        if kept == self._written:
            return ""
        try:
            write_atomically(self._path, json.dumps(kept).encode())
        except OSError as error:
            notice = (
                f"could not write {self._path}: {error.strerror}. The call itself is done; after a "
                "crash the daemon could not list the lost tabs"
            )
            if not self._failing:
                _log.warning("%s", notice)
            self._failing = True
            return notice
        self._written, self._failing = kept, False
        return ""

    def forget(self) -> None:
        """An orderly end: nothing is lost."""
        try:
            self._path.unlink(missing_ok=True)
        except OSError as error:
            _log.warning("could not remove %s: %s", self._path, error.strerror)
