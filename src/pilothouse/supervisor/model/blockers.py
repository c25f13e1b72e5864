"""Which interrupts stand in the way of a piece of work: pure questions to the state."""

from __future__ import annotations

from pilothouse.cdp.message import SessionId
from pilothouse.supervisor.model.interrupts import KINDS
from pilothouse.supervisor.model.state import Dialog, Interrupt, State

__all__ = ["Blocker", "being_answered", "blockers", "in_the_way", "renderer_of"]

Blocker = Dialog | Interrupt


def blockers(state: State, tab: str) -> list[Blocker]:
    """Everything that blocks a tab, or a tab that shares its script with it: a popup's dialog
    also stops the page that opened it, and the other way round."""
    related = {tab} | {t.id for t in state.tabs.values() if t.opener == tab}
    mine = state.tabs.get(tab)
    if mine is not None and mine.opener:
        related.add(mine.opener)
    dialogs = [d for d in state.dialogs.values() if d.tab in related]
    others = [i for i in state.interrupts.values() if i.tab == tab and KINDS[i.kind].blocks]
    return [*dialogs, *others]


def in_the_way(state: State, blocker: Blocker, session: SessionId) -> bool:
    """Whether a command on `session` would hang because of the blocker: only the renderer that
    waits stands still, so a frame in another process does not."""
    return renderer_of(state, blocker) == session


def being_answered(blocker: Blocker) -> bool:
    """Whether a policy's answer is on its way: such a dialog is over in a moment."""
    return isinstance(blocker, Dialog) and blocker.answering == "auto_policy"


def renderer_of(state: State, blocker: Blocker) -> SessionId:
    """The session whose renderer the blocker holds."""
    frame = state.frames.get(blocker.frame_id)
    if frame is not None and frame.session:
        return frame.session
    return blocker.session_id
