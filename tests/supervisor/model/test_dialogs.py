"""Dialogs: from opening to what the page got, whoever ends them."""

from __future__ import annotations

import pytest

from pilothouse.cdp.message import SessionId
from pilothouse.supervisor.agent_view import page_got
from pilothouse.supervisor.model import TabKey
from pilothouse.supervisor.model import effects as do
from pilothouse.supervisor.model import events as ev
from pilothouse.supervisor.model.dialog_policy_and_permissions import Policy, Rule
from pilothouse.supervisor.model.dialogs import ORPHAN_S, RECENT, REPLACED
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


# Opening.


def test_dialog_is_pending_at_once_and_has_a_timer() -> None:
    talk = Dialogue(page(), navigated(TOP))
    assert talk.say(alert(kind="prompt")) == [do.StartTimer("d-1", 300.0)]
    dialog = talk.state.dialogs["d-1"]
    assert (dialog.type, dialog.message, dialog.default_prompt) == ("prompt", "hello", "nobody")
    assert (dialog.tab, dialog.frame_id, dialog.origin) == (TAB, TOP, "https://new")
    assert (dialog.via, dialog.opened_at, dialog.session_id) == ("native", 3, PAGE)


def test_dialog_of_a_foreign_frame_is_told_by_the_top_session() -> None:
    talk = framed()
    talk.say(alert("F"))
    assert talk.state.dialogs["d-1"].frame_id == "F"
    assert talk.state.dialogs["d-1"].session_id == PAGE


def test_dialog_without_a_frame_belongs_to_the_main_frame() -> None:
    talk = Dialogue(page(), alert(frame=""))
    assert talk.state.dialogs["d-1"].frame_id == TOP
    talk.say(navigated(TOP))
    assert talk.ended() == [("d-1", "navigation")]


def test_dialog_of_nobodys_session_is_ignored() -> None:
    assert Dialogue(alert()).state.dialogs == {}


def test_dialogs_of_several_tabs_and_frames_wait_side_by_side() -> None:
    talk = framed()
    talk.say(page("NEXT", OTHER), alert(), alert("NEXT", session=OTHER), bridged())
    assert [(d.id, d.tab) for d in talk.state.dialogs.values()] == [
        ("d-1", TAB),
        ("d-2", "t2"),
        ("d-3", TAB),
    ]
    talk.say(ev.DialogClosed(5, OTHER, "NEXT", True))
    assert list(talk.state.dialogs) == ["d-1", "d-3"]


def test_second_native_dialog_of_a_tab_replaces_the_first_and_nobody_can_answer_it() -> None:
    """Chrome says Opening(2), then Closed(1)."""
    talk = framed()
    talk.say(alert())
    effects = talk.say(alert("F"))
    assert do.StartTimer("d-2", ORPHAN_S) in effects
    assert [e.tab for e in effects if isinstance(e, do.Notify)] == [TAB]
    talk.say(ev.DialogClosed(4, PAGE, TOP, False))
    assert talk.ended() == [("d-1", "remote")]
    assert talk.state.dialogs["d-2"].orphaned == REPLACED
    assert talk.say(ev.DialogAnswered(5, "d-2", True, None, "agent")) == []
    talk.say(navigated(TOP))
    assert talk.ended()[1] == ("d-2", "navigation")


# Answering.


def test_answer_goes_out_and_the_timer_stops() -> None:
    talk = Dialogue(page(), alert(kind="confirm"))
    assert talk.say(ACCEPT) == [do.StopTimer("d-1"), do.AnswerDialog("d-1", True, None)]
    assert talk.state.dialogs["d-1"].answer_sent_by == "agent"


def test_dialog_is_over_only_when_chrome_says_so() -> None:
    """No success is claimed for an answer that was only sent."""
    talk = Dialogue(page(), alert(), ACCEPT)
    assert talk.ended() == []
    talk.say(CLOSED)
    assert (talk.ended(), talk.state.dialogs) == ([("d-1", "agent")], {})


def test_prompt_accepted_without_a_text_gives_its_default() -> None:
    talk = Dialogue(page(), alert(kind="prompt"))
    assert do.AnswerDialog("d-1", True, "nobody") in talk.say(ACCEPT)


def test_prompt_accepted_with_an_empty_text_gives_the_empty_text() -> None:
    talk = Dialogue(page(), alert(kind="prompt"))
    effects = talk.say(ev.DialogAnswered(4, "d-1", True, "", "agent"))
    assert do.AnswerDialog("d-1", True, "") in effects


def test_second_answer_changes_nothing() -> None:
    talk = Dialogue(page(), alert(), ACCEPT)
    assert talk.say(DISMISS) == []
    assert talk.say(CLOSED, DISMISS, ev.DialogAnswered(5, "d-404", True, None, "agent")) == []


def test_person_who_is_faster_is_named_by_nobody_but_remote() -> None:
    talk = Dialogue(page(), alert(), CLOSED)
    assert talk.ended() == [("d-1", "remote")]
    assert talk.say(ACCEPT) == []


