"""The part of `step` for tabs and sessions: which target is attached where, and who owns it."""

from __future__ import annotations

from msgspec.structs import replace

from pilothouse.cdp.message import ROOT, SessionId
from pilothouse.supervisor.model.effects import Effect, Notify, SetUpSession
from pilothouse.supervisor.model.events import (
    ConnectionDropped,
    ConnectionRestored,
    Event,
    FrameNavigated,
    FrameNavigatedWithinDocument,
    FrameTreeLoaded,
    LeaveRequested,
    OwnerSet,
    PolicySet,
    ReloadedAfterCrash,
    RendererCrashed,
    SessionAttached,
    SessionDetached,
    StandbyChanged,
    TabTargetReplaced,
    TargetDestroyed,
    TargetInfoChanged,
    TargetsReattached,
)
from pilothouse.supervisor.model.state import SessionInfo, State, Tab, TabKey

__all__ = ["step_targets"]

Step = tuple[State, list[Effect]]


def step_targets(state: State, event: Event) -> Step:
    """Apply `event` to tabs and sessions."""
    match event:
        case SessionAttached():
            return _attach(state, event)
        case SessionDetached():
            return _detach(state, event.session)
        case TargetDestroyed():
            tab = state.tab_of_target(event.target_id)
            return (_without_tab(state, tab), []) if tab else (state, [])
        case ConnectionDropped():
            tabs = {key: replace(tab, session=SessionId("")) for key, tab in state.tabs.items()}
            return replace(state, connected=False, sessions={}, tabs=tabs), []
        case ConnectionRestored():
            return replace(state, connected=True), []
        case TargetsReattached():
            return _give_up_lost(state)
        case PolicySet():
            return _set_policy(state, event), []
    return _change_tab(state, event), []


def _change_tab(state: State, event: Event) -> State:
    """Apply events that change the fields of one tab."""
    match event:
        case TargetInfoChanged():
            tab = state.tab_of_target(event.target_id)
            if tab is not None and _main_frame_knows_url(state, tab):
                return _with(state, tab, title=event.title)
            return _with(state, tab, url=event.url, title=event.title)
        case FrameNavigated() if (tab := state.tab_of_target(event.frame)) is not None:
            return _with(state, tab, url=event.url, leave_requested_by="")
        case FrameTreeLoaded():
            for frame in event.frames:
                tab = state.tab_of_target(frame.frame)
                if tab is not None and not _is_error_page(frame.url):
                    return _with(state, tab, url=frame.url)
        case FrameNavigatedWithinDocument() if (
            tab := state.tab_of_target(event.frame)
        ) is not None:
            return _with(state, tab, url=event.url)
        case OwnerSet():
            return _with(state, state.tab_of_target(event.target_id), key=event.key)
        case TabTargetReplaced() if state.tab_of_target(event.target_id) is None:
            tab = state.tabs.get(event.tab)
            lost = tab if tab is not None and not tab.session else None
            return _with(state, lost, target_id=event.target_id)
        case StandbyChanged():
            return _with(state, state.tab_of_target(event.target_id), has_standby=event.is_standby)
        case LeaveRequested():
            return _with(state, state.tabs.get(event.tab), leave_requested_by=event.by)
        case RendererCrashed() | ReloadedAfterCrash():
            info = state.sessions.get(event.session)
            if info is not None and info.kind == "page":
                return _with(
                    state, state.tabs.get(info.tab), crashed=isinstance(event, RendererCrashed)
                )
    return state


def _main_frame_knows_url(state: State, tab: Tab) -> bool:
    """Return whether to trust the main frame's URL over `targetInfoChanged`, which takes another
    route and may be late. Not for an error page: its URL does not say which address failed."""
    main = state.frames.get(tab.target_id)
    return main is not None and main.loader != "" and not _is_error_page(main.url)


def _is_error_page(url: str) -> bool:
    return url.startswith("chrome-error:")


def _attach(state: State, event: SessionAttached) -> Step:
    effects: list[Effect] = [SetUpSession(event.session, event.kind, event.waiting)]
    if event.kind != "page":
        parent = state.sessions.get(event.parent)
        info = SessionInfo(
            event.session,
            event.target_id,
            event.kind,
            parent.id if parent else ROOT,
            parent.tab if parent else "",
        )
        return replace(state, sessions={**state.sessions, info.id: info}), effects
    known = state.tab_of_target(event.target_id)
    opener = state.tab_of_target(event.opener) if event.opener else None
    count = state.tabs_count if known else state.tabs_count + 1
    tab = known or Tab(
        f"t{count}",
        event.target_id,
        event.session,
        key=opener.key if opener else TabKey(),
        opener=opener.id if opener else "",
        context=event.context,
    )
    tab = replace(tab, session=event.session, url=event.url, title=event.title, crashed=False)
    info = SessionInfo(event.session, event.target_id, "page", ROOT, tab.id)
    if opener is not None and known is None:
        effects.append(Notify(opener.id, f"the page opened a new tab: {tab.id}"))
    return (
        replace(
            state,
            tabs_count=count,
            tabs={**state.tabs, tab.id: tab},
            sessions={**state.sessions, info.id: info},
        ),
        effects,
    )


def _detach(state: State, session: SessionId) -> Step:
    tab = next((t for t in state.tabs.values() if t.session == session), None)
    gone = set(state.session_subtree(session))
    sessions = {key: info for key, info in state.sessions.items() if key not in gone}
    state = replace(state, sessions=sessions)
    return (_without_tab(state, tab) if tab and session else state), []


def _give_up_lost(state: State) -> Step:
    lost = [tab for tab in state.tabs.values() if not tab.session]
    for tab in lost:
        state = _without_tab(state, tab)
    return state, [
        Notify(tab.id, f"tab {tab.id} ({tab.url}) was lost with the connection") for tab in lost
    ]


def _set_policy(state: State, event: PolicySet) -> State:
    if event.policy is not None:
        return replace(state, policies={**state.policies, event.key: event.policy})
    if any(tab.key == event.key for tab in state.tabs.values()):
        return state  # popups outlive the tab that opened them and keep its policy
    kept = {key: policy for key, policy in state.policies.items() if key != event.key}
    return replace(state, policies=kept)


def _with(state: State, tab: Tab | None, **changes: object) -> State:
    if tab is None:
        return state
    changed: Tab = replace(tab, **changes)
    return replace(state, tabs={**state.tabs, tab.id: changed})


def _without_tab(state: State, tab: Tab) -> State:
    return replace(state, tabs={key: t for key, t in state.tabs.items() if key != tab.id})
