"""Questions to the state."""

from __future__ import annotations

import pytest

from pilothouse.cdp.message import SessionId
from tests.supervisor.step_driver_and_events import (
    CHILD,
    PAGE,
    TAB,
    TOP,
    Dialogue,
    alert,
    attached,
    child,
    page,
)


def test_values_of_the_state_are_frozen_and_can_be_compared() -> None:
    state = Dialogue(page(), attached(), alert()).state
    values = (state.tabs[TAB], state.frames["F"], state.sessions[PAGE], state.dialogs["d-1"])
    assert len({hash(value) for value in values}) == 4
    with pytest.raises(AttributeError, match="immutable"):
        state.tabs[TAB].url = "https://other/"  # type: ignore[misc]


def test_family_and_inner_frames_are_found_whatever_the_depth() -> None:
    talk = Dialogue(page(), attached(), attached("G", "F"), attached("H", "G"), child())
    talk.say(child("G", SessionId("grandchild"), parent=CHILD))
    assert talk.state.frame_subtree("F") == ["F", "G", "H"]
    assert talk.state.frame_subtree("unknown") == ["unknown"]
    assert talk.state.session_subtree(CHILD) == [CHILD, "grandchild"]


def test_strangers_have_no_tab_and_no_world() -> None:
    state = Dialogue(page(), attached()).state
    assert state.tab_of(SessionId("?")) is None
    assert state.tab_of_target("?") is None
    assert state.context_of(state.frames["F"]) == ""
    assert state.tab_of_target(TOP) == state.tab_of(PAGE)
