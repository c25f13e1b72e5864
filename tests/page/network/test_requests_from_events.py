"""Requests from events in every order Chrome has for them."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pilothouse.page.network.log_entries import NetworkEntry, make_entry
from pilothouse.page.network.requests_from_events import RequestLedger
from tests.page.network_events import Talk, raw


def entries(talk: Talk) -> list[NetworkEntry]:
    return [make_entry(r, talk.ledger.next_hop(r)) for r in talk.ledger.records()]


def test_request_is_in_flight_from_its_start_to_its_end() -> None:
    talk = Talk()
    talk.sent("L", "http://a/")
    assert talk.open() == ["http://a/"]
    talk.answered("L")
    assert talk.open() == ["http://a/"]
    talk.finished("L", size=77)
    assert talk.open() == []
    (entry,) = entries(talk)
    assert (entry.id, entry.state, entry.status, entry.transferred) == ("r1", "finished", 200, 77)
    assert (entry.waited_ms, entry.took_ms, entry.started) == (1000, 2000, 1e9 + 1)


PIECES = ("asked_extra", "answer_extra", "sent", "answered", "finished")


@pytest.mark.parametrize(
    "order",
    [
        order
        for order in itertools.permutations(PIECES)
        if order.index("sent") < order.index("answered") < order.index("finished")
        and order.index("asked_extra") < order.index("answer_extra")
    ],
    ids=lambda order: "-".join(order),
)
def test_extra_information_finds_its_request_in_any_order(order: tuple[str, ...]) -> None:
    talk = Talk()
    tell = {
        "asked_extra": lambda: talk.asked_extra("L", Cookie="c"),
        "answer_extra": lambda: talk.answer_extra("L", 200, Server="s"),
        "sent": lambda: talk.sent("L", "http://a/"),
        "answered": lambda: talk.answered("L"),
        "finished": lambda: talk.finished("L"),
    }
    for piece in order:
        tell[piece]()
    (entry,) = entries(talk)
    assert entry.request_headers == {"Cookie": "c"}
    assert entry.response_headers == {"Server": "s"}


def test_redirects_are_entries_of_their_own_and_the_last_hop_is_in_flight() -> None:
    talk = Talk()
    talk.sent("1", "http://a/1", type="Fetch")
    talk.asked_extra("1", Hop="1")
    talk.sent("1", "http://a/2", type="Fetch", redirect=302)
    talk.answer_extra("1", 302, Hop="1")
    talk.asked_extra("1", Hop="2")
    talk.answer_extra("1", 301, Hop="2")
    talk.asked_extra("1", Hop="3")
    talk.sent("1", "http://a/3", type="Fetch", redirect=301)
    assert talk.open() == ["http://a/3"]
    talk.answer_extra("1", 200, Hop="3")
    talk.answered("1", type="Fetch")
    talk.finished("1")
    first, second, third = entries(talk)
    assert [e.status for e in (first, second, third)] == [302, 301, 200]
    assert [e.redirect_to for e in (first, second, third)] == ["http://a/2", "http://a/3", ""]
    assert [e.redirected_from for e in (first, second, third)] == ["", "r1", "r2"]
    for hop, entry in enumerate((first, second, third), 1):
        assert entry.request_headers == entry.response_headers == {"Hop": str(hop)}
        assert entry.state == "finished"


def test_hop_that_never_went_out_takes_no_extra_information() -> None:
    """Chrome's own redirect to https has none."""
    talk = Talk()
    talk.sent("L", "http://a/")
    answer = {"status": 307, "headers": {"Non-Authoritative-Reason": "HSTS"}}
    asked = {"url": "https://a/", "method": "GET", "headers": {}}
    said = raw(requestId="L", request=asked, redirectResponse=answer, redirectHasExtraInfo=False)
    talk.ledger.on_request(said, "page", "page", 2)
    talk.asked_extra("L", Cookie="c")
    first, second = entries(talk)
    assert (first.request_headers, second.request_headers) == ({"Accept": "*/*"}, {"Cookie": "c"})


def test_answers_with_a_password_in_between_leave_the_last_one() -> None:
    talk = Talk()
    talk.sent("L", "http://a/")
    for status in (401, 200):
        talk.asked_extra("L", Try=str(status))
        talk.answer_extra("L", status, Try=str(status))
    talk.answered("L")
    talk.finished("L")
    (entry,) = entries(talk)
    assert (entry.request_headers, entry.response_headers) == ({"Try": "200"}, {"Try": "200"})


def test_frame_that_changes_process_ends_on_its_new_session() -> None:
    talk = Talk()
    talk.sent("L2", "http://b/", loaderId="L2", frameId="F2")
    talk.answered("L2")
    talk.finished("L2", session="frame")
    (record,) = talk.ledger.records()
    assert (talk.open(), record.session) == ([], "frame")


