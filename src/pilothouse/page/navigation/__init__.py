"""TODO-MAP page/navigation."""

from __future__ import annotations

from pilothouse.page.navigation.lifecycle import NavigationResult
from pilothouse.page.navigation.navigate import Navigation
from pilothouse.page.navigation.url_patterns import chrome_pattern, url_matcher
from pilothouse.page.navigation.urls import normalize_url
from pilothouse.page.navigation.wait import POLL_S, Wait
from pilothouse.page.navigation.waits import STATES, MatchCount, Waits

__all__ = [
    "POLL_S",
    "STATES",
    "MatchCount",
    "Navigation",
    "NavigationResult",
    "Wait",
    "Waits",
    "chrome_pattern",
    "normalize_url",
    "url_matcher",
]
