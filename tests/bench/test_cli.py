"""The goals of the command line's benchmark; nothing is measured here."""

from __future__ import annotations

from collections.abc import Mapping

from bench.cli import goal_line, verdicts

Rounds = dict[str, list[Mapping[str, float] | None]]


def _rounds(ours: float, native: float, npx: float | None) -> Rounds:
    return {
        "pilothouse": [{"ms": ours}, {"ms": ours}],
        "agent-browser": [{"ms": native}, {"ms": native}],
        "agent-browser by npx": [None if npx is None else {"ms": npx}] * 2,
    }


def test_goals_are_met_within_two_and_a_half_times_and_before_npx() -> None:
    found = verdicts(_rounds(ours=50, native=25, npx=500))
    assert [verdict.met for verdict in found] == [True, True]
    assert goal_line(found[0]) == (
        "met           warm click against the native program: at most 2.5x, "
        "found 2.00x (2.00..2.00)"
    )


def test_goals_that_are_missed_or_not_measured_say_so() -> None:
    missed, unmeasured = verdicts(_rounds(ours=80, native=25, npx=None))
    assert not missed.met
    assert goal_line(missed).startswith("NOT MET  ")
    assert not unmeasured.met
    assert goal_line(unmeasured) == "not measured  warm click against the same by npx: at most 1x"
