"""How the daemon is: its browsers, memory and latencies; and which clients see what is in it.

Knows: processes, recent calls, the daemon's clients. Must not know: HTTP.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import psutil

from pilothouse.daemon.tab_and_browser_replies import measure_round_trip
from pilothouse.daemon.web.events import CallFinished, ClientView

if TYPE_CHECKING:
    from pilothouse.daemon.daemon import Daemon

__all__ = ["describe_clients", "measure_health", "percentiles"]

# Latencies are counted in these steps, in milliseconds.
STEPS = (5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000)
_MB = 1024 * 1024


async def measure_health(daemon: Daemon, calls: Iterable[CallFinished]) -> dict[str, Any]:
    """Return the health of the daemon now. Each browser is asked, not remembered."""
    browsers = {id(tab.supervisor): tab for tab in daemon.tabs.all()}
    answers = await asyncio.gather(*(measure_round_trip(tab) for tab in browsers.values()))
    shown = [
        {key: one[key] for key in ("browser", "product", "ms", "error") if key in one}
        for one in answers
    ]
    return {
        "uptime_s": round(daemon.uptime_s, 1),
        "calls": daemon.calls,
        "browsers": daemon.redactor.redact(shown),
        "memory": await asyncio.to_thread(_memory),
        "latency": percentiles([call.ms for call in calls]),
    }


def percentiles(times: Sequence[float]) -> dict[str, Any]:
    """Return percentiles of durations in milliseconds, and how many fall below each step."""
    ordered = sorted(times)
    found: dict[str, Any] = {"count": len(ordered), "steps": list(STEPS)}
    for share in (50, 95, 99):
        at = min(len(ordered) - 1, len(ordered) * share // 100)
        found[f"p{share}"] = round(ordered[at], 1) if ordered else None
    counts = [0] * (len(STEPS) + 1)
    for ms in ordered:
        counts[next((n for n, step in enumerate(STEPS) if ms <= step), len(STEPS))] += 1
    return {**found, "counts": counts}


def describe_clients(daemon: Daemon) -> list[ClientView]:
    """Return who can see what is in the daemon, besides people at the dashboard."""
    redact, names = daemon.redactor.redact_text, daemon.names
    found = [
        ClientView(
            "program" if client.line_handler is None else "MCP",
            client.owner,
            redact(names.get(client.owner, "")),
        )
        for client in daemon.server.clients
        if client.owner
    ]
    found += [
        ClientView("MCP over HTTP", owner, redact(n)) for owner, n in daemon.web.mcp_clients()
    ]
    joined = daemon.relay_service.status()["clients"]
    found += [
        ClientView("relay client", str(one["owner"]), redact(str(one["label"]))) for one in joined
    ]
    return found


def _memory() -> dict[str, float]:
    """Return the resident memory of the daemon and of the processes below it, in MB."""
    own = psutil.Process()
    below = 0
    for process in own.children(recursive=True):
        try:
            below += process.memory_info().rss
        except psutil.Error:
            continue  # it has ended
    return {
        "daemon_mb": round(own.memory_info().rss / _MB, 1),
        "browsers_mb": round(below / _MB, 1),
        "at": time.monotonic(),
    }
