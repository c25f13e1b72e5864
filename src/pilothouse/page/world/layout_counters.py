"""Layout counters: how often Chrome has computed styles and layouts in a document's process.

Knows: Performance.metrics, which Chrome sends when our script calls `console.timeStamp`. So a
script can have the counters reported at a moment of its choosing, ahead of its own return value.
Must not know: what the counters are used for (page/snapshot/walk_cache.py).
"""

from __future__ import annotations

from typing import Any

import msgspec

from pilothouse.cdp import Command, Event, Session
from pilothouse.cdp.protocol import Performance

__all__ = ["LayoutCounters", "LayoutCounts"]

# LayoutCount and RecalcStyleCount.
LayoutCounts = tuple[float, float]
# Calls that fail never take their counts; drop them all when there are this many.
MOST = 256


class _Metric(msgspec.Struct):
    name: str
    value: float


class _MetricsEvent(msgspec.Struct):
    title: str
    metrics: list[_Metric]


_decoder = msgspec.json.Decoder(_MetricsEvent)


class LayoutCounters:
    """The layout counts of one tab's sessions, by the title that the script gave to
    `console.timeStamp` (js/walk_cache.js)."""

    def __init__(self) -> None:
        self._counting: set[str] = set()
        self._counts: dict[str, LayoutCounts] = {}

    def begin(self, session: Session) -> list[Command[Any]]:
        """Return the command that enables the counters of a session; nothing if they are on."""
        if session.id in self._counting:
            return []
        self._counting.add(session.id)
        session.on(Performance.metrics, self._record)
        return [Performance.enable()]

    def take(self, key: str) -> LayoutCounts | None:
        """Remove and return the counts reported under a key; None if there are none, because the
        Performance domain is off in that session, or another client turned it off."""
        return self._counts.pop(key, None)

    def _record(self, event: Event[Any]) -> None:
        try:
            reported = _decoder.decode(event.raw)
        except msgspec.DecodeError:
            return  # not ours: the page's own console.timeStamp()
        found = {metric.name: metric.value for metric in reported.metrics}
        # Every change of how a page looks increases one of these.
        if (layouts := found.get("LayoutCount")) is None:
            return
        if (styles := found.get("RecalcStyleCount")) is None:
            return
        if len(self._counts) >= MOST:
            self._counts.clear()
        self._counts[reported.title] = (layouts, styles)
