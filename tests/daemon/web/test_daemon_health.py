"""Percentiles of durations, and who can see what."""

from __future__ import annotations

from pathlib import Path

from pilothouse.daemon.web.daemon_health import STEPS, describe_clients, measure_health, percentiles
from tests.daemon.mcp_sessions_without_browser import Room


def test_percentiles_of_no_calls_are_unknown() -> None:
    found = percentiles([])
    assert (found["count"], found["p50"], found["p99"]) == (0, None, None)
    assert sum(found["counts"]) == 0


def test_percentiles_are_of_the_calls_there_were() -> None:
    found = percentiles([float(n) for n in range(100, 0, -1)])
    assert (found["p50"], found["p95"], found["p99"]) == (51.0, 96.0, 100.0)
    assert sum(found["counts"]) == 100
    assert found["counts"][0] == 5  # 1 to 5 ms
    assert percentiles([1e6])["counts"][len(STEPS)] == 1


async def test_health_of_a_daemon_without_browsers(tmp_path: Path) -> None:
    daemon = Room(tmp_path).daemon
    health = await measure_health(daemon, [])
    assert health["browsers"] == []
    assert health["memory"]["daemon_mb"] > 0
    assert describe_clients(daemon) == []
