"""TODO-MAP page/navigation."""

from __future__ import annotations

from pilothouse.page.navigation.lifecycle import Arrival
from pilothouse.page.navigation.navigate import Navigation
from pilothouse.page.navigation.url_patterns import chrome_pattern, matcher
from pilothouse.page.navigation.urls import full_address
from pilothouse.page.navigation.wait import POLL_S, Wait
from pilothouse.page.navigation.waits import STATES, Found, Waits

__all__ = [
    "POLL_S",
    "STATES",
    "Arrival",
    "Found",
    "Navigation",
    "Wait",
    "Waits",
    "chrome_pattern",
    "full_address",
    "matcher",
]
