"""Counting requests: pure."""

from __future__ import annotations

from typing import Any

from pilothouse.page.navigation.requests_in_flight import NEVER, InFlightRequests


def begin(flight: InFlightRequests, key: str, at: float, **more: Any) -> None:
    params = {
        "requestId": key,
        "loaderId": "L",
        "frameId": "F",
        "type": "Script",
        "request": {"url": f"http://a/{key}", "method": "GET"},
        **more,
    }
    flight.handle_event("Network.requestWillBeSent", params, "s", at)


def end(flight: InFlightRequests, key: str, at: float, method: str = "loadingFinished") -> None:
    flight.handle_event(f"Network.{method}", {"requestId": key}, "s", at)


def test_quiet_is_counted_from_the_last_end() -> None:
    flight = InFlightRequests()
    begin(flight, "1", 1.0)
    assert flight.seconds_until_quiet(0, 0.5, 1.1) == NEVER
    assert flight.seconds_until_quiet(2, 0.5, 1.1) == 0.0
    end(flight, "1", 2.0)
    assert flight.seconds_until_quiet(0, 0.5, 2.25) == 0.25
    assert flight.seconds_until_quiet(0, 0.5, 2.5) == 0.0


def test_two_requests_are_few_and_three_are_not() -> None:
    flight = InFlightRequests()
    for number in range(3):
        begin(flight, str(number), 1.0)
    assert flight.seconds_until_quiet(2, 0.5, 9.0) == NEVER
    end(flight, "0", 9.0, "loadingFailed")
    assert flight.seconds_until_quiet(2, 0.5, 9.0) == 0.5


def test_streams_beacons_and_inline_data_do_not_count() -> None:
    flight = InFlightRequests()
    begin(flight, "1", 1.0, type="EventSource")
    begin(flight, "2", 1.0, type="Ping")
    begin(flight, "3", 1.0, request={"url": "data:text/plain,x"})
    assert len(flight) == 0


def test_the_icon_that_chrome_asks_for_by_itself_does_not_count() -> None:
    flight = InFlightRequests()
    begin(flight, "1", 1.0, type="Other", initiator={"type": "other"})
    assert len(flight) == 0
    begin(flight, "2", 1.0, type="Other", initiator={"type": "parser"})
    assert len(flight) == 1


def test_a_fetch_ends_with_its_answer_and_the_data_after_it() -> None:
    flight = InFlightRequests()
    begin(flight, "1", 1.0, type="Fetch")
    flight.handle_event("Network.responseReceived", {"requestId": "1", "type": "Fetch"}, "s", 2.0)
    assert len(flight) == 0
    flight.handle_event("Network.dataReceived", {"requestId": "1"}, "s", 2.25)
    assert flight.seconds_until_quiet(0, 0.5, 2.5) == 0.25
    end(flight, "1", 2.6)
    flight.handle_event("Network.dataReceived", {"requestId": "1"}, "s", 9.0)
    assert flight.seconds_until_quiet(0, 0.5, 9.0) == 0.0


def test_what_the_old_document_asked_for_goes_with_it() -> None:
    flight = InFlightRequests()
    begin(flight, "old", 1.0)
    begin(flight, "new", 1.0, loaderId="M")
    flight.on_commit("M", 2.0)
    assert len(flight) == 1
    assert "http://a/new (1.0 s)" in flight.describe_pending(2.0)[0]


def test_frames_and_sessions_take_their_requests_along() -> None:
    flight = InFlightRequests()
    begin(flight, "1", 1.0, frameId="G")
    flight.handle_event("Page.frameDetached", {"frameId": "G", "reason": "swap"}, "s", 2.0)
    assert len(flight) == 1
    flight.handle_event("Page.frameDetached", {"frameId": "G", "reason": "remove"}, "s", 2.0)
    assert len(flight) == 0
    begin(flight, "2", 1.0)
    flight.handle_event("Target.detachedFromTarget", {"sessionId": "s"}, "top", 2.0)
    assert len(flight) == 0


def test_an_end_told_by_another_session_counts() -> None:
    flight = InFlightRequests()
    begin(flight, "1", 1.0)
    flight.handle_event("Network.loadingFinished", {"requestId": "1"}, "other", 2.0)
    assert len(flight) == 0


def test_only_the_oldest_are_named() -> None:
    flight = InFlightRequests()
    for number in range(8):
        begin(flight, str(number), float(number))
    told = flight.describe_pending(10.0)
    assert told[0] == "GET http://a/0 (10.0 s)"
    assert told[-1] == "and 3 more"
