"""What Chrome has counted in a document's process: how often it has computed styles and layouts.

Knows: that our world in a document can have Chrome say so at a moment of its choosing. Must not
know: what the counts are good for (kept.py).
"""

from __future__ import annotations

from typing import Any

import msgspec

from pilothouse.cdp import Command, Event, Session
from pilothouse.cdp.protocol import Performance

__all__ = ["LayoutCounters", "LayoutCounts"]

LayoutCounts = tuple[float, float]
# No more are kept for calls that have failed.
MOST = 256


class _Metric(msgspec.Struct):
    name: str
    value: float


class _Said(msgspec.Struct):
    title: str
    metrics: list[_Metric]


_decoder = msgspec.json.Decoder(_Said)


class LayoutCounters:
    """The counts of one tab's sessions, by the word under which a document asked for them
    (`console.timeStamp`, scripts/look.js). Chrome says them ahead of the answer to the call."""

    def __init__(self) -> None:
        self._counting: set[str] = set()
        self._said: dict[str, LayoutCounts] = {}

    def begin(self, session: Session) -> list[Command[Any]]:
        """What has Chrome count in a session from now on; nothing if it does."""
        if session.id in self._counting:
            return []
        self._counting.add(session.id)
        session.on(Performance.metrics, self._hear)
        return [Performance.enable()]

    def take(self, word: str) -> LayoutCounts | None:
        """What was counted under a word; None if Chrome has not said so: it does not count, or
        somebody has told it to stop."""
        return self._said.pop(word, None)

    def _hear(self, event: Event[Any]) -> None:
        try:
            said = _decoder.decode(event.raw)
        except msgspec.DecodeError:
            return  # none of ours
        found = {metric.name: metric.value for metric in said.metrics}
        # Whatever changes how a page looks has Chrome do one of these.
        if (layouts := found.get("LayoutCount")) is None:
            return
        if (styles := found.get("RecalcStyleCount")) is None:
            return
        if len(self._said) >= MOST:
            self._said.clear()
        self._said[said.title] = (layouts, styles)