def test_script_of_a_worker_has_no_answer_but_a_status() -> None:
    talk = Talk()
    talk.sent("W", "http://a/w.js", type="Script", loaderId="")
    talk.answer_extra("W", 200)
    talk.finished("W", session="worker")
    (entry,) = entries(talk)
    assert (entry.state, entry.status, talk.open()) == ("finished", 200, [])


@pytest.mark.parametrize(
    ("headers", "decoded", "encoded"),
    [
        ({"Content-Length": "2"}, 2, 0),
        ({"content-length": "2"}, 1, 2),
        ({"content-length": "9", "Content-Encoding": "gzip"}, 30, 9),
        ({"content-length": "0"}, 0, 0),
    ],
)
def test_fetch_whose_body_is_not_read_is_over_when_all_of_it_is_here(
    headers: dict[str, str], decoded: int, encoded: int
) -> None:
    talk = Talk()
    talk.sent("1", "http://a/", type="Fetch")
    talk.answered("1", type="Fetch", headers=headers)
    if decoded:
        assert talk.open()
        talk.data("1", decoded, encoded)
    assert talk.open() == []
    talk.finished("1", size=99)
    (entry,) = entries(talk)
    assert (entry.state, entry.transferred) == ("finished", 99)


def test_fetch_of_unknown_length_or_with_compressed_bytes_missing_is_in_flight() -> None:
    talk = Talk()
    talk.sent("1", "http://a/1", type="Fetch")
    talk.sent("2", "http://a/2", type="Fetch")
    talk.answered("1", type="Fetch")
    packed = {"content-length": "9", "content-encoding": "br"}
    talk.answered("2", type="Fetch", headers=packed)
    for request in ("1", "2"):
        talk.data(request, 30, 8)
    assert talk.open() == ["http://a/1", "http://a/2"]


@pytest.mark.parametrize("kind", ["Ping", "EventSource", "CSPViolationReport"])
def test_what_nobody_waits_for_is_not_in_flight(kind: str) -> None:
    talk = Talk()
    talk.sent("1", "http://a/", type=kind)
    assert talk.open() == []


@pytest.mark.parametrize("url", ["data:text/plain,x", "blob:http://a/1", "about:blank"])
def test_what_never_leaves_the_browser_is_not_in_flight(url: str) -> None:
    talk = Talk()
    talk.sent("1", url, type="Image")
    assert (talk.open(), len(entries(talk))) == ([], 1)


def test_stream_that_is_found_out_late_is_no_longer_waited_for() -> None:
    talk = Talk()
    talk.sent("1", "http://a/", type="Other")
    talk.answered("1", type="EventSource")
    assert talk.open() == []


def test_preflight_is_told_by_its_initiator_and_not_waited_for() -> None:
    talk = Talk()
    talk.sent("P", "http://b/", type="Other", method="OPTIONS", initiator={"type": "preflight"})
    talk.answered("P", 204, type="Preflight")
    (entry,) = entries(talk)
    assert (entry.type, talk.open()) == ("Preflight", [])


def test_websocket_is_an_entry_and_never_in_flight() -> None:
    talk = Talk()
    talk.ledger.on_socket_created(raw(requestId="S", url="ws://a/"), "page", "page", 1)
    answer = {"status": 101, "headers": {}}
    talk.ledger.on_socket_response(raw(requestId="S", timestamp=1, response=answer), 2)
    assert [(e.type, e.status, e.state) for e in entries(talk)] == [("WebSocket", 101, "pending")]
    talk.ledger.on_socket_closed(raw(requestId="S", timestamp=3), 3, "broken")
    talk.ledger.on_socket_closed(raw(requestId="S", timestamp=4), 4)
    assert (entries(talk)[0].failed, talk.open()) == ("broken", [])


@pytest.mark.parametrize(("method", "status"), [("HEAD", 200), ("GET", 204), ("GET", 304)])
def test_answer_without_a_body_is_no_failure(method: str, status: int) -> None:
    """Chrome says ERR_ABORTED."""
    talk = Talk()
    talk.sent("1", "http://a/", type="Fetch", method=method)
    talk.answered("1", status, type="Fetch")
    talk.failed("1", "net::ERR_ABORTED", canceled=True)
    assert [e.state for e in entries(talk)] == ["finished"]


def test_failure_says_why() -> None:
    talk = Talk()
    for request in ("1", "2", "3"):
        talk.sent(request, "http://a/", type="Fetch")
    talk.failed("1", "net::ERR_CONNECTION_REFUSED")
    talk.failed("2", "net::ERR_BLOCKED_BY_CLIENT", blockedReason="csp")
    talk.failed("3", "net::ERR_FAILED", corsErrorStatus={"corsError": "MissingAllowOriginHeader"})
    assert [e.failed for e in entries(talk)] == [
        "net::ERR_CONNECTION_REFUSED",
        "net::ERR_BLOCKED_BY_CLIENT (csp)",
        "net::ERR_FAILED (CORS: MissingAllowOriginHeader)",
    ]


