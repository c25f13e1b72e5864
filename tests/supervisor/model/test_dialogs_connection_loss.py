"""Dialogs when the wire drops: who still holds them, and who does not."""

from __future__ import annotations

import pytest

from pilothouse.cdp.message import SessionId
from pilothouse.supervisor.model import effects as do
from pilothouse.supervisor.model import events as ev
from pilothouse.supervisor.model.dialogs import DROPPED
from tests.supervisor.step_driver_and_events import (
    CHILD,
    PAGE,
    TAB,
    TOP,
    Dialogue,
    alert,
    attached,
    bridged,
    child,
    navigated,
    page,
)

OTHER = SessionId("other")
HOLDER = SessionId("holder")
CLOSED = ev.DialogClosed(5, PAGE, TOP, True)
ACCEPT = ev.DialogAnswered(4, "d-1", True, None, "agent")
DISMISS = ev.DialogAnswered(4, "d-1", False, None, "agent")
HELD = ev.StandbyChanged(1, TOP, True)
LET_GO = ev.StandbyChanged(6, TOP, False)
DROP = ev.ConnectionDropped(5, "reset")


def framed() -> Dialogue:
    """A page with a foreign frame."""
    swap = ev.FrameDetached(2, PAGE, "F", swap=True)
    return Dialogue(page(), attached(), child(), navigated(session=CHILD), swap)


def test_bridged_dialog_is_over_when_the_wire_drops() -> None:
    """Its request went on to the network: the page has the dismissed value already."""
    talk = framed()
    talk.say(HELD, bridged(), DROP)
    assert talk.ended() == [("d-1", "connection_lost")]


def test_native_dialog_nobody_holds_is_orphaned_and_told_once() -> None:
    talk = Dialogue(page(), alert())
    (told,) = talk.say(DROP)
    assert isinstance(told, do.Notify)
    assert "orphaned_dialog" in told.text
    assert talk.state.dialogs["d-1"].orphaned == DROPPED
    assert talk.say(ev.ConnectionDropped(6, "closed")) == []


def test_orphan_is_over_when_its_timer_fires_and_no_answer_is_sent() -> None:
    talk = Dialogue(page(), alert(), DROP)
    assert talk.say(ACCEPT) == []
    assert talk.say(ev.TimerFired(300, "d-1")) == [do.StopTimer("d-1")]
    assert talk.ended() == [("d-1", "watchdog")]


def test_orphan_ends_when_its_tab_is_reloaded_after_the_drop() -> None:
    talk = Dialogue(
        page(),
        alert(),
        DROP,
        ev.ConnectionRestored(6),
        page(session=OTHER),
        ev.TargetsReattached(7),
    )
    assert list(talk.state.dialogs) == ["d-1"]
    talk.say(navigated(TOP, session=OTHER))
    assert talk.ended() == [("d-1", "navigation")]


def test_orphan_of_a_lost_tab_was_lost_with_the_connection() -> None:
    talk = Dialogue(page(), alert(), DROP, ev.ConnectionRestored(6), ev.TargetsReattached(7))
    assert talk.ended() == [("d-1", "connection_lost")]


@pytest.mark.parametrize("held", [True, False])
def test_answer_under_way_when_the_wire_drops_is_forgotten_and_the_timer_runs_again(
    held: bool,
) -> None:
    talk = Dialogue(page(), ev.StandbyChanged(1, TOP, held), alert(), ACCEPT)
    assert do.StartTimer("d-1", 300.0) in talk.say(DROP)
    assert talk.state.dialogs["d-1"].answer_sent_by == ""
    assert bool(talk.state.dialogs["d-1"].orphaned) is not held
    assert talk.say(ev.AnswerFailed(6, "d-1", "connection lost", refused=False)) == []


def test_held_dialog_stays_answerable_after_the_drop() -> None:
    talk = Dialogue(page(), HELD, alert())
    assert talk.say(DROP) == []
    assert talk.state.dialogs["d-1"].orphaned == ""
    assert do.AnswerDialog("d-1", True, None) in talk.say(ACCEPT)
    talk.say(ev.DialogClosed(6, HOLDER, TOP, True, standby_target=TOP))
    assert talk.ended() == [("d-1", "agent")]


def test_dialog_that_opens_while_the_wire_is_down_is_told_by_the_holder() -> None:
    talk = Dialogue(page(), HELD, DROP, alert(session=HOLDER, standby_target=TOP))
    assert talk.state.dialogs["d-1"].session_id == HOLDER
    talk.say(ev.ConnectionRestored(7), page(session=OTHER), ev.TargetsReattached(8))
    assert do.AnswerDialog("d-1", True, None) in talk.say(ACCEPT)


def test_holder_is_not_listened_to_while_our_own_session_lives() -> None:
    talk = Dialogue(page(), HELD, alert(session=HOLDER, standby_target=TOP))
    assert talk.state.dialogs == {}
    talk.say(alert(), ev.DialogClosed(4, HOLDER, TOP, True, standby_target=TOP))
    assert list(talk.state.dialogs) == ["d-1"]


def test_dialog_is_orphaned_when_the_holder_goes_as_well() -> None:
    talk = Dialogue(page(), HELD, alert(), DROP)
    (told,) = talk.say(LET_GO)
    assert isinstance(told, do.Notify)
    assert talk.state.dialogs["d-1"].orphaned == DROPPED
    assert talk.say(LET_GO) == []


def test_holder_that_goes_alone_harms_nothing() -> None:
    talk = Dialogue(page(), HELD, alert(), ev.StandbyChanged(4, "?", False))
    assert talk.say(LET_GO) == []
    assert talk.state.dialogs["d-1"].orphaned == ""


def test_dialog_that_is_told_again_keeps_its_name_and_is_answerable_again() -> None:
    talk = Dialogue(page(), alert(), DROP, alert(session=HOLDER, standby_target=TOP))
    assert list(talk.state.dialogs) == ["d-1"]
    assert (talk.state.dialogs["d-1"].orphaned, talk.state.dialogs["d-1"].session_id) == (
        "",
        HOLDER,
    )


def test_bridged_call_that_another_session_tells_again_keeps_its_name() -> None:
    talk = framed()
    talk.say(bridged(), child("F", OTHER), bridged(session=OTHER))
    assert [(d.id, d.session_id) for d in talk.state.dialogs.values()] == [("d-1", OTHER)]


def test_call_of_another_tab_never_takes_a_dialog_over() -> None:
    talk = framed()
    talk.say(bridged(), page("NEXT", OTHER), bridged("NEXT", session=OTHER))
    assert [(d.id, d.tab) for d in talk.state.dialogs.values()] == [("d-1", TAB), ("d-2", "t2")]
