"""What `./dev test` leaves to `./dev soak`."""

from __future__ import annotations

import itertools

import pytest

from tests.soak_extent import covering, matrix

GRID = list(itertools.product("abcd", range(3), (False, True), "xyz"))


def pairs(cases: list[tuple[object, ...]]) -> set[tuple[object, ...]]:
    return {
        (i, j, case[i], case[j]) for case in cases for i, j in itertools.combinations(range(4), 2)
    }


def test_covering_cases_hold_every_pair_of_values() -> None:
    chosen = covering(GRID, lambda case: case)
    assert pairs(list(chosen)) == pairs(list(GRID))
    assert len(chosen) < len(GRID) / 4


def test_covering_cases_hold_every_value_when_one_column_is_asked_for() -> None:
    chosen = covering(GRID, lambda case: case, together=1)
    assert [set(column) for column in zip(*chosen, strict=True)] == [
        set(column) for column in zip(*GRID, strict=True)
    ]
    assert len(chosen) == 4


def test_covering_keeps_a_pair_that_only_one_case_holds() -> None:
    few = [("a", 1), ("a", 2), ("b", 2)]  # no ("b", 1)
    assert covering(few, lambda case: case) == few


def test_covering_chooses_the_same_cases_in_the_same_order_every_time() -> None:
    assert covering(GRID, lambda case: case) == covering(GRID, lambda case: case)
    chosen = covering(GRID, lambda case: case)
    assert chosen == [case for case in GRID if case in chosen]


def test_all_cases_run_under_soak(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PILOTHOUSE_SOAK", "1")
    assert matrix(GRID, lambda case: case) == GRID
    monkeypatch.delenv("PILOTHOUSE_SOAK")
    assert matrix(GRID, lambda case: case) == covering(GRID, lambda case: case)
