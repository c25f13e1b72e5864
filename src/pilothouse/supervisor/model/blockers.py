"""Which dialogs and interrupts block a command: pure queries on the state."""

from __future__ import annotations

from pilothouse.cdp.message import SessionId
from pilothouse.supervisor.model.interrupts_and_downloads import INTERRUPT_KINDS
from pilothouse.supervisor.model.state import Dialog, Interrupt, State

__all__ = ["Blocker", "blocked_session", "blockers", "blocks_session", "is_being_answered"]

Blocker = Dialog | Interrupt


def blockers(state: State, tab: str) -> list[Blocker]:
    """List everything that blocks a tab. That includes dialogs of its popups and of its opener:
    they can script each other, so a dialog in one stops both."""
    related = {tab} | {t.id for t in state.tabs.values() if t.opener == tab}
    mine = state.tabs.get(tab)
    if mine is not None and mine.opener:
        related.add(mine.opener)
    dialogs = [d for d in state.dialogs.values() if d.tab in related]
    others = [
        i for i in state.interrupts.values() if i.tab == tab and INTERRUPT_KINDS[i.kind].blocks
    ]
    return [*dialogs, *others]


def blocks_session(state: State, blocker: Blocker, session: SessionId) -> bool:
    """Return whether a command on `session` would hang because of the blocker. Only the renderer
    that waits is blocked; a frame in another process is not."""
    return blocked_session(state, blocker) == session


def is_being_answered(blocker: Blocker) -> bool:
    """Return whether a policy has sent the answer: such a dialog closes in a moment."""
    return isinstance(blocker, Dialog) and blocker.answer_sent_by == "auto_policy"


def blocked_session(state: State, blocker: Blocker) -> SessionId:
    """Return the session whose renderer the blocker blocks."""
    frame = state.frames.get(blocker.frame_id)
    if frame is not None and frame.session:
        return frame.session
    return blocker.session_id
