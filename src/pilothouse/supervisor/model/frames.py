"""The part of `step` for the frame tree. `Page.getFrameTree` omits out-of-process frames, so the
tree is built from events.

Orders that Chromium really produces when a frame changes process (recorded):

    to its own process    SessionAttached(child) -> FrameNavigated(child) -> FrameDetached(parent,
    swap)
                          SessionAttached(child) -> FrameDetached(parent, swap) ->
                          FrameNavigated(child)
    back to its parent's  SessionDetached(child) -> FrameAttached(parent) -> FrameNavigated(parent)
    removed               FrameDetached(parent) -> SessionDetached(child)

So a swap counts only while the frame still belongs to the session that reports it. A frame moves to
its new session when that session reports `frameNavigated`, not when it attaches: the navigation may
still fail.
"""

from __future__ import annotations

from collections.abc import Iterable

from msgspec.structs import replace

from pilothouse.cdp.message import SessionId
from pilothouse.supervisor.model.events import (
    ConnectionDropped,
    ContextCreated,
    ContextDestroyed,
    ContextsCleared,
    Event,
    FrameAttached,
    FrameDetached,
    FrameNavigated,
    FrameNavigatedWithinDocument,
    FrameTreeLoaded,
    RendererCrashed,
    SessionAttached,
    SessionDetached,
)
from pilothouse.supervisor.model.state import Frame, State

__all__ = ["step_frames"]


def step_frames(state: State, event: Event) -> State:
    """Apply `event` to frames and their main execution contexts."""
    match event:
        case SessionAttached(kind="page"):
            return _main_frame(state, event)
        case SessionAttached(kind="iframe"):
            return _add_existing_oopif(state, event)
        case FrameAttached():
            return _attach(state, event)
        case FrameNavigated():
            return _navigate(state, event, purge=True)
        case FrameTreeLoaded():
            for frame in event.frames:
                state = _navigate(state, frame, purge=False)
            return state
        case FrameNavigatedWithinDocument() if event.frame in state.frames:
            moved = replace(state.frames[event.frame], url=event.url)
            return replace(state, frames={**state.frames, moved.id: moved})
        case FrameDetached():
            return _detach(state, event)
        case ContextCreated() | ContextDestroyed() | ContextsCleared():
            return _contexts(state, event)
        case RendererCrashed():
            return _crashed(state, event.session)
        case SessionDetached():
            return _session_ended(state, event.session)
        case ConnectionDropped():
            return replace(state, frames={}, contexts={})
    return state


def _main_frame(state: State, event: SessionAttached) -> State:
    tab = state.tab_of_target(event.target_id)
    if tab is None:
        return state
    known = state.frames.get(event.target_id)
    if known is not None and known.parent:
        state = _without(state, state.frame_subtree(known.id))
    frame = Frame(event.target_id, "", event.session, tab.id, url=event.url)
    return replace(state, frames={**state.frames, frame.id: frame})


def _add_existing_oopif(state: State, event: SessionAttached) -> State:
    """Add a frame that was out of process before we attached: no `frameAttached` comes for it."""
    parent = state.frames.get(event.parent_frame)
    if parent is None or event.target_id in state.frames or _is_main(state, event.target_id):
        return state
    frame = Frame(event.target_id, parent.id, SessionId(""), parent.tab, url=event.url)
    return replace(state, frames={**state.frames, frame.id: frame})


def _attach(state: State, event: FrameAttached) -> State:
    parent = state.frames.get(event.parent)
    info = state.sessions.get(event.session)
    if parent is None or info is None or info.tab != parent.tab:
        return state
    known = state.frames.get(event.frame)
    if _is_main(state, event.frame) or event.frame in _ancestry(state, event.parent):
        return state
    if known is not None and known.session != event.session and known.session in state.sessions:
        return state  # already in its own process; the parent's event is late
    frame = Frame(event.frame, event.parent, event.session, parent.tab)
    if known is not None:
        state = _without(state, state.frame_subtree(event.frame))
    return replace(state, frames={**state.frames, frame.id: frame})


def _navigate(state: State, event: FrameNavigated, *, purge: bool) -> State:
    info = state.sessions.get(event.session)
    if info is None:
        return state
    known = state.frames.get(event.frame)
    parent = event.parent or (known.parent if known else "")
    if parent and (parent not in state.frames or state.frames[parent].tab != info.tab):
        return state
    if not parent and (event.frame, "page") != (info.target_id, info.kind):
        return state
    if parent and (_is_main(state, event.frame) or event.frame in _ancestry(state, parent)):
        return state
    if known is not None and (purge or known.parent != parent):
        state = _without(state, state.frame_subtree(event.frame)[1:])
    frame = Frame(
        event.frame,
        parent,
        event.session,
        info.tab,
        event.url,
        event.origin,
        event.loader,
        event.name,
        event.unreachable,
    )
    return replace(state, frames={**state.frames, frame.id: frame})


def _detach(state: State, event: FrameDetached) -> State:
    frame = state.frames.get(event.frame)
    if frame is None:
        return state
    if _is_main(state, event.frame) and not event.swap:
        return state  # the main frame ends with its tab
    if not event.swap:
        return _without(state, state.frame_subtree(event.frame))
    if frame.session != event.session:
        return state
    state = _without(state, state.frame_subtree(event.frame)[1:])
    between = replace(frame, session=SessionId(""))
    return replace(state, frames={**state.frames, frame.id: between})


def _session_ended(state: State, session: SessionId) -> State:
    """Remove the frames of a session and its descendants; runs before the sessions are removed."""
    sessions = set(state.session_subtree(session))
    hosted = [frame.id for frame in state.frames.values() if frame.session in sessions]
    state = _without(state, [f for root in hosted for f in state.frame_subtree(root)])
    contexts = {key: value for key, value in state.contexts.items() if key[0] not in sessions}
    return replace(state, contexts=contexts)


def _crashed(state: State, session: SessionId) -> State:
    """Remove the contexts of a crashed renderer, and all its frames (with their subtrees) except
    the session's root frame."""
    info = state.sessions.get(session)
    root = info.target_id if info else ""
    state = _contexts(state, ContextsCleared(0.0, session))
    inner = [f.id for f in state.frames.values() if f.parent and f.session == session]
    return _without(state, [g for f in inner if f != root for g in state.frame_subtree(f)])


def _contexts(state: State, event: ContextCreated | ContextDestroyed | ContextsCleared) -> State:
    contexts = dict(state.contexts)
    match event:
        case ContextCreated():
            if event.session not in state.sessions:
                return state
            contexts[event.session, event.frame] = event.context
        case ContextDestroyed():
            contexts = {
                key: value
                for key, value in contexts.items()
                if (key[0], value) != (event.session, event.context)
            }
        case ContextsCleared():
            contexts = {k: v for k, v in contexts.items() if k[0] != event.session}
    return replace(state, contexts=contexts)


def _without(state: State, gone: Iterable[str]) -> State:
    gone = set(gone)
    if not gone & state.frames.keys():
        return state
    frames = {key: frame for key, frame in state.frames.items() if key not in gone}
    return replace(state, frames=frames)


def _is_main(state: State, frame_id: str) -> bool:
    return state.tab_of_target(frame_id) is not None


def _ancestry(state: State, frame_id: str) -> list[str]:
    line: list[str] = []
    while frame_id and frame_id not in line:
        line.append(frame_id)
        frame_id = state.frames[frame_id].parent if frame_id in state.frames else ""
    return line
