"""How much of a long test runs: a part in `./dev test`, everything under `./dev soak`."""

from __future__ import annotations

import itertools
import os
from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import TypeVar

import pytest

__all__ = ["MATRIX", "covering", "matrix", "repeats"]

# Tests whose cases are cut by `matrix`. `./dev soak matrix` runs all their cases.
MATRIX = (pytest.mark.soak, pytest.mark.matrix)

Case = TypeVar("Case")


def _soaking() -> bool:
    return bool(os.environ.get("PILOTHOUSE_SOAK"))


def repeats(in_tests: int, in_soak: int = 100) -> int:
    """The count for this run. Tests that use it carry the marker `soak`."""
    return in_soak if _soaking() else in_tests


def matrix(
    cases: Iterable[Case], columns: Callable[[Case], Sequence[Hashable]], together: int = 2
) -> list[Case]:
    """All cases under `./dev soak`, else those that `covering` chooses. Mark the test `MATRIX`."""
    every = list(cases)
    return every if _soaking() else covering(every, columns, together)


def covering(
    cases: Iterable[Case], columns: Callable[[Case], Sequence[Hashable]], together: int = 2
) -> list[Case]:
    """Choose few cases, in their order, that hold every combination of values that occurs.

    `columns` gives the values of a case. With `together` 2 (pairwise), each pair of values that
    some case holds in two columns stands in a chosen one; with 1, each value does. The choice
    depends on the cases alone, so it is the same on every machine.
    """
    every = list(cases)
    holds = [
        {
            (places, tuple(values[place] for place in places))
            for places in itertools.combinations(range(len(values)), together)
        }
        for values in map(columns, every)
    ]
    missing = set().union(*holds)
    chosen = set()
    while missing:
        # The earliest of those that add most.
        best = max(range(len(every)), key=lambda number: (len(holds[number] & missing), -number))
        chosen.add(best)
        missing -= holds[best]
    return [every[number] for number in sorted(chosen)]
