"""How often a repetition is repeated: a few times in the tests, a hundred under `./dev soak`."""

from __future__ import annotations

import os

__all__ = ["repeats"]


def repeats(in_tests: int, in_soak: int = 100) -> int:
    """The count for this run. Tests that use it carry the marker `soak`."""
    return in_soak if os.environ.get("PILOTHOUSE_SOAK") else in_tests
