"""Who acted on which tab last, and where two clients got into each other's way.

Knows: labels, targets and times. Must not know: sessions. Nobody is kept out: two clients on one
tab go on working, and what looks like a conflict is noted for people to see.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass

__all__ = ["ConflictDetector", "TabActivity"]

# Someone else's last action this shortly before is a conflict.
CONFLICT_WITHIN_S = 5.0
CONFLICTS_KEPT = 50


@dataclass(frozen=True, slots=True)
class TabActivity:
    """Who acted on a tab last: since when without another, and when last."""

    label: str
    since: float
    last: float


class ConflictDetector:
    """The leases of all tabs of one browser."""

    def __init__(self) -> None:
        self._by_target: dict[str, TabActivity] = {}
        self._conflicts: deque[str] = deque(maxlen=CONFLICTS_KEPT)

    def record_action(self, target: str, label: str, words: str, now: float) -> None:
        """Somebody clicked, typed or navigated in a tab: `words` say so."""
        before = self._by_target.get(target)
        if before is None or before.label == label:
            since = before.since if before else now
            self._by_target[target] = TabActivity(label, since, now)
            return
        if now - before.last <= CONFLICT_WITHIN_S:
            self._conflicts.append(
                f"{label} {words} {now - before.last:.1f} s after {before.label} acted there"
            )
        self._by_target[target] = TabActivity(label, now, now)

    def last_activity(self, target: str) -> TabActivity | None:
        """Who acted on a tab last."""
        return self._by_target.get(target)

    def conflicts(self) -> list[str]:
        """What was noted, the newest last."""
        return list(self._conflicts)

    def forget_client(self, label: str) -> None:
        """A client is gone: its leases are free."""
        for target in [t for t, lease in self._by_target.items() if lease.label == label]:
            del self._by_target[target]

    def forget_target(self, target: str) -> None:
        """A tab is gone."""
        self._by_target.pop(target, None)
