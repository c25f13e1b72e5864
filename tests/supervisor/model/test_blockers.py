"""Which interrupts stand in the way of a piece of work."""

from __future__ import annotations

from pilothouse.cdp.message import SessionId
from pilothouse.supervisor.model import TabKey
from pilothouse.supervisor.model import events as ev
from pilothouse.supervisor.model.blockers import (
    blocked_session,
    blockers,
    blocks_session,
    is_being_answered,
)
from pilothouse.supervisor.model.dialog_policy_and_permissions import Policy
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

POPUP = SessionId("popup")


def test_dialog_blocks_its_own_tab() -> None:
    talk = Dialogue(page(), alert())
    assert [b.id for b in blockers(talk.state, TAB)] == ["d-1"]
    assert blockers(talk.state, "t9") == []


def test_dialog_of_a_popup_blocks_the_opener_too_and_the_other_way_round() -> None:
    talk = Dialogue(page(), page("POPUP", POPUP, opener=TOP), alert("POPUP", session=POPUP))
    assert [b.id for b in blockers(talk.state, TAB)] == ["d-1"]
    talk.say(ev.DialogClosed(4, POPUP, "POPUP", True), alert())
    assert [b.id for b in blockers(talk.state, "t2")] == ["d-2"]


def test_only_interrupts_that_stop_the_page_block() -> None:
    talk = Dialogue(page(), ev.InterruptOpened(3, "print", PAGE, TOP, "p"))
    assert blockers(talk.state, TAB) == []
    talk.say(ev.InterruptOpened(3, "auth", PAGE, TOP, "a"))
    assert [b.id for b in blockers(talk.state, TAB)] == ["i-2"]


def test_only_the_renderer_that_waits_stands_still() -> None:
    talk = Dialogue(page(), attached(), child(), navigated(session=CHILD), alert("F"), bridged())
    native, over_the_bridge = talk.state.dialogs.values()
    for dialog in (native, over_the_bridge):
        assert blocks_session(talk.state, dialog, CHILD)
        assert not blocks_session(talk.state, dialog, PAGE)


def test_dialog_of_an_unknown_frame_holds_the_session_that_told_it() -> None:
    talk = Dialogue(page(), alert("unheard of"))
    assert blocked_session(talk.state, talk.state.dialogs["d-1"]) == PAGE


def test_dialog_a_policy_answers_is_over_in_a_moment() -> None:
    talk = Dialogue(page(), alert(), ev.InterruptOpened(3, "auth", PAGE, TOP, "a"))
    assert not any(is_being_answered(b) for b in blockers(talk.state, TAB))
    talk = Dialogue(ev.PolicySet(0, TabKey(), Policy("auto_accept")), page(), alert())
    assert is_being_answered(talk.state.dialogs["d-1"])
