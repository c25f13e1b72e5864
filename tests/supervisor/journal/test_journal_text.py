"""What happened in words, and in whose tab: pure, event by event."""

from __future__ import annotations

import pytest

from pilothouse.cdp.message import SessionId
from pilothouse.supervisor.journal.journal_text import ALL_TABS, describe_event
from pilothouse.supervisor.model import TabKey
from pilothouse.supervisor.model import events as ev
from pilothouse.supervisor.model.dialog_policy_and_permissions import Policy
from pilothouse.supervisor.model.state import State
from pilothouse.supervisor.model.step import step
from tests.supervisor.step_driver_and_events import (
    PAGE,
    TAB,
    TOP,
    alert,
    attached,
    child,
    navigated,
    page,
)

OTHER = SessionId("other")


def told(*events: ev.Event) -> list[tuple[str, str, str]]:
    """The lines of the last event, after the ones before it."""
    state, lines = State(), []
    for event in events:
        before = state
        state, effects = step(before, event)
        lines = describe_event(event, effects, before, state)
    return [(line.tab, line.what, line.words) for line in lines]


def test_tab_that_is_given_to_an_owner_is_opened_and_one_let_go_is_not() -> None:
    assert told(page()) == []
    assert told(page(), ev.OwnerSet(1, TOP, TabKey("ann", "main"))) == [
        (TAB, "opened", "https://top/")
    ]
    assert (
        told(page(), ev.OwnerSet(1, TOP, TabKey("ann", "main")), ev.OwnerSet(2, TOP, TabKey()))
        == []
    )


def test_popup_is_told_to_its_opener_and_begins_a_story_of_its_own() -> None:
    assert told(page(), page("POP", OTHER, opener=TOP)) == [
        (TAB, "popup", "t2 https://pop/"),
        ("t2", "opened", "by t1"),
    ]


def test_navigations_are_told_of_the_page_and_of_its_frames() -> None:
    assert told(page(), navigated(TOP)) == [(TAB, "loads", "https://new/")]
    framed = (page(), attached(), child())
    assert told(*framed, navigated("F")) == [(TAB, "frame loads", "https://new/")]
    assert told(page(), ev.FrameNavigatedWithinDocument(2, PAGE, TOP, "https://top/#x")) == [
        (TAB, "moves within", "https://top/#x")
    ]


def test_title_is_told_when_it_changes_and_is_more_than_the_address() -> None:
    named = ev.TargetInfoChanged(2, TOP, "https://top/", "Top")
    assert told(page(), named) == [(TAB, "title", "Top")]
    assert told(page(), named, named) == []
    assert told(page(), ev.TargetInfoChanged(2, TOP, "https://top/", "top/")) == []


def test_dialog_is_told_from_its_opening_to_its_end_without_what_was_typed() -> None:
    asked = (page(), alert(kind="prompt"))
    assert told(*asked) == [(TAB, "dialog", "prompt d-1: hello")]
    answer = ev.DialogAnswered(4, "d-1", True, "my secret", "agent")
    assert told(*asked, answer) == [
        (TAB, "answer", "accept d-1, by agent"),
        (TAB, "sends", "accept to d-1"),
    ]
    closed = ev.DialogClosed(5, PAGE, TOP, True, "my secret")
    assert told(*asked, answer, closed) == [(TAB, "dialog over", "d-1 accepted by agent")]
    failed = ev.AnswerFailed(5, "d-1", "no such dialog")
    assert (TAB, "answer failed", "d-1: no such dialog") in told(*asked, answer, failed)


def test_dialog_that_a_policy_answers_is_told_with_what_was_done() -> None:
    lines = told(ev.PolicySet(0, TabKey(), Policy("auto_accept")), page(), alert())
    assert lines == [(TAB, "dialog", "alert d-1: hello"), (TAB, "sends", "accept to d-1")]


def test_end_of_a_tab_is_the_last_line_of_it() -> None:
    lines = told(page(), alert(), ev.TargetDestroyed(4, TOP))
    assert lines[0][:2] == (TAB, "dialog over")
    assert lines[-1] == (TAB, "closed", "https://top/")


def test_interrupts_are_told_with_their_answers() -> None:
    opened = ev.InterruptOpened(2, "auth", PAGE, TOP, "h1", {"origin": "https://a"})
    ((tab, what, words),) = told(page(), opened)
    assert (tab, what) == (TAB, "auth")
    assert words.startswith("i-1")
    answered = ev.InterruptAnswered(3, "i-1", "provide", {"password": "my secret"})
    lines = told(page(), opened, answered)
    assert (TAB, "answer", "provide i-1") in lines
    assert (TAB, "sends", "provide to i-1") in lines
    assert not any("secret" in words for _, _, words in lines)
    assert (TAB, "auth over", "i-1 gone") in told(
        page(), opened, ev.InterruptClosed(4, "auth", "h1", "gone")
    )
    assert told(page(), ev.RendererCrashed(2, PAGE))[0][:2] == (TAB, "crashed")


def test_downloads_are_told_when_they_begin_and_end() -> None:
    began = ev.DownloadStarted(2, "g", TOP, "https://top/f.zip", "f.zip")
    assert told(page(), began) == [(TAB, "download", "f.zip from https://top/f.zip")]
    assert told(page(), began, ev.DownloadProgressed(3, "g", "inProgress", 5, 10)) == []
    assert told(page(), began, ev.DownloadProgressed(3, "g", "completed", 10, 10)) == [
        (TAB, "download completed", "f.zip")
    ]


def test_what_an_owner_is_told_is_a_note() -> None:
    lost = told(
        page(), ev.ConnectionDropped(2, "reset"), ev.ConnectionRestored(3), ev.TargetsReattached(4)
    )
    assert (TAB, "note", "tab t1 (https://top/) was lost with the connection") in lost


def test_what_concerns_the_browser_names_no_tab() -> None:
    assert told(page(), ev.ConnectionDropped(2, "reset")) == [
        (ALL_TABS, "connection lost", "reset")
    ]
    assert told(page(), ev.ConnectionDropped(2, "reset"), ev.ConnectionRestored(3)) == [
        (ALL_TABS, "connection back", "")
    ]


@pytest.mark.parametrize(
    "event",
    [
        ev.ContextCreated(1, PAGE, TOP, "c"),
        ev.ContextsCleared(1, PAGE),
        ev.StandbyChanged(1, TOP, True),
        ev.TimerFired(1, "nothing"),
        ev.FrameNavigated(1, SessionId("?"), "?", "", "https://?/", "https://?", "l"),
        ev.DialogAnswered(1, "d-9", True, None, "agent"),
        ev.DownloadProgressed(1, "?", "completed", 1, 1),
    ],
)
def test_what_means_nothing_to_a_reader_or_is_about_no_known_tab_is_left_out(
    event: ev.Event,
) -> None:
    assert told(page(), event) == []
