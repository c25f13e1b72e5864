"""The table of the debugger's states: what it allows, what it rules out, what it does."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pilothouse.relay.extension_browser.attachment.state_transitions import (
    DEBUGGED,
    PENDING,
    QUEUEING,
    AttachEffect,
    AttachEvent,
    AttachState,
    Transition,
    step,
)
from pilothouse.relay.illegal_event import IllegalEvent

LEGAL = [(state, event) for state, event in product(AttachState, AttachEvent)]


def taken(state: AttachState, event: AttachEvent) -> Transition | None:
    """A transition, or None for an event that cannot happen."""
    try:
        return step(state, event)
    except IllegalEvent:
        return None


ROWS = [(s, e, t) for s, e in LEGAL if (t := taken(s, e)) is not None]


def test_an_event_that_cannot_happen_is_an_error_with_both_names() -> None:
    with pytest.raises(IllegalEvent, match="RETRY cannot happen to a tab that is FREE"):
        step(AttachState.FREE, AttachEvent.RETRY)


def test_only_a_new_share_or_its_end_leads_out_of_a_tab_that_the_user_took_back() -> None:
    out = {
        event for state, event, to in ROWS if state is AttachState.TAKEN_BACK and to[0] is not state
    }
    assert out == {AttachEvent.SHARED, AttachEvent.CLOSED}


def test_nothing_leads_out_of_a_closed_tab() -> None:
    assert {to for state, _, to in ROWS if state is AttachState.CLOSED} == {
        (AttachState.CLOSED, ())
    }


@pytest.mark.parametrize("event", [AttachEvent.TAKEN, AttachEvent.WITHDRAWN])
def test_the_user_can_always_decide(event: AttachEvent) -> None:
    for state in set(AttachState) - {AttachState.CLOSED}:
        assert step(state, event).state in (AttachState.FREE, AttachState.TAKEN_BACK)


@pytest.mark.parametrize(("state", "event", "to"), ROWS, ids=lambda one: getattr(one, "name", ""))
def test_every_row_keeps_what_its_states_promise(
    state: AttachState, event: AttachEvent, to: Transition
) -> None:
    after, effects = to
    # Everything on a tab ends exactly when the debugger is given up.
    assert (AttachEffect.END in effects) == (state in DEBUGGED and after not in DEBUGGED)
    assert (AttachEffect.ADOPT in effects) == (state not in DEBUGGED and after in DEBUGGED)
    # Who waits is answered when the wait ends.
    if state in PENDING and after not in PENDING:
        assert AttachEffect.ANSWER in effects
    # A request that does not count any more is abandoned.
    if state in (AttachState.ATTACHING, AttachState.REATTACHING) and after is not state:
        replied = event in (AttachEvent.ATTACH_OK, AttachEvent.ATTACH_FAILED, AttachEvent.GIVEN_UP)
        assert replied or AttachEffect.ABANDON in effects
    # Requests that waited are sent or ended.
    if state in QUEUEING and after not in QUEUEING:
        assert {AttachEffect.FLUSH, AttachEffect.END} & set(effects)
    # The debugger is requested only on the way to having it.
    asked = {AttachEffect.SEND_ATTACH, AttachEffect.SEND_REATTACH} & set(effects)
    assert bool(asked) == (
        after in (AttachState.ATTACHING, AttachState.REATTACHING) and after is not state
    )


@given(st.lists(st.sampled_from(AttachEvent), max_size=60))
def test_in_any_order_every_wait_for_the_debugger_can_end(events: list[AttachEvent]) -> None:
    state = AttachState.FREE
    for event in events:
        to = taken(state, event)
        state = to.state if to is not None else state
    # The last word is the user's, whatever came before.
    if state is not AttachState.CLOSED:
        state = step(step(state, AttachEvent.TAKEN).state, AttachEvent.SHARED).state
        assert step(state, AttachEvent.ATTACH) == (
            AttachState.ATTACHING,
            (AttachEffect.SEND_ATTACH,),
        )
