"""Detect when two clients act on the same tab.

Knows: labels, targets and times. Must not know: sessions. Conflicts only get recorded for people to
see: both clients keep working.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass

__all__ = ["ConflictDetector", "TabActivity"]

# An action this soon after another client's counts as a conflict.
CONFLICT_WITHIN_S = 5.0
MAX_CONFLICTS = 50


@dataclass(frozen=True, slots=True)
class TabActivity:
    """Who acted on a tab last: since when alone, and when last."""

    label: str
    since: float
    last: float


class ConflictDetector:
    """The last activity on every tab of one browser."""

    def __init__(self) -> None:
        self._by_target: dict[str, TabActivity] = {}
        self._conflicts: deque[str] = deque(maxlen=MAX_CONFLICTS)

    def record_action(self, target: str, label: str, text: str, now: float) -> None:
        """Record an action in a tab; `text` describes it."""
        before = self._by_target.get(target)
        if before is None or before.label == label:
            since = before.since if before else now
            self._by_target[target] = TabActivity(label, since, now)
            return
        if now - before.last <= CONFLICT_WITHIN_S:
            self._conflicts.append(
                f"{label} {text} {now - before.last:.1f} s after {before.label} acted there"
            )
        self._by_target[target] = TabActivity(label, now, now)

    def last_activity(self, target: str) -> TabActivity | None:
        """Return who acted on a tab last."""
        return self._by_target.get(target)

    def conflicts(self) -> list[str]:
        """Return the recorded conflicts, newest last."""
        return list(self._conflicts)

    def forget_client(self, label: str) -> None:
        """Forget the activity of a client that left."""
        for target in [t for t, lease in self._by_target.items() if lease.label == label]:
            del self._by_target[target]

    def forget_target(self, target: str) -> None:
        """Forget a closed tab."""
        self._by_target.pop(target, None)
