"""The ledger: what a crash of the house would lose, on disk for the house that comes after it.

Knows: whose tabs there are. Must not know: how they are used. It is written when it changes, and
gone after an orderly end.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path

from pilothouse.tabs.tabs import OwnedTab

__all__ = ["Ledger"]


class Ledger:
    """The tabs of all owners, and what the house before this one lost of theirs."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._lost: dict[str, list[str]] = {}
        self._written: dict[str, list[str]] | None = None

    def read(self) -> None:
        """See what the house before this one left, if it crashed."""
        try:
            kept = json.loads(self._path.read_text("utf-8"))
        except (OSError, ValueError):
            kept = {}
        self._lost = kept if isinstance(kept, dict) else {}

    def take_lost(self, owner: str) -> list[str]:
        """What an owner lost; it is told once."""
        return self._lost.pop(owner, [])

    def write(self, tabs: Iterable[OwnedTab]) -> None:
        """Keep what there is now."""
        kept = {owner: list(lost) for owner, lost in self._lost.items()}
        for tab in tabs:
            kept.setdefault(tab.owner, []).append(f"{tab.name} {tab.url}")
        if kept != self._written:
            self._written = kept
            new = self._path.with_suffix(".new")
            new.write_text(json.dumps(kept), "utf-8")
            new.replace(self._path)

    def forget(self) -> None:
        """An orderly end: nothing is lost."""
        self._path.unlink(missing_ok=True)
