"""When the wire is tried again."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from pilothouse.cdp.backoff import Backoff

dice = st.floats(0, 1, exclude_max=True)


@given(dice)
def test_first_try_after_a_working_wire_comes_at_once(roll: float) -> None:
    assert Backoff(3).after_drop(worked=True).delay(roll) <= 0.1


@given(dice, st.integers(1, 40))
def test_delays_after_failures_stay_between_half_a_second_and_ten(roll: float, n: int) -> None:
    assert 0.5 <= Backoff(n).delay(roll) <= 10


@given(dice)
def test_delays_grow_with_each_failure(roll: float) -> None:
    delays = [Backoff(n).delay(roll) for n in range(5)]
    assert delays == sorted(delays)


def test_five_failures_exhaust_it() -> None:
    backoff = Backoff()
    for _ in range(5):
        assert not backoff.exhausted
        backoff = backoff.after_failure()
    assert backoff.exhausted


def test_endpoint_that_accepts_and_never_answers_is_given_up_too() -> None:
    backoff = Backoff()
    for _ in range(5):
        backoff = backoff.after_drop(worked=False)
    assert backoff.exhausted
