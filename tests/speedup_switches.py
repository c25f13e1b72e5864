"""Switches speed-ups off for a part of a test."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from msgspec.structs import replace

from pilothouse import speedup_switches
from pilothouse.speedup_switches import Speedups

__all__ = ["ALL_SPEEDUPS", "without_speedups"]

ALL_SPEEDUPS = Speedups.__struct_fields__


@contextmanager
def without_speedups(*names: str) -> Iterator[None]:
    """Have connections, pages and hubs that are made in the block do without these speed-ups."""
    before = speedup_switches.in_use()
    speedup_switches.use(replace(before, **dict.fromkeys(names, False)))
    try:
        yield
    finally:
        speedup_switches.use(before)