def test_memory_cache_is_told() -> None:
    talk = Talk()
    talk.sent("1", "http://a/", type="Script")
    talk.ledger.on_served_from_cache(raw(requestId="1"))
    talk.answered("1", hasExtraInfo=False)
    talk.sent("2", "http://a/2", type="Script")
    talk.answered("2", fromDiskCache=True, hasExtraInfo=False)
    talk.sent("3", "http://a/3", type="Fetch")
    talk.answered("3", fromServiceWorker=True)
    assert [e.from_cache for e in entries(talk)] == ["memory", "disk", "service-worker"]


def test_new_document_cuts_off_what_the_old_one_waited_for() -> None:
    talk = Talk()
    talk.sent("1", "http://a/old", type="Fetch", loaderId="L")
    talk.sent("2", "http://b/frame", type="Image", frameId="G", loaderId="M")
    talk.sent("N", "http://a/new", loaderId="N")
    talk.sent("O", "http://a/newer", loaderId="O")
    cut = talk.ledger.on_commit("F", "N", 9)
    assert [record.url for record in cut] == ["http://a/old"]
    assert talk.open() == ["http://b/frame", "http://a/new", "http://a/newer"]
    assert entries(talk)[0].failed == "cut off by a navigation"


def test_navigation_that_another_one_overtook_is_cut_off() -> None:
    talk = Talk()
    talk.sent("N", "http://a/first", loaderId="N")
    talk.sent("O", "http://a/second", loaderId="O")
    talk.ledger.on_commit("F", "O", 9)
    assert talk.open() == ["http://a/second"]


def test_ring_forgets_the_oldest_and_counts_them() -> None:
    talk = Talk(RequestLedger(limit=3))
    for n in range(5):
        talk.sent(str(n), f"http://a/{n}")
    assert [e.id for e in entries(talk)] == ["r3", "r4", "r5"]
    assert talk.ledger.dropped == 2
    assert talk.ledger.record(2) is None
    assert [r.seq for r in talk.ledger.records(since=4)] == [5]
    third = talk.ledger.record(3)
    assert third is not None
    assert third.url == "http://a/2"


def test_requests_of_our_own_are_not_seen() -> None:
    talk = Talk(RequestLedger(ignored_url_prefix="https://secret.invalid/"))
    talk.sent("1", "https://secret.invalid/?q", type="XHR")
    talk.answered("1")
    assert (entries(talk), talk.open()) == ([], [])


def test_long_addresses_and_bodies_are_cut() -> None:
    talk = Talk()
    talk.sent("1", "data:text/plain," + "x" * 100_000, type="Image")
    (record,) = talk.ledger.records()
    assert len(record.url) < 2100
    assert len(bytes(record.sent)) < 10_000


def test_nonsense_is_passed_over() -> None:
    ledger = RequestLedger()
    for odd in (raw(), raw(requestId=5), raw(requestId="x", request=3)):
        assert ledger.on_request(odd, "s", "page", 1) == []
        assert ledger.on_response(odd, "s", 1) is None
        assert ledger.on_data(odd, "s", 1) is None
        assert ledger.on_finished(odd, "s", 1) is None
        assert ledger.on_failed(odd, "s", 1) is None
        assert ledger.on_socket_response(odd, 1) is None
        assert ledger.on_socket_closed(odd, 1) is None
        ledger.on_extra_info("request", odd)
        ledger.on_served_from_cache(odd)
    assert ledger.on_socket_created(raw(url="ws://a"), "s", "page", 1) is None


@given(st.lists(st.tuples(st.sampled_from("sxyadfegc"), st.sampled_from("LMN12")), max_size=60))
def test_any_order_of_events_leaves_only_unfinished_requests_open(
    story: list[tuple[str, str]],
) -> None:
    """Whatever comes: nothing is open that has ended, and the ring keeps to its size."""
    talk = Talk(RequestLedger(limit=5))
    for what, request in story:
        match what:
            case "s":
                talk.sent(request, f"http://a/{request}", loaderId=request)
            case "x":
                talk.sent(request, f"http://a/{request}", redirect=302)
            case "y":
                talk.asked_extra(request, A="b")
            case "a":
                talk.answered(request, headers={"content-length": "1"}, type="Fetch")
            case "d":
                talk.data(request, 1)
            case "f":
                talk.finished(request)
            case "e":
                talk.failed(request, "net::ERR_FAILED")
            case "g":
                talk.ledger.on_commit("F", request, talk.tick())
            case "c":
                talk.answer_extra(request)
    for record in talk.ledger.open.values():
        assert record.ended_at == 0
    assert len(entries(talk)) <= 5
    assert talk.ledger.dropped == max(0, talk.ledger.count - 5)
