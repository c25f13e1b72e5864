"""The goals of the economy benchmark; nothing is measured here."""

from __future__ import annotations

from bench.economy import Rounds, verdicts
from bench.mcp import OURS, PLAYWRIGHT


def _rounds(calls: float, tokens: float) -> Rounds:
    return {
        OURS: [{"calls": calls, "tokens": tokens}],
        PLAYWRIGHT: [{"calls": 80.0, "tokens": 50_000.0}],
    }


def test_goals_are_met_at_their_limits_and_not_beyond() -> None:
    assert all(verdict.met for verdict in verdicts(_rounds(40, 22_500)))
    assert not any(verdict.met for verdict in verdicts(_rounds(41, 22_600)))
