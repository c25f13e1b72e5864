"""How long a call of the daemon may take: the caller's timeout, over everything it does. Pure.

Knows: which methods wait for a browser. Must not know: how they do it. Each method has deadlines of
its own inside; this one holds when a browser is stopped and every part of a call takes its time.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pilothouse.tabs.open_request import clamp_timeout
from pilothouse.tabs.verb import VERBS

__all__ = ["BOUNDED", "UNBOUNDED", "time_limit"]

# Methods that ask a browser something: bounded by `timeout`, which is 30 s if it is not given.
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
# Methods that have deadlines of their own for each of their parts, or ask no browser.
UNBOUNDED = frozenset(
    {
        "catalogue",
        "journal",
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
    """The seconds that a call may take; None for what is bounded otherwise."""
    given = params.get("timeout")
    if method.startswith("tab."):
        verb = VERBS.get(method.removeprefix("tab."))
        if given is None and verb is not None:
            given = next((p.default for p in verb.parameters if p.name == "timeout"), None)
    elif method not in BOUNDED:
        return None
    if given is not None and (isinstance(given, bool) or not isinstance(given, int | float)):
        return None  # it is refused by name, in a moment
    return clamp_timeout(given)
