"""Factors, best peers and goals."""

from __future__ import annotations

from bench.ratios_and_goals import Rounds, Spread
from bench.tool_speedup_factors import Aim, Found, best_peer, found, plain

ROUNDS: Rounds = {
    "ours": [{"ms": 10, "frames": 10}, {"ms": 20, "frames": 10}, {"ms": 10, "frames": 10}],
    "quick": [{"ms": 30, "frames": 7}, {"ms": 30, "frames": 10}, {"ms": 30, "frames": 10}],
    "slow": [{"ms": 100, "frames": 10}, {"ms": 100, "frames": 10}, None],
    "broken": [None, None, None],
}
PEERS = ("quick", "slow", "broken")


def test_the_best_peer_has_the_lowest_median() -> None:
    assert best_peer(ROUNDS, "ms", PEERS) == "quick"


def test_a_peer_that_fails_what_it_must_do_in_one_round_does_not_count() -> None:
    assert best_peer(ROUNDS, "ms", PEERS, lambda figures: figures["frames"] == 10) == "slow"


def test_peers_that_failed_everywhere_are_nobody() -> None:
    assert best_peer(ROUNDS, "ms", ["broken", "absent"]) == ""


def test_a_factor_is_taken_within_each_round() -> None:
    verdict = found(Aim("page", "ms", 2), ROUNDS, "ours", PEERS)
    assert verdict.against == "quick"
    assert verdict.factor == Spread(3.0, 1.5, 3.0)
    assert verdict.met


def test_a_round_in_which_one_of_them_failed_is_left_out() -> None:
    verdict = found(Aim("page", "ms", 8, "slow"), ROUNDS, "ours", PEERS)
    assert verdict.factor == Spread(7.5, 5.0, 10.0)
    assert not verdict.met


def test_a_goal_without_figures_is_neither_met_nor_missed_in_words() -> None:
    verdict = found(Aim("page", "ms", 2, "broken"), ROUNDS, "ours", PEERS)
    assert verdict.factor is None
    assert not verdict.met
    assert verdict.line() == "not measured  page, ms: 2x faster than broken"


def test_a_line_says_what_was_asked_and_what_was_found() -> None:
    missed = Found(Aim("300", "first ms", 5), "quick", Spread(4.5, 4, 5))
    expected = "NOT MET       300, first ms: 5x faster than quick (the best peer): 4.5x (4.0..5.0)"
    assert missed.line() == expected


def test_json_keeps_the_goal_with_what_was_found() -> None:
    kept = plain(found(Aim("page", "ms", 2), ROUNDS, "ours", PEERS))
    assert kept["met"] is True
    assert kept["against"] == "quick"
    assert kept["factor"] == {"median": 3.0, "low": 1.5, "high": 3.0}
