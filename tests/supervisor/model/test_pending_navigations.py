"""Which navigations wait for a server, told by Chrome's events alone."""

from __future__ import annotations

from typing import Any

import pytest

from pilothouse.cdp.message import SessionId
from pilothouse.supervisor.model.pending_navigations import (
    PendingNavigation,
    PendingNavigations,
    describe_pending_navigation,
)

TOP, PAGE = "TOP", SessionId("page")


def hear(going: PendingNavigations, method: str, at: float = 1.0, **params: Any) -> None:
    going.feed(method, params, PAGE, TOP, at)


def started(
    frame: str = TOP, kind: str = "differentDocument", loader: str = "L"
) -> PendingNavigations:
    going = PendingNavigations()
    hear(
        going,
        "Page.frameStartedNavigating",
        frameId=frame,
        loaderId=loader,
        url="https://slow.example:8443/a",
        navigationType=kind,
    )
    return going


def requested(going: PendingNavigations, url: str = "https://slow.example:8443/a") -> None:
    hear(going, "Network.requestWillBeSent", requestId="L", request={"url": url})


@pytest.mark.parametrize("kind", ["differentDocument", "reload", "historyDifferentDocument"])
def test_a_navigation_is_pending_until_its_document_is_there(kind: str) -> None:
    going = started(kind=kind)
    assert going.waiting_for_server(PAGE) == PendingNavigation(
        "L", "https://slow.example:8443/a", 1.0
    )
    hear(going, "Page.frameNavigated", frame={"id": TOP})
    assert going.get(PAGE) is None


@pytest.mark.parametrize("kind", ["sameDocument", "historySameDocument"])
def test_a_move_within_the_document_waits_for_nobody(kind: str) -> None:
    assert len(started(kind=kind)) == 0


def test_a_frame_below_holds_nothing_back() -> None:
    assert len(started(frame="INNER")) == 0
    going = started()
    hear(going, "Page.frameNavigated", frame={"id": "INNER"})
    hear(going, "Page.frameStoppedLoading", frameId="INNER")
    assert going.waiting_for_server(PAGE)


def test_after_the_response_only_the_renderer_is_waited_for() -> None:
    going = started()
    requested(going)
    hear(going, "Network.responseReceived", requestId="another")
    assert going.waiting_for_server(PAGE)
    hear(going, "Network.responseReceived", requestId="L")
    assert going.waiting_for_server(PAGE) is None
    pending = going.get(PAGE)
    assert pending is not None
    assert pending.answered


def test_a_navigation_that_is_stopped_is_over() -> None:
    going = started()
    requested(going)
    hear(going, "Network.loadingFailed", requestId="L", canceled=True)
    assert len(going) == 0


def test_a_navigation_that_fails_has_an_error_page_to_come() -> None:
    going = started()
    requested(going)
    hear(going, "Network.loadingFailed", requestId="L", errorText="net::ERR_EMPTY_RESPONSE")
    assert going.waiting_for_server(PAGE) is None
    assert going.get(PAGE)


def test_the_document_before_may_finish_loading_meanwhile() -> None:
    going = started()
    requested(going)
    hear(going, "Page.frameStoppedLoading", frameId=TOP)
    assert going.waiting_for_server(PAGE)


def test_where_requests_are_not_told_the_end_of_loading_is_the_end() -> None:
    going = started()
    hear(going, "Page.frameStoppedLoading", frameId=TOP)
    assert len(going) == 0


def test_a_later_navigation_takes_the_place_of_an_earlier_one() -> None:
    going = started()
    hear(
        going,
        "Page.frameStartedNavigating",
        2.0,
        frameId=TOP,
        loaderId="M",
        url="https://b/",
        navigationType="differentDocument",
    )
    hear(going, "Network.loadingFailed", requestId="L", canceled=True)
    pending = going.waiting_for_server(PAGE)
    assert pending is not None
    assert pending.loader == "M"


def test_what_crashed_left_or_was_lost_is_not_waited_for() -> None:
    for method, params in (
        ("Inspector.targetCrashed", {}),
        ("Target.detachedFromTarget", {"sessionId": PAGE}),
    ):
        going = started()
        going.feed(method, params, PAGE, TOP, 2.0)
        assert len(going) == 0
    going = started()
    going.clear()
    assert len(going) == 0


def test_the_host_that_is_waited_for_is_told_after_redirects_too() -> None:
    going = started()
    pending = going.waiting_for_server(PAGE)
    assert pending is not None
    assert describe_pending_navigation(pending, 8.2) == "waiting for slow.example:8443, 7 s"
    requested(going, "https://other.example/b")
    assert describe_pending_navigation(pending, 8.2) == "waiting for other.example, 7 s"
    assert (
        describe_pending_navigation(PendingNavigation("L", "about:blank", 0.0), 3.0)
        == "waiting for about:blank, 3 s"
    )
