"""The overall time limit of an RPC call. Pure.

Knows: which methods wait for a browser. Must not know: how they work. Each method has its own inner
deadlines. This limit covers the case that a stopped browser makes every step use up its deadline.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pilothouse.tabs.open_and_close_requests import clamp_timeout

__all__ = ["BOUNDED", "UNBOUNDED", "time_limit"]

# Methods that send commands to a browser. Their limit is `timeout`, 30 s by default.
BOUNDED = frozenset(
    {
        "close",
        "connect",
        "disconnect",
        "open",
        "page.cdp",
        "page.expect",
        "status",
        "tabs",
    }
)
# Methods that need no overall limit: each step has its own deadline, or no browser is involved.
UNBOUNDED = frozenset(
    {
        "catalogue",
        "handover",
        "journal",
        "journal.export",
        "notices",
        "page.expected",
        "relay.check_tokens",
        "relay.pair",
        "relay.shared",
        "relay.start",
        "relay.status",
        "relay.stop",
        "relay.unpair",
        "relay.url",
        "run",
        "stop",
        "tool",
        "tools",
        "verbs",
    }
)


def time_limit(method: str, params: Mapping[str, Any]) -> float | None:
    """Return the seconds a call may take, or None for methods without an overall limit.

    Verbs of a tab have their own: `verb_time_limit` in tabs/tab_calls.py."""
    if method not in BOUNDED:
        return None
    given = params.get("timeout")
    if given is not None and (isinstance(given, bool) or not isinstance(given, int | float)):
        return None  # the method itself rejects it, with the parameter's name
    return clamp_timeout(given)