def test_closed_without_a_dialog_is_ignored() -> None:
    """A session that came after the opening hears only the end."""
    talk = Dialogue(page(), CLOSED, ev.DialogClosed(5, OTHER, TOP, True))
    assert talk.ended() == []


def test_closed_names_its_frame() -> None:
    talk = framed()
    talk.say(alert(), alert("F"), ev.DialogClosed(4, PAGE, "F", True))
    assert list(talk.state.dialogs) == ["d-1"]


def test_closed_that_names_no_frame_ends_the_oldest() -> None:
    talk = framed()
    talk.say(alert(), alert("F"), ev.DialogClosed(4, PAGE, "", True))
    assert list(talk.state.dialogs) == ["d-2"]


def test_refused_answer_means_that_somebody_was_faster() -> None:
    talk = Dialogue(page(), alert(), ACCEPT)
    assert talk.say(ev.AnswerFailed(5, "d-1", "No dialog is showing")) == [do.StopTimer("d-1")]
    assert talk.ended() == [("d-1", "remote")]
    assert not talk.state.recent_dialogs[0].accepted


def test_answer_that_got_lost_leaves_the_dialog_open_with_a_timer() -> None:
    talk = Dialogue(page(), alert(), ACCEPT)
    assert talk.say(ev.AnswerFailed(5, "d-1", "timeout", refused=False)) == [
        do.StartTimer("d-1", 300.0)
    ]
    assert talk.state.dialogs["d-1"].answer_sent_by == ""
    assert talk.say(ev.AnswerFailed(6, "d-1", "again"), ev.AnswerFailed(6, "d-404", "?")) == []
    assert list(talk.state.dialogs) == ["d-1"]


def test_bridged_dialog_is_over_when_its_answer_is_taken() -> None:
    talk = framed()
    talk.say(bridged(kind="prompt"), ev.DialogAnswered(4, "d-1", True, "ann", "human"))
    talk.say(ev.AnswerDelivered(5, "d-1", True, "ann"))
    assert talk.ended() == [("d-1", "human")]
    assert page_got(talk.state.recent_dialogs[0]) == "ann"
    assert talk.say(ev.AnswerDelivered(6, "d-1", True)) == []


def test_native_end_does_not_end_a_bridged_dialog() -> None:
    talk = framed()
    talk.say(bridged(), ev.DialogClosed(4, PAGE, "F", True))
    assert list(talk.state.dialogs) == ["d-1"]


# Nobody answers.


def test_dialog_nobody_answers_is_dismissed_when_its_timer_fires() -> None:
    talk = Dialogue(ev.PolicySet(0, TabKey(), Policy(timeout_s=7.0)), page())
    assert talk.say(alert()) == [do.StartTimer("d-1", 7.0)]
    assert do.AnswerDialog("d-1", False, None) in talk.say(ev.TimerFired(10, "d-1"))
    talk.say(CLOSED)
    assert talk.ended() == [("d-1", "watchdog")]
    assert talk.say(ev.TimerFired(11, "d-1")) == []


@pytest.mark.parametrize(("action", "accept"), [("auto_accept", True), ("auto_dismiss", False)])
def test_policy_answers_at_once(action: str, accept: bool) -> None:
    policy = Policy(rules=(Rule(action, type="prompt"),))  # type: ignore[arg-type]
    talk = Dialogue(
        page(), ev.OwnerSet(1, TOP, TabKey("ann")), ev.PolicySet(1, TabKey("ann"), policy)
    )
    text = "nobody" if accept else None
    assert talk.say(alert(kind="prompt")) == [
        do.StopTimer("d-1"),
        do.AnswerDialog("d-1", accept, text),
    ]
    talk.say(CLOSED)
    assert talk.ended() == [("d-1", "auto_policy")]


# The page goes.


def test_navigation_ends_what_the_document_had_open() -> None:
    talk = framed()
    talk.say(alert(), bridged(), navigated(TOP))
    assert talk.ended() == [("d-1", "navigation"), ("d-2", "navigation")]


def test_dialog_chrome_closed_just_before_a_navigation_was_closed_by_it() -> None:
    dismissed = ev.DialogClosed(5, PAGE, TOP, False)
    talk = Dialogue(page(), alert(), dismissed, navigated(TOP, at=5.5))
    assert talk.ended() == [("d-1", "navigation")]


def test_dialog_somebody_accepted_just_before_a_navigation_was_closed_by_them() -> None:
    talk = Dialogue(page(), alert(), CLOSED, navigated(TOP, at=5.5))
    assert talk.ended() == [("d-1", "remote")]


def test_dialog_closed_long_before_a_navigation_was_not() -> None:
    talk = Dialogue(page(), alert(), CLOSED, navigated(TOP, at=7))
    assert talk.ended() == [("d-1", "remote")]


def test_answered_dialog_stays_answered_when_the_page_navigates() -> None:
    talk = Dialogue(page(), alert(), ACCEPT, navigated(TOP))
    assert talk.ended() == [("d-1", "agent")]


