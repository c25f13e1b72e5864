"""Everything but dialogs that waits for a decision, and downloads."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from pilothouse.cdp.message import SessionId
from pilothouse.supervisor.model import effects as do
from pilothouse.supervisor.model import events as ev
from pilothouse.supervisor.model.dialog_policy_and_permissions import PERMISSIONS
from pilothouse.supervisor.model.interrupts_and_downloads import DOWNLOADS_KEPT, INTERRUPT_KINDS
from tests.supervisor.step_driver_and_events import (
    CHILD,
    PAGE,
    TAB,
    TOP,
    Dialogue,
    attached,
    child,
    navigated,
    page,
)

OTHER = SessionId("other")


def opened(kind: str, frame: str = TOP, session: SessionId = PAGE) -> ev.InterruptOpened:
    """Something waits."""
    return ev.InterruptOpened(3, kind, session, frame, f"{kind} handle", {"realm": "x"})


@pytest.mark.parametrize("kind", sorted(INTERRUPT_KINDS.keys() - {"crashed"}))
def test_interrupt_waits_with_its_answers_and_a_deadline(kind: str) -> None:
    talk = Dialogue(page(), navigated(TOP))
    assert talk.say(opened(kind)) == [do.StartTimer("i-1", INTERRUPT_KINDS[kind].deadline_s)]
    waiting = talk.state.interrupts["i-1"]
    assert (waiting.tab, waiting.origin, waiting.answers) == (
        TAB,
        "https://new",
        INTERRUPT_KINDS[kind].answers,
    )
    assert waiting.detail == {"realm": "x"}


@pytest.mark.parametrize("kind", sorted(INTERRUPT_KINDS.keys() - {"crashed"}))
def test_interrupt_nobody_decides_gets_its_default_when_its_timer_fires(kind: str) -> None:
    talk = Dialogue(page(), opened(kind))
    stop, answer = talk.say(ev.TimerFired(400, "i-1"))
    assert stop == do.StopTimer("i-1")
    assert isinstance(answer, do.AnswerInterrupt)
    assert answer.action == INTERRUPT_KINDS[kind].default
    assert talk.state.interrupts == {}


def test_request_to_a_person_has_its_own_deadline_and_keeps_the_decision() -> None:
    asked = replace(opened("human"), deadline_s=30.0)
    talk = Dialogue(page(), navigated(TOP))
    assert talk.say(asked) == [do.StartTimer("i-1", 30.0)]
    talk.say(ev.InterruptAnswered(4, "i-1", "answer", {"text": "482911"}, "human"))
    (decision,) = talk.state.decisions
    assert (decision.action, decision.by, decision.text) == ("answer", "human", "482911")
    assert decision.interrupt.handle == "human handle"


def test_silence_of_a_person_is_a_refusal_by_the_deadline() -> None:
    talk = Dialogue(page(), opened("human"), ev.TimerFired(700, "i-1"))
    (decision,) = talk.state.decisions
    assert (decision.action, decision.by) == ("refuse", "deadline")


def test_answers_to_other_interrupts_are_not_kept() -> None:
    talk = Dialogue(page(), opened("auth"))
    talk.say(ev.InterruptAnswered(4, "i-1", "provide", {"password": "geheim"}))
    assert talk.state.decisions == ()


def test_decision_goes_out_with_what_it_is_about() -> None:
    talk = Dialogue(page(), opened("auth"))
    waiting = talk.state.interrupts["i-1"]
    effects = talk.say(ev.InterruptAnswered(4, "i-1", "provide", {"username": "ann"}))
    detail = {"username": "ann", "interrupt": waiting}
    assert effects == [do.StopTimer("i-1"), do.AnswerInterrupt("i-1", "provide", detail)]


def test_decision_that_is_no_answer_changes_nothing() -> None:
    talk = Dialogue(page(), opened("auth"))
    assert talk.say(ev.InterruptAnswered(4, "i-1", "reload")) == []
    assert talk.say(ev.InterruptAnswered(4, "i-9", "cancel")) == []
    assert list(talk.state.interrupts) == ["i-1"]


def test_same_thing_told_twice_is_one_interrupt() -> None:
    talk = Dialogue(page(), opened("hung"))
    assert talk.say(opened("hung")) == []
    assert list(talk.state.interrupts) == ["i-1"]


def test_asked_for_again_it_is_as_new_as_the_last_time() -> None:
    talk = Dialogue(page(), opened("file_chooser"))
    talk.say(replace(opened("file_chooser"), at=9))
    assert {key: one.opened_at for key, one in talk.state.interrupts.items()} == {"i-1": 9}


@pytest.mark.parametrize("permission", PERMISSIONS)
def test_what_reaches_the_person_at_the_machine_no_agent_can_grant(permission: str) -> None:
    asked = ev.InterruptOpened(3, "permission", PAGE, TOP, "h", {"permission": permission})
    talk = Dialogue(page(), asked)
    mine = permission not in ("camera", "clipboard-read", "microphone")
    assert ("grant" in talk.state.interrupts["i-1"].answers) == mine
    effects = talk.say(ev.InterruptAnswered(4, "i-1", "grant"))
    assert any(isinstance(one, do.AnswerInterrupt) for one in effects) == mine


def test_owner_is_told_where_a_download_is_kept() -> None:
    talk = Dialogue(page(), navigated(TOP), ev.DownloadStarted(3, "g", TOP, "https://a/f", "f"))
    assert talk.say(ev.DownloadSaved(4, "g", "/files/f")) == [
        do.Notify(TAB, "download saved: /files/f")
    ]
    assert talk.say(ev.DownloadSaved(4, "g", "/elsewhere/f")) == [], "who moved it knows"
    assert talk.state.downloads["g"].saved == "/elsewhere/f"
    failed = talk.say(ev.DownloadSaved(4, "g", "", "a full disk"))
    assert failed == [do.Notify(TAB, "download not saved: a full disk")]
    assert talk.say(ev.DownloadSaved(4, "other", "/files/f")) == []


def test_interrupt_of_nobodys_tab_is_ignored() -> None:
    talk = Dialogue(page())
    assert talk.say(opened("auth", session=OTHER)) == []


def test_interrupt_that_went_away_is_closed_by_its_handle() -> None:
    talk = Dialogue(page(), opened("fedcm"), opened("auth"))
    assert talk.say(ev.InterruptClosed(4, "fedcm", "fedcm handle", "closed")) == [
        do.StopTimer("i-1")
    ]
    assert talk.say(ev.InterruptClosed(4, "fedcm", "fedcm handle", "closed")) == []
    assert list(talk.state.interrupts) == ["i-2"]


def test_crash_waits_for_a_decision_without_a_deadline_until_the_page_is_revived() -> None:
    talk = Dialogue(page())
    assert talk.say(ev.RendererCrashed(2, PAGE)) == []
    waiting = talk.state.interrupts["i-1"]
    assert (waiting.kind, waiting.frame_id, waiting.answers) == (
        "crashed",
        TOP,
        ("reload", "close"),
    )
    talk.say(ev.ReloadedAfterCrash(3, PAGE))
    assert talk.state.interrupts == {}


def test_crash_of_a_stranger_is_ignored() -> None:
    assert Dialogue(page(), ev.RendererCrashed(2, OTHER)).state.interrupts == {}


def test_new_document_ends_what_the_old_one_waited_for() -> None:
    talk = Dialogue(page(), attached(), opened("file_chooser", "F"), opened("hung"), navigated(TOP))
    assert talk.state.interrupts == {}


def test_new_document_ends_neither_the_password_box_nor_the_person() -> None:
    talk = Dialogue(page(), opened("auth"), opened("human"), navigated(TOP))
    assert [i.kind for i in talk.state.interrupts.values()] == ["auth", "human"]


def test_frame_that_is_removed_takes_its_interrupts() -> None:
    talk = Dialogue(page(), attached(), opened("file_chooser", "F"), opened("hung"))
    talk.say(ev.FrameDetached(4, PAGE, "F", swap=False))
    assert [i.kind for i in talk.state.interrupts.values()] == ["hung"]


def test_session_that_ends_takes_its_interrupts() -> None:
    talk = Dialogue(
        page(), child(), ev.RendererCrashed(2, CHILD), opened("auth"), ev.SessionDetached(3, CHILD)
    )
    assert [i.kind for i in talk.state.interrupts.values()] == ["auth"]
    assert talk.say(ev.SessionDetached(4, PAGE)) == [do.StopTimer("i-2")]


def test_drop_leaves_only_what_a_person_does() -> None:
    talk = Dialogue(page(), opened("auth"), opened("human"), ev.ConnectionDropped(4, "reset"))
    assert [i.kind for i in talk.state.interrupts.values()] == ["human"]
    talk.say(ev.ConnectionRestored(5), page(session=OTHER), ev.TargetsReattached(6))
    assert [i.kind for i in talk.state.interrupts.values()] == ["human"]


def test_person_loses_the_tab_when_it_is_not_found_again() -> None:
    talk = Dialogue(
        page(), opened("human"), ev.ConnectionDropped(4, "reset"), ev.ConnectionRestored(5)
    )
    assert do.StopTimer("i-1") in talk.say(ev.TargetsReattached(6))


def test_request_that_is_none_of_our_business_goes_on() -> None:
    talk = Dialogue(page())
    assert talk.say(ev.RequestPaused(1, PAGE, "r1")) == [
        do.SendCommand(PAGE, "Fetch.continueRequest", {"requestId": "r1"})
    ]


def test_download_is_told_when_it_starts_and_when_it_ends_and_not_between() -> None:
    talk = Dialogue(page())
    began = ev.DownloadStarted(1, "g1", TOP, "https://top/f", "f.txt")
    assert talk.say(began) == [do.Notify(TAB, "download started: f.txt")]
    assert talk.say(ev.DownloadProgressed(2, "g1", "inProgress", 5, 10)) == []
    assert talk.say(ev.DownloadProgressed(3, "g1", "completed", 10, 10, "/d/f")) == [
        do.Notify(TAB, "download completed: f.txt")
    ]
    done = talk.state.downloads["g1"]
    assert (done.tab, done.received, done.path) == (TAB, 10, "/d/f")
    assert talk.say(ev.DownloadProgressed(4, "g2", "completed", 1, 1)) == []


def test_only_the_last_downloads_are_remembered() -> None:
    talk = Dialogue()
    for n in range(DOWNLOADS_KEPT + 3):
        talk.say(ev.DownloadStarted(1, f"g{n}", "?", "u", "f"))
    assert len(talk.state.downloads) == DOWNLOADS_KEPT
    assert talk.state.downloads[f"g{DOWNLOADS_KEPT + 2}"].tab == ""
