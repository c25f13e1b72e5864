"""The goals of the relay's benchmark; nothing is measured here."""

from __future__ import annotations

from collections.abc import Mapping

from bench.chromium import BenchError
from bench.relay import DAEMON, DIRECT, EXTENSION, Place, Speaker, goal_line, verdicts
from bench.relay_playwriter import PLAYWRITER

Rounds = dict[str, list[Mapping[str, float] | None]]


def _rounds(trip: float, shot: float, peer: Mapping[str, float] | None) -> Rounds:
    return {
        DIRECT: [{"trip_us": 100, "big_ms": 10, "shot_ms": 400}] * 2,
        DAEMON: [{"trip_us": trip, "big_ms": 11, "shot_ms": shot}] * 2,
        EXTENSION: [{"trip_us": 500, "big_ms": 30, "shot_ms": 300}] * 2,
        PLAYWRITER: [peer, peer],
    }


def test_goals_are_met_near_direct_and_before_the_peer() -> None:
    peer = {"trip_us": 600, "big_ms": 40, "shot_ms": 310}
    found = verdicts(_rounds(trip=130, shot=150, peer=peer))
    assert [verdict.met for verdict in found] == [True] * 6
    assert goal_line(found[0]) == (
        "met           round trip through the relay: at most 1.4x direct, found 1.30x (1.30..1.30)"
    )


def test_goals_that_are_missed_or_not_measured_say_so() -> None:
    trip, _, shot, peer, *_ = verdicts(_rounds(trip=150, shot=300, peer=None))
    assert not trip.met
    assert goal_line(shot).startswith("NOT MET  ")
    assert goal_line(peer).startswith("not measured")


def test_a_peer_that_measured_some_is_compared_in_those() -> None:
    found = verdicts(_rounds(trip=130, shot=150, peer={"trip_us": 400, "big_ms": 40}))
    assert [verdict.met for verdict in found[3:]] == [False, True, False]
    assert goal_line(found[5]).startswith("not measured")


class Mute(Speaker):
    """A client that never answers."""

    def __init__(self) -> None:
        self.asked = 0

    def ask(self, **request: object) -> dict[str, float]:
        self.asked += 1
        raise BenchError("no answer within 15 s: it said nothing")


def test_who_does_not_answer_is_named_and_not_asked_again() -> None:
    mute = Mute()
    place = Place(DIRECT, {}, {"raw": mute})
    assert [place.part(figure) for figure in ("trip_us", "big_ms", "shot_ms")] == [None] * 3
    assert (mute.asked, place.failures) == (1, {"raw": "no answer within 15 s: it said nothing"})
