"""The table of a client session's states: what it allows, what it rules out, what it does."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pilothouse.relay.hub.session.state_transitions import (
    HIDDEN,
    SHOWN,
    SessionEffect,
    SessionEvent,
    SessionState,
    SessionTransition,
    step,
)
from pilothouse.relay.illegal_event import IllegalEvent

ENDS = (SessionEvent.END, SessionEvent.CLIENT_LEFT)


def taken(state: SessionState, event: SessionEvent) -> SessionTransition | None:
    """A transition, or None for an event that cannot happen."""
    try:
        return step(state, event)
    except IllegalEvent:
        return None


ROWS = [(s, e, t) for s, e in product(SessionState, SessionEvent) if (t := taken(s, e)) is not None]


def test_an_event_that_cannot_happen_is_an_error_with_both_names() -> None:
    with pytest.raises(IllegalEvent, match="SHOW cannot happen to a session that is DISMISSED"):
        step(SessionState.DISMISSED, SessionEvent.SHOW)


def test_every_session_that_exists_can_end_and_stays_ended() -> None:
    for state, event in product(set(SessionState) - {SessionState.NEW}, ENDS):
        assert step(state, event).state is SessionState.ENDED
    assert {to for state, _, to in ROWS if state is SessionState.ENDED} == {
        (SessionState.ENDED, ())
    }


@pytest.mark.parametrize(("state", "event", "to"), ROWS, ids=lambda one: getattr(one, "name", ""))
def test_every_row_keeps_what_its_states_promise(
    state: SessionState, event: SessionEvent, to: SessionTransition
) -> None:
    after, effects = to
    left = event is SessionEvent.CLIENT_LEFT
    # Messages are dropped exactly while the session is hidden.
    assert (SessionEffect.HIDE in effects) == (state not in HIDDEN and after in HIDDEN)
    assert (SessionEffect.REVEAL in effects) == (state in HIDDEN and after not in HIDDEN)
    # The client can use it exactly while it is shown; a client that left has its list cleared.
    assert (SessionEffect.ADD in effects) == (state not in SHOWN and after in SHOWN)
    assert (SessionEffect.REMOVE in effects) == (
        state in SHOWN and after is SessionState.ENDED and not left
    )
    # A target that may wait for this client is resumed, one way or the other, before the client
    # has no session on it any more.
    may_wait = state in (SessionState.UNDECIDED, SessionState.WITHHELD, SessionState.WAITING)
    if may_wait and left:
        assert SessionEffect.RUN in effects
    if may_wait and after is SessionState.DISMISSED:
        assert SessionEffect.LET_GO in effects
    # No client is waited for once nothing of it is left to wait for.
    if state in HIDDEN - {SessionState.DISMISSED} and after is SessionState.ENDED and not left:
        assert SessionEffect.STOP_WAITING in effects


@given(st.lists(st.sampled_from(SessionEvent), max_size=20))
def test_in_any_order_a_session_is_shown_once_and_let_go_once(events: list[SessionEvent]) -> None:
    state, done = SessionState.NEW, list[SessionEffect]()
    for event in events:
        to = taken(state, event)
        if to is not None:
            state = to.state
            done.extend(to.effects)
    for once in SessionEffect:
        if once is not SessionEffect.STOP_WAITING:
            assert done.count(once) <= 1
    assert not (SessionEffect.ADD in done and SessionEffect.LET_GO in done)
