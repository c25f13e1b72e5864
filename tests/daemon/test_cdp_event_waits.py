"""Raw events that are armed in one call and fetched in another, through a real daemon."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from pilothouse.code.client.daemon_connection import DaemonClient, Refused
from pilothouse.daemon.cdp_event_waits import MAX_ARMED
from tests.daemon.daemon_process import Home
from tests.page_server import Pages

pytestmark = [pytest.mark.browser, pytest.mark.timeout(180)]


@pytest.fixture
def line(lived_in: Home, served: Pages) -> Iterator[DaemonClient]:
    """A line whose owner has a tab."""
    made = lived_in.line("")
    made.call("open", url=served.add("/x.html", "<title>x</title>"))
    yield made
    made.call("close", all=True)


def test_event_armed_before_its_cause_is_fetched_after_it(line: DaemonClient) -> None:
    key = line.call("page.expect", event="Page.loadEventFired")
    line.call("page.cdp", command="Page.reload")
    assert line.call("page.expected", key=key)["timestamp"] > 0
    with pytest.raises(Refused, match="no wait is armed as"):
        line.call("page.expected", key=key)


def test_code_expects_events(line: DaemonClient) -> None:
    code = "loaded = page.expect('Page.loadEventFired')\npage.cdp('Page.reload')\nloaded()"
    assert line.call("run", code=code)["value"]["timestamp"] > 0


def test_event_that_does_not_come_says_so(line: DaemonClient) -> None:
    key = line.call("page.expect", event="Page.windowOpen", timeout=1)
    with pytest.raises(Refused, match=r"waiting for Page.windowOpen: it did not come within 1 s"):
        line.call("page.expected", key=key)


@pytest.mark.parametrize("event", ["", "load", 5, None])
def test_what_is_no_event_is_refused(line: DaemonClient, event: object) -> None:
    with pytest.raises(Refused, match="event:"):
        line.call("page.expect", event=event)


def test_waits_of_others_cannot_be_fetched(line: DaemonClient, lived_in: Home) -> None:
    other = lived_in.line("someone else")
    other.call("open")
    key = other.call("page.expect", event="Page.loadEventFired")
    for wrong in (key, 5, None, ["x"]):
        with pytest.raises(Refused, match="no wait is armed as"):
            line.call("page.expected", key=wrong)
    other.call("close")


def test_waits_nobody_fetches_make_room_for_new_ones(line: DaemonClient) -> None:
    keys = [line.call("page.expect", event="Page.loadEventFired") for _ in range(MAX_ARMED + 3)]
    line.call("page.cdp", command="Page.reload")
    with pytest.raises(Refused, match="no wait is armed as"):
        line.call("page.expected", key=keys[0])
    assert line.call("page.expected", key=keys[-1])["timestamp"] > 0
