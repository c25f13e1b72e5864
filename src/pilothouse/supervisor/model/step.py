"""`step`: the reducer. One event in, the new state and the effects out. Runs inside the reader."""

from __future__ import annotations

from msgspec.structs import replace

from pilothouse.supervisor.model.dialogs import step_dialogs
from pilothouse.supervisor.model.effects import Effect
from pilothouse.supervisor.model.events import Event, SessionAttached
from pilothouse.supervisor.model.frames import step_frames
from pilothouse.supervisor.model.interrupts_and_downloads import step_interrupts
from pilothouse.supervisor.model.state import State
from pilothouse.supervisor.model.tabs_and_sessions import step_targets

__all__ = ["step"]


def step(before: State, event: Event) -> tuple[State, list[Effect]]:
    """Apply one event and return the new state and the effects to carry out.

    Order matters. A tab must exist before its main frame, so an attach runs targets first. Frames
    of a session must be removed while the session is still known, so all else runs frames first.
    """
    state = before
    if isinstance(event, SessionAttached):
        state, effects = step_targets(state, event)
        state = step_frames(state, event)
    else:
        state = step_frames(state, event)
        state, effects = step_targets(state, event)
        state = _remove_orphans(before, state)
    for part in (step_dialogs, step_interrupts):
        state, more = part(before, state, event)
        effects = [*effects, *more]
    return state, effects


def _remove_orphans(before: State, state: State) -> State:
    """Remove the sessions, frames and contexts of tabs that this event ended."""
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
