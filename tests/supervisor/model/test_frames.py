"""The frame tree, in every order Chromium is known to produce."""

from __future__ import annotations

import pytest

from pilothouse.cdp.message import ROOT, SessionId
from pilothouse.supervisor.agent_view import frame_tree
from pilothouse.supervisor.model import events as ev
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
SWAP = ev.FrameDetached(4, PAGE, "F", swap=True)


def test_tab_has_its_main_frame_from_the_start() -> None:
    frame = Dialogue(page()).state.frames[TOP]
    assert (frame.parent, frame.session, frame.tab, frame.url) == ("", PAGE, TAB, "https://top/")


def test_frame_is_there_when_it_is_attached_and_has_an_address_when_it_navigates() -> None:
    talk = Dialogue(page(), attached())
    assert (talk.state.frames["F"].parent, talk.state.frames["F"].url) == (TOP, "")
    talk.say(navigated(url="https://f/"))
    frame = talk.state.frames["F"]
    assert (frame.url, frame.origin, frame.session) == ("https://f/", "https://f", PAGE)


def test_same_process_frame_never_has_a_session_of_its_own() -> None:
    """It would be evaluated in the top document, and the answer would look right."""
    talk = Dialogue(page(), attached(), navigated())
    (shown,) = frame_tree(talk.state, TAB)["children"]
    assert "session_id" not in shown
    assert shown["is_oopif"] is False


@pytest.mark.parametrize("swap_first", [False, True], ids=["navigated, swap", "swap, navigated"])
def test_frame_that_gets_its_own_process_moves_there_in_either_order(swap_first: bool) -> None:
    talk = Dialogue(page(), attached(), navigated(), child())
    assert talk.state.frames["F"].session == PAGE, "the navigation may still come to nothing"
    there = navigated(session=CHILD)
    talk.say(*((SWAP, there) if swap_first else (there, SWAP)))
    assert talk.state.frames["F"].session == CHILD
    assert frame_tree(talk.state, TAB)["children"][0]["session_id"] == CHILD


def test_frame_between_two_processes_is_in_none() -> None:
    talk = Dialogue(page(), attached(), navigated(), child(), SWAP)
    assert talk.state.frames["F"].session == ""


def test_frame_goes_back_to_its_parents_process() -> None:
    talk = Dialogue(page(), attached(), child(), navigated(session=CHILD), SWAP)
    talk.say(ev.SessionDetached(5, CHILD))
    assert "F" not in talk.state.frames
    talk.say(attached(), navigated(url="https://back/"))
    assert talk.state.frames["F"].session == PAGE
    assert frame_tree(talk.state, TAB)["children"][0]["is_oopif"] is False


def test_frame_with_its_own_process_that_is_removed_leaves_no_ghost() -> None:
    talk = Dialogue(page(), attached(), child(), navigated(session=CHILD), SWAP)
    talk.say(ev.FrameDetached(5, PAGE, "F", swap=False))
    assert list(talk.state.frames) == [TOP]
    talk.say(navigated(session=CHILD, url="https://late/"), ev.SessionDetached(6, CHILD))
    assert list(talk.state.frames) == [TOP]


def test_frame_whose_session_ends_is_gone_with_all_below() -> None:
    talk = Dialogue(page(), attached(), child(), navigated(session=CHILD), SWAP)
    talk.say(attached("G", "F", CHILD), ev.ContextCreated(5, CHILD, "G", "c1"))
    talk.say(ev.SessionDetached(6, CHILD))
    assert list(talk.state.frames) == [TOP]
    assert talk.state.contexts == {}


def test_parent_that_speaks_late_does_not_take_a_frame_back() -> None:
    talk = Dialogue(page(), attached(), child(), navigated(session=CHILD))
    talk.say(attached(), SWAP)
    assert talk.state.frames["F"].session == CHILD


def test_new_main_document_leaves_nothing_of_the_old_one() -> None:
    talk = Dialogue(page(), attached(), attached("G", "F"), child(), navigated(session=CHILD))
    talk.say(navigated(TOP))
    assert list(talk.state.frames) == [TOP]


def test_new_document_in_a_frame_ends_the_frames_below_it() -> None:
    talk = Dialogue(page(), attached(), attached("G", "F"), attached("H", TOP), navigated())
    assert sorted(talk.state.frames) == ["F", "H", TOP]


def test_frames_that_were_there_first_are_seeded_parents_first() -> None:
    talk = Dialogue(page())
    talk.say(ev.FrameTreeLoaded(1, PAGE, (navigated(TOP), navigated(), navigated("G", "F"))))
    assert [f.parent for f in talk.state.frames.values()] == ["", TOP, "F"]


def test_seed_that_comes_late_takes_nothing_away() -> None:
    talk = Dialogue(page(), attached(), attached("G", "F"))
    talk.say(ev.FrameTreeLoaded(1, PAGE, (navigated(TOP), navigated())))
    assert sorted(talk.state.frames) == ["F", "G", TOP]


def test_oopif_that_was_there_first_finds_its_parent() -> None:
    talk = Dialogue(page(), child(), ev.FrameTreeLoaded(1, PAGE, (navigated(TOP),)))
    talk.say(ev.FrameTreeLoaded(2, CHILD, (navigated(session=CHILD),)))
    assert talk.state.frames["F"].parent == TOP
    assert frame_tree(talk.state, TAB)["top"]["frame_id"] == TOP


