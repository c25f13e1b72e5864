"""The targets of a browser.

Knows: target infos as Chrome sends them. Must not know: clients, or what is attached.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

__all__ = ["TargetList"]

Info = Mapping[str, Any]


@dataclass(slots=True)
class TargetList:
    """Every target of one browser, as its discovery reports them."""

    infos: dict[str, dict[str, Any]] = field(default_factory=dict)
    # Closed by the supervisor; discovery has not reported it yet.
    _closed: set[str] = field(default_factory=set)

    def learn(self, info: Info) -> bool:
        """Store a target info. Returns whether the target was unknown."""
        target = str(info.get("targetId", ""))
        fresh = target not in self.infos
        self.infos[target] = dict(info)
        return fresh

    def closed(self, target: str) -> None:
        """Stop listing a target that was closed; `Target.targetDestroyed` follows."""
        if target in self.infos:
            self._closed.add(target)

    def forget(self, target: str) -> None:
        """Remove a destroyed target."""
        self.infos.pop(target, None)
        self._closed.discard(target)

    def get(self, target: str) -> dict[str, Any] | None:
        """Return the info of a target."""
        return self.infos.get(target)

    def openers(self, info: Info) -> Iterator[str]:
        """Yield the target that opened this one, then its opener, and so on."""
        seen: set[str] = set()
        opener = _opened_by(info)
        while opener and opener not in seen:
            seen.add(opener)
            yield opener
            opener = _opened_by(self.infos.get(opener) or {})

    def __iter__(self) -> Iterator[dict[str, Any]]:
        return iter([info for name, info in self.infos.items() if name not in self._closed])


def _opened_by(info: Info) -> str:
    """Return the opener, or the page whose link was opened in this target."""
    return str(info.get("openerId") or info.get("openedBy") or "")
