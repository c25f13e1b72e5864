"""The goals of the MCP benchmark; nothing is measured here."""

from __future__ import annotations

from collections.abc import Mapping

from bench.mcp import AGENT, DEVTOOLS, GOALS, OURS, PLAYWRIGHT, goal_line, verdicts

Rounds = dict[str, list[Mapping[str, float] | None]]


def _figures(scale: float) -> dict[str, float]:
    return {
        "list_warm_ms": 150 * scale,
        "list_ms": 500 * scale,
        "page_ms": 800 * scale,
        "click_ms": 10 * scale,
        "snapshot_ms": 3 * scale,
        "bytes": 11_000 * scale,
    }


def _rounds(ours: float, theirs: float) -> Rounds:
    return {
        OURS: [_figures(ours)],
        PLAYWRIGHT: [_figures(theirs)],
        DEVTOOLS: [_figures(theirs)],
        AGENT: [{"page_ms": 800 * theirs}],
    }


def test_every_goal_is_met_by_who_is_ten_times_faster() -> None:
    found = verdicts(_rounds(1, 10))
    assert len(found) == len(GOALS)
    assert all(verdict.met for verdict in found)
    assert goal_line(found[0]) == (
        "met           list of tools with a running daemon, ms: at most 200, found 150 (150..150)"
    )


def test_goals_that_are_missed_or_not_measured_say_so() -> None:
    found = verdicts(_rounds(2, 2) | {PLAYWRIGHT: [None]})
    assert goal_line(found[0]).startswith("NOT MET  ")
    unmeasured = [goal_line(verdict) for verdict in found if verdict.found is None]
    assert [line.split(":")[0] for line in unmeasured] == [
        "not measured  first page from nothing",
        "not measured  click",
        "not measured  snapshot",
    ]