def test_navigation_of_another_frame_leaves_the_dialog() -> None:
    talk = Dialogue(page(), attached(), alert(), navigated(), navigated("?", session=OTHER))
    assert list(talk.state.dialogs) == ["d-1"]


def test_frame_that_is_removed_takes_its_dialog_and_no_answer_is_sent() -> None:
    """Chrome says no Closed, and an answer would end the whole browser."""
    talk = framed()
    talk.say(alert("F"))
    assert talk.say(ev.FrameDetached(4, PAGE, "F", swap=False)) == [do.StopTimer("d-1")]
    assert talk.ended() == [("d-1", "navigation")]


def test_frame_that_changes_process_takes_its_dialog() -> None:
    talk = Dialogue(page(), attached(), navigated(), alert("F"), child())
    talk.say(ev.FrameDetached(4, PAGE, "F", swap=True))
    assert talk.ended() == [("d-1", "navigation")]


def test_late_swap_leaves_the_dialog_of_the_new_document() -> None:
    talk = Dialogue(page(), attached(), child(), navigated(session=CHILD), bridged())
    talk.say(ev.FrameDetached(4, PAGE, "F", swap=True))
    assert list(talk.state.dialogs) == ["d-1"]


def test_question_that_comes_before_the_news_of_its_document_stays_open() -> None:
    """Otherwise the page would wait for ever for an answer that nobody can give."""
    talk = Dialogue(page(), attached(), child(), bridged())
    talk.say(navigated(session=CHILD, url="https://f/"))
    assert list(talk.state.dialogs) == ["d-1"]
    assert talk.state.dialogs["d-1"].origin == "https://f"
    talk.say(ev.FrameDetached(4, PAGE, "F", swap=True))
    assert do.AnswerDialog("d-1", True, None) in talk.say(ACCEPT)


def test_question_that_comes_before_its_frame_has_changed_process_stays_open() -> None:
    talk = Dialogue(page(), attached(), navigated(), child(), bridged())
    talk.say(ev.FrameDetached(4, PAGE, "F", swap=True), navigated(session=CHILD, url="https://f/"))
    assert list(talk.state.dialogs) == ["d-1"]


def test_question_that_was_dismissed_for_a_navigation_ends_with_its_document() -> None:
    talk = framed()
    talk.say(
        bridged(),
        ev.FrameStartedNavigating(4, PAGE, "F"),
        navigated(session=CHILD, url="https://f/"),
    )
    assert talk.ended() == [("d-1", "navigation")]


def test_question_of_another_site_ends_with_its_document() -> None:
    talk = framed()
    talk.say(bridged(), navigated(session=CHILD, url="https://g/"))
    assert talk.ended() == [("d-1", "navigation")]


def test_process_that_ends_takes_the_dialogs_of_its_frames() -> None:
    talk = framed()
    talk.say(bridged(), alert("F"), alert(), ev.SessionDetached(4, CHILD))
    assert list(talk.state.dialogs) == ["d-3"]
    assert {by for _, by in talk.ended()} == {"navigation"}


def test_bridged_dialog_is_dismissed_when_its_frame_wants_to_leave() -> None:
    talk = framed()
    talk.say(bridged())
    assert do.AnswerDialog("d-1", False, None) in talk.say(ev.FrameStartedNavigating(4, PAGE, TOP))
    talk.say(ev.AnswerDelivered(5, "d-1", False))
    assert talk.ended() == [("d-1", "navigation")]


def test_native_dialog_is_left_to_chrome_when_its_frame_wants_to_leave() -> None:
    talk = Dialogue(page(), alert())
    assert talk.say(ev.FrameStartedNavigating(4, PAGE, TOP)) == []


@pytest.mark.parametrize("end", [ev.SessionDetached(6, PAGE), ev.TargetDestroyed(6, TOP)], ids=str)
def test_tab_that_closes_takes_its_dialogs(end: ev.Event) -> None:
    talk = framed()
    talk.say(alert(), bridged())
    assert set(talk.say(end)) == {do.StopTimer("d-1"), do.StopTimer("d-2")}
    assert {by for _, by in talk.ended()} == {"remote"}


def test_tab_we_close_ends_its_dialogs_in_our_name() -> None:
    talk = Dialogue(
        page(), alert(), ev.LeaveRequested(4, TAB, "agent"), ev.SessionDetached(5, PAGE)
    )
    assert talk.ended() == [("d-1", "agent")]
    talk = Dialogue(page(), alert(), ev.LeaveRequested(4, TAB, "agent"), CLOSED)
    assert talk.ended() == [("d-1", "agent")]


# The past.


def test_only_the_last_dialogs_are_remembered() -> None:
    talk = Dialogue(page())
    for n in range(RECENT + 5):
        talk.say(alert(message=str(n)), CLOSED)
    assert [c.dialog.id for c in talk.state.recent_dialogs] == [
        f"d-{n}" for n in range(6, RECENT + 6)
    ]
