"""How long is left to wait when the time a page was held by a dialog does not count.

Knows: the state's dialogs and interrupts. Must not know: what is waited for. An agent may take
minutes to answer a dialog; what it interrupted must not have timed out by then.
"""

from __future__ import annotations

from pilothouse.page.tab_context import TabContext
from pilothouse.supervisor import Dialog, State
from pilothouse.supervisor.model import Blocker, blockers

__all__ = ["Deadline", "held_for"]

# A wait that is held still looks at the clock now and then.
_LOOK_S = 0.05


def held_for(state: State, tab: str, since: float, now: float) -> float:
    """For how long of the time since then the tab was held by something that waits."""
    spans = [(b.opened_at, now) for b in blockers(state, tab) if _asks(b)]
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


def _asks(blocker: Blocker) -> bool:
    """Whether somebody is asked: a renderer that hangs or crashed asks nobody."""
    return isinstance(blocker, Dialog) or blocker.kind not in ("hung", "crashed")


class Deadline:
    """A deadline that stands still while the tab is held."""

    def __init__(self, context: TabContext, seconds: float) -> None:
        self.seconds = seconds
        self._context = context
        self._since = context.supervisor.now()

    def left(self) -> float:
        """Seconds until it is over; 0 when it is."""
        supervisor = self._context.supervisor
        now = supervisor.now()
        held = held_for(supervisor.state, self._context.tab_id, self._since, now)
        left = self._since + self.seconds + held - now
        return max(left, _LOOK_S) if left > 0 else 0.0
