"""Which targets there are, and which of them a filter takes.

Knows: target infos as Chrome tells them, and Chrome's rules for filters. Must not know: who asks,
or what is attached.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

__all__ = [
    "BROWSER_TARGET",
    "DEFAULT_FILTER",
    "AutoAttach",
    "TargetList",
    "matches_filter",
    "read_filter",
]

Info = Mapping[str, Any]
Filter = Sequence[Mapping[str, Any]]

# Chrome's own, when a client gives none.
DEFAULT_FILTER: Filter = (
    {"type": "browser", "exclude": True},
    {"type": "tab", "exclude": True},
    {},
)

BROWSER_TARGET = "browser"


def matches_filter(wanted: Filter, kind: str) -> bool:
    """Whether a filter matches_filter a target of this type: the first entry that speaks of it decides."""
    for entry in wanted:
        if entry.get("type", kind) == kind:
            return not entry.get("exclude", False)
    return False


def read_filter(params: Mapping[str, Any]) -> Filter:
    """The filter of a command, else Chrome's own."""
    given = params.get("filter")
    if not isinstance(given, list):
        return DEFAULT_FILTER
    return tuple(entry for entry in given if isinstance(entry, dict))


@dataclass(frozen=True, slots=True)
class AutoAttach:
    """What a session wants attached by itself."""

    filter: Filter
    wait_for_debugger: bool

    @classmethod
    def read(cls, params: Mapping[str, Any]) -> AutoAttach | None:
        """What `Target.setAutoAttach` asks for; None when it asks for none."""
        if not params.get("autoAttach"):
            return None
        return cls(read_filter(params), bool(params.get("waitForDebuggerOnStart")))


@dataclass(slots=True)
class TargetList:
    """Every target of one browser, as told by its discovery."""

    infos: dict[str, dict[str, Any]] = field(default_factory=dict)
    # Closed, as the supervisor knows; discovery is about to say so.
    _closed: set[str] = field(default_factory=set)

    def learn(self, info: Info) -> bool:
        """Take in what is told of a target; whether it was unknown."""
        target = str(info.get("targetId", ""))
        fresh = target not in self.infos
        self.infos[target] = dict(info)
        return fresh

    def closed(self, target: str) -> None:
        """A target was closed: it is not listed any more."""
        if target in self.infos:
            self._closed.add(target)

    def forget(self, target: str) -> None:
        """A target is gone."""
        self.infos.pop(target, None)
        self._closed.discard(target)

    def get(self, target: str) -> dict[str, Any] | None:
        """What is known of a target."""
        return self.infos.get(target)

    def openers(self, info: Info) -> Iterator[str]:
        """Who opened a target, who opened that one, and so on."""
        seen: set[str] = set()
        opener = _opened_by(info)
        while opener and opener not in seen:
            seen.add(opener)
            yield opener
            opener = _opened_by(self.infos.get(opener) or {})

    def __iter__(self) -> Iterator[dict[str, Any]]:
        return iter([info for name, info in self.infos.items() if name not in self._closed])


def _opened_by(info: Info) -> str:
    """Whose a target is: its opener's, or that of a page whose link was opened in it."""
    return str(info.get("openerId") or info.get("openedBy") or "")
