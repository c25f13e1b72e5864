"""`step` as a whole: the order of its parts, and what it leaves alone."""

from __future__ import annotations

from pilothouse.supervisor.model import effects as do
from pilothouse.supervisor.model import events as ev
from pilothouse.supervisor.model.state import State
from pilothouse.supervisor.model.step import step
from tests.supervisor.step_driver_and_events import (
    CHILD,
    PAGE,
    TOP,
    Dialogue,
    alert,
    attached,
    child,
    page,
)


def test_event_that_means_nothing_leaves_the_very_same_state() -> None:
    """The shell wakes nobody for it."""
    state = Dialogue(page()).state
    for event in (
        ev.TimerFired(1, "d-9"),
        ev.RequestPaused(1, PAGE, "r"),
        ev.AnswerDelivered(1, "d-9", True),
        ev.InterruptClosed(1, "fedcm", "?", ""),
        ev.FrameDetached(1, PAGE, "?", swap=True),
    ):
        assert step(state, event)[0] is state


def test_state_before_is_never_changed() -> None:
    state = Dialogue(page(), attached(), child(), alert()).state
    copy = State(**{name: getattr(state, name) for name in State.__struct_fields__})
    for event in (
        ev.SessionDetached(4, CHILD),
        ev.ConnectionDropped(4, "x"),
        ev.TargetDestroyed(4, TOP),
    ):
        step(state, event)
    assert state == copy


def test_all_effects_of_one_event_come_together() -> None:
    talk = Dialogue(page(), ev.RendererCrashed(1, PAGE), alert())
    assert set(talk.say(ev.SessionDetached(4, PAGE))) == {do.StopTimer("d-1"), do.StopTimer("i-1")}
    assert talk.state.tabs == {}
