"""Every method of the daemon is bounded by the caller's timeout, or has deadlines of its own."""

from __future__ import annotations

from pathlib import Path

import pytest

from pilothouse.daemon.daemon import Daemon
from pilothouse.daemon.rpc.time_limits import BOUNDED, UNBOUNDED, time_limit
from pilothouse.errors import ToolError
from pilothouse.paths import RuntimePaths
from pilothouse.settings import Settings


async def test_every_method_is_decided_about(tmp_path: Path) -> None:
    assert set(Daemon(RuntimePaths(tmp_path), Settings()).methods) == BOUNDED | UNBOUNDED
    assert not BOUNDED & UNBOUNDED


@pytest.mark.parametrize("method", sorted(BOUNDED))
def test_the_callers_timeout_is_the_limit_and_thirty_seconds_without_one(method: str) -> None:
    assert time_limit(method, {"timeout": 7}) == 7.0
    assert time_limit(method, {}) == 30.0
    with pytest.raises(ToolError, match="timeout: expected at most 300 seconds, got 1000"):
        time_limit(method, {"timeout": 1000})
    assert time_limit(method, {"timeout": "soon"}) is None
    with pytest.raises(ToolError, match="timeout"):
        time_limit(method, {"timeout": float("nan")})


@pytest.mark.parametrize("method", sorted(UNBOUNDED))
def test_what_has_deadlines_of_its_own_gets_no_other(method: str) -> None:
    assert time_limit(method, {"timeout": 7}) is None
