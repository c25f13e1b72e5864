"""The goals of the relay's benchmark; nothing is measured here."""

from __future__ import annotations

from collections.abc import Mapping

from bench.relay import DIRECT, EXTENSION, HOUSE, goal_line, verdicts
from bench.relay_playwriter import PLAYWRITER

Rounds = dict[str, list[Mapping[str, float] | None]]


def _rounds(trip: float, shot: float, peer: Mapping[str, float] | None) -> Rounds:
    return {
        DIRECT: [{"trip_us": 100, "big_ms": 10, "shot_ms": 400}] * 2,
        HOUSE: [{"trip_us": trip, "big_ms": 11, "shot_ms": shot}] * 2,
        EXTENSION: [{"trip_us": 500, "big_ms": 30, "shot_ms": 300}] * 2,
        PLAYWRITER: [peer, peer],
    }


def test_goals_are_met_near_direct_and_before_the_peer() -> None:
    found = verdicts(_rounds(trip=130, shot=150, peer={"trip_us": 600, "big_ms": 40}))
    assert [verdict.met for verdict in found] == [True, True, True, True]
    assert goal_line(found[0]) == (
        "met           round trip through the relay: at most 1.4x direct, found 1.30x (1.30..1.30)"
    )


def test_goals_that_are_missed_or_not_measured_say_so() -> None:
    trip, _, shot, peer = verdicts(_rounds(trip=150, shot=300, peer=None))
    assert not trip.met
    assert goal_line(shot).startswith("NOT MET  ")
    assert goal_line(peer).startswith("not measured")
