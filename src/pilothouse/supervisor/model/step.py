"""`step`: one event in, the new state and what to do out. Pure; runs inside the reader."""

from __future__ import annotations

from msgspec.structs import replace

from pilothouse.supervisor.model.dialogs import step_dialogs
from pilothouse.supervisor.model.effects import Effect
from pilothouse.supervisor.model.events import Attached, Event
from pilothouse.supervisor.model.frames import step_frames
from pilothouse.supervisor.model.interrupts import step_interrupts
from pilothouse.supervisor.model.state import State
from pilothouse.supervisor.model.targets import step_targets

__all__ = ["step"]


def step(before: State, event: Event) -> tuple[State, list[Effect]]:
    """What is true after `event`, and what must be done about it.

    A tab must exist before its main frame, and frames of a session must go while the session is
    still known: so targets come first for an attach and after the frames for everything else.
    """
    state = before
    if isinstance(event, Attached):
        state, effects = step_targets(state, event)
        state = step_frames(state, event)
    else:
        state = step_frames(state, event)
        state, effects = step_targets(state, event)
        state = _swept(before, state)
    for part in (step_dialogs, step_interrupts):
        state, more = part(before, state, event)
        effects = [*effects, *more]
    return state, effects


def _swept(before: State, state: State) -> State:
    """A tab that is gone takes its sessions, its frames and their worlds with it."""
    ended = before.tabs.keys() - state.tabs.keys()
    if not ended:
        return state
    sessions = {key: info for key, info in state.sessions.items() if info.tab not in ended}
    return replace(
        state,
        sessions=sessions,
        frames={key: frame for key, frame in state.frames.items() if frame.tab not in ended},
        contexts={key: world for key, world in state.contexts.items() if key[0] in sessions},
    )
