"""Deadline: a timeout that stands still while a dialog or another interrupt blocks the page.

An agent may take minutes to answer a dialog; the call that the dialog blocked must not have timed
out by then. Knows: the state's dialogs and interrupts. Must not know: what is waited for.
"""

from __future__ import annotations

from pilothouse.page.tab_context import TabContext
from pilothouse.supervisor import Dialog, State
from pilothouse.supervisor.model import Blocker, blockers

__all__ = ["Deadline", "blocked_seconds"]

# A wait whose deadline stands still checks it again after this time.
_RECHECK_S = 0.05


def blocked_seconds(state: State, tab: str, since: float, now: float) -> float:
    """Return how many seconds since `since` the tab was blocked by something that waits for an
    answer. Overlapping blocks count once."""
    spans = [(b.opened_at, now) for b in blockers(state, tab) if _waits_for_answer(b)]
    spans += [
        (over.dialog.opened_at, over.closed_at)
        for over in state.recent_dialogs
        if over.dialog.tab == tab
    ]
    held, upto = 0.0, since
    for start, end in sorted(spans):
        start, end = max(start, upto), min(end, now)
        if end > start:
            held, upto = held + end - start, end
    return held


def _waits_for_answer(blocker: Blocker) -> bool:
    """Whether a blocker waits for an answer; a hung or crashed renderer does not."""
    return isinstance(blocker, Dialog) or blocker.kind not in ("hung", "crashed")


class Deadline:
    """A deadline that is extended by the time the tab is blocked."""

    def __init__(self, context: TabContext, seconds: float) -> None:
        self.seconds = seconds
        self._context = context
        self._since = context.supervisor.now()

    def left(self) -> float:
        """Return the seconds left; 0 when the deadline has passed."""
        supervisor = self._context.supervisor
        now = supervisor.now()
        held = blocked_seconds(supervisor.state, self._context.tab_id, self._since, now)
        left = self._since + self.seconds + held - now
        return max(left, _RECHECK_S) if left > 0 else 0.0
