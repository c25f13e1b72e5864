"""What always holds of a state, whatever happened."""

from __future__ import annotations

from msgspec.structs import replace

from pilothouse.cdp.message import ROOT
from pilothouse.supervisor.agent_view import frame_tree, pending_dialogs, recent_dialogs
from pilothouse.supervisor.model.dialogs import RECENT
from pilothouse.supervisor.model.state import State

__all__ = ["check_invariants"]

CLOSED_BY = {
    "agent",
    "human",
    "auto_policy",
    "watchdog",
    "remote",
    "navigation",
    "connection_lost",
}


def check_invariants(state: State, timers: set[str]) -> None:
    """Raise AssertionError if the state does not hang together, or its timers with it."""
    _timers_run_for_what_waits_and_for_nothing_else(state, timers)
    _frames_hang_together(state)
    _sessions_hang_together(state)
    _nothing_waits_in_a_tab_that_is_gone(state)
    _bridged_dialogs_have_a_living_session(state)
    _the_past_is_short_and_says_who(state)
    _values_are_values(state)
    _an_agent_can_always_look(state)


def _timers_run_for_what_waits_and_for_nothing_else(state: State, timers: set[str]) -> None:
    dialogs = {d.id for d in state.dialogs.values() if not d.answer_sent_by}
    others = {i.id for i in state.interrupts.values() if i.deadline_s}
    assert timers == dialogs | others


def _frames_hang_together(state: State) -> None:
    for frame in state.frames.values():
        assert frame.tab in state.tabs, f"{frame.id} is in no tab"
        seen = {frame.id}
        while frame.parent:
            frame = state.frames[frame.parent]
            assert frame.id not in seen, f"{frame.id} is its own ancestor"
            seen.add(frame.id)
        tab = state.tabs[frame.tab]
        assert frame.id == tab.target_id, f"{frame.id} has no parent and is no main frame"
        assert {state.frames[key].tab for key in seen} == {tab.id}


def _sessions_hang_together(state: State) -> None:
    for info in state.sessions.values():
        assert info.parent == ROOT or info.parent in state.sessions
        assert info.tab == "" or info.tab in state.tabs
    for tab in state.tabs.values():
        assert tab.session == "" or tab.session in state.sessions
    for frame in state.frames.values():
        assert frame.session == "" or frame.session in state.sessions
    for session, _ in state.contexts:
        assert session in state.sessions
    targets = [tab.target_id for tab in state.tabs.values()]
    assert len(targets) == len(set(targets)), "two tabs claim one target"


def _nothing_waits_in_a_tab_that_is_gone(state: State) -> None:
    tabs = [dialog.tab for dialog in state.dialogs.values()]
    tabs += [interrupt.tab for interrupt in state.interrupts.values()]
    assert set(tabs) <= state.tabs.keys()


def _bridged_dialogs_have_a_living_session(state: State) -> None:
    for dialog in state.dialogs.values():
        assert dialog.via == "native" or dialog.session_id in state.sessions


def _the_past_is_short_and_says_who(state: State) -> None:
    assert len(state.recent_dialogs) <= RECENT
    assert {closed.closed_by for closed in state.recent_dialogs} <= CLOSED_BY
    assert not {c.dialog.id for c in state.recent_dialogs} & state.dialogs.keys()


def _values_are_values(state: State) -> None:
    for part in (state.tabs, state.frames, state.sessions, state.dialogs):
        assert len({hash(value) for value in part.values()}) == len(part)
    assert hash(state.recent_dialogs) == hash(replace(state).recent_dialogs)


def _an_agent_can_always_look(state: State) -> None:
    pending_dialogs(state)
    recent_dialogs(state)
    for tab in state.tabs:
        tree = frame_tree(state, tab)
        assert tree["total"] == sum(f.tab == tab for f in state.frames.values())
