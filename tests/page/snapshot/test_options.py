"""What a look asks the walker for."""

from __future__ import annotations

import pytest

from pilothouse.page.snapshot.options import BUDGET_TOKENS, SnapshotOptions


def test_a_budget_says_how_many_lines_of_one_container_are_worth_walking() -> None:
    assert 0 < SnapshotOptions().max_lines() < BUDGET_TOKENS
    assert SnapshotOptions(interactive=True).max_lines() == 3 * SnapshotOptions().max_lines()
    assert SnapshotOptions(budget=1).max_lines() == SnapshotOptions(budget=2).max_lines() > 1


@pytest.mark.parametrize("look", [SnapshotOptions(budget=0), SnapshotOptions(find="word")])
def test_where_every_line_counts_all_of_them_are_walked(look: SnapshotOptions) -> None:
    assert look.max_lines() == 0


def test_looks_that_only_leave_out_lines_ask_the_same() -> None:
    plain = SnapshotOptions(budget=0).walk_options(7)
    assert plain == SnapshotOptions(budget=0, interactive=True, depth=2, diff=True).walk_options(7)
    assert plain["root"] == 7
    for other in (
        SnapshotOptions(budget=0, hidden=True),
        SnapshotOptions(budget=0, viewport=True),
        SnapshotOptions(find="word"),
    ):
        assert other.walk_options(7) != plain
