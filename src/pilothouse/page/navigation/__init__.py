"""Navigation and waits of one tab.

    navigate.py                    Navigation: goto, back, forward, reload, stop; NavigationWatch
                                   for navigations that an action may start
    navigation_tracker.py          NavigationTracker: Page and Network events -> FrameNavigation ->
                                   NavigationOutcome. Pure
    requests_in_flight.py          InFlightRequests: which requests are pending, since when it is
                                   quiet. Pure
    tab_event_listener.py          TabEventListener: chosen events of all sessions of the tab
    waits.py                       Waits: for a selector, text, function, URL, request, popup,
                                   download, idle
    request_and_download_waits.py  the waits for requests, responses and downloads
    wait_and_frame_poller.py       Wait: one armed wait with a deadline; FramePoller polls frames
    url_arguments.py               normalize_url() for goto; url_patterns.py matches URLs against
                                   patterns

CDP events -> TabEventListener -> NavigationTracker -> NavigationOutcome for navigations. A `Wait`
is armed when it is made and awaited later; it resolves from events, from the supervisor's state, or
by polling documents. Both race against dialogs and other blockers of the tab.
"""

from __future__ import annotations

from pilothouse.page.navigation.navigate import Navigation
from pilothouse.page.navigation.navigation_tracker import NavigationOutcome
from pilothouse.page.navigation.url_arguments import normalize_url
from pilothouse.page.navigation.url_patterns import chrome_pattern, url_matcher
from pilothouse.page.navigation.wait_and_frame_poller import POLL_S, Wait
from pilothouse.page.navigation.waits import STATES, MatchCount, Waits

__all__ = [
    "POLL_S",
    "STATES",
    "MatchCount",
    "Navigation",
    "NavigationOutcome",
    "Wait",
    "Waits",
    "chrome_pattern",
    "normalize_url",
    "url_matcher",
]