def test_oopif_that_was_there_first_is_known_from_its_session_on() -> None:
    found = ev.SessionAttached(1, CHILD, "F", "iframe", "https://f/", parent=PAGE, parent_frame=TOP)
    talk = Dialogue(page(), found)
    assert (talk.state.frames["F"].parent, talk.state.frames["F"].session) == (TOP, "")
    talk.say(ev.FrameTreeLoaded(2, CHILD, (navigated(session=CHILD),)))
    assert talk.state.frames["F"].session == CHILD


@pytest.mark.parametrize("frame", ["F", TOP])
def test_session_of_a_frame_that_is_known_changes_no_frame(frame: str) -> None:
    talk = Dialogue(page(), attached())
    before = talk.state.frames
    talk.say(ev.SessionAttached(1, CHILD, frame, "iframe", parent=PAGE, parent_frame="F"))
    talk.say(ev.SessionAttached(1, OTHER, "G", "iframe", parent=PAGE, parent_frame="nowhere"))
    assert talk.state.frames == before


@pytest.mark.parametrize(
    "event",
    [
        attached("F", "nowhere"),
        attached("F", "F"),
        attached(TOP, TOP),
        attached(session=OTHER),
        navigated("F", "nowhere"),
        navigated("F", ""),
        navigated("F", TOP, OTHER),
        ev.FrameNavigated(2, PAGE, TOP, TOP, "u", "o", "l"),
        ev.FrameDetached(2, PAGE, "F", swap=False),
        ev.FrameDetached(2, PAGE, TOP, swap=False),
        ev.FrameNavigatedWithinDocument(2, PAGE, "F", "https://x/"),
        ev.ContextCreated(2, OTHER, TOP, "c1"),
        ev.FrameAttached(2, CHILD, "F", TOP),
        navigated("F", TOP, CHILD),
    ],
    ids=str,
)
def test_nonsense_changes_no_frame(event: ev.Event) -> None:
    talk = Dialogue(page(), child("W", kind="service_worker", parent=ROOT))
    before = talk.state
    talk.say(event)
    assert (talk.state.frames, talk.state.contexts) == (before.frames, before.contexts)


def test_frame_does_not_become_its_own_ancestor() -> None:
    talk = Dialogue(page(), attached(), attached("G", "F"))
    before = talk.state.frames
    talk.say(attached("F", "G"), navigated("F", "G"))
    assert talk.state.frames == before


def test_frame_that_is_attached_elsewhere_takes_nothing_along() -> None:
    talk = Dialogue(page(), attached(), attached("G", "F"), attached("H", TOP), attached("F", "H"))
    assert {f.id: f.parent for f in talk.state.frames.values()} == {TOP: "", "H": TOP, "F": "H"}
    talk.say(attached("G", "F"), ev.FrameTreeLoaded(3, PAGE, (navigated("F", TOP),)))
    assert {f.id: f.parent for f in talk.state.frames.values()} == {TOP: "", "H": TOP, "F": TOP}


def test_frame_that_becomes_a_page_is_a_main_frame() -> None:
    talk = Dialogue(page(), attached("NEXT"), attached("G", "NEXT"), page("NEXT", OTHER))
    assert sorted(talk.state.frames) == ["NEXT", TOP]
    assert talk.state.frames["NEXT"].parent == ""


def test_worlds_are_known_per_frame_and_session() -> None:
    talk = Dialogue(page(), attached(), ev.ContextCreated(2, PAGE, "F", "c1"))
    talk.say(ev.ContextCreated(2, PAGE, TOP, "c2"))
    assert talk.state.context_of(talk.state.frames["F"]) == "c1"
    talk.say(ev.ContextDestroyed(3, PAGE, "c1"))
    assert talk.state.context_of(talk.state.frames["F"]) == ""
    talk.say(ev.ContextsCleared(4, PAGE))
    assert talk.state.contexts == {}


def test_worlds_of_a_crashed_process_are_gone() -> None:
    talk = Dialogue(page(), ev.ContextCreated(2, PAGE, TOP, "c"), ev.RendererCrashed(3, PAGE))
    assert talk.state.contexts == {}


def test_crash_takes_the_inner_frames_with_all_below_and_leaves_the_one_it_was_for() -> None:
    talk = Dialogue(page(), attached(), attached("G", "F"), child("G"))
    talk.say(navigated("G", "F", CHILD), ev.RendererCrashed(3, PAGE))
    assert list(talk.state.frames) == [TOP]
    talk = Dialogue(
        page(), attached(), child(), navigated(session=CHILD), attached("G", "F", CHILD)
    )
    talk.say(ev.RendererCrashed(3, CHILD))
    assert sorted(talk.state.frames) == ["F", TOP]


def test_drop_forgets_all_frames() -> None:
    """What is attached again tells them anew: no zombies of another tab."""
    talk = Dialogue(
        page(), attached(), ev.ContextCreated(2, PAGE, "F", "c"), ev.ConnectionDropped(3, "x")
    )
    assert (talk.state.frames, talk.state.contexts) == ({}, {})
    talk.say(ev.ConnectionRestored(4), page(session=OTHER), ev.TargetsReattached(5))
    assert {f.id: f.session for f in talk.state.frames.values()} == {TOP: OTHER}


def test_thousand_frames_are_no_burden() -> None:
    talk = Dialogue(page())
    for n in range(1000):
        talk.say(attached(f"F{n}"), navigated(f"F{n}"))
    tree = frame_tree(talk.state, TAB)
    assert (tree["total"], len(tree["children"]), tree["truncated"]) == (1001, 30, True)
