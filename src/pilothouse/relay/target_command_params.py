"""Chrome's target filters, and the params of `Target.setAutoAttach`. Pure.

Knows: which targets a filter admits, for the hub and for the extension browser alike. Must not
know: sessions or targets.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

__all__ = ["DEFAULT_FILTER", "AutoAttach", "Filter", "filter_admits", "read_filter"]

Filter = Sequence[Mapping[str, Any]]

# Chrome's default filter.
DEFAULT_FILTER: Filter = (
    {"type": "browser", "exclude": True},
    {"type": "tab", "exclude": True},
    {},
)


def filter_admits(wanted: Filter, kind: str) -> bool:
    """Return whether a filter admits a target type. The first entry that mentions it decides."""
    for entry in wanted:
        if entry.get("type", kind) == kind:
            return not entry.get("exclude", False)
    return False


def read_filter(params: Mapping[str, Any]) -> Filter:
    """Return a command's filter without malformed entries, or Chrome's default one."""
    given = params.get("filter")
    if not isinstance(given, list):
        return DEFAULT_FILTER
    return tuple(entry for entry in given if isinstance(entry, dict))


@dataclass(frozen=True, slots=True)
class AutoAttach:
    """What a session auto-attaches to, and whether new targets wait for it."""

    filter: Filter
    wait_for_debugger: bool

    @classmethod
    def read(cls, params: Mapping[str, Any]) -> AutoAttach | None:
        """Read the params of `Target.setAutoAttach`; None if it turns auto-attach off. Only `true`
        counts as true, as in Chrome."""
        if params.get("autoAttach") is not True:
            return None
        return cls(read_filter(params), params.get("waitForDebuggerOnStart") is True)
