"""What happens next with a document that is walked, and where a frame belongs."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pilothouse.cdp import SessionId
from pilothouse.page.snapshot.tree import Absence, WalkedFrame, parse_walk
from pilothouse.page.snapshot.walk_decisions import (
    ADOPTIONS,
    Answer,
    DocumentWalk,
    Unplaced,
    WalkPhase,
    WalkResult,
    answer_of,
    assumption_held,
    begin_walk,
    frames_without_slots,
    parse_answer,
    place_in_parent,
    walk_arguments,
)
from pilothouse.page.world import CachedWalk
from pilothouse.supervisor import Frame

WALKING = {WalkPhase.ASSUMING, WalkPhase.ASKING, WalkPhase.REPEATING}
WALK_ANSWERS = st.sampled_from(list(Answer))
HAS_LISTENERS = st.sampled_from([None, False, True])


def tree(
    *, suspects: int = 0, slot: str = "", frames: int = 0, lines: tuple[str, ...] = ()
) -> WalkedFrame:
    head = f"1\t1\t9\t{slot}\t{frames}\t800\t600\t0\t0\t800\t600\t{suspects}\tTitle\thttp://a.test/"
    return parse_walk("\n".join((head, *lines)))


def iframe(number: int, slot: int) -> str:
    return f"0\tiframe\t\t{number}\t\t{slot}\t"


def cached() -> CachedWalk:
    return CachedWalk("key", {}, "text", (1.0, 1.0))


def phases(
    step: DocumentWalk, answers: Iterator[Answer], equal: Iterator[bool], roots: Iterator[int]
) -> list[WalkPhase]:
    """Go from phase to phase with these replies, and return the phases."""
    seen = [step.phase]
    while not step.is_over:
        match step.phase:
            case WalkPhase.COMPARING:
                step = step.compared(equal=next(equal))
            case WalkPhase.ADOPTING:
                step = step.adopted(next(roots))
            case phase:
                answer = next(answers)
                if answer is Answer.SAME and phase is not WalkPhase.ASSUMING:
                    answer = Answer.TREE
                step = step.walked(answer)
        seen.append(step.phase)
    return seen


@given(
    st.booleans(),
    HAS_LISTENERS,
    st.sampled_from(["", "context"]),
    st.lists(WALK_ANSWERS, min_size=20, max_size=20),
    st.lists(st.booleans(), min_size=2, max_size=2),
    st.lists(st.integers(0, 2), min_size=20, max_size=20),
)
def test_every_order_of_replies_comes_to_an_end(
    may_assume: bool,
    has_listeners: bool | None,
    context_id: str,
    answers: list[Answer],
    equal: list[bool],
    roots: list[int],
) -> None:
    step = begin_walk(may_assume=may_assume, has_listeners=has_listeners, context_id=context_id)
    seen = phases(step, iter(answers), iter(equal), iter(roots))
    assert seen[-1] in (WalkPhase.UNCHANGED, WalkPhase.DONE)
    assert seen.count(WalkPhase.ADOPTING) <= ADOPTIONS
    assert seen.count(WalkPhase.ASSUMING) <= 1
    assert seen.count(WalkPhase.ASKING) <= 1
    for before, after in itertools.pairwise(seen):
        if after is WalkPhase.UNCHANGED:
            assert before is WalkPhase.COMPARING
        if after is WalkPhase.REPEATING:
            assert before is WalkPhase.ADOPTING
        if after is WalkPhase.ASKING:
            assert before is WalkPhase.COMPARING


def test_an_assumption_needs_a_last_time_and_a_main_world() -> None:
    def first(*, may: bool = True, before: bool | None = False, context: str = "c") -> WalkPhase:
        return begin_walk(may_assume=may, has_listeners=before, context_id=context).phase

    assert first() is WalkPhase.ASSUMING
    assert first(before=True) is WalkPhase.ASSUMING
    assert first(may=False) is WalkPhase.ASKING
    assert first(before=None) is WalkPhase.ASKING
    assert first(context="") is WalkPhase.ASKING


def test_a_page_without_closed_roots_is_walked_once() -> None:
    assert DocumentWalk(WalkPhase.ASSUMING).walked(Answer.TREE).phase is WalkPhase.DONE
    assert DocumentWalk(WalkPhase.ASKING).walked(Answer.GONE).phase is WalkPhase.DONE


def test_an_unchanged_page_is_done_once_the_layout_counts_agree() -> None:
    comparing = DocumentWalk(WalkPhase.ASSUMING).walked(Answer.SAME)
    assert comparing.compared(equal=True).phase is WalkPhase.UNCHANGED
    assert comparing.compared(equal=False).phase is WalkPhase.ASKING


def test_closed_roots_are_adopted_level_by_level_up_to_a_limit() -> None:
    step = DocumentWalk(WalkPhase.ASKING)
    for _ in range(ADOPTIONS):
        step = step.walked(Answer.SUSPECTS)
        assert step.phase is WalkPhase.ADOPTING
        step = step.adopted(3)
        assert step.phase is WalkPhase.REPEATING
    assert step.walked(Answer.SUSPECTS).phase is WalkPhase.DONE


def test_suspects_without_closed_roots_end_the_walk() -> None:
    assert DocumentWalk(WalkPhase.ASKING).walked(Answer.SUSPECTS).adopted(0).phase is WalkPhase.DONE


@pytest.mark.parametrize("phase", list(WalkPhase))
def test_a_reply_that_the_phase_does_not_wait_for_is_refused(phase: WalkPhase) -> None:
    step = DocumentWalk(phase)
    if phase is not WalkPhase.COMPARING:
        with pytest.raises(ValueError, match="nothing is compared"):
            step.compared(equal=True)
    if phase is not WalkPhase.ADOPTING:
        with pytest.raises(ValueError, match="nothing is adopted"):
            step.adopted(1)
    if phase not in WALKING:
        with pytest.raises(ValueError, match="nothing is walked"):
            step.walked(Answer.TREE)
    elif phase is not WalkPhase.ASSUMING:
        with pytest.raises(ValueError, match="no walk to be the same as"):
            step.walked(Answer.SAME)


def test_only_a_walk_that_assumes_may_confirm_the_cached_one() -> None:
    wanted = {"root": 0}

    def sent(phase: WalkPhase) -> dict[str, object]:
        return walk_arguments(wanted, phase=phase, first_number=None, key="new", unless="old")

    assert sent(WalkPhase.ASSUMING) == {"root": 0, "keep": "new", "unless": "old"}
    assert sent(WalkPhase.ASKING) == sent(WalkPhase.REPEATING) == {"root": 0, "keep": "new"}
    assert wanted == {"root": 0}


def test_a_new_document_is_told_its_first_number() -> None:
    sent = walk_arguments({}, phase=WalkPhase.ASKING, first_number=7, key=None, unless=None)
    assert sent == {"next": 7}


def test_what_a_document_answers_is_told_apart() -> None:
    assert answer_of(parse_answer("same", "")) is Answer.SAME
    assert answer_of(parse_answer("gone", "")) is Answer.GONE
    assert parse_answer("gone", "") is Absence.GONE
    assert answer_of(tree()) is Answer.TREE
    assert answer_of(tree(suspects=2)) is Answer.SUSPECTS


@pytest.mark.parametrize(
    ("same", "assumed_none", "has_listeners", "held"),
    [
        (True, False, True, True),
        (False, False, True, False),
        # The nodes differ, but still no plain element listens.
        (False, True, False, True),
        (False, True, True, False),
        # No answer is no confirmation, whatever is known.
        (None, True, False, False),
        (None, False, True, False),
    ],
)
def test_an_assumption_holds_if_chrome_says_so(
    same: bool | None, assumed_none: bool, has_listeners: bool, held: bool
) -> None:
    assert assumption_held(same, assumed_none=assumed_none, has_listeners=has_listeners) is held


def test_a_frame_is_placed_where_both_walks_name_the_same_index() -> None:
    parent = tree(frames=2, lines=(iframe(5, 0), iframe(8, 1)))
    assert place_in_parent(tree(slot="0 2"), parent) == 5
    assert place_in_parent(tree(slot="1 2"), parent) == 8


def test_a_frame_without_an_element_in_its_parent_is_not_shown() -> None:
    parent = tree(frames=2, lines=(iframe(5, 0),))
    assert place_in_parent(tree(slot="1 2"), parent) is Unplaced.NOT_SHOWN


@pytest.mark.parametrize(
    ("frame", "parent"),
    [
        (tree(), tree(frames=1, lines=(iframe(5, 0),))),
        # A frame was added between the two walks.
        (tree(slot="0 1"), tree(frames=2, lines=(iframe(5, 0), iframe(6, 1)))),
        (cached(), tree(frames=1, lines=(iframe(5, 0),))),
        (tree(slot="0 1"), cached()),
        (Absence.NO_ANSWER, tree(frames=1)),
        (tree(slot="0 1"), Absence.GONE),
        (tree(slot="0 1"), None),
        (None, tree(frames=1)),
    ],
)
def test_a_place_that_two_fresh_walks_do_not_agree_on_is_unknown(
    frame: WalkResult | None, parent: WalkResult | None
) -> None:
    assert place_in_parent(frame, parent) is Unplaced.UNKNOWN


def test_frames_with_many_siblings_do_not_report_their_index() -> None:
    crowd = [Frame(f"c{n}", "crowded", SessionId("s"), "t") for n in range(65)]
    few = [Frame(f"f{n}", "small", SessionId("s"), "t") for n in range(64)]
    assert frames_without_slots([*few, *crowd]) == crowd
